//! The truth value of arrays with one element, and of each element.

use abi::ExceptionClass::ValueError;
use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Op, UnaryOp};
use types::{Type, TypeTable};

const TRUTH: Key = Key::Unary(UnaryOp::Bool);
const DIFFERS: Key = Key::Compare(CompareOp::Ne);
const NO_ITEM: &str = "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.";
const SEVERAL: &str =
    "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()";

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(TRUTH, Rule::Nested(|catalog, types, args| truth(catalog, types, args, is_true)));
    catalog.add(
        Key::Construct(Type::BOOL),
        Rule::Nested(|catalog, types, args| {
            let [array] = *args else { return None };
            match types.array(array)?.ndim {
                0 => truth(catalog, types, args, is_true),
                _ => of_items(catalog, types, array),
            }
        }),
    );
    catalog.add(
        Key::Unary(UnaryOp::Not),
        Rule::Nested(|catalog, types, args| truth(catalog, types, args, is_false)),
    );
}

fn truth(catalog: &Catalog, types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [array] = *args else { return None };
    let item = types.item_type(&types.array(array)?);
    catalog.resolve(types, &TRUTH, &[item])?;
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

/// The truth of each item, as `np.bool_(a)` gives it.
fn of_items(catalog: &Catalog, types: &TypeTable, array: Type) -> Option<Resolution> {
    let result = catalog.resolve(types, &DIFFERS, &[array, types.literal_int(0)])?.result;
    let emit: EmitFn = |emit, args| {
        let zero = emit.undefined(emit.types.literal_int(0));
        emit.call(&DIFFERS, &[args[0].clone(), zero])
    };
    Some(Resolution { result, params: vec![array], emit })
}

fn is_true(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = ArrayParts::open(emit, &args[0])?;
    if array.ty.ndim > 0 {
        let size = array.size(emit);
        let (none, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
        let empty = emit.b.icmp(IntCond::Eq, size, none);
        emit.raise_if(empty, ValueError, NO_ITEM);
        let several = emit.b.icmp(IntCond::Ne, size, one);
        emit.raise_if(several, ValueError, SEVERAL);
    }
    let item = load_item(emit, &array, array.data);
    emit.call(&TRUTH, &[item])
}

fn is_false(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let truth = is_true(emit, args)?.value();
    let one = emit.b.bool(true);
    Ok(Operand::single(Type::BOOL, emit.b.like_first(Op::Ixor, &[truth, one])))
}
