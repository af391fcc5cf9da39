//! The loops that compute the items of an expression.
//!
//! Where the items of every array follow each other along the last dimension, the inner loop goes through them with
//! steps that are known, so that it runs on vectors; where all arrays have one shape and no gaps, it goes through all
//! items at once. For everything else there is a second nest of loops, with the strides.

use super::emission::{compute_item, Leaf};
use super::program::Program;
use super::shapes::{Certain, Shape};
use crate::convert::convert_item;
use catalog::array::{item_size, load_item, store_item, ArrayParts};
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
    /// Operands of functions that are numbers, in the type that the function wants: by step and place.
    pub converted: &'a [Vec<Option<Operand>>],
    /// The arrays among the operands, seen with the result's shape.
    pub seen: &'a [Option<ArrayParts>],
    /// Where the result goes: it has the result's shape.
    pub target: ArrayParts,
    /// Whether all arrays have that shape.
    pub equal: Certain,
}

/// One nest of loops.
struct Nest {
    /// The dimensions, the outermost first.
    axes: SmallVec<[usize; 4]>,
    /// How often each runs, by dimension.
    counts: Shape,
    /// Whether items follow each other along the innermost.
    contiguous: bool,
    /// Whether it hardly ever runs, so that its code is made when it does.
    rare: bool,
}

impl Computation<'_> {
    /// Emits the loops.
    pub fn emit(&self, emit: &mut Emit<'_>) -> Result<()> {
        let ndim = self.target.shape.len();
        let columns = self.target.ty.layout == Layout::F;
        let axes: SmallVec<[usize; 4]> =
            if columns { (0..ndim).rev().collect() } else { (0..ndim).collect() };
        let rare = self.has_order();
        let strided = Nest { axes: axes.clone(), counts: self.target.shape.clone(), contiguous: false, rare };
        let Some(&inner) = axes.last() else {
            return self.nest(emit, &strided);
        };
        let flat = self.is_flat();
        let mut follows = flat;
        if flat != Certain::Always && (ndim > 1 || flat == Certain::Never) {
            let inside = self.follows(emit, inner)?;
            follows = follows.or(emit, inside);
        }
        let vectors = |emit: &mut Emit<'_>| {
            let nest = self.flattened(emit, axes.clone(), flat);
            self.nest(emit, &nest)
        };
        match follows {
            Certain::Always => vectors(emit),
            Certain::Never => self.nest(emit, &Nest { rare: false, ..strided }),
            Certain::If(condition) => {
                let (fast, slow, join) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
                emit.b.func.blocks[slow].cold = rare;
                emit.b.branch(condition, BlockCall::new(fast, []), BlockCall::new(slow, []));
                emit.b.switch_to(fast);
                vectors(emit)?;
                emit.b.jump(join, &[]);
                emit.b.switch_to(slow);
                self.nest(emit, &strided)?;
                emit.b.jump(join, &[]);
                emit.b.switch_to(join);
                Ok(())
            }
        }
    }

    /// Emits the loops for any strides alone, for a case that hardly ever comes.
    pub fn emit_strided(&self, emit: &mut Emit<'_>) -> Result<()> {
        let counts = self.target.shape.clone();
        self.nest(emit, &Nest { axes: (0..counts.len()).collect(), counts, contiguous: false, rare: true })
    }

    fn arrays(&self) -> impl Iterator<Item = &ArrayParts> {
        self.seen.iter().flatten()
    }

    /// Whether all items of all arrays follow each other in the same order.
    fn is_flat(&self) -> Certain {
        let layout = self.target.ty.layout;
        let ndim = self.target.shape.len();
        let ordered = |leaf: &Leaf| match leaf {
            Leaf::Array(array) => array.ty.layout == layout && array.shape.len() == ndim,
            Leaf::Scalar(_) => true,
        };
        let known = layout != Layout::Any && self.leaves.iter().all(ordered);
        if known {
            self.equal
        } else {
            Certain::Never
        }
    }

    /// Whether the items of all arrays lie without gaps: then strides only matter where a dimension stretches.
    fn has_order(&self) -> bool {
        let ordered = |leaf: &Leaf| match leaf {
            Leaf::Array(array) => array.ty.layout == self.target.ty.layout,
            Leaf::Scalar(_) => true,
        };
        self.target.ty.layout != Layout::Any && self.leaves.iter().all(ordered)
    }

    /// Whether the items of all arrays follow each other along a dimension.
    fn follows(&self, emit: &mut Emit<'_>, axis: usize) -> Result<Certain> {
        let mut follows = Certain::Always;
        for array in std::iter::once(&self.target).chain(self.arrays()) {
            let item = item_size(emit, array.ty.dtype)?;
            let item = emit.b.iconst(Native::I64, item);
            let one = Certain::equal(emit, array.strides[axis], item);
            follows = follows.and(emit, one);
        }
        Ok(follows)
    }

    /// The nest for items that follow each other: if all do, the innermost loop goes through all.
    fn flattened(&self, emit: &mut Emit<'_>, axes: SmallVec<[usize; 4]>, flat: Certain) -> Nest {
        let mut counts = self.target.shape.clone();
        let inner = axes[axes.len() - 1];
        // With one dimension, all items are those along it.
        let flat = if counts.len() == 1 { Certain::Never } else { flat };
        match flat {
            Certain::Never => Nest { axes, counts, contiguous: true, rare: false },
            Certain::Always => {
                counts[inner] = self.target.size(emit);
                Nest { axes: [inner].into_iter().collect(), counts, contiguous: true, rare: false }
            }
            Certain::If(flat) => {
                let (one, size) = (emit.b.iconst(Native::I64, 1), self.target.size(emit));
                for (axis, count) in counts.iter_mut().enumerate() {
                    let whole = if axis == inner { size } else { one };
                    *count = emit.b.select(flat, whole, *count);
                }
                Nest { axes, counts, contiguous: true, rare: false }
            }
        }
    }

    fn nest(&self, emit: &mut Emit<'_>, nest: &Nest) -> Result<()> {
        let bases: Vec<Value> =
            self.arrays().map(|array| array.data).chain(std::iter::once(self.target.data)).collect();
        self.level(emit, nest, 0, &bases)
    }

    /// The loop over the dimension of this level, and what is inside of it. The depth is that of the arrays.
    fn level(&self, emit: &mut Emit<'_>, nest: &Nest, level: usize, bases: &[Value]) -> Result<()> {
        let Some(&axis) = nest.axes.get(level) else { return self.body(emit, bases) };
        let innermost = level + 1 == nest.axes.len();
        let (head, inside, behind) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
        let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
        emit.b.func.blocks[head].cold = nest.rare;
        emit.b.jump(head, &[zero]);
        let at = emit.b.func.add_param(head, ValueType::Native(Native::I64));
        emit.b.switch_to(head);
        let more = emit.b.icmp(IntCond::Slt, at, nest.counts[axis]);
        emit.b.branch(more, BlockCall::new(inside, []), BlockCall::new(behind, []));
        emit.b.switch_to(inside);
        let mut places = Vec::with_capacity(bases.len());
        for (array, &base) in self.arrays().chain(std::iter::once(&self.target)).zip(bases) {
            let stride = match nest.contiguous && innermost {
                true => {
                    let item = item_size(emit, array.ty.dtype)?;
                    emit.b.iconst(Native::I64, item)
                }
                false => array.strides[axis],
            };
            let offset = emit.b.like_first(Op::Imul, &[at, stride]);
            places.push(emit.b.native(Op::PtrAdd, [], &[base, offset], Native::Ptr));
        }
        self.level(emit, nest, level + 1, &places)?;
        let next = emit.b.like_first(Op::Iadd, &[at, one]);
        emit.b.jump(head, &[next]);
        emit.b.switch_to(behind);
        Ok(())
    }

    /// One item: what is loaded, computed and stored.
    fn body(&self, emit: &mut Emit<'_>, places: &[Value]) -> Result<()> {
        let mut items: Vec<Option<Operand>> = Vec::with_capacity(self.leaves.len());
        let mut place = places.iter();
        for (leaf, seen) in self.leaves.iter().zip(self.seen) {
            items.push(match (leaf, seen) {
                (_, Some(array)) => {
                    let place = *place.next().unwrap_or(&array.data);
                    Some(load_item(emit, array, place))
                }
                (Leaf::Scalar(value), None) => value.clone(),
                (Leaf::Array(_), None) => None,
            });
        }
        let value = compute_item(emit, self.program, &items, self.converted)?;
        let value = convert_item(emit, &value, self.target.ty.dtype)?;
        store_item(emit, &self.target, places[places.len() - 1], &value);
        Ok(())
    }
}
