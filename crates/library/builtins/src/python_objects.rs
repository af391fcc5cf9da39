//! The truth of Python objects, and loops over them. Everything else that is done with one is `catalog::object_op`.

use catalog::{Catalog, EmitFn, Key, Resolution, Rule};
use ir::UnaryOp;
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Unary(UnaryOp::Bool), Rule::Generic(resolve_truth));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

fn resolve_truth(_: &TypeTable, args: &[Type]) -> Option<Resolution> {
    of_object(args, Type::BOOL, |emit, args| Ok(emit.object_truth(&args[0])))
}

fn resolve_next(_: &TypeTable, args: &[Type]) -> Option<Resolution> {
    of_object(args, Type::PYOBJECT, |emit, args| emit.object_next(args[0].value()))
}

fn of_object(args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    (args == [Type::PYOBJECT]).then(|| Resolution { result, params: args.to_vec(), emit })
}
