//! The truth of Python objects, and loops over them. Everything else that is done with one is `catalog::object_op`.

use catalog::{Catalog, Key, Resolution, Rule};
use diag::Result;
use ir::UnaryOp;
use types::{Type, TypeTable};

type EmitFn = fn(&mut catalog::Emit<'_>, &[catalog::Operand]) -> Result<catalog::Operand>;

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(
        Key::Unary(UnaryOp::Bool),
        Rule::Generic(|_, args| {
            of_object(args, Type::BOOL, |emit, args| Ok(emit.object_truth(&args[0], false)))
        }),
    );
    catalog.add(
        Key::Unary(UnaryOp::Not),
        Rule::Generic(|_, args| {
            of_object(args, Type::BOOL, |emit, args| Ok(emit.object_truth(&args[0], true)))
        }),
    );
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

fn resolve_next(_: &TypeTable, args: &[Type]) -> Option<Resolution> {
    of_object(args, Type::PYOBJECT, |emit, args| emit.object_next(args[0].value()))
}

fn of_object(args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    (args == [Type::PYOBJECT]).then(|| Resolution { result, params: args.to_vec(), emit })
}
