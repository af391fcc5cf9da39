//! Ops that later phases reject by name: `python "name"`.
//!
//! Absent: everything that compiled code may do (`translate`).

use crate::op_names::{intrinsic_1, intrinsic_2};
use crate::ssa_rename::Renamer;
use crate::translate::{
    Ended, Slot, Step, look_push_python, named, peek, pop, pop_push_python, push, python,
};
use bytecode::Op;
use diag::Diagnostic;

/// What later phases refuse by name.
pub(crate) fn rare(r: &mut Renamer<'_>, op: Op) -> Step {
    match op {
        Op::LoadFromDictOrDeref(local) => {
            let cell = r.local(local);
            r.stack.push(Slot::value(cell));
            pop_push_python(r, "load_from_dict_or_deref", 0, 2, 1)
        }
        Op::LoadFromDictOrGlobals(name) => named(r, "load_from_dict_or_globals", name, 1, 1),
        Op::LoadLocals => pop_push_python(r, "load_locals", 0, 0, 1),
        Op::StoreGlobal(name) => named(r, "store_global", name, 1, 0),
        Op::DeleteGlobal(name) => named(r, "delete_global", name, 0, 0),
        Op::LoadName(name) => named(r, "load_name", name, 0, 1),
        Op::StoreName(name) => named(r, "store_name", name, 1, 0),
        Op::DeleteName(name) => named(r, "delete_name", name, 0, 0),
        Op::LoadBuildClass => pop_push_python(r, "build_class", 0, 0, 1),
        Op::LoadAssertionError => pop_push_python(r, "assertion_error", 0, 0, 1),
        Op::SetupAnnotations => pop_push_python(r, "setup_annotations", 0, 0, 0),
        Op::LoadSuperAttr { name, method, .. } => {
            named(r, "super_attribute", name, 3, 1)?;
            if method {
                r.stack.push(Slot::null());
            }
            Ok(Ended::No)
        }
        Op::DeleteAttr(name) => named(r, "delete_attribute", name, 1, 0),
        Op::CallIntrinsic1(intrinsic) => pop_push_python(r, intrinsic_1(intrinsic), 0, 1, 1),
        Op::CallIntrinsic2(intrinsic) => pop_push_python(r, intrinsic_2(intrinsic), 0, 2, 1),
        Op::ImportName(name) => named(r, "import", name, 2, 1),
        Op::ImportFrom(name) => {
            let module = peek(r, 1)?;
            r.stack.push(Slot::value(module));
            named(r, "import_from", name, 1, 1)
        }
        Op::PushExcInfo => {
            let exception = pop(r)?;
            let previous = python(r, "push_exception", 0, &[exception], 1)[0];
            r.stack.push(Slot::value(previous));
            push(r, Slot::value(exception))
        }
        Op::PopExcept => pop_push_python(r, "pop_exception", 0, 1, 0),
        Op::CheckExcMatch => {
            let class = pop(r)?;
            let exception = peek(r, 1)?;
            let matches = python(r, "exception_matches", 0, &[exception, class], 1)[0];
            push(r, Slot::value(matches))
        }
        Op::CheckEgMatch => pop_push_python(r, "exception_group_match", 0, 2, 2),
        Op::BeforeWith => before_with(r),
        Op::BeforeAsyncWith => pop_push_python(r, "async_with_enter", 0, 1, 2),
        Op::WithExceptStart => with_except_start(r),
        _ => generator_or_pattern(r, op),
    }
}

/// The method that leaves a context manager, and what entering it gives.
fn before_with(r: &mut Renamer<'_>) -> Step {
    let manager = pop(r)?;
    let exit = python(r, "with_exit_method", 0, &[manager], 1)[0];
    let entered = python(r, "with_enter", 0, &[manager], 1)[0];
    r.stack.push(Slot::value(exit));
    push(r, Slot::value(entered))
}

/// An exception leaves a context manager, which gets its class, itself and its traceback.
fn with_except_start(r: &mut Renamer<'_>) -> Step {
    let (exit, exception) = (peek(r, 4)?, peek(r, 1)?);
    let mut attribute = |name: &str| {
        let name = r.b.symbol(name);
        r.b.untyped(ir::Op::Getattr, [ir::Attr::Symbol(name)], &[exception])
    };
    let (class, traceback) = (attribute("__class__"), attribute("__traceback__"));
    let result = python(r, "with_exit", 0, &[exit, class, exception, traceback], 1)[0];
    push(r, Slot::value(result))
}

fn generator_or_pattern(r: &mut Renamer<'_>, op: Op) -> Step {
    match op {
        Op::ReturnGenerator => pop_push_python(r, "return_generator", 0, 0, 1),
        Op::Yield => pop_push_python(r, "yield", 0, 1, 1),
        Op::GetYieldFromIter => pop_push_python(r, "yield_from_iterator", 0, 1, 1),
        Op::GetAwaitable(kind) => pop_push_python(r, "awaitable", kind, 1, 1),
        Op::GetAiter => pop_push_python(r, "async_iterator", 0, 1, 1),
        Op::GetAnext => look_push_python(r, "async_next", 0, 1, 1),
        Op::EndAsyncFor => pop_push_python(r, "end_async_for", 0, 2, 0),
        Op::Send { .. } => {
            let value = pop(r)?;
            let receiver = peek(r, 1)?;
            let results = python(r, "send", 0, &[receiver, value], 2);
            r.stack.push(Slot::value(results[0]));
            Ok(Ended::Branch { condition: results[1], jump_if: true })
        }
        Op::CleanupThrow => pop_push_python(r, "cleanup_throw", 0, 3, 1),
        Op::GetLen => look_push_python(r, "len", 0, 1, 1),
        Op::MatchMapping => look_push_python(r, "match_mapping", 0, 1, 1),
        Op::MatchSequence => look_push_python(r, "match_sequence", 0, 1, 1),
        Op::MatchKeys => look_push_python(r, "match_keys", 0, 2, 1),
        Op::MatchClass(count) => pop_push_python(r, "match_class", count, 3, 1),
        other => Err(Diagnostic::internal("the front end", format!("no translation of {other:?}"))),
    }
}
