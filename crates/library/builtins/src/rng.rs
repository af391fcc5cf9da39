//! Random numbers, for Rumba's own library: addresses of generator states, and calls of the runtime functions that draw
//! from them. (In `rumba.intrinsics`; `np.random` and `random` are written in Python.)

use crate::emit_helpers::*;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.random_numpy", |types, args| {
        resolve_state(types, args, |emit, _| own_state(emit, Runtime::RandomNumpy))
    });
    catalog.add_generic("rumba.random_python", |types, args| {
        resolve_state(types, args, |emit, _| own_state(emit, Runtime::RandomPython))
    });
    catalog.add_generic("rumba.random_unit", |types, args| {
        let [state] = *args else { return None };
        (state == state_type(types)).then(|| Resolution {
            result: Type::FLOAT64,
            params: vec![state],
            emit: unit,
        })
    });
    catalog.add_generic("rumba.random_word", |types, args| {
        let [state] = *args else { return None };
        (state == state_type(types)).then(|| Resolution {
            result: Type::INT64,
            params: vec![state],
            emit: word,
        })
    });
    catalog.add_generic("rumba.random_generator", |types, args| {
        let emit: EmitFn = |emit, args| single(state_type(emit.types), args[0].parts[0]);
        (types.get(*args.first()?) == TypeData::NumpyGenerator).then(|| Resolution {
            result: state_type(types),
            params: args.to_vec(),
            emit,
        })
    });
    catalog.add_generic("rumba.random_float", |types, args| {
        resolve_draw(types, args, Type::FLOAT64, |emit, args| draw(emit, args, Type::FLOAT64))
    });
    catalog.add_generic("rumba.random_count", |types, args| {
        resolve_draw(types, args, Type::INT64, |emit, args| draw(emit, args, Type::INT64))
    });
}

/// Where a state's words lie, and how many there are (`rt::random::Twister`).
const FIRST: i64 = 24;
const WORDS: i64 = 624;

/// States are seen as words: the first one of a Mersenne Twister's says which word comes next.
fn state_type(types: &TypeTable) -> Type {
    types.intern(TypeData::Pointer(Some(Type::UINT32)))
}

fn resolve_state(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    args.is_empty().then(|| Resolution { result: state_type(types), params: vec![], emit })
}

/// The state of the thread that runs; the same one in the whole call, so that loops ask for it once.
fn own_state(emit: &mut Emit<'_>, state: Runtime) -> Result<Operand> {
    let state = emit.call_runtime(state, &[])[0];
    single(state_type(emit.types), state)
}

/// The function of the runtime that a literal names.
fn distribution(types: &TypeTable, name: Type) -> Option<Runtime> {
    match types.literal(name)? {
        LiteralValue::Str(name) => Runtime::from_symbol(&format!("rumba_random_{name}")),
        _ => None,
    }
}

/// `random_float(name, state, *values)`: integers go as 64 bits, floats as doubles.
fn resolve_draw(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let (&[name, state], values) = args.split_first_chunk::<2>()?;
    distribution(types, name).filter(|_| types.unliteral(state) == state_type(types))?;
    let mut params = vec![name, state];
    for &value in values {
        params.push(match types.unliteral(value) {
            ty if ty.is_float() => Type::FLOAT64,
            ty if ty.is_int() => Type::INT64,
            _ => return None,
        });
    }
    Some(Resolution { result, params, emit })
}

fn draw(emit: &mut Emit<'_>, args: &[Operand], result: Type) -> Result<Operand> {
    let function =
        distribution(emit.types, args[0].ty).ok_or_else(|| unexpected("a distribution without a name"))?;
    let values: Vec<_> = args[1..].iter().map(Operand::value).collect();
    let drawn = emit.call_runtime(function, &values)[0];
    single(result, drawn)
}

/// `random_unit(state)`: a float from 0 on and below 1 from two words of a Mersenne Twister, which mostly lie there.
fn unit(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let make = |emit: &mut Emit<'_>, state| emit.call_runtime(Runtime::RandomUnit, &[state])[0];
    let result = take_words(emit, args[0].value(), (2, Native::F64), unit_of_words, make);
    single(Type::FLOAT64, result)
}

/// `random_word(state)`: the next word, from 0 on and below 2**32.
fn word(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let make = |emit: &mut Emit<'_>, state| {
        let bits = emit.b.iconst(Native::I64, 32);
        emit.call_runtime(Runtime::RandomPythonBits, &[state, bits])[0]
    };
    let result =
        take_words(emit, args[0].value(), (1, Native::I64), |emit, words| load_word(emit, words, 0), make);
    single(Type::INT64, result)
}

/// What `take` makes of the next `count` words, whose address it gets; what `make` gives where fewer lie there.
fn take_words(
    emit: &mut Emit<'_>,
    state: Value,
    (count, native): (i64, Native),
    take: impl FnOnce(&mut Emit<'_>, Value) -> Value,
    make: impl FnOnce(&mut Emit<'_>, Value) -> Value,
) -> Value {
    let at = emit.b.load(Native::I32, state, 0);
    let last = emit.b.iconst(Native::I32, WORDS - count);
    let lie_there = emit.b.icmp(IntCond::Ule, at, last);
    let [taken, made, done] = [emit.b.new_block(), emit.b.new_block(), emit.b.new_block()];
    let result = emit.b.func.add_param(done, ValueType::Native(native));
    emit.b.branch(lie_there, BlockCall::new(taken, []), BlockCall::new(made, []));
    emit.b.switch_to(taken);
    let count = emit.b.iconst(Native::I32, count);
    let next = emit.b.like_first(Op::Iadd, &[at, count]);
    emit.b.store(state, 0, next);
    let four = emit.b.iconst(Native::I64, 4);
    let at = emit.b.convert(Op::Zext, at, Native::I64);
    let bytes = emit.b.like_first(Op::Imul, &[at, four]);
    let words = emit.b.native(Op::PtrAdd, [], &[state, bytes], Native::Ptr);
    let value = take(emit, words);
    emit.b.jump(done, &[value]);
    emit.b.switch_to(made);
    let value = make(emit, state);
    emit.b.jump(done, &[value]);
    emit.b.switch_to(done);
    result
}

fn load_word(emit: &mut Emit<'_>, words: Value, offset: i64) -> Value {
    let word = emit.b.load(Native::I32, words, FIRST + offset);
    emit.b.convert(Op::Zext, word, Native::I64)
}

/// The float of two words: 27 bits of the first, 26 of the second.
fn unit_of_words(emit: &mut Emit<'_>, words: Value) -> Value {
    let mut part = |offset: i64, dropped: i64| {
        let word = load_word(emit, words, offset);
        let dropped = emit.b.iconst(Native::I64, dropped);
        emit.b.like_first(Op::Ushr, &[word, dropped])
    };
    let (high, low) = (part(0, 5), part(4, 6));
    let room = emit.b.iconst(Native::I64, 26);
    let high = emit.b.like_first(Op::Ishl, &[high, room]);
    let bits = emit.b.like_first(Op::Ior, &[high, low]);
    let whole = emit.b.convert(Op::SintToFloat, bits, Native::F64);
    let scale = emit.b.fconst(Native::F64, 1.0 / 9_007_199_254_740_992.0);
    emit.b.like_first(Op::Fmul, &[whole, scale])
}
