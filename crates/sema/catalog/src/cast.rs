//! Conversion of a value to another type.
//!
//! Inference decides whether a conversion is allowed ([`types::convert`]); this module emits it.

use crate::calls::{call_native, external};
use crate::no_cast::no_cast;
use crate::{
    Emit, Operand, Resolution, array, callable_union, class_union, closure_cell, half_operands, tagged_union,
};
use abi::{ExceptionClass, LEFT_OUT};
use diag::Result;
use ir::{FloatCond, IntCond, Native, Op, Value};
use types::{LiteralValue, Type, TypeData};

/// The value as one of type `to`.
pub fn cast(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    if value.ty == to {
        return Ok(value.clone());
    }
    // What has no object of its own is taken for what it holds.
    let holds =
        matches!(emit.types.get(value.ty), TypeData::Undefined | TypeData::Cell(_) | TypeData::Omitted(_));
    if to == Type::PYOBJECT && !holds {
        return Ok(Operand::single(to, emit.object_word(value)?));
    }
    if value.ty == Type::PYOBJECT {
        return emit.object_as(value.clone(), to);
    }
    let plain = emit.types.unliteral(value.ty);
    // A constant text, or something with one in it, is known to its type alone.
    let is_known = plain != value.ty && value.parts.len() != emit.machine_types(plain).len();
    let from = if is_known { value.ty } else { plain };
    if from == to {
        return Ok(value.as_type(to));
    }
    match (emit.types.get(from), emit.types.get(to)) {
        (TypeData::Undefined, _) => Ok(emit.undefined(to)),
        (TypeData::Foreign { .. }, _) | (_, TypeData::Foreign { .. })
            if let Some(known) = emit.types.cast(plain, to) =>
        {
            Ok(call_user_cast(emit, value, (plain, to), &known.symbol))
        }
        (TypeData::Cell(_), TypeData::HeapCell(_)) => Ok(closure_cell::block_of(emit, value, to)),
        (TypeData::Cell(number), _) => {
            let content = load_content(emit, value, number).ok_or_else(|| no_cast(emit, from, to))?;
            cast(emit, &content, to)
        }
        // A literal type promises its value: the machine value is the same.
        (_, TypeData::Literal(_)) => Ok(value.as_type(to)),
        (TypeData::Omitted(inner), _) => cast(emit, &value.as_type(inner), to),
        // A starred target's list is held as the tuple of its items.
        (TypeData::FixedList(tuple), TypeData::FixedList(wanted)) => {
            Ok(cast(emit, &value.as_type(tuple), wanted)?.as_type(to))
        }
        (TypeData::FixedList(tuple), TypeData::Tuple(_)) => cast(emit, &value.as_type(tuple), to),
        // A constant list, which is written as its items.
        (TypeData::Tuple(_), TypeData::FixedList(wanted)) => Ok(cast(emit, value, wanted)?.as_type(to)),
        (TypeData::Literal(LiteralValue::Str(text)), TypeData::Str) => {
            Ok(crate::string::constant(emit, &text))
        }
        // Where it is known to be None.
        (TypeData::Optional(_), TypeData::None) => Ok(Operand::new(to, [])),
        (_, TypeData::Optional(_)) | (TypeData::Optional(_), _) => cast_optional(emit, value, from, to),
        (TypeData::TaggedUnion(_), _) | (_, TypeData::TaggedUnion(_)) => {
            tagged_union::cast_union(emit, value, from, to)
        }
        (TypeData::None, _) if is_known_to_its_type(emit, to) => Ok(Operand::new(to, [])),
        (TypeData::Enum { value: number, .. }, _) => cast(emit, &value.as_type(number), to),
        // A constant, which is written as its value.
        (_, TypeData::Enum { value: number, .. }) => Ok(cast(emit, value, number)?.as_type(to)),
        (TypeData::Instance { .. } | TypeData::Union(_), TypeData::Instance { .. } | TypeData::Union(_)) => {
            class_union::cast_object(emit, value, from, to)
        }
        // An exception is the same, whatever is known of it.
        (TypeData::Pointer(_), TypeData::Pointer(None))
        | (TypeData::Caught(_), TypeData::Caught(_))
        | (TypeData::Record(_), TypeData::Record(_)) => Ok(value.as_type(to)),
        (TypeData::Int { .. } | TypeData::Facet { .. }, TypeData::Pointer(_))
        | (TypeData::Pointer(_), TypeData::Int { .. }) => Ok(cast_address(emit, value, from, to)),
        (TypeData::Dispatcher(_) | TypeData::Choice(_), TypeData::FunctionValue { .. })
        | (_, TypeData::Choice(_))
        | (TypeData::Closure { .. }, TypeData::Closure { .. }) => cast_callable(emit, value, from, to),
        (
            TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_),
            TypeData::ExceptionClassChoice(_),
        ) => crate::exceptions::choose_class(emit, value, to),
        (TypeData::LiteralSlice { .. } | TypeData::Slice { .. }, TypeData::Slice { members }) => {
            Ok(cast_slice(emit, value, from, (to, members)))
        }
        // A constant, which is written as its number, or an integer where a span is wanted.
        (TypeData::Int { .. } | TypeData::Bool, TypeData::Datetime { .. }) => {
            Ok(cast(emit, value, Type::INT64)?.as_type(to))
        }
        (TypeData::Datetime { .. }, TypeData::Datetime { .. }) => crate::datetime::cast_time(emit, value, to),
        (TypeData::CharSeq { .. }, TypeData::CharSeq { .. } | TypeData::Str | TypeData::Buffer(..))
        | (TypeData::Literal(_) | TypeData::Str | TypeData::Buffer(..), TypeData::CharSeq { .. }) => {
            cast_charseq(emit, value, from, to)
        }
        (TypeData::Array(_), TypeData::Array(wanted))
        | (TypeData::Buffer(..), TypeData::Buffer(_, wanted)) => {
            Ok(array::cast_array(emit, value, wanted)?.as_type(to))
        }
        _ if emit.types.components(from).is_some() => cast_tuple(emit, value, from, to),
        (TypeData::Range(a), TypeData::Range(b)) => cast_range(emit, value, (a, b), to),
        _ => cast_scalar(emit, value, from, to),
    }
}

/// By the function that a library wrote for it.
fn call_user_cast(emit: &mut Emit<'_>, value: &Operand, (from, to): (Type, Type), symbol: &str) -> Operand {
    let external = external(emit, symbol, emit.machine_types(from).to_vec(), to, false);
    let parts = call_native(emit, external, &value.parts, false);
    let made = Operand::new(to, parts);
    let owners = emit.owners(&made);
    emit.refs.temporaries.extend(owners);
    made
}

/// What a closure cell holds; NameError if nothing was assigned.
fn load_content(emit: &mut Emit<'_>, cell: &Operand, number: u32) -> Option<Operand> {
    let message = "cannot access free variable where it is not associated with a value in enclosing scope";
    let unbound = (ExceptionClass::NameError, message);
    let content = closure_cell::content(emit.types, emit.cells(), number)?;
    Some(closure_cell::load(emit, cell.value(), content, Some(unbound)))
}

/// Whether values of a type have no parts: all is in the type.
fn is_known_to_its_type(emit: &Emit<'_>, ty: Type) -> bool {
    matches!(
        emit.types.get(ty),
        TypeData::Dispatcher(_)
            | TypeData::LiteralSlice { .. }
            | TypeData::Ellipsis
            | TypeData::ExceptionClass(_)
    )
}

/// To an Optional, or from one: TypeError if it is None.
fn cast_optional(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    match (emit.types.get(from), emit.types.get(to)) {
        (TypeData::None, TypeData::Optional(inner)) => {
            let absent = emit.b.bool(false);
            let content = emit.undefined(inner).parts;
            Ok(Operand::new(to, std::iter::once(absent).chain(content)))
        }
        (TypeData::Optional(a), TypeData::Optional(b)) => {
            let content = cast(emit, &Operand::new(a, value.parts[1..].iter().copied()), b)?;
            Ok(Operand::new(to, std::iter::once(value.parts[0]).chain(content.parts)))
        }
        (_, TypeData::Optional(inner)) => {
            let content = cast(emit, value, inner)?;
            let present = emit.b.bool(true);
            Ok(Operand::new(to, std::iter::once(present).chain(content.parts)))
        }
        (TypeData::Optional(inner), _) => {
            let content = unwrap_optional(emit, value, inner);
            cast(emit, &content, to)
        }
        _ => Err(no_cast(emit, from, to)),
    }
}

/// Between addresses and integers; an array's is that of its first item.
fn cast_address(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Operand {
    let word = match (emit.types.get(from), emit.types.get(to)) {
        (TypeData::Facet { .. }, _) => value.parts[1],
        (_, TypeData::Pointer(_)) => emit.b.convert(Op::Bitcast, value.value(), Native::Ptr),
        _ => emit.b.convert(Op::Bitcast, value.value(), Native::I64),
    };
    Operand::single(to, word)
}

/// Functions as values, as one of several, or without their cells.
fn cast_callable(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    match (emit.types.get(from), emit.types.get(to)) {
        (_, TypeData::FunctionValue { .. }) => callable_union::as_value(emit, value, from, to),
        (TypeData::Choice(have), TypeData::Choice(wanted)) if have.iter().any(|m| !wanted.contains(m)) => {
            callable_union::freeze_choice(emit, value, &have, to)
        }
        (TypeData::Closure { .. }, TypeData::Choice(wanted)) if !wanted.contains(&from) => {
            let frozen =
                callable_union::frozen_form(emit, from, &wanted).ok_or_else(|| no_cast(emit, from, to))?;
            let function = cast(emit, &value.as_type(from), frozen)?;
            cast(emit, &function, to)
        }
        (_, TypeData::Choice(members)) => callable_union::choose(emit, value, from, to, &members),
        _ => callable_union::freeze(emit, value, from, to),
    }
}

/// A slice whose parts are known becomes words; one of two parts gets a step that is left out.
fn cast_slice(emit: &mut Emit<'_>, value: &Operand, from: Type, (to, members): (Type, u8)) -> Operand {
    let TypeData::LiteralSlice { start, stop, step } = emit.types.get(from) else {
        let step = emit.b.iconst(Native::I64, LEFT_OUT);
        return Operand::new(to, value.parts.iter().copied().chain([step]));
    };
    let parts = [start, stop, step].into_iter().take(members.into());
    let word = |part: Option<i64>| part.map_or(LEFT_OUT, |part| part.max(LEFT_OUT + 1));
    let parts: Vec<Value> = parts.map(|part| emit.b.iconst(Native::I64, word(part))).collect();
    Operand::new(to, parts)
}

/// Between items of arrays of strings, strings and bytes.
fn cast_charseq(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    match (emit.types.get(from), emit.types.get(to)) {
        (TypeData::Literal(_) | TypeData::CharSeq { .. }, TypeData::CharSeq { .. }) => {
            crate::charseq::cast_chars(emit, value, to)
        }
        (TypeData::CharSeq { wide: true, .. }, TypeData::Str) => Ok(crate::string::of_chars(emit, value)),
        (TypeData::Str | TypeData::Buffer(..), TypeData::CharSeq { .. }) => {
            crate::string::to_chars(emit, value, to)
        }
        (TypeData::CharSeq { wide: false, .. }, TypeData::Buffer(..)) => {
            crate::string::bytes_of_chars(emit, value, to)
        }
        _ => Err(no_cast(emit, from, to)),
    }
}

fn cast_range(
    emit: &mut Emit<'_>,
    value: &Operand,
    (from, index): (Type, Type),
    to: Type,
) -> Result<Operand> {
    let mut parts = Vec::new();
    for &part in &value.parts {
        parts.push(cast(emit, &Operand::single(from, part), index)?.value());
    }
    Ok(Operand::new(to, parts))
}

/// A bound or step of a slice as a word.
pub fn slice_part(emit: &mut Emit<'_>, part: &Operand) -> Result<Value> {
    let left_out = emit.b.iconst(Native::I64, LEFT_OUT);
    if part.ty == Type::NONE {
        return Ok(left_out);
    }
    if let TypeData::Optional(inner) = emit.types.get(part.ty) {
        let content = Operand::new(inner, part.parts[1..].iter().copied());
        let content = slice_part(emit, &content)?;
        return Ok(emit.b.select(part.parts[0], content, left_out));
    }
    let value = cast(emit, part, Type::INT64)?.value();
    // The least integer would mean that the part is left out; the one above it is as far outside everything.
    let least = emit.b.icmp(IntCond::Eq, value, left_out);
    let next = emit.b.iconst(Native::I64, LEFT_OUT + 1);
    Ok(emit.b.select(least, next, value))
}

/// What an Optional holds; TypeError if it is None.
fn unwrap_optional(emit: &mut Emit<'_>, value: &Operand, inner: Type) -> Operand {
    let yes = emit.b.bool(true);
    let absent = emit.b.icmp(IntCond::Ne, value.parts[0], yes);
    let message = format!("expected {}, got None", emit.types.name_in_messages(inner));
    emit.raise_if(absent, ExceptionClass::TypeError, &message);
    Operand::new(inner, value.parts[1..].iter().copied())
}

fn cast_tuple(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    let (Some(have), Some(want)) = (emit.types.components(from), emit.types.components(to)) else {
        return Err(no_cast(emit, from, to));
    };
    let mut parts = Vec::new();
    for (element, &wanted) in elements(emit, value, &have).iter().zip(want.iter()) {
        parts.extend(cast(emit, element, wanted)?.parts);
    }
    Ok(Operand::new(to, parts))
}

/// The elements of a tuple, which lie one after the other.
fn elements(emit: &Emit<'_>, tuple: &Operand, types: &[Type]) -> Vec<Operand> {
    let mut at = 0;
    let element = |&ty: &Type| {
        let start = at;
        at += emit.machine_types(ty).len();
        Operand::new(ty, tuple.parts[start..at].iter().copied())
    };
    types.iter().map(element).collect()
}

impl Emit<'_> {
    /// Operands converted as the resolution wants them, then what it emits.
    pub fn apply(&mut self, resolution: &Resolution, args: &[Operand]) -> Result<Operand> {
        let mut converted = Vec::with_capacity(args.len());
        // What is put into a container, or looked for in it, keeps its value.
        let keeps_values =
            self.types.has_containers() && args.iter().any(|arg| self.types.contents(arg.ty).is_some());
        for (arg, &param) in args.iter().zip(&resolution.params) {
            if keeps_values {
                self.check_range(arg, param)?;
            }
            converted.push(if keeps_values {
                self.cast_exactly(arg, param)?
            } else {
                cast(self, arg, param)?
            });
        }
        half_operands::in_single_precision(self, resolution, &mut converted);
        let mut operand = (resolution.emit)(self, &converted)?;
        match half_operands::emitted(self, &operand, resolution.result) {
            Some(single) => cast(self, &operand.as_type(single), resolution.result),
            None => {
                operand.ty = resolution.result;
                Ok(operand)
            }
        }
    }

    /// A conversion that does not change what a value says: OverflowError where a time has no number in the unit.
    pub fn cast_exactly(&mut self, value: &Operand, to: Type) -> Result<Operand> {
        let outer = std::mem::replace(&mut self.exact_times, true);
        let converted = cast(self, value, to);
        self.exact_times = outer;
        converted
    }

    /// OverflowError if an integer is no value of the integer type that it becomes.
    fn check_range(&mut self, value: &Operand, to: Type) -> Result<()> {
        if let (Some(have), Some(want)) = (self.types.elements(value.ty), self.types.elements(to)) {
            for (element, &wanted) in elements(self, value, &have).iter().zip(want.iter()) {
                self.check_range(element, wanted)?;
            }
            return Ok(());
        }
        let from = self.types.unliteral(value.ty);
        let (Some((bits, signed)), Some((wanted, wanted_signed))) = (from.as_int(), to.as_int()) else {
            return Ok(());
        };
        if wanted > bits && (wanted_signed || !signed) || wanted == bits && wanted_signed == signed {
            return Ok(());
        }
        let word = Operand::single(from, value.value());
        let narrow = cast(self, &word, to)?;
        let back = cast(self, &narrow, from)?;
        let mut lost = self.b.icmp(IntCond::Ne, back.value(), word.value());
        if signed != wanted_signed {
            // The sign bit of the one is a digit of the other.
            let signed_value = if signed { word.value() } else { narrow.value() };
            let native = self.b.func.native(signed_value);
            let zero = self.b.iconst(native, 0);
            let negative = self.b.icmp(IntCond::Slt, signed_value, zero);
            lost = self.b.like_first(Op::Ior, &[lost, negative]);
        }
        let message = format!("Python integer out of bounds for {}", self.types.name(to));
        self.raise_if(lost, ExceptionClass::OverflowError, &message);
        Ok(())
    }
}

fn cast_scalar(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    if to == Type::BOOL {
        let truth = truth(emit, value, from).ok_or_else(|| no_cast(emit, from, to))?;
        return Ok(Operand::single(to, truth));
    }
    if to.is_complex() {
        let part = to.complex_part();
        let part_from = if from.is_complex() { from.complex_part() } else { from };
        let re = cast(emit, &Operand::single(part_from, value.value()), part)?.value();
        let im = match value.parts.get(1) {
            Some(&im) if from.is_complex() => cast(emit, &Operand::single(part_from, im), part)?.value(),
            _ => {
                let native = emit.machine_types(part)[0];
                emit.b.fconst(native, 0.0)
            }
        };
        return Ok(Operand::new(to, [re, im]));
    }
    if !to.is_number() || from.is_complex() || !(from.is_number() || from == Type::BOOL) {
        return Err(no_cast(emit, from, to));
    }
    Ok(Operand::single(to, cast_real(emit, value.value(), from, to)))
}

/// Between booleans, integers and floats; `to` is an integer or a float.
fn cast_real(emit: &mut Emit<'_>, value: Value, from: Type, to: Type) -> Value {
    if from == Type::FLOAT16 {
        let single = emit.b.convert(Op::HalfToFloat, value, Native::F32);
        return cast_real(emit, single, Type::FLOAT32, to);
    }
    if to == Type::FLOAT16 {
        let single = single_for_half(emit, value, from);
        return emit.b.convert(Op::FloatToHalf, single, Native::I16);
    }
    let native = emit.machine_types(to)[0];
    let source = emit.b.func.native(value);
    let signed = from.as_int().is_some_and(|(_, signed)| signed);
    let op = match (source.is_float(), native.is_float()) {
        (true, true) if source == native => return value,
        (true, true) if source < native => Op::Fpext,
        (true, true) => Op::Fptrunc,
        (false, true) if signed => Op::SintToFloat,
        (false, true) => Op::UintToFloat,
        (true, false) if to.as_int().is_some_and(|(_, signed)| signed) => Op::FloatToSint,
        (true, false) => Op::FloatToUint,
        (false, false) if source == native => return value,
        (false, false) if source > native => Op::Trunc,
        (false, false) if signed => Op::Sext,
        (false, false) => Op::Zext,
    };
    emit.b.convert(op, value, native)
}

/// A single that is rounded to the same half as a number: where it is not the number, its last bit is 1, so that it does not
/// lie between two halves which the number does not lie between.
fn single_for_half(emit: &mut Emit<'_>, value: Value, from: Type) -> Value {
    let is_exact =
        from == Type::FLOAT32 || from == Type::BOOL || from.as_int().is_some_and(|(bits, _)| bits <= 16);
    if is_exact {
        return cast_real(emit, value, from, Type::FLOAT32);
    }
    // Integers of 64 bits that are no doubles are far beyond the largest half.
    let double = cast_real(emit, value, from, Type::FLOAT64);
    let single = cast_real(emit, double, Type::FLOAT64, Type::FLOAT32);
    let back = cast_real(emit, single, Type::FLOAT32, Type::FLOAT64);
    let bits = emit.b.convert(Op::Bitcast, single, Native::I32);
    let (back_size, size) = (emit.b.like_first(Op::Fabs, &[back]), emit.b.like_first(Op::Fabs, &[double]));
    let is_beyond = emit.b.fcmp(FloatCond::Gt, back_size, size);
    let step = emit.b.convert(Op::Zext, is_beyond, Native::I32);
    let towards_zero = emit.b.like_first(Op::Isub, &[bits, step]);
    let one = emit.b.iconst(Native::I32, 1);
    let odd = emit.b.like_first(Op::Ior, &[towards_zero, one]);
    let (above, below) =
        (emit.b.fcmp(FloatCond::Gt, back_size, size), emit.b.fcmp(FloatCond::Lt, back_size, size));
    let is_inexact = emit.b.like_first(Op::Ior, &[above, below]);
    let chosen = emit.b.select(is_inexact, odd, bits);
    emit.b.convert(Op::Bitcast, chosen, Native::F32)
}

/// Whether a number is not zero (NaN is true).
fn truth(emit: &mut Emit<'_>, value: &Operand, from: Type) -> Option<Value> {
    let native = emit.b.func.native(*value.parts.first()?);
    let zero = emit.zero(native);
    match from {
        Type::BOOL => Some(value.value()),
        _ if from.is_int() => Some(emit.b.icmp(IntCond::Ne, value.value(), zero)),
        Type::FLOAT16 => {
            let sign = emit.b.iconst(Native::I16, 0x7fff);
            let magnitude = emit.b.like_first(Op::Iand, &[value.value(), sign]);
            Some(emit.b.icmp(IntCond::Ne, magnitude, zero))
        }
        _ if from.is_float() => Some(emit.b.fcmp(FloatCond::Ne, value.value(), zero)),
        _ if from.is_complex() => {
            let re = emit.b.fcmp(FloatCond::Ne, value.parts[0], zero);
            let im = emit.b.fcmp(FloatCond::Ne, value.parts[1], zero);
            Some(emit.b.native(Op::Ior, [], &[re, im], Native::I1))
        }
        _ => None,
    }
}
