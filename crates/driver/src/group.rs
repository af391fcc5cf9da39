//! A function and all compiled functions that it calls, lowered together: one unit of machine
//! code in which calls are direct and may be inlined.

use crate::{Options, Session, inlining};
use catalog::Callee;
use diag::Result;
use flow::AdjacencyList;
use infer::Typed;
use ir::Function;
use std::sync::Arc;
use types::{Handle, Type};

entity::id!(
    /// A function of the group.
    struct Member = "member"
);

/// A function in its Explicit phase.
pub struct LoweredFunction {
    /// The function.
    pub func: Function,
    /// Its symbol.
    pub symbol: Arc<str>,
}

/// The functions of a unit.
pub struct Lowered {
    /// What Python enters comes first.
    pub members: Vec<LoweredFunction>,
    /// Symbol of the entry for Python.
    pub thunk: String,
    /// Texts of LLVM's IR with further functions that these call.
    pub texts: Vec<Arc<str>>,
}

impl Lowered {
    /// The functions as LLVM takes them.
    pub(crate) fn unit(&self) -> llvm::Unit<'_> {
        let functions = self.members.iter().enumerate().map(|(number, member)| llvm::UnitFunction {
            func: &member.func,
            symbol: member.symbol.to_string(),
            exported: false,
            thunk: (number == 0).then(|| self.thunk.clone()),
        });
        let texts = self.texts.iter().map(|text| &**text).collect();
        llvm::Unit { name: &self.members[0].symbol, functions: functions.collect(), texts }
    }
}

/// Lowers the functions of a group, callees before callers.
pub(crate) fn lower(session: &Session, typed: &[Typed], number: u64, options: &Options) -> Result<Lowered> {
    let find = |function: Handle, args: &[Type]| {
        typed.iter().position(|member| member.handle == Some(function) && member.params == args)
    };
    let mut calls: AdjacencyList<Member> = AdjacencyList::new(typed.len());
    for (caller, member) in typed.iter().enumerate() {
        for (function, args) in &member.calls {
            if let Some(callee) = find(*function, args) {
                calls.add_edge(entity::EntityRef::new(caller), entity::EntityRef::new(callee));
            }
        }
    }
    let inlines = options.opt_level != Some(0);
    let components = flow::compute_components(&calls);
    let mut callees: Vec<Callee> = typed
        .iter()
        .enumerate()
        .map(|(index, member)| Callee {
            result: member.result,
            params: member.params.clone(),
            symbol: format!("{}#{number}.{index}", member.func.name).into(),
            can_fail: true,
            in_cycle: components.is_cyclic(components.component_of(entity::EntityRef::new(index))),
        })
        .collect();
    let mut funcs: Vec<Option<Function>> = typed.iter().map(|_| None).collect();
    let mut twins: Vec<Option<Function>> = typed.iter().map(|_| None).collect();
    let order: Vec<usize> = components
        .ids()
        .rev()
        .flat_map(|component| components.members(component))
        .map(|&member| entity::EntityRef::index(member))
        .collect();
    for &index in &order {
        let callee = |function: Handle, args: &[Type]| find(function, args).map(|at| callees[at].clone());
        let lower_it = |checks_stack: bool| {
            let context = lower::Context {
                types: &session.types,
                catalog: &session.catalog,
                error_model: typed[index].error_model,
                callee: &callee,
                in_cycle: callees[index].in_cycle,
                checks_stack,
            };
            lower::lower(&typed[index].func, &typed[index].params, typed[index].result, context)
        };
        let func = lower_it(callees[index].in_cycle)?;
        if inlines && calls_itself(&func, &callees[index].symbol) && func.len() <= SHORT {
            twins[index] = Some(lower_it(false)?);
        }
        callees[index].can_fail = func.can_fail;
        funcs[index] = Some(func);
    }
    let symbols: Vec<Arc<str>> = callees.iter().map(|callee| callee.symbol.clone()).collect();
    let mut members: Vec<LoweredFunction> = funcs
        .into_iter()
        .flatten()
        .zip(&symbols)
        .map(|(func, symbol)| LoweredFunction { func, symbol: symbol.clone() })
        .collect();
    if inlines {
        let cyclic: Vec<bool> = callees.iter().map(|callee| callee.in_cycle).collect();
        inlining::inline_group(&mut members, &order, &cyclic, twins);
    }
    if callees[0].in_cycle {
        let func = lower::entry(&typed[0].func, &callees[0], &session.types);
        let symbol = format!("{}#{number}", typed[0].func.name).into();
        members.insert(0, LoweredFunction { func, symbol });
    }
    inlining::drop_unused(&mut members);
    let thunk = format!("{}#{number}.python", typed[0].func.name);
    let texts = typed.iter().flat_map(|member| member.natives.iter().cloned()).collect();
    Ok(Lowered { members, thunk, texts })
}

/// Instructions of a function that goes into itself once.
const SHORT: usize = 100;

fn calls_itself(func: &Function, symbol: &str) -> bool {
    opt::calls_of(func).any(|callee| callee == symbol)
}
