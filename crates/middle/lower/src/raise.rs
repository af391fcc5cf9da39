//! `raise`: the class and arguments of an exception become a site, and where the arguments are not
//! constant, words of the thread's payload.

use crate::Lowering;
use abi::ExceptionClass;
use abi::Runtime;
use catalog::exception_args::{Described, PAYLOAD_WORDS, is_describable, with_owned_text};
use diag::{Diagnostic, Result, codes};
use ir::{Def, Inst, Native, Op, SiteData, Value};
use types::{LiteralValue, Type, TypeData, USER_EXCEPTION};

pub(crate) fn lower_raise(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let (value, cause) = (l.typed.insts[inst].args[0], l.typed.insts[inst].args.get(1).copied());
    if cause.is_none() && !is_caught(l, value) {
        let site = raise_site(l, inst, value)?;
        l.emit.raise_site(site);
        // What was made for the arguments is released on that way.
        l.emit.held.fresh.clear();
        return Ok(());
    }
    let was_raised = is_caught(l, value);
    let exception = exception(l, inst, value)?;
    if let Some(cause) = cause {
        let cause = match l.typed.ty(cause) {
            Type::NONE => l.emit.b.iconst(Native::I64, 0),
            _ => self::exception(l, inst, cause)?,
        };
        l.emit.call_runtime(Runtime::CaughtCause, &[exception, cause]);
    }
    raise_caught(l, exception, was_raised);
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

/// Raises what a record keeps; `here`: this place is one more that it came through.
fn raise_caught(l: &mut Lowering<'_>, exception: Value, here: bool) {
    let status = l.emit.call_runtime(Runtime::CaughtStatus, &[exception])[0];
    if here {
        l.emit.note_place(status);
    }
    l.emit.fail(status);
    // What was made for this is released on that way.
    l.emit.held.fresh.clear();
}

fn is_caught(l: &Lowering<'_>, value: Value) -> bool {
    l.cx.types.get(l.typed.ty(value)) == TypeData::Caught
}

/// The record of an exception, of one that was not raised yet as if it had been raised and caught here.
pub(crate) fn exception(l: &mut Lowering<'_>, inst: Inst, value: Value) -> Result<Value> {
    if is_caught(l, value) {
        return Ok(l.operand(value)?.value());
    }
    let site = raise_site(l, inst, value)?;
    let site = l.emit.b.func.sites.push(site);
    let status = l.emit.b.site_status(site);
    Ok(l.emit.catch(status).value())
}

/// The site of an exception whose class is known; arguments that are not constant are stored in the payload.
fn raise_site(l: &mut Lowering<'_>, inst: Inst, value: Value) -> Result<SiteData> {
    let (index, arguments) = match l.cx.types.get(l.typed.ty(value)) {
        TypeData::ExceptionClass(index) => (index, Vec::new()),
        TypeData::Exception(index) => (index, instance_arguments(l, inst, value)?),
        _ => return Err(Diagnostic::internal("lowering", "a raise of what is no exception")),
    };
    let user_class = (index & USER_EXCEPTION != 0).then_some(index & !USER_EXCEPTION);
    let class = match user_class {
        Some(_) => ExceptionClass::Exception,
        None => ExceptionClass::from_index(index)
            .ok_or_else(|| Diagnostic::internal("lowering", "an exception class without a number"))?,
    };
    let span = l.typed.insts[inst].span;
    let literal = |value: &Value| l.cx.types.literal(l.typed.ty(*value));
    let (message, payload) = match &arguments[..] {
        [] => (None, false),
        [only] if matches!(literal(only), Some(LiteralValue::Str(_))) => match literal(only) {
            Some(LiteralValue::Str(text)) => (Some(text.to_string()), false),
            _ => (None, false),
        },
        _ => (Some(store_payload(l, inst, &arguments)?), true),
    };
    Ok(SiteData { class, user_class, message, payload, span, origin: None })
}

/// The values that an exception instance was made of. It must be made by one call.
fn instance_arguments(l: &Lowering<'_>, inst: Inst, value: Value) -> Result<Vec<Value>> {
    if let Def::Result(made, _) = l.typed.values[value].def
        && l.typed.insts[made].op == Op::Call
    {
        return Ok(l.typed.insts[made].args[1..].to_vec());
    }
    Err(Diagnostic::new(
        codes::UNSUPPORTED_CONSTRUCT,
        "an exception instance that is chosen at run time is not supported in compiled code",
    )
    .label(l.typed.insts[inst].span, "raised here")
    .hint("Write one `raise` per exception."))
}

/// Stores the arguments into the payload; the text that tells how they lie there.
fn store_payload(l: &mut Lowering<'_>, inst: Inst, arguments: &[Value]) -> Result<String> {
    let mut described = Described::default();
    for &argument in arguments {
        let operand = l.operand(argument)?;
        if !is_describable(l.cx.types, operand.ty) {
            let name = l.cx.types.name(l.cx.types.unliteral(operand.ty));
            return Err(unsupported(l, inst, &format!("an argument of type {name}")));
        }
        let operand = with_owned_text(&mut l.emit, &operand)?;
        described.add(&mut l.emit, &operand)?;
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

fn unsupported(l: &Lowering<'_>, inst: Inst, what: &str) -> Box<Diagnostic> {
    Diagnostic::new(
        codes::UNSUPPORTED_CONSTRUCT,
        format!("an exception with {what} is not supported in compiled code"),
    )
    .label(l.typed.insts[inst].span, "raised here")
    .hint("Raise it with numbers, strings, or tuples of them.")
}
