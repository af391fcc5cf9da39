//! The selection of an index that contains arrays: integer arrays or masks, mixed with integers, slices, `...` and
//! None.
//!
//! NumPy's rule for the shape of the result: the index arrays are broadcast together. If they, with the
//! integers between them, are adjacent, the broadcast dimensions take their place; otherwise they come
//! before all others, each of which is a slice of a dimension of the array, as in basic indexing.

use crate::basic_index::{Part, SliceRange, items, moved, operands, part_of, position};
use crate::boolean_mask::{check_mask, count, for_each_true, indices, walk_true};
use crate::loop_nest::{address, for_each};
use crate::setitem::{apart, raise_shapes_if, shape_text};
use abi::ExceptionClass::IndexError;
use catalog::array::{ArrayParts, load_item};
use catalog::{Emit, Operand, constant_text};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type, TypeTable};

/// What is emitted for a part that an index selects: it is given the part and its indices in the result.
pub(crate) type PartBody<'f> = dyn FnMut(&mut Emit<'_>, ArrayParts, &[Value]) -> Result<()> + 'f;

type Values = SmallVec<[Value; 4]>;

/// What one item of an index does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// What it does in an index without arrays.
    Basic(Part),
    /// The indices of a dimension that the operand of this number holds.
    IndexArray(usize),
    /// The indices at which the operand of this number is true; it has this many dimensions.
    Mask(usize, u8),
}

impl Step {
    /// How many dimensions of the array it is for.
    fn used(self) -> usize {
        match self {
            Step::Basic(Part::New) => 0,
            Step::Mask(_, ndim) => ndim.into(),
            _ => 1,
        }
    }

    /// Whether it is one of those that are broadcast together.
    fn is_shared(self) -> bool {
        !matches!(self, Step::Basic(part) if !matches!(part, Part::Index(_)))
    }
}

/// An index with at least one array.
#[derive(Clone, Debug)]
pub(crate) struct AdvancedIndex {
    steps: SmallVec<[Step; 4]>,
    /// How many dimensions of the result precede the shared ones.
    before: usize,
    /// How many dimensions the arrays share.
    shared: usize,
    /// How many other dimensions there are.
    rest: usize,
    /// Whether `...` stands in it.
    has_ellipsis: bool,
}

impl AdvancedIndex {
    /// The meaning of an index of this type, if an array stands in it and the array has as many dimensions.
    pub fn of(types: &TypeTable, array: ArrayType, index: Type) -> Option<AdvancedIndex> {
        let mut steps: SmallVec<[Step; 4]> = SmallVec::new();
        let (mut ellipsis, mut shared, mut arrays) = (None, 0, 0);
        for (number, item) in items(types, index).into_iter().enumerate() {
            if item == Type::ELLIPSIS {
                if ellipsis.replace(steps.len()).is_some() {
                    return None;
                }
                continue;
            }
            if let Some(part) = part_of(types, item, number) {
                steps.push(Step::Basic(part));
                continue;
            }
            if types.unliteral(item) == Type::BOOL {
                steps.push(Step::Mask(number, 0));
                (arrays, shared) = (arrays + 1, shared.max(1));
                continue;
            }
            let item = types.array(item)?;
            let mask = item.dtype == Type::BOOL;
            steps.push(match mask {
                true => Step::Mask(number, item.ndim),
                false if item.dtype.is_int() => Step::IndexArray(number),
                false => return None,
            });
            arrays += 1;
            shared = shared.max(if mask { 1 } else { usize::from(item.ndim) });
        }
        let used: usize = steps.iter().map(|step| step.used()).sum();
        let missing = usize::from(array.ndim).checked_sub(used)?;
        // A truth value of no dimension beside other arrays would be one more of them, of length 0 or 1.
        let lone = arrays == 1;
        if arrays == 0 || !lone && steps.iter().any(|step| matches!(step, Step::Mask(_, 0))) {
            return None;
        }
        let at = ellipsis.unwrap_or(steps.len());
        steps.insert_many(at, std::iter::repeat_n(Step::Basic(Part::All), missing));
        let before = shared_position(&steps, ellipsis.map(|at| (at, missing)));
        let rest = steps.iter().filter(|step| !step.is_shared()).count();
        Some(AdvancedIndex { steps, before, shared, rest, has_ellipsis: ellipsis.is_some() })
    }

    /// Number of dimensions of what is selected.
    pub fn ndim(&self) -> usize {
        self.shared + self.rest
    }

    /// Whether it is one mask for the whole array: not with `...`, which NumPy treats as any other index.
    pub fn is_whole_mask(&self) -> bool {
        !self.has_ellipsis && matches!(self.steps[..], [Step::Mask(..)])
    }

    /// What the index selects of an array. Indices are not compared with the shape yet, but for integers.
    pub fn open(
        &self,
        emit: &mut Emit<'_>,
        array: &ArrayParts,
        index: &Operand,
        check: bool,
    ) -> Result<Selection> {
        let operands = operands(emit, index)?;
        let mut found = Selection {
            before: self.before,
            ty: array.ty,
            owner: array.owner,
            data: array.data,
            shape: SmallVec::new(),
            strides: SmallVec::new(),
            shared: Shared::Arrays(Vec::new(), SmallVec::new()),
        };
        let lone =
            self.steps.iter().filter(|step| matches!(step, Step::IndexArray(_) | Step::Mask(..))).count()
                == 1;
        let mut axis = 0;
        for &step in &self.steps {
            let lengths = &array.shape[axis..axis + step.used()];
            let strides = &array.strides[axis..axis + step.used()];
            match step {
                Step::Basic(part) => {
                    found.add_part(emit, part, &operands, (axis, check), lengths, strides)?
                }
                Step::IndexArray(number) => {
                    let indices = ArrayParts::open(emit, &operands[number])?;
                    found.add_index_array(IndexArray {
                        indices,
                        axis,
                        length: lengths[0],
                        stride: strides[0],
                    });
                }
                Step::Mask(number, _) => {
                    let mask = open_mask(emit, &operands[number])?;
                    check_mask(emit, lengths, &mask, axis);
                    if lone {
                        found.shared = Shared::Mask(mask, strides.into());
                    } else {
                        for (number, indices) in indices(emit, &mask)?.into_iter().enumerate() {
                            let (length, stride) = (lengths[number], strides[number]);
                            found.add_index_array(IndexArray {
                                indices,
                                axis: axis + number,
                                length,
                                stride,
                            });
                        }
                    }
                }
            }
            axis += step.used();
        }
        found.broadcast(emit);
        Ok(found)
    }
}

/// The parts of a mask; a boolean is one of no dimension.
fn open_mask(emit: &mut Emit<'_>, mask: &Operand) -> Result<ArrayParts> {
    if emit.types.array(mask.ty).is_some() {
        return ArrayParts::open(emit, mask);
    }
    let data = emit.frame_slot(8);
    emit.b.store(data, 0, mask.value());
    let owner = emit.b.iconst(Native::I64, 0);
    let ty = ArrayType { dtype: Type::BOOL, ndim: 0, layout: Layout::C, mutable: false, aligned: true };
    Ok(ArrayParts { ty, owner, data, shape: SmallVec::new(), strides: SmallVec::new() })
}

/// The position of the broadcast dimensions: after this many others. `ellipsis` is the position of `...` and the number of
/// its dimensions: it separates its neighbors even if it has none.
fn shared_position(steps: &[Step], ellipsis: Option<(usize, usize)>) -> usize {
    let (mut before, mut first, mut ended) = (0, None, false);
    for (at, step) in steps.iter().enumerate() {
        ended |= first.is_some() && ellipsis == Some((at, 0));
        if !step.is_shared() {
            ended |= first.is_some();
            before += 1;
        } else if ended {
            return 0;
        } else {
            first.get_or_insert(before);
        }
    }
    first.unwrap_or(0)
}

/// The indices of one dimension.
#[derive(Clone, Debug)]
struct IndexArray {
    indices: ArrayParts,
    axis: usize,
    length: Value,
    stride: Value,
}

/// What the shared dimensions go through.
#[derive(Clone, Debug)]
enum Shared {
    /// Where a mask is true, and the strides of the dimensions that it is for.
    Mask(ArrayParts, Values),
    /// Index arrays, with strides for the shape that they share.
    Arrays(Vec<IndexArray>, Values),
}

/// What an index selects: parts of the array, all of the same shape, at indices known at run time.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// How many dimensions of the result precede the shared ones.
    before: usize,
    ty: ArrayType,
    owner: Value,
    /// Where the part at the indices 0 begins.
    data: Value,
    /// Shape and strides of a part.
    shape: Values,
    strides: Values,
    shared: Shared,
}

impl Selection {
    fn add_part(
        &mut self,
        emit: &mut Emit<'_>,
        part: Part,
        operands: &[Operand],
        (axis, check): (usize, bool),
        lengths: &[Value],
        strides: &[Value],
    ) -> Result<()> {
        match part {
            Part::Index(number) => {
                let at = position(emit, &operands[number], lengths[0], axis, check)?;
                self.data = moved(emit, self.data, at, strides[0]);
            }
            Part::Some(number, _) => {
                let range = SliceRange::of(emit, &operands[number], lengths[0])?;
                self.data = moved(emit, self.data, range.start, strides[0]);
                self.shape.push(range.length);
                self.strides.push(match range.step {
                    Some(step) => emit.b.like_first(Op::Imul, &[strides[0], step]),
                    None => strides[0],
                });
            }
            Part::All => {
                self.shape.push(lengths[0]);
                self.strides.push(strides[0]);
            }
            Part::New => {
                self.shape.push(emit.b.iconst(Native::I64, 1));
                self.strides.push(emit.b.iconst(Native::I64, 0));
            }
        }
        Ok(())
    }

    fn add_index_array(&mut self, indices: IndexArray) {
        if let Shared::Arrays(arrays, _) = &mut self.shared {
            arrays.push(indices);
        }
    }

    /// Gives all arrays of indices the shape that they share. IndexError if there is none.
    fn broadcast(&mut self, emit: &mut Emit<'_>) {
        let Shared::Arrays(arrays, shape) = &mut self.shared else { return };
        if let [one] = &arrays[..] {
            *shape = one.indices.shape.clone();
            return;
        }
        let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
        let ndim = arrays.iter().map(|array| array.indices.shape.len()).max().unwrap_or(0);
        *shape = std::iter::repeat_n(one, ndim).collect();
        let mut misfit = emit.b.bool(false);
        for array in arrays.iter() {
            let new = ndim - array.indices.shape.len();
            for (&length, common) in array.indices.shape.iter().zip(&mut shape[new..]) {
                let free = emit.b.icmp(IntCond::Eq, *common, one);
                let differs = emit.b.icmp(IntCond::Ne, length, *common);
                let bound = emit.b.icmp(IntCond::Ne, length, one);
                let wrong = emit.b.like_first(Op::Iand, &[differs, bound]);
                let no = emit.b.bool(false);
                let wrong = emit.b.select(free, no, wrong);
                misfit = emit.b.like_first(Op::Ior, &[misfit, wrong]);
                *common = emit.b.select(free, length, *common);
            }
        }
        let (layout, words) = mismatch(arrays);
        raise_shapes_if(emit, misfit, IndexError, &layout, &words);
        for array in arrays.iter_mut() {
            let indices = &mut array.indices;
            let mut strides: Values = std::iter::repeat_n(zero, ndim - indices.shape.len()).collect();
            for (&length, &stride) in indices.shape.iter().zip(&indices.strides) {
                let single = emit.b.icmp(IntCond::Eq, length, one);
                strides.push(emit.b.select(single, zero, stride));
            }
            indices.ty = ArrayType { ndim: ndim as u8, layout: Layout::Any, ..indices.ty };
            (indices.shape, indices.strides) = (shape.clone(), strides);
        }
    }

    /// The shape of all that is selected.
    pub fn full_shape(&self, emit: &mut Emit<'_>) -> Result<Values> {
        let shared = match &self.shared {
            Shared::Mask(mask, _) => [count(emit, mask)?].into_iter().collect(),
            Shared::Arrays(_, shape) => shape.clone(),
        };
        let (before, behind) = self.shape.split_at(self.before);
        Ok(before.iter().chain(&shared).chain(behind).copied().collect())
    }

    /// IndexError if a position is outside.
    pub fn check_indices(&self, emit: &mut Emit<'_>) -> Result<()> {
        match &self.shared {
            Shared::Mask(..) => Ok(()),
            Shared::Arrays(arrays, shape) => {
                for_each(emit, shape, &mut |emit, at| moved_to(emit, self.data, arrays, at, true).map(|_| ()))
            }
        }
    }

    /// Copies the arrays of the index where they share memory with the array that is written, and adds
    /// what is to be released then.
    pub fn keep_apart(
        &mut self,
        emit: &mut Emit<'_>,
        array: &ArrayParts,
        kept: &mut Vec<Value>,
    ) -> Result<()> {
        let all: Vec<&mut ArrayParts> = match &mut self.shared {
            Shared::Mask(mask, _) => vec![mask],
            Shared::Arrays(arrays, _) => arrays.iter_mut().map(|array| &mut array.indices).collect(),
        };
        for one in all {
            let (copied, owner) = apart(emit, array, one.clone())?;
            *one = copied;
            kept.push(owner);
        }
        Ok(())
    }

    /// The mask of a row, and the address of the row, if there is nothing else and its items are contiguous plain values.
    pub fn masked_row(&self) -> Option<(&ArrayParts, (Value, Value))> {
        match &self.shared {
            Shared::Mask(mask, strides)
                if mask.shape.len() == 1 && self.shape.is_empty() && self.ty.aligned =>
            {
                Some((mask, (self.data, strides[0])))
            }
            _ => None,
        }
    }

    /// Whether every position is looked at on the way through all parts, even if these have no items.
    pub fn looks_at_all(&self) -> bool {
        self.before == 0
    }

    /// Emits `body` for every part, in the order of the result: it is given the part and its indices in the
    /// result, for those dimensions that [`Self::counterpart`] takes.
    pub fn for_each(&self, emit: &mut Emit<'_>, check: bool, body: &mut PartBody<'_>) -> Result<()> {
        match &self.shared {
            Shared::Mask(mask, strides) => for_each_true(emit, mask, &mut |emit, at, number| {
                let data = address(emit, self.data, strides, at);
                body(emit, self.part(data, 0), &[number])
            }),
            Shared::Arrays(arrays, shape) => {
                let before = self.before;
                let outer: Values = self.shape[..before].iter().chain(shape).copied().collect();
                for_each(emit, &outer, &mut |emit, at| {
                    let data = address(emit, self.data, &self.strides[..before], &at[..before]);
                    let data = moved_to(emit, data, arrays, &at[before..], check)?;
                    body(emit, self.part(data, before), at)
                })
            }
        }
    }

    /// Emits `body` for every part, where it does not matter which one it is.
    pub fn for_any(
        &self,
        emit: &mut Emit<'_>,
        body: &mut dyn FnMut(&mut Emit<'_>, ArrayParts) -> Result<()>,
    ) -> Result<()> {
        match &self.shared {
            Shared::Mask(mask, strides) => walk_true(emit, mask, &mut |emit, at| {
                let data = address(emit, self.data, strides, at);
                body(emit, self.part(data, 0))
            }),
            Shared::Arrays(..) => self.for_each(emit, false, &mut |emit, part, _| body(emit, part)),
        }
    }

    /// The part at an address, without its first dimensions.
    fn part(&self, data: Value, skipped: usize) -> ArrayParts {
        let (shape, strides): (Values, Values) =
            (self.shape[skipped..].into(), self.strides[skipped..].into());
        let ty = ArrayType { ndim: shape.len() as u8, layout: Layout::Any, ..self.ty };
        ArrayParts { ty, owner: self.owner, data, shape, strides }
    }

    /// The part of an array of the full shape that belongs to the part with these indices.
    pub fn counterpart(&self, emit: &mut Emit<'_>, array: &ArrayParts, at: &[Value]) -> ArrayParts {
        let first = match self.shared {
            Shared::Mask(..) => self.before,
            Shared::Arrays(..) => 0,
        };
        let behind = first + at.len();
        let data = address(emit, array.data, &array.strides[first..behind], at);
        let others = |of: &Values| of[..first].iter().chain(&of[behind..]).copied().collect();
        let (shape, strides): (Values, Values) = (others(&array.shape), others(&array.strides));
        let ty = ArrayType { ndim: shape.len() as u8, layout: Layout::Any, ..array.ty };
        ArrayParts { ty, owner: array.owner, data, shape, strides }
    }
}

/// The address moved to the indices that the arrays hold for these indices.
fn moved_to(
    emit: &mut Emit<'_>,
    mut data: Value,
    arrays: &[IndexArray],
    at: &[Value],
    check: bool,
) -> Result<Value> {
    for IndexArray { indices, axis, length, stride } in arrays {
        let where_it_is = address(emit, indices.data, &indices.strides, at);
        let wanted = load_item(emit, indices, where_it_is);
        let found = position(emit, &wanted, *length, *axis, check)?;
        data = moved(emit, data, found, *stride);
    }
    Ok(data)
}

/// `shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,) `, and its numbers.
fn mismatch(arrays: &[IndexArray]) -> (String, Vec<Value>) {
    let mut layout =
        constant_text("shape mismatch: indexing arrays could not be broadcast together with shapes ");
    let mut words = Vec::new();
    for array in arrays {
        layout += &shape_text(&array.indices.shape);
        layout += &constant_text(" ");
        words.extend(array.indices.shape.iter().copied());
    }
    (format!("[{layout}]"), words)
}
