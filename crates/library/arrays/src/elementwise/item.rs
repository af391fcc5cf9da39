//! Computes one element of an expression, for reductions that need no temporary array (`numpy.fused_reductions` of the
//! library).
//!
//! Absent: the surrounding loop, and the check that the arrays have one shape.

use super::codegen::{self, Leaf};
use super::postfix::{Program, Target};
use crate::loop_nest::address;
use catalog::array::{item_size, load_item};
use catalog::{Catalog, Emit, EmitFn, ErrorModel, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::Native;
use std::sync::Arc;
use types::{Layout, LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_nested("rumba.expression_item", resolve).reads();
}

/// `expression_item(text, index, operands)`.
fn resolve(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [text, index, operands] = *args else { return None };
    let LiteralValue::Str(text_of) = types.literal(text)? else { return None };
    let elements = types.elements(operands).filter(|_| types.unliteral(index).is_int())?;
    let is_in_rows = |&ty: &Type| types.array(ty).is_none_or(|array| array.layout == Layout::C);
    let program = Program::read(catalog, types, &text_of, &elements).filter(|program| {
        program.outputs.len() == 1 && program.target == Target::New && elements.iter().all(is_in_rows)
    })?;
    let emit: EmitFn = |emit, args| {
        // Inside of arrays, nothing raises.
        let model = std::mem::replace(&mut emit.error_model, ErrorModel::Numpy);
        let result = item(emit, args);
        emit.error_model = model;
        result
    };
    Some(Resolution { result: program.result().item, params: vec![text, Type::INT64, operands], emit })
}

fn item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let wrong = || Diagnostic::internal("emission", "an item of no array expression");
    let text: Arc<str> = match emit.types.literal(args[0].ty) {
        Some(LiteralValue::Str(text)) => text,
        _ => return Err(wrong()),
    };
    let (index, operands) = (args[1].value(), elements(emit, &args[2]));
    let types: Vec<Type> = operands.iter().map(|operand| operand.ty).collect();
    let program = Program::read(emit.catalog, emit.types, &text, &types).ok_or_else(wrong)?;
    let leaves = codegen::open(emit, &program, &operands)?;
    let converted = codegen::convert_scalars(emit, &program, &leaves)?;
    let mut items = Vec::with_capacity(leaves.len());
    for leaf in &leaves {
        items.push(match leaf {
            Leaf::Scalar(value) => value.clone(),
            Leaf::Array(array) => {
                let size = emit.b.iconst(Native::I64, item_size(emit, array.ty.dtype)?);
                let pointer = address(emit, array.data, &[size], &[index]);
                Some(load_item(emit, array, pointer))
            }
        });
    }
    codegen::compute_item(emit, &program, &items, &converted)
}

/// The elements of a tuple.
fn elements(emit: &Emit<'_>, tuple: &Operand) -> Vec<Operand> {
    let mut rest = &tuple.parts[..];
    let types = emit.types.elements(tuple.ty).unwrap_or_default();
    let mut each = Vec::with_capacity(types.len());
    for &ty in types.iter() {
        let (own, others) = rest.split_at(emit.machine_types(ty).len());
        each.push(Operand::new(ty, own.iter().copied()));
        rest = others;
    }
    each
}
