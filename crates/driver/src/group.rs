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
    let mut lowered: Vec<Option<LoweredFunction>> = typed.iter().map(|_| None).collect();
    for component in components.ids().rev() {
        for &member in components.members(component) {
            let index = entity::EntityRef::index(member);
            let callee = |function: Handle, args: &[Type]| find(function, args).map(|at| callees[at].clone());
            let context = lower::Context {
                types: &session.types,
                catalog: &session.catalog,
                error_model: options.error_model,
                callee: &callee,
                in_cycle: callees[index].in_cycle,
            };
            let func = lower::lower(&typed[index].func, &typed[index].params, typed[index].result, context)?;
            callees[index].can_fail = func.can_fail;
            lowered[index] = Some(LoweredFunction { func, symbol: callees[index].symbol.clone() });
        }
    }
    let mut members: Vec<LoweredFunction> = lowered.into_iter().flatten().collect();
    if callees[0].in_cycle {
        let func = lower::entry(&typed[0].func, &callees[0], &session.types);
        members
            .insert(0, LoweredFunction { func, symbol: format!("{}#{number}", typed[0].func.name).into() });
    }
    let thunk = format!("{}#{number}.python", typed[0].func.name);
    Ok(Lowered { members, thunk })
}
