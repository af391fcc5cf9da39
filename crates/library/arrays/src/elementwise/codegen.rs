//! Code generation of a fused expression: operands, broadcast shape, loop nest.
//!
//! A result written to an array that shares memory with an operand, other than element by element, goes to new memory first.

use super::broadcast::{Certain, Shape, common_shape, common_shapes};
use super::loop_nest::Computation;
use super::postfix::{Kind, Program, Step, Target};
use crate::alloc::allocate;
use crate::basic_index::BasicIndex;
use crate::setitem::{self, copy_part, differ, overlap};
use catalog::array::{ArrayParts, load_item};
use catalog::{Emit, ErrorModel, Operand, cast};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Layout, Type};

/// An operand of a program.
#[derive(Clone, Debug)]
pub(crate) enum Leaf {
    /// An array with dimensions.
    Array(ArrayParts),
    /// A number; nothing where the program does not use the operand.
    Scalar(Option<Operand>),
}

impl Leaf {
    /// The shape of an array.
    pub fn shape(&self) -> Option<&[Value]> {
        match self {
            Leaf::Array(array) => Some(&array.shape),
            Leaf::Scalar(_) => None,
        }
    }
}

/// Emits a program.
pub(crate) fn change(emit: &mut Emit<'_>, text: &str, args: &[Operand]) -> Result<Operand> {
    let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    let program = Program::read(emit.catalog, emit.types, text, &types)
        .ok_or_else(|| Diagnostic::internal("emission", format!("`{text}` is no array expression")))?;
    // Inside of arrays, nothing raises.
    let model = std::mem::replace(&mut emit.error_model, ErrorModel::Numpy);
    let result = run(emit, &program, args);
    emit.error_model = model;
    result
}

fn run(emit: &mut Emit<'_>, program: &Program, args: &[Operand]) -> Result<Operand> {
    let leaves = open(emit, program, args)?;
    let converted = convert_scalars(emit, program, &leaves)?;
    match program.target {
        Target::New if program.result().ndim == 0 => {
            let items: Vec<Option<Operand>> = leaves
                .iter()
                .map(|leaf| match leaf {
                    Leaf::Scalar(value) => value.clone(),
                    Leaf::Array(_) => None,
                })
                .collect();
            compute_item(emit, program, &items, &converted)
        }
        Target::New => new_arrays(emit, program, &leaves, &converted),
        Target::First | Target::Out(_) => {
            let number = if let Target::Out(number) = program.target { number } else { 0 };
            let target = ArrayParts::open(emit, &args[number])?;
            let (shape, equal) = if program.result().ndim == 0 && target.shape.is_empty() {
                (Shape::new(), Certain::Always)
            } else {
                common_shape(emit, program, &leaves, Some(&target.shape))?
            };
            let seen = seen_with(emit, &leaves, &shape, equal);
            let targets = std::slice::from_ref(&target);
            into(
                emit,
                Computation { program, leaves: &leaves, converted: &converted, seen: &seen, targets, equal },
            )?;
            Ok(args[number].clone())
        }
        Target::Part => {
            let (shape, _) = common_shape(emit, program, &leaves, None)?;
            let whole = ArrayParts::open(emit, &args[0])?;
            let index = BasicIndex::of(emit.types, whole.ty, args[1].ty)
                .ok_or_else(|| Diagnostic::internal("emission", "an index of another kind"))?;
            let check = emit.boundscheck;
            let target = index.apply(emit, &whole, &args[1], check)?;
            setitem::check_fits(emit, &shape, &target.shape);
            let mut equal = Certain::Always;
            for shape in leaves.iter().filter_map(Leaf::shape) {
                let same_rank = shape.len() == target.shape.len();
                equal = if same_rank { equal } else { Certain::Never };
                for (&a, &b) in shape.iter().zip(&target.shape).filter(|_| same_rank) {
                    let one = Certain::equal(emit, a, b);
                    equal = equal.and(emit, one);
                }
            }
            let seen = seen_with(emit, &leaves, &target.shape.clone(), equal);
            let targets = std::slice::from_ref(&target);
            into(
                emit,
                Computation { program, leaves: &leaves, converted: &converted, seen: &seen, targets, equal },
            )?;
            Ok(Operand::new(Type::NONE, []))
        }
    }
}

/// New arrays of what a program gives: a tuple of several, which are computed in one nest of loops where they have one shape, as they
/// rarely have not.
fn new_arrays(
    emit: &mut Emit<'_>,
    program: &Program,
    leaves: &[Leaf],
    converted: &[Vec<Option<Operand>>],
) -> Result<Operand> {
    let shapes = common_shapes(emit, program, leaves, None)?;
    let mut targets: SmallVec<[ArrayParts; 1]> = SmallVec::new();
    for (&output, shape) in program.outputs.iter().zip(&shapes.each) {
        let Kind { item, layout, .. } = program.kinds[output];
        targets.push(allocate(emit, item, shape, layout, false)?);
    }
    let seen = seen_with(emit, leaves, &shapes.each[0], shapes.equal);
    let results: SmallVec<[Operand; 1]> = targets.iter().map(|target| target.close(emit)).collect();
    let nothing = |result: Result<()>| result.map(|()| SmallVec::new());
    let equal = shapes.equal;
    let together = Computation { program, leaves, converted, seen: &seen, targets: &targets, equal };
    match shapes.differ {
        Certain::Never => together.emit(emit)?,
        Certain::Always => one_by_one(emit, program, leaves, &targets)?,
        Certain::If(differ) => {
            emit.if_else_unlikely(
                differ,
                |emit| nothing(one_by_one(emit, program, leaves, &targets)),
                |emit| nothing(together.emit(emit)),
            )?;
        }
    }
    Ok(match &results[..] {
        [result] => result.clone(),
        _ => {
            let types: Vec<Type> = results.iter().map(|result| result.ty).collect();
            Operand::new(emit.types.tuple(&types), results.into_iter().flat_map(|result| result.parts))
        }
    })
}

/// Computes results of different shapes.
fn one_by_one(emit: &mut Emit<'_>, program: &Program, leaves: &[Leaf], targets: &[ArrayParts]) -> Result<()> {
    for (&output, target) in program.outputs.iter().zip(targets) {
        let program = program.only(output);
        let mut own = vec![Leaf::Scalar(None); leaves.len()];
        for step in &program.steps {
            if let Step::Operand(number) = *step {
                own[number] = leaves[number].clone();
            }
        }
        let converted = convert_scalars(emit, &program, &own)?;
        let seen = seen_with(emit, &own, &target.shape, Certain::Never);
        Computation {
            program: &program,
            leaves: &own,
            converted: &converted,
            seen: &seen,
            targets: std::slice::from_ref(target),
            equal: Certain::Never,
        }
        .emit_strided(emit)?;
    }
    Ok(())
}

/// The operands that the program uses.
pub(super) fn open(emit: &mut Emit<'_>, program: &Program, args: &[Operand]) -> Result<Vec<Leaf>> {
    let mut leaves = vec![Leaf::Scalar(None); args.len()];
    for step in &program.steps {
        let Step::Operand(number) = *step else { continue };
        leaves[number] = match emit.types.array(args[number].ty) {
            None => Leaf::Scalar(Some(args[number].clone())),
            Some(array) => {
                let parts = ArrayParts::open(emit, &args[number])?;
                if array.ndim > 0 {
                    Leaf::Array(parts)
                } else {
                    Leaf::Scalar(Some(load_item(emit, &parts, parts.data)))
                }
            }
        };
    }
    Ok(leaves)
}

/// The numbers among the operands of each function, converted once.
pub(super) fn convert_scalars(
    emit: &mut Emit<'_>,
    program: &Program,
    leaves: &[Leaf],
) -> Result<Vec<Vec<Option<Operand>>>> {
    let mut all = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let mut own = Vec::new();
        if let Step::Apply { rule, args } = step {
            for (&arg, &param) in args.iter().zip(rule.params()) {
                own.push(match &program.steps[arg] {
                    Step::Operand(number) => match &leaves[*number] {
                        Leaf::Scalar(Some(value)) => Some(cast(emit, value, param)?),
                        _ => None,
                    },
                    Step::Apply { .. } => None,
                });
            }
        }
        all.push(own);
    }
    Ok(all)
}

/// What the program gives for these items, if it has one result.
pub(crate) fn compute_item(
    emit: &mut Emit<'_>,
    program: &Program,
    items: &[Option<Operand>],
    converted: &[Vec<Option<Operand>>],
) -> Result<Operand> {
    Ok(compute_items(emit, program, items, converted)?.swap_remove(0))
}

/// What the program gives for these items.
pub(crate) fn compute_items(
    emit: &mut Emit<'_>,
    program: &Program,
    items: &[Option<Operand>],
    converted: &[Vec<Option<Operand>>],
) -> Result<Vec<Operand>> {
    let missing = || Diagnostic::internal("emission", "an operand of an array expression that is not there");
    let mut values: Vec<Operand> = Vec::with_capacity(program.steps.len());
    for (number, step) in program.steps.iter().enumerate() {
        let value = match step {
            Step::Operand(at) => items[*at].clone().ok_or_else(missing)?,
            Step::Apply { rule, args } => {
                let indices = args.iter().zip(&converted[number]);
                let args: Vec<Operand> = indices
                    .map(|(&arg, ready)| ready.clone().unwrap_or_else(|| values[arg].clone()))
                    .collect();
                rule.emit(emit, &args)?
            }
        };
        values.push(value);
    }
    Ok(program.outputs.iter().map(|&output| values[output].clone()).collect())
}

/// The arrays among the operands with the shape of the result: along a dimension that stretches, the stride is 0.
fn seen_with(
    emit: &mut Emit<'_>,
    leaves: &[Leaf],
    shape: &[Value],
    equal: Certain,
) -> Vec<Option<ArrayParts>> {
    leaves
        .iter()
        .map(|leaf| match leaf {
            Leaf::Array(array) => Some(stretched(emit, array, shape, equal)),
            Leaf::Scalar(_) => None,
        })
        .collect()
}

fn stretched(emit: &mut Emit<'_>, array: &ArrayParts, shape: &[Value], equal: Certain) -> ArrayParts {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let new = shape.len() - array.shape.len();
    let mut strides: Shape = std::iter::repeat_n(zero, new).collect();
    for ((&length, &wanted), &stride) in array.shape.iter().zip(&shape[new..]).zip(&array.strides) {
        strides.push(if equal == Certain::Always || length == wanted {
            stride
        } else {
            let single = emit.b.icmp(IntCond::Eq, length, one);
            emit.b.select(single, zero, stride)
        });
    }
    let layout = if equal == Certain::Always { array.ty.layout } else { Layout::Any };
    let ty = ArrayType { ndim: shape.len() as u8, layout, ..array.ty };
    ArrayParts { ty, shape: shape.into(), strides, ..array.clone() }
}

/// Emits loops that write to an array which may share memory with operands.
fn into(emit: &mut Emit<'_>, computation: Computation<'_>) -> Result<()> {
    let target = &computation.targets[0];
    let mut conflict: Option<Value> = None;
    for seen in computation.seen.iter().flatten() {
        let same = seen.data == target.data
            && seen.strides == target.strides
            && seen.shape == target.shape
            && seen.ty.dtype == target.ty.dtype;
        if same {
            continue;
        }
        let meets = overlap(emit, target, seen)?;
        let other = differ(emit, target, seen);
        let meets = emit.b.like_first(Op::Iand, &[meets, other]);
        conflict = Some(match conflict {
            Some(before) => emit.b.like_first(Op::Ior, &[before, meets]),
            None => meets,
        });
    }
    let Some(conflict) = conflict else { return computation.emit(emit) };
    let nothing = |result: Result<()>| result.map(|()| SmallVec::new());
    emit.if_else_unlikely(
        conflict,
        |emit| nothing(by_way_of_new_memory(emit, &computation)),
        |emit| nothing(computation.emit(emit)),
    )?;
    Ok(())
}

fn by_way_of_new_memory(emit: &mut Emit<'_>, computation: &Computation<'_>) -> Result<()> {
    let target = &computation.targets[0];
    let made = allocate(emit, target.ty.dtype, &target.shape, Layout::C, false)?;
    Computation { targets: std::slice::from_ref(&made), ..*computation }.emit_strided(emit)?;
    copy_part(emit, target, &made)?;
    emit.release_results(made.owner);
    Ok(())
}
