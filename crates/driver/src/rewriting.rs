//! Users' rewrites of functions whose types are known: what they change is inferred anew.

use catalog::Opened;
use diag::Result;
use infer::{Context, Replaced, Request, Typed};
use std::rc::Rc;
use types::{Handle, Type};

/// Infers a group. Each instance is offered to the rewrites once; a rewritten one takes its place, and the group
/// is inferred again.
pub(crate) fn infer(mut root: Request, context: Context<'_>, shown: bool) -> Result<Vec<Typed>> {
    if !root.host.rewrites_typed(shown) {
        return infer::infer(root, context);
    }
    root.rewriting.keeps_source = true;
    let mut offered: Vec<(Option<Handle>, Vec<Type>)> = Vec::new();
    loop {
        let typed = infer::infer(root.clone(), context)?;
        let mut changed = false;
        for (number, member) in typed.iter().enumerate() {
            let key = (member.handle.filter(|_| number > 0), member.params.clone());
            if !offered.contains(&key) {
                changed |= offer(&mut root, member, key.0, shown)?;
                offered.push(key);
            }
        }
        if !changed {
            return Ok(typed);
        }
    }
}

/// Whether rewrites changed an instance: what was asked for, or that of a handle.
fn offer(root: &mut Request, member: &Typed, handle: Option<Handle>, shown: bool) -> Result<bool> {
    let Some(source) = &member.source else { return Ok(false) };
    let host = match handle {
        Some(handle) => root.host.open(handle)?.host,
        None => Rc::clone(&root.host),
    };
    let Some(func) = host.rewritten_typed(source, member.result, shown)? else { return Ok(false) };
    ir::verify(&func)?;
    match handle {
        Some(handle) => {
            let opened = Opened { func, host, semantics: member.semantics };
            root.rewriting.replaced.push(Replaced { handle, params: member.params.clone(), opened });
        }
        None => root.func = func,
    }
    Ok(true)
}
