//! Generators as iterators: each item resumes their code, with a value, or with an exception.
//!
//! Absent: creation (`lower`), `throw` (`lower`: it depends on how the exception is written), the layout of
//! the frame (`catalog::generator`).

use crate::emit_helpers::*;
use abi::frame::{BEGIN, STATE};
use abi::{ExceptionClass, Runtime};
use catalog::generator::{parts_of, sent_to, sent_value};
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule};
use diag::{Result, Span};
use ir::{BlockCall, IntCond, Native, SiteData, ValueType};
use types::{Type, TypeData, TypeTable, convert};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
    catalog.add_generic("method.send", |types, args| resolve_send(types, args, send));
    catalog.add_generic("method._put", |types, args| {
        let put = resolve_send(types, args, put)?;
        Some(Resolution { result: Type::NONE, ..put })
    });
    catalog.add_generic("method.throw", resolve_throw);
    catalog.add_generic("method.close", resolve_close);
    catalog.state(&[
        ("method.send", "special=send mutates=self@0"),
        ("method._put", "special=send mutates=self@0"),
        ("method.throw", "special=throw mutates=self@0"),
        ("method.close", "mutates=self@0"),
    ]);
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let (item, _) = parts_of(types, ty)?;
    Some(Resolution { result: item, params: vec![ty], emit: next })
}

fn next(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (item, has_item) = emit.resume(&args[0])?;
    emit.exit_iteration_unless(has_item)?;
    Ok(item)
}

fn resolve_send(types: &TypeTable, args: &[Type], emit: catalog::EmitFn) -> Option<Resolution> {
    let [generator, value] = *args else { return None };
    let (item, _) = parts_of(types, generator)?;
    let sent = sent_to(types, generator);
    // One that asks for nothing is sent anything.
    let param = if sent == Type::NONE { types.unliteral(value) } else { sent_value(types, sent) };
    convert(types, value, param)?;
    let params = vec![generator, param];
    Some(Resolution { result: item, params, emit })
}

fn put(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    emit.put_sent(&args[0], &args[1])?;
    Ok(emit.undefined(Type::NONE))
}

fn send(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let is_there = match emit.types.get(args[1].ty) {
        TypeData::None => None,
        TypeData::Optional(_) => Some(args[1].parts[0]),
        _ => Some(emit.b.bool(true)),
    };
    if let Some(is_there) = is_there {
        let frame = emit.frame_of(args[0].value());
        let state = emit.b.load(Native::I64, frame, STATE);
        let begin = emit.b.iconst(Native::I64, BEGIN);
        let is_new = emit.b.icmp(IntCond::Eq, state, begin);
        let is_wrong = emit.b.like_first(ir::Op::Iand, &[is_new, is_there]);
        let message = "can't send non-None value to a just-started generator";
        emit.raise_if(is_wrong, ExceptionClass::TypeError, message);
    }
    emit.put_sent(&args[0], &args[1])?;
    let (item, has_item) = emit.resume(&args[0])?;
    let (ended, go_on) = (emit.b.new_block(), emit.b.new_block());
    emit.b.branch(has_item, BlockCall::new(go_on, []), BlockCall::new(ended, []));
    emit.b.switch_to(ended);
    emit.raise_stop(&args[0])?;
    emit.b.switch_to(go_on);
    Ok(item)
}

fn resolve_throw(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [generator, exception] = *args else { return None };
    let (item, _) = parts_of(types, generator)?;
    let is_exception = matches!(
        types.get(exception),
        TypeData::ExceptionClass(_) | TypeData::Exception { .. } | TypeData::Caught(_)
    );
    let emit: catalog::EmitFn = |_, _| Err(unexpected("`throw` by a rule"));
    is_exception.then(|| Resolution { result: item, params: args.to_vec(), emit })
}

fn resolve_close(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [generator] = *args else { return None };
    parts_of(types, generator)?;
    Some(Resolution { result: Type::NONE, params: args.to_vec(), emit: close })
}

/// It fails with GeneratorExit where it stopped, which nobody gets; what else it fails with is raised.
fn close(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let span: Span = emit.b.span;
    let class = ExceptionClass::GeneratorExit;
    let data = SiteData { class, user_class: None, message: None, payload: false, span, origin: None };
    let site = emit.b.func.sites.push(data);
    let exit = emit.b.site_status(site);
    let (status, item, has_item) = emit.try_resume(&args[0], exit)?;
    let [failed, raised, ended, goes_on, ignored, returned, join] = [(); 7].map(|()| emit.b.new_block());
    let zero = emit.b.iconst(Native::I64, 0);
    let has_failed = emit.b.icmp(IntCond::Ne, status, zero);
    // The status goes along, as for calls whose failures leave.
    emit.b.branch(has_failed, BlockCall::new(failed, [status]), BlockCall::new(goes_on, []));
    emit.b.switch_to(failed);
    let status = emit.b.func.add_param(failed, ValueType::Native(Native::I64));
    let caught = emit.catch(status);
    let kept: Vec<_> =
        emit.refs.temporaries.iter().copied().filter(|&owner| owner != caught.value()).collect();
    let ends = emit.is_caught(&caught, &[class as u32, ExceptionClass::StopIteration as u32]);
    emit.b.branch(ends, BlockCall::new(ended, []), BlockCall::new(raised, []));
    emit.b.switch_to(raised);
    let again = emit.call_runtime(Runtime::CaughtStatus, &[caught.value()])[0];
    emit.fail(again);
    emit.b.switch_to(ended);
    emit.release(caught.value());
    emit.refs.temporaries = kept.into_iter().collect();
    emit.b.jump(join, &[]);
    emit.b.switch_to(goes_on);
    emit.b.branch(has_item, BlockCall::new(ignored, []), BlockCall::new(returned, []));
    emit.b.switch_to(returned);
    emit.holds_nothing(&item);
    emit.b.jump(join, &[]);
    emit.b.switch_to(ignored);
    for owner in emit.owners(&item) {
        emit.release(owner);
    }
    emit.raise(ExceptionClass::RuntimeError, Some("generator ignored GeneratorExit"));
    emit.b.switch_to(join);
    Ok(emit.undefined(Type::NONE))
}
