//! The functions of `operator`, which are equivalent to the operators.

use crate::emit_helpers::unexpected;
use catalog::{Catalog, Key, Operand, Resolution, Rule};
use ir::{BinaryOp, CompareOp, UnaryOp};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    add_plain(catalog);
    add_in_place(catalog);
    // `contains(a, b)` is `b in a`.
    add_both(catalog, "contains", Rule::Nested(resolve_contains));
    add_both(
        catalog,
        "index",
        Rule::Generic(|types, args| {
            let [ty] = *args else { return None };
            let ty = types.unliteral(ty);
            ty.is_int().then(|| Resolution {
                result: ty,
                params: vec![ty],
                emit: crate::emit_helpers::identity,
            })
        }),
    );
}

fn add_plain(catalog: &mut Catalog) {
    macro_rules! functions {
        ($($name:literal => $key:expr;)*) => {
            $(add_both(catalog, $name, Rule::Nested(|catalog, types, args| catalog.resolve(types, &$key, args)));)*
        };
    }
    functions! {
        "add" => Key::Binary(BinaryOp::Add);
        "concat" => Key::Binary(BinaryOp::Add);
        "iconcat" => Key::Binary(BinaryOp::Add);
        "sub" => Key::Binary(BinaryOp::Sub);
        "mul" => Key::Binary(BinaryOp::Mul);
        "truediv" => Key::Binary(BinaryOp::TrueDiv);
        "floordiv" => Key::Binary(BinaryOp::FloorDiv);
        "mod" => Key::Binary(BinaryOp::Mod);
        "pow" => Key::Binary(BinaryOp::Pow);
        "and_" => Key::Binary(BinaryOp::And);
        "or_" => Key::Binary(BinaryOp::Or);
        "xor" => Key::Binary(BinaryOp::Xor);
        "lshift" => Key::Binary(BinaryOp::Shl);
        "rshift" => Key::Binary(BinaryOp::Shr);
        "lt" => Key::Compare(CompareOp::Lt);
        "le" => Key::Compare(CompareOp::Le);
        "eq" => Key::Compare(CompareOp::Eq);
        "ne" => Key::Compare(CompareOp::Ne);
        "gt" => Key::Compare(CompareOp::Gt);
        "ge" => Key::Compare(CompareOp::Ge);
        "is_" => Key::Compare(CompareOp::Is);
        "is_not" => Key::Compare(CompareOp::IsNot);
        "neg" => Key::Unary(UnaryOp::Neg);
        "pos" => Key::Unary(UnaryOp::Pos);
        "inv" => Key::Unary(UnaryOp::Invert);
        "invert" => Key::Unary(UnaryOp::Invert);
        "not_" => Key::Unary(UnaryOp::Not);
        "truth" => Key::Unary(UnaryOp::Bool);
        "getitem" => Key::Getitem;
        "abs" => Key::Function("builtins.abs".into());
        "countOf" => Key::Function("method.count".into());
    }
}

/// What changes its first operand where that can be changed.
fn add_in_place(catalog: &mut Catalog) {
    macro_rules! in_place {
        ($($name:literal => $op:ident;)*) => {
            $(add_both(catalog, $name, Rule::Nested(|catalog, types, args| {
                let changed = catalog.resolve(types, &Key::Inplace(BinaryOp::$op), args);
                changed.or_else(|| catalog.resolve(types, &Key::Binary(BinaryOp::$op), args))
            }));)*
        };
    }
    in_place! {
        "iadd" => Add;
        "isub" => Sub;
        "imul" => Mul;
        "itruediv" => TrueDiv;
        "ifloordiv" => FloorDiv;
        "imod" => Mod;
        "ipow" => Pow;
        "iand" => And;
        "ior" => Or;
        "ixor" => Xor;
        "ilshift" => Shl;
        "irshift" => Shr;
    }
}

fn resolve_contains(catalog: &Catalog, types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [container, item] = *args else { return None };
    let found = catalog.resolve(types, &Key::Compare(CompareOp::In), &[item, container])?;
    Some(Resolution {
        result: found.result,
        params: vec![container, item],
        emit: |emit, args| {
            let [container, item] = args else {
                return Err(unexpected("contains of other than two"));
            };
            let swapped: [Operand; 2] = [item.clone(), container.clone()];
            emit.call(&Key::Compare(CompareOp::In), &swapped)
        },
    })
}

/// Under the name of the module and that which its functions give as theirs.
fn add_both(catalog: &mut Catalog, name: &str, rule: Rule) {
    for module in ["operator", "_operator"] {
        catalog.add(Key::Function(format!("{module}.{name}").into()), rule.clone());
    }
}
