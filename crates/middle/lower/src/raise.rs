//! `raise`: class and arguments of an exception become a raise site, and arguments that are not constant are stored in
//! the thread's buffer.

use crate::Lowering;
use abi::ExceptionClass;
use abi::Runtime;
use catalog::exception_args::{Described, PAYLOAD_WORDS, is_describable, with_owned_text};
use catalog::{Operand, constant_text};
use diag::{Diagnostic, Result, codes};
use ir::{BlockCall, Def, Inst, IntCond, Native, Op, SiteData, Value, ValueType};
use types::{LiteralValue, Type, TypeData, USER_EXCEPTION};

pub(crate) fn lower_raise(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let (value, cause) = (l.typed.insts[inst].args[0], l.typed.insts[inst].args.get(1).copied());
    if cause.is_none() && is_raised_once(l, value) {
        let site = raise_site(l, inst, value)?;
        l.emit.raise_site(site);
        // What was made for the arguments is released on that way.
        l.emit.refs.temporaries.clear();
        return Ok(());
    }
    let exception = exception(l, inst, value)?;
    if let Some(cause) = cause {
        let cause = match l.typed.ty(cause) {
            Type::NONE => l.emit.b.iconst(Native::I64, 0),
            ty if catalog::may_be_caught(l.cx.types, ty) => {
                let cause = l.operand(cause)?;
                let nothing = l.emit.b.iconst(Native::I64, 0);
                l.emit.b.select(cause.parts[0], cause.parts[1], nothing)
            }
            _ => self::exception(l, inst, cause)?,
        };
        l.emit.call_runtime(Runtime::CaughtCause, &[exception, cause]);
    }
    raise_caught(l, exception, true);
    Ok(())
}

/// What was caught is raised again.
pub(crate) fn lower_reraise(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let args = &l.typed.insts[inst].args;
    let raised = args.last().filter(|&&value| is_caught(l, value));
    let raised = raised.ok_or_else(|| Diagnostic::internal("lowering", "a raise of what was not caught"))?;
    let exception = l.operand(*raised)?.value();
    raise_caught(l, exception, false);
    Ok(())
}

/// A call of an exception class: nothing where the exception is raised at once, else a record.
pub(crate) fn lower_made(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (class, result) = (data.args[0], data.results[0]);
    if !is_caught(l, result) {
        return crate::ops::lower_empty(l, inst);
    }
    let arguments = data.args[1..].to_vec();
    let class = l.operand(class)?;
    let record = made(l, inst, &class, &arguments, &names_of(l, l.typed.ty(result)))?;
    l.define(result, Operand::single(l.typed.ty(result), record));
    Ok(())
}

/// The names of the last arguments of what an exception may be.
fn names_of(l: &Lowering<'_>, ty: Type) -> Vec<String> {
    match l.cx.types.get(ty) {
        TypeData::Caught(known) => known.first().map(|&known| names_of(l, known)).unwrap_or_default(),
        TypeData::Exception { names, .. } => names.to_vec(),
        _ => Vec::new(),
    }
}

/// The record of a new exception of a class, or of one of several. The instruction being emitted holds it.
fn made(
    l: &mut Lowering<'_>,
    inst: Inst,
    of: &Operand,
    arguments: &[Value],
    names: &[String],
) -> Result<Value> {
    let classes: Vec<u32> = match l.cx.types.get(of.ty) {
        TypeData::ExceptionClass(class) => vec![class],
        TypeData::ExceptionClassChoice(classes) => classes.to_vec(),
        _ => return Err(Diagnostic::internal("lowering", "a call of what is no class of exceptions")),
    };
    let site = site_of(l, inst, classes[0], arguments, names)?;
    let join = l.emit.b.new_block();
    let status = l.emit.b.func.add_param(join, ValueType::Native(Native::I64));
    for (number, &one) in classes.iter().enumerate() {
        let (user_class, class) = class_of(one)?;
        let site = l.emit.b.func.sites.push(SiteData { user_class, class, ..site.clone() });
        let here = l.emit.b.site_status(site);
        if number + 1 == classes.len() {
            l.emit.b.jump(join, &[here]);
            break;
        }
        let next = l.emit.b.new_block();
        let wanted = l.emit.b.iconst(Native::I64, number as i64);
        let found = l.emit.b.icmp(IntCond::Eq, of.value(), wanted);
        l.emit.b.branch(found, BlockCall::new(join, [here]), BlockCall::new(next, []));
        l.emit.b.switch_to(next);
    }
    l.emit.b.switch_to(join);
    let context = l.emit.b.address_of("rumba_context");
    let record = l.emit.call_runtime(Runtime::Made, &[context, status])[0];
    let nothing = l.emit.b.iconst(Native::I64, 0);
    let failed = l.emit.b.icmp(IntCond::Eq, record, nothing);
    l.emit.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
    l.emit.refs.temporaries.push(record);
    Ok(record)
}

/// Raises what a record keeps; `here`: this place is one more that it came through.
fn raise_caught(l: &mut Lowering<'_>, exception: Value, here: bool) {
    let status = l.emit.call_runtime(Runtime::CaughtStatus, &[exception])[0];
    if here {
        l.emit.note_call_site(status);
    }
    l.emit.fail(status);
    // What was made for this is released on that way.
    l.emit.refs.temporaries.clear();
}

fn is_caught(l: &Lowering<'_>, value: Value) -> bool {
    matches!(l.cx.types.get(l.typed.ty(value)), TypeData::Caught(_))
}

/// Whether an exception is raised where it is made, or made of a class alone.
fn is_raised_once(l: &Lowering<'_>, value: Value) -> bool {
    matches!(l.cx.types.get(l.typed.ty(value)), TypeData::ExceptionClass(_) | TypeData::Exception { .. })
}

/// The record of an exception; of one that is no value yet a new one.
pub(crate) fn exception(l: &mut Lowering<'_>, inst: Inst, value: Value) -> Result<Value> {
    let ty = l.typed.ty(value);
    match l.cx.types.get(ty) {
        TypeData::Exception { class, names, .. } => {
            let class = Operand::new(l.cx.types.intern(TypeData::ExceptionClass(class)), []);
            let arguments = instance_arguments(l, value)?;
            made(l, inst, &class, &arguments, &names)
        }
        TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_) => {
            let class = l.operand(value)?;
            made(l, inst, &class, &[], &[])
        }
        TypeData::Optional(_) => {
            let exception = l.operand(value)?;
            let yes = l.emit.b.bool(true);
            let is_none = l.emit.b.icmp(IntCond::Ne, exception.parts[0], yes);
            l.emit.raise_if(is_none, ExceptionClass::TypeError, "exceptions must derive from BaseException");
            Ok(exception.parts[1])
        }
        _ => Ok(l.operand(value)?.value()),
    }
}

/// The site of an exception whose class is known; arguments that are not constant are stored in the payload.
fn raise_site(l: &mut Lowering<'_>, inst: Inst, value: Value) -> Result<SiteData> {
    match l.cx.types.get(l.typed.ty(value)) {
        TypeData::ExceptionClass(class) => site_of(l, inst, class, &[], &[]),
        TypeData::Exception { class, names, .. } => {
            let arguments = instance_arguments(l, value)?;
            site_of(l, inst, class, &arguments, &names)
        }
        _ => Err(Diagnostic::internal("lowering", "a raise of what is no exception")),
    }
}

/// The number of a user-defined class, and the class of the runtime.
fn class_of(index: u32) -> Result<(Option<u32>, ExceptionClass)> {
    if index & USER_EXCEPTION != 0 {
        return Ok((Some(index & !USER_EXCEPTION), ExceptionClass::Exception));
    }
    let class = ExceptionClass::from_index(index);
    Ok((None, class.ok_or_else(|| Diagnostic::internal("lowering", "an exception class without a number"))?))
}

fn site_of(
    l: &mut Lowering<'_>,
    inst: Inst,
    index: u32,
    arguments: &[Value],
    names: &[String],
) -> Result<SiteData> {
    let (user_class, class) = class_of(index)?;
    let span = l.typed.insts[inst].span;
    let literal = |value: &Value| l.cx.types.literal(l.typed.ty(*value));
    let (message, payload) = match arguments {
        [] => (None, false),
        [only] if names.is_empty() && matches!(literal(only), Some(LiteralValue::Str(_))) => {
            match literal(only) {
                Some(LiteralValue::Str(text)) => (Some(text.to_string()), false),
                _ => (None, false),
            }
        }
        _ => (Some(store_payload(l, inst, arguments, names)?), true),
    };
    Ok(SiteData { class, user_class, message, payload, span, origin: None })
}

/// The values that an exception instance was made of, by one call.
fn instance_arguments(l: &Lowering<'_>, value: Value) -> Result<Vec<Value>> {
    if let Def::Result(made, _) = l.typed.values[value].def
        && l.typed.insts[made].op == Op::Call
    {
        return Ok(l.typed.insts[made].args[1..].to_vec());
    }
    Err(Diagnostic::internal("lowering", "an exception that is raised elsewhere than it is made"))
}

/// Stores the arguments into the payload; the text that tells how they lie there.
fn store_payload(l: &mut Lowering<'_>, inst: Inst, arguments: &[Value], names: &[String]) -> Result<String> {
    let mut described = Described::default();
    let by_position = arguments.len() - names.len();
    for (at, &argument) in arguments.iter().enumerate() {
        let name = at.checked_sub(by_position).map(|at| &names[at]);
        if let Some(name) = name {
            described.layout += &constant_text(name);
        }
        let operand = l.operand(argument)?;
        if !is_describable(l.cx.types, operand.ty) {
            add_boxed(l, inst, &mut described, &operand)?;
            described.layout.push_str(if name.is_some() { "K" } else { "" });
            continue;
        }
        let operand = with_owned_text(&mut l.emit, &operand)?;
        described.add(&mut l.emit, &operand)?;
        described.layout.push_str(if name.is_some() { "K" } else { "" });
        // Whoever makes the exception gives up the strings.
        for owner in l.emit.owners(&operand) {
            l.emit.retain(owner);
        }
        l.emit.give_refs(&operand);
    }
    let Described { layout, words } = described;
    if words.len() > PAYLOAD_WORDS {
        return Err(unsupported(l, inst, "more than 32 words of arguments"));
    }
    let payload = l.emit.call_runtime(Runtime::Payload, &[])[0];
    for (index, word) in words.into_iter().enumerate() {
        l.emit.b.store(payload, 8 * index as i64, word);
    }
    Ok(layout)
}

/// Assigns an attribute of an exception, which Python's object gets.
pub(crate) fn set_attribute(
    l: &mut Lowering<'_>,
    inst: Inst,
    of: &Operand,
    name: &str,
    value: &Operand,
) -> Result<()> {
    let mut described = Described::default();
    described.add(&mut l.emit, of)?;
    described.layout += &constant_text(name);
    if is_describable(l.cx.types, value.ty) {
        described.add(&mut l.emit, value)?;
    } else {
        add_boxed(l, inst, &mut described, value)?;
    }
    l.emit.ask_python('b', ".__setattr__", &described);
    Ok(())
}

/// An argument that becomes a Python object at once.
fn add_boxed(l: &mut Lowering<'_>, inst: Inst, described: &mut Described, value: &Operand) -> Result<()> {
    let plain = l.cx.types.unliteral(value.ty);
    let name = l.cx.types.name(plain);
    // Functions and the like have no type that a name says all of.
    if l.cx.types.parse(&name) != Some(plain) || value.parts.is_empty() {
        return Err(unsupported(l, inst, &format!("an argument of type {name}")));
    }
    described.add_boxed(&mut l.emit, value);
    Ok(())
}

fn unsupported(l: &Lowering<'_>, inst: Inst, what: &str) -> Box<Diagnostic> {
    Diagnostic::new(
        codes::UNSUPPORTED_CONSTRUCT,
        format!("an exception with {what} is not supported in compiled code"),
    )
    .label(l.typed.insts[inst].span, "raised here")
    .hint("Raise it with numbers, strings, arrays, containers, or tuples of them.")
}
