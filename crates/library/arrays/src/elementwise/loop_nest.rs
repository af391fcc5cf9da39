//! The loop nest that computes the elements of an expression.
//!
//! If every array is contiguous along the last dimension, the inner loop has constant strides
//! and can be vectorized; if all arrays have one shape and no gaps, it runs over all
//! elements at once. For everything else there are rarely executed nests: one where some arrays are broadcast along the
//! last dimension, as columns are with matrices, and one for any strides.

use super::broadcast::{Certain, Shape};
use super::codegen::{Leaf, compute_items};
use super::postfix::Program;
use crate::astype::convert_item;
use crate::loop_nest::iteration_cost;
use catalog::array::{ArrayParts, item_size, load_item, store_item};
use catalog::{Emit, Operand};
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use smallvec::SmallVec;
use types::Layout;

/// What is computed, and where it goes.
pub(crate) struct Computation<'a> {
    /// The functions.
    pub program: &'a Program,
    /// The operands.
    pub leaves: &'a [Leaf],
    /// Operands of functions that are numbers, in the type that the function wants: by step and index.
    pub converted: &'a [Vec<Option<Operand>>],
    /// The arrays among the operands, seen with the result's shape.
    pub seen: &'a [Option<ArrayParts>],
    /// Where the results go: arrays of the results' shape.
    pub targets: &'a [ArrayParts],
    /// Whether all arrays have that shape.
    pub equal: Certain,
}

/// How the items of the arrays lie along a dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inner {
    /// They are contiguous.
    Following,
    /// So they do, or there is one for all.
    FollowingOrOne,
    /// As the strides say.
    Strided,
}

/// What an array with one item for all gives inside a loop: whether it is one, and the item.
type Still = (Value, Operand);

/// One nest of loops.
struct Nest {
    /// The dimensions, the outermost first.
    axes: SmallVec<[usize; 4]>,
    /// How often each runs, by dimension.
    counts: Shape,
    /// How items lie along the innermost.
    inner: Inner,
    /// Whether it rarely runs, so that its code is made when it does.
    rare: bool,
}

impl Computation<'_> {
    /// Emits the loops.
    pub fn emit(&self, emit: &mut Emit<'_>) -> Result<()> {
        let ndim = self.targets[0].shape.len();
        let columns = self.targets[0].ty.layout == Layout::F;
        let axes: SmallVec<[usize; 4]> =
            if columns { (0..ndim).rev().collect() } else { (0..ndim).collect() };
        let counts = self.targets[0].shape.clone();
        let strided = Nest { axes: axes.clone(), counts, inner: Inner::Strided, rare: false };
        let Some(&inner) = axes.last() else { return self.nest(emit, &strided) };
        let flat = self.is_flat();
        let mut follows = flat;
        if flat != Certain::Always && (ndim > 1 || flat == Certain::Never) {
            let inside = self.follows(emit, inner)?;
            follows = follows.or(emit, inside);
        }
        match follows {
            Certain::Always => self.following(emit, axes, flat),
            Certain::Never => self.nest(emit, &strided),
            Certain::If(condition) => {
                let nothing = |result: Result<()>| result.map(|()| SmallVec::new());
                emit.if_else(
                    condition,
                    |emit| nothing(self.following(emit, axes.clone(), flat)),
                    |emit| {
                        let block = emit.b.block;
                        emit.b.func.blocks[block].cold = true;
                        nothing(self.otherwise(emit, Nest { rare: true, ..strided }, inner))
                    },
                )?;
                Ok(())
            }
        }
    }

    /// The loops for arrays that are not all contiguous.
    fn otherwise(&self, emit: &mut Emit<'_>, strided: Nest, inner: usize) -> Result<()> {
        let may_stretch =
            self.equal != Certain::Always && self.arrays().count() > 1 && self.targets[0].shape.len() > 1;
        if !may_stretch {
            return self.nest(emit, &strided);
        }
        let (zero, mut near) = (emit.b.iconst(Native::I64, 0), emit.b.bool(true));
        for array in self.targets.iter().chain(self.arrays()) {
            let item = item_size(emit, array.ty.dtype)?;
            let item = emit.b.iconst(Native::I64, item);
            let follows = emit.b.icmp(IntCond::Eq, array.strides[inner], item);
            let still = emit.b.icmp(IntCond::Eq, array.strides[inner], zero);
            let either = emit.b.like_first(Op::Ior, &[follows, still]);
            near = emit.b.like_first(Op::Iand, &[near, either]);
        }
        let some = emit.b.icmp(IntCond::Sgt, self.targets[0].shape[inner], zero);
        let near = emit.b.like_first(Op::Iand, &[near, some]);
        let nothing = |result: Result<()>| result.map(|()| SmallVec::new());
        let nest = Nest {
            axes: strided.axes.clone(),
            counts: strided.counts.clone(),
            inner: Inner::FollowingOrOne,
            // On several threads the loop is a function of its own.
            rare: !emit.is_parallel(),
        };
        emit.if_else(
            near,
            |emit| nothing(self.nest(emit, &nest)),
            |emit| nothing(self.nest(emit, &strided)),
        )?;
        Ok(())
    }

    /// Emits the loops for any strides alone, for a case that rarely comes.
    pub fn emit_strided(&self, emit: &mut Emit<'_>) -> Result<()> {
        let counts = self.targets[0].shape.clone();
        self.nest(
            emit,
            &Nest { axes: (0..counts.len()).collect(), counts, inner: Inner::Strided, rare: true },
        )
    }

    fn arrays(&self) -> impl Iterator<Item = &ArrayParts> {
        self.seen.iter().flatten()
    }

    /// Whether all items of all arrays are contiguous in the same order.
    fn is_flat(&self) -> Certain {
        let layout = self.targets[0].ty.layout;
        let ndim = self.targets[0].shape.len();
        let ordered = |leaf: &Leaf| match leaf {
            Leaf::Array(array) => array.ty.layout == layout && array.shape.len() == ndim,
            Leaf::Scalar(_) => true,
        };
        let known = layout != Layout::Any && self.leaves.iter().all(ordered);
        if known { self.equal } else { Certain::Never }
    }

    /// Whether the items of all arrays are contiguous along a dimension.
    fn follows(&self, emit: &mut Emit<'_>, axis: usize) -> Result<Certain> {
        let mut follows = Certain::Always;
        for array in self.targets.iter().chain(self.arrays()) {
            let item = item_size(emit, array.ty.dtype)?;
            let item = emit.b.iconst(Native::I64, item);
            let one = Certain::equal(emit, array.strides[axis], item);
            follows = follows.and(emit, one);
        }
        Ok(follows)
    }

    /// The loops for items that are contiguous. On several threads, those for all items at once are loops of their own: it is the
    /// outermost one that is cut into chunks.
    fn following(&self, emit: &mut Emit<'_>, axes: SmallVec<[usize; 4]>, flat: Certain) -> Result<()> {
        let Certain::If(condition) = flat else {
            let nest = self.flattened(emit, axes, flat);
            return self.nest(emit, &nest);
        };
        if !emit.is_parallel() || axes.len() == 1 {
            let nest = self.flattened(emit, axes, flat);
            return self.nest(emit, &nest);
        }
        let either = |emit: &mut Emit<'_>, flat: Certain| {
            let nest = self.flattened(emit, axes.clone(), flat);
            self.nest(emit, &nest).map(|()| SmallVec::new())
        };
        emit.if_else(condition, |emit| either(emit, Certain::Always), |emit| either(emit, Certain::Never))?;
        Ok(())
    }

    /// The nest for items that are contiguous: if all are, the innermost loop goes through all.
    fn flattened(&self, emit: &mut Emit<'_>, axes: SmallVec<[usize; 4]>, flat: Certain) -> Nest {
        let mut counts = self.targets[0].shape.clone();
        let inner = axes[axes.len() - 1];
        // With one dimension, all items are those along it.
        let flat = if counts.len() == 1 { Certain::Never } else { flat };
        match flat {
            Certain::Never => Nest { axes, counts, inner: Inner::Following, rare: false },
            Certain::Always => {
                counts[inner] = self.targets[0].size(emit);
                Nest { axes: [inner].into_iter().collect(), counts, inner: Inner::Following, rare: false }
            }
            Certain::If(flat) => {
                let (one, size) = (emit.b.iconst(Native::I64, 1), self.targets[0].size(emit));
                for (axis, count) in counts.iter_mut().enumerate() {
                    let whole = if axis == inner { size } else { one };
                    *count = emit.b.select(flat, whole, *count);
                }
                Nest { axes, counts, inner: Inner::Following, rare: false }
            }
        }
    }

    fn nest(&self, emit: &mut Emit<'_>, nest: &Nest) -> Result<()> {
        let bases: Vec<Value> = self.arrays().chain(self.targets).map(|array| array.data).collect();
        let Some(&axis) = nest.axes.first().filter(|_| !nest.rare && emit.is_parallel()) else {
            return self.level(emit, nest, (0, None), &bases);
        };
        let cost = self.cost(emit, nest);
        emit.parallel_nest(nest.counts[axis], cost, |emit, bounds| {
            self.level(emit, nest, (0, Some(bounds)), &bases)
        })
    }

    /// About how many nanoseconds an iteration of the outermost loop takes: a quarter of one for each item that is read or written
    /// and each function.
    fn cost(&self, emit: &mut Emit<'_>, nest: &Nest) -> Value {
        let ops = self.arrays().count() + self.targets.len() + self.program.steps.len();
        let inner: SmallVec<[Value; 4]> = nest.axes[1..].iter().map(|&axis| nest.counts[axis]).collect();
        iteration_cost(emit, ops as i64, &inner)
    }

    /// The loop over the dimension of this level, all of it or the part between bounds, and the loops inside it. The depth is
    /// that of the arrays.
    fn level(
        &self,
        emit: &mut Emit<'_>,
        nest: &Nest,
        (level, bounds): (usize, Option<[Value; 2]>),
        bases: &[Value],
    ) -> Result<()> {
        let Some(&axis) = nest.axes.get(level) else { return self.body(emit, bases, &[]) };
        let innermost = level + 1 == nest.axes.len();
        let stills = match innermost && nest.inner == Inner::FollowingOrOne {
            true => self.stills(emit, axis, bases),
            false => Vec::new(),
        };
        let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
        let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
        let rare = nest.rare && level == 0;
        emit.b.func.blocks[head].cold = rare;
        // Code that is made when it is needed may be impossible to make.
        emit.b.func.can_fail |= rare;
        let [begin, end] = bounds.unwrap_or([zero, nest.counts[axis]]);
        emit.b.jump(head, &[begin]);
        let at = emit.b.func.add_param(head, ValueType::Native(Native::I64));
        emit.b.switch_to(head);
        let more = emit.b.icmp(IntCond::Slt, at, end);
        emit.b.branch(more, BlockCall::new(inside, []), BlockCall::new(behind, []));
        emit.b.switch_to(inside);
        let mut indices = Vec::with_capacity(bases.len());
        for (array, &base) in self.arrays().chain(self.targets).zip(bases) {
            let stride = match nest.inner != Inner::Strided && innermost {
                true => {
                    let item = item_size(emit, array.ty.dtype)?;
                    emit.b.iconst(Native::I64, item)
                }
                false => array.strides[axis],
            };
            let offset = emit.b.like_first(Op::Imul, &[at, stride]);
            indices.push(emit.b.native(Op::PtrAdd, [], &[base, offset], Native::Ptr));
        }
        match innermost {
            true => self.body(emit, &indices, &stills)?,
            false => self.level(emit, nest, (level + 1, None), &indices)?,
        }
        let next = emit.b.like_first(Op::Iadd, &[at, one]);
        emit.poll();
        emit.b.jump(head, &[next]);
        emit.b.switch_to(behind);
        Ok(())
    }

    /// The first items along a dimension, and whether they are the only ones.
    fn stills(&self, emit: &mut Emit<'_>, axis: usize, bases: &[Value]) -> Vec<Still> {
        let zero = emit.b.iconst(Native::I64, 0);
        let arrays = self.arrays().zip(bases);
        arrays
            .map(|(array, &base)| {
                (emit.b.icmp(IntCond::Eq, array.strides[axis], zero), load_item(emit, array, base))
            })
            .collect()
    }

    /// One item: what is loaded, computed and stored.
    fn body(&self, emit: &mut Emit<'_>, indices: &[Value], stills: &[Still]) -> Result<()> {
        let mut items: Vec<Option<Operand>> = Vec::with_capacity(self.leaves.len());
        let mut number = 0;
        for (leaf, seen) in self.leaves.iter().zip(self.seen) {
            items.push(match (leaf, seen) {
                (_, Some(array)) => {
                    let index = indices[number];
                    let still = stills.get(number);
                    number += 1;
                    Some(match still {
                        None => load_item(emit, array, index),
                        Some((is_still, first)) => {
                            let parts = emit.if_else(
                                *is_still,
                                |_| Ok(first.parts.clone()),
                                |emit| Ok(load_item(emit, array, index).parts),
                            )?;
                            Operand { ty: first.ty, parts }
                        }
                    })
                }
                (Leaf::Scalar(value), None) => value.clone(),
                (Leaf::Array(_), None) => None,
            });
        }
        let values = compute_items(emit, self.program, &items, self.converted)?;
        for ((value, target), &index) in values.iter().zip(self.targets).zip(&indices[number..]) {
            let value = convert_item(emit, value, target.ty.dtype)?;
            store_item(emit, target, index, &value);
        }
        Ok(())
    }
}
