//! A function and all compiled functions that it calls, lowered together: one unit of machine
//! code in which calls are direct and may be inlined.

use crate::{Options, Session};
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
    /// Whether it goes into its callers.
    pub inlining: llvm::Inlining,
}

/// The functions of a unit.
pub struct Lowered {
    /// What Python enters comes first.
    pub members: Vec<LoweredFunction>,
    /// Symbol of the entry for Python.
    pub thunk: String,
}

impl Lowered {
    /// The functions as LLVM takes them.
    pub(crate) fn unit(&self) -> llvm::Unit<'_> {
        let functions = self.members.iter().enumerate().map(|(number, member)| llvm::UnitFunction {
            func: &member.func,
            symbol: member.symbol.to_string(),
            exported: false,
            thunk: (number == 0).then(|| self.thunk.clone()),
            inlining: member.inlining,
        });
        llvm::Unit { name: &self.members[0].symbol, functions: functions.collect() }
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
    let mut lowered: Vec<Vec<LoweredFunction>> = typed.iter().map(|_| Vec::new()).collect();
    for component in components.ids().rev() {
        for &member in components.members(component) {
            let index = entity::EntityRef::index(member);
            let unrolls = options.opt_level != Some(0) && unrolls(session, &typed[index]);
            let twin: Arc<str> = format!("{}.again", callees[index].symbol).into();
            let lower_as = |is_twin: bool| {
                // The function calls its twin and the twin the function.
                let callee = |function: Handle, args: &[Type]| {
                    let at = find(function, args)?;
                    let mut callee = callees[at].clone();
                    if at == index && unrolls && !is_twin {
                        callee.symbol = twin.clone();
                    }
                    Some(callee)
                };
                let in_cycle = callees[index].in_cycle;
                let context = lower::Context {
                    types: &session.types,
                    catalog: &session.catalog,
                    error_model: options.error_model,
                    callee: &callee,
                    in_cycle,
                    checks_stack: in_cycle && !is_twin,
                };
                lower::lower(&typed[index].func, &typed[index].params, typed[index].result, context)
            };
            let func = lower_as(false)?;
            let second = if unrolls { Some(lower_as(true)?) } else { None };
            callees[index].can_fail = func.can_fail;
            let inlining = if unrolls { llvm::Inlining::Never } else { llvm::Inlining::Auto };
            lowered[index].push(LoweredFunction { func, symbol: callees[index].symbol.clone(), inlining });
            let always = llvm::Inlining::Always;
            lowered[index].extend(second.map(|func| LoweredFunction {
                func,
                symbol: twin.clone(),
                inlining: always,
            }));
        }
    }
    let mut members: Vec<LoweredFunction> = lowered.into_iter().flatten().collect();
    if callees[0].in_cycle {
        let func = lower::entry(&typed[0].func, &callees[0], &session.types);
        let symbol = format!("{}#{number}", typed[0].func.name).into();
        members.insert(0, LoweredFunction { func, symbol, inlining: llvm::Inlining::Auto });
    }
    let thunk = format!("{}#{number}.python", typed[0].func.name);
    Ok(Lowered { members, thunk })
}

/// Instructions of a function that is worth having twice in itself.
const SHORT: usize = 60;

/// Calls of itself that a function may have to be worth that.
const FEW_CALLS: usize = 3;

/// Whether a function that calls itself gets a twin, a second body that goes into the first: half
/// of the calls and of the checks for the stack disappear.
fn unrolls(session: &Session, typed: &Typed) -> bool {
    let calls_itself = |inst: &ir::InstData| {
        let callee = (inst.op == ir::Op::Call).then(|| session.types.get(typed.func.ty(inst.args[0])));
        matches!(callee, Some(types::TypeData::Dispatcher(handle)) if Some(handle) == typed.handle)
    };
    let body = || typed.func.layout.iter().flat_map(|&block| &typed.func.blocks[block].insts);
    let own = typed.handle.is_some_and(|own| typed.calls.contains(&(own, typed.params.clone())));
    own && typed.func.len() <= SHORT
        && body().filter(|&&inst| calls_itself(&typed.func.insts[inst])).count() <= FEW_CALLS
}
