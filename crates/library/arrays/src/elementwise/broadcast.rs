//! The shape of an expression: that of its operands if they are equal, which is tested first, or the broadcast shape,
//! function by function, with NumPy's error messages.

use super::codegen::Leaf;
use super::postfix::{Program, Step};
use crate::setitem::{raise_shapes_if, shape_text};
use abi::ExceptionClass::ValueError;
use catalog::{Emit, constant_text};
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use smallvec::SmallVec;

/// The lengths of dimensions.
pub(crate) type Shape = SmallVec<[Value; 4]>;

/// What is known of a condition while code is emitted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Certain {
    /// It holds.
    Always,
    /// It does not.
    Never,
    /// It may.
    If(Value),
}

impl Certain {
    /// Both.
    pub fn and(self, emit: &mut Emit<'_>, other: Certain) -> Certain {
        match (self, other) {
            (Certain::Always, known) | (known, Certain::Always) => known,
            (Certain::Never, _) | (_, Certain::Never) => Certain::Never,
            (Certain::If(a), Certain::If(b)) => Certain::If(emit.b.like_first(Op::Iand, &[a, b])),
        }
    }

    /// One of both.
    pub fn or(self, emit: &mut Emit<'_>, other: Certain) -> Certain {
        match (self, other) {
            (Certain::Never, known) | (known, Certain::Never) => known,
            (Certain::Always, _) | (_, Certain::Always) => Certain::Always,
            (Certain::If(a), Certain::If(b)) => Certain::If(emit.b.like_first(Op::Ior, &[a, b])),
        }
    }

    /// Whether two words are equal.
    pub fn equal(emit: &mut Emit<'_>, a: Value, b: Value) -> Certain {
        match (emit.b.known_int(a), emit.b.known_int(b)) {
            _ if a == b => Certain::Always,
            (Some(a), Some(b)) if a == b => Certain::Always,
            (Some(_), Some(_)) => Certain::Never,
            _ => Certain::If(emit.b.icmp(IntCond::Eq, a, b)),
        }
    }
}

/// The shapes of what a program gives.
pub(crate) struct Shapes {
    /// Those of its results.
    pub each: SmallVec<[Shape; 1]>,
    /// Whether all its arrays have the first one.
    pub equal: Certain,
    /// Whether results have others than the first one.
    pub differ: Certain,
}

/// The shape of what a program with one result gives, and whether all its arrays have it. Where it goes into an array that
/// takes part in broadcasting, that one's shape.
pub(crate) fn common_shape(
    emit: &mut Emit<'_>,
    program: &Program,
    leaves: &[Leaf],
    target: Option<&[Value]>,
) -> Result<(Shape, Certain)> {
    let mut shapes = common_shapes(emit, program, leaves, target)?;
    Ok((shapes.each.swap_remove(0), shapes.equal))
}

/// The same of a program with any number of results.
pub(crate) fn common_shapes(
    emit: &mut Emit<'_>,
    program: &Program,
    leaves: &[Leaf],
    target: Option<&[Value]>,
) -> Result<Shapes> {
    let ndim = program.result().ndim.max(target.map_or(0, |target| target.len() as u8));
    let arrays = leaves.iter().filter_map(Leaf::shape).filter(|shape| !shape.is_empty());
    let shapes: Vec<Shape> = target.into_iter().chain(arrays).map(Shape::from_slice).collect();
    let alike = shapes.iter().all(|shape| shape.len() == usize::from(ndim));
    let mut equal = if alike { Certain::Always } else { Certain::Never };
    for shape in shapes.get(1..).unwrap_or_default().iter().filter(|_| alike) {
        for (&a, &b) in shapes[0].iter().zip(shape) {
            let one = Certain::equal(emit, a, b);
            equal = equal.and(emit, one);
        }
    }
    let same = || Shapes {
        each: smallvec::smallvec![shapes[0].clone(); program.outputs.len()],
        equal,
        differ: Certain::Never,
    };
    let found = match equal {
        Certain::Always => same(),
        Certain::Never => {
            let each = broadcast_steps(emit, program, leaves, target)?;
            let differ = some_differ(emit, &each);
            Shapes { each, equal, differ }
        }
        Certain::If(same) => {
            let (differ, join) = (emit.b.new_block(), emit.b.new_block());
            emit.b.func.blocks[differ].cold = true;
            let several = program.outputs.len() > 1;
            let flag = several.then(|| emit.b.bool(false));
            let words = program.outputs.iter().flat_map(|_| shapes[0].iter().copied()).chain(flag);
            emit.b.branch(same, BlockCall::new(join, words), BlockCall::new(differ, []));
            let mut param = |native| emit.b.func.add_param(join, ValueType::Native(native));
            let each: SmallVec<[Shape; 1]> = program
                .outputs
                .iter()
                .map(|_| shapes[0].iter().map(|_| param(Native::I64)).collect())
                .collect();
            let differs = several.then(|| param(Native::I1));
            emit.b.switch_to(differ);
            let found = broadcast_steps(emit, program, leaves, target)?;
            let flag = several.then(|| match some_differ(emit, &found) {
                Certain::If(differ) => differ,
                known => emit.b.bool(known == Certain::Always),
            });
            let words: Vec<Value> = found.into_iter().flatten().chain(flag).collect();
            emit.b.jump(join, &words);
            emit.b.switch_to(join);
            Shapes { each, equal, differ: differs.map_or(Certain::Never, Certain::If) }
        }
    };
    Ok(match target {
        Some(target) => Shapes { each: smallvec::smallvec![Shape::from_slice(target)], ..found },
        None => found,
    })
}

/// Whether some of these have another shape than the first one.
fn some_differ(emit: &mut Emit<'_>, shapes: &[Shape]) -> Certain {
    let mut found = Certain::Never;
    for other in shapes.iter().skip(1) {
        for (&a, &b) in shapes[0].iter().zip(other).filter(|(a, b)| a != b) {
            let differs = Certain::If(emit.b.icmp(IntCond::Ne, a, b));
            found = found.or(emit, differs);
        }
    }
    found
}

/// The shapes of the results, from those of all functions in turn. ValueError where operands of one do not fit.
fn broadcast_steps(
    emit: &mut Emit<'_>,
    program: &Program,
    leaves: &[Leaf],
    target: Option<&[Value]>,
) -> Result<SmallVec<[Shape; 1]>> {
    let mut shapes: Vec<Shape> = Vec::with_capacity(program.steps.len());
    for (number, step) in program.steps.iter().enumerate() {
        let shape = match step {
            Step::Operand(at) => leaves[*at].shape().map_or_else(Shape::new, Shape::from_slice),
            Step::Apply { args, .. } => {
                let target = target.filter(|_| number + 1 == program.steps.len());
                let operands: SmallVec<[&[Value]; 3]> = args.iter().map(|&arg| &shapes[arg][..]).collect();
                broadcast_together(emit, &operands, target)?
            }
        };
        shapes.push(shape);
    }
    Ok(program.outputs.iter().map(|&output| shapes[output].clone()).collect())
}

/// The shape of all, where dimensions of length 1 stretch; ValueError if there is none, or if it is not that of the
/// array that the result goes to.
fn broadcast_together(emit: &mut Emit<'_>, operands: &[&[Value]], target: Option<&[Value]>) -> Result<Shape> {
    let (mut shape, mut misfit) = (Shape::new(), None);
    let all: SmallVec<[&[Value]; 4]> = operands.iter().copied().chain(target).collect();
    for own in operands {
        combine(emit, &mut shape, own, &mut misfit);
    }
    let result = shape.clone();
    if let Some(target) = target {
        combine(emit, &mut shape, target, &mut misfit);
    }
    if let Some(misfit) = misfit {
        let mut layout =
            format!("[{}", constant_text("operands could not be broadcast together with shapes "));
        for shape in &all {
            layout.push_str(&format!("{}{}", shape_text(shape), constant_text(" ")));
        }
        layout.push(']');
        let words: Vec<Value> = all.iter().flat_map(|shape| shape.iter().copied()).collect();
        raise_shapes_if(emit, misfit, ValueError, &layout, &words);
    }
    if let Some(target) = target {
        let mut wider = Certain::Never;
        for (&a, &b) in shape.iter().rev().zip(target.iter().rev()) {
            if a != b {
                let differs = Certain::If(emit.b.icmp(IntCond::Ne, a, b));
                wider = wider.or(emit, differs);
            }
        }
        if let Certain::If(wider) = wider {
            let head = constant_text("non-broadcastable output operand with shape ");
            let middle = constant_text(" doesn't match the broadcast shape ");
            let layout = format!("[{head}{}{middle}{}]", shape_text(target), shape_text(&shape));
            let words: Vec<Value> = target.iter().chain(&shape).copied().collect();
            raise_shapes_if(emit, wider, ValueError, &layout, &words);
        }
    }
    Ok(result)
}

/// Broadcasts a shape together with another one; `misfit` is set where that cannot be.
fn combine(emit: &mut Emit<'_>, shape: &mut Shape, own: &[Value], misfit: &mut Option<Value>) {
    if own.len() > shape.len() {
        let more = own[..own.len() - shape.len()].iter().copied();
        *shape = more.chain(shape.iter().copied()).collect();
    }
    let new = shape.len() - own.len();
    let one = emit.b.iconst(Native::I64, 1);
    for (length, &own) in shape[new..].iter_mut().zip(own) {
        if *length == own {
            continue;
        }
        let single = emit.b.icmp(IntCond::Eq, own, one);
        let differs = emit.b.icmp(IntCond::Ne, own, *length);
        let given = emit.b.icmp(IntCond::Ne, own, one);
        let fixed = emit.b.icmp(IntCond::Ne, *length, one);
        let wrong = emit.b.like_first(Op::Iand, &[differs, given]);
        let wrong = emit.b.like_first(Op::Iand, &[wrong, fixed]);
        *misfit = Some(match *misfit {
            Some(before) => emit.b.like_first(Op::Ior, &[before, wrong]),
            None => wrong,
        });
        *length = emit.b.select(single, *length, own);
    }
}
