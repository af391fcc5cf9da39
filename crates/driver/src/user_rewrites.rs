//! Users' rewrites of Typed functions: modified functions are inferred again.

use crate::pipeline::untyped_of_code;
use crate::request::origin_of;
use crate::session::Session;
use catalog::CalleeIr;
use diag::{Diagnostic, Result};
use infer::{Context, Replaced, Request, Typed};
use ir::Function;
use std::rc::Rc;
use types::{Handle, Type};

impl Session {
    /// The function with the types of its values, in the ops of the Untyped phase, and the type of its result. The
    /// values keep their numbers.
    pub fn source(&self, request: crate::request::Request<'_>) -> Result<(Function, Type)> {
        let code = request.code;
        self.infer_source(request).map_err(|error| error.in_function(|| origin_of(code)))
    }

    fn infer_source(&self, request: crate::request::Request<'_>) -> Result<(Function, Type)> {
        let func = match request.func {
            Some(func) => func,
            None => untyped_of_code(request.code, &request.options.locals)?,
        };
        let root = Request {
            func,
            host: request.host,
            handle: request.own,
            args: request.args.to_vec(),
            result: request.result,
            semantics: request.options.semantics,
            wanted: request.wanted,
            rewriting: infer::Rewriting { keeps_source: true, ..infer::Rewriting::default() },
        };
        let context = Context { types: &self.types, catalog: &self.catalog, passes: &ir::Plainly };
        let first = infer::infer(root, context)?.into_iter().next();
        let found = first.and_then(|typed| Some((*typed.source?, typed.result)));
        found.ok_or_else(|| Diagnostic::internal("inference", "no function was inferred"))
    }
}

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
        Some(handle) => root.host.load_callee_for(handle, &member.params)?.host,
        None => Rc::clone(&root.host),
    };
    let Some(mut func) = host.rewritten_typed(source, member.result, shown)? else { return Ok(false) };
    func.module.clone_from(&source.module);
    ir::verify(&func)?;
    match handle {
        Some(handle) => {
            let opened = CalleeIr { func, host, semantics: member.semantics };
            root.rewriting.replaced.push(Replaced { handle, params: member.params.clone(), opened });
        }
        None => root.func = func,
    }
    Ok(true)
}
