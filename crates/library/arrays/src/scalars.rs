//! `int(a)` and the like for arrays without dimensions.

use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    macro_rules! of_the_item {
        ($($key:expr;)*) => {
            $(catalog.add($key, Rule::Nested(|catalog, types, args| {
                let emit: EmitFn = |emit, args| {
                    let item = only_item(emit, &args[0])?;
                    emit.call(&$key, &[item])
                };
                resolve_item(catalog, types, args, &$key, emit)
            }));)*
        };
    }
    of_the_item! {
        Key::Function("builtins.int".into());
        Key::Function("builtins.float".into());
        Key::Function("builtins.complex".into());
        Key::Construct(Type::INT8);
        Key::Construct(Type::INT16);
        Key::Construct(Type::INT32);
        Key::Construct(Type::INT64);
        Key::Construct(Type::UINT8);
        Key::Construct(Type::UINT16);
        Key::Construct(Type::UINT32);
        Key::Construct(Type::UINT64);
        Key::Construct(Type::FLOAT16);
        Key::Construct(Type::FLOAT32);
        Key::Construct(Type::FLOAT64);
        Key::Construct(Type::COMPLEX64);
        Key::Construct(Type::COMPLEX128);
    }
}

/// What a function of a number gives for the item of an array without dimensions.
fn resolve_item(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    key: &Key,
    emit: EmitFn,
) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let array = types.array(ty).filter(|array| array.ndim == 0)?;
    let resolution = catalog.resolve(types, key, &[array.dtype])?;
    Some(Resolution { params: vec![ty], emit, ..resolution })
}

fn only_item(emit: &mut Emit<'_>, array: &Operand) -> Result<Operand> {
    let array = ArrayParts::open(emit, array)?;
    Ok(load_item(emit, &array, array.data))
}
