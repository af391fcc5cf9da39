//! Effects of calls on their arguments: from the catalog, from the library's index and from users' overloads
//! (`catalog::FunctionInfo`).
//!
//! Absent: what compiled functions do, which inference sees in their bodies (`containers::container_growth`).

use crate::solver::Solver;
use catalog::{Extended, FunctionInfo, Parameter};
use ir::{Attr, Def, Inst, Op, Value};
use std::rc::Rc;
use types::{Type, TypeData};

/// What is known of a function or a method.
pub(crate) fn of(solver: &Solver<'_>, what: &Extended) -> Rc<FunctionInfo> {
    if let Some(known) = solver.shared.info(what) {
        return known;
    }
    let found = Rc::new(find(solver, what).unwrap_or_default());
    solver.shared.note_info(what.clone(), found.clone());
    found
}

/// Rules of the catalog come before what libraries implement.
fn find(solver: &Solver<'_>, what: &Extended) -> Option<FunctionInfo> {
    let by_name = |name: &str| solver.cx.catalog.info(name).cloned();
    match what {
        Extended::Function(name) => by_name(name).or_else(|| solver.host.function_info(what)),
        Extended::Method(of, name) => {
            let types = solver.cx.types;
            let mut derived = types
                .derived_classes_of_methods(*of)
                .map(|class| Extended::Function(format!("{class}.{name}").into()));
            if let Some(known) = derived.find_map(|method| solver.host.function_info(&method)) {
                return Some(known);
            }
            let class = types.keywords(*of).map_or(types.class_of_methods(*of), |_| Some("builtins.dict"));
            let dotted = class.map(|class| format!("{class}.{name}"));
            if let Some(known) = dotted.as_deref().and_then(by_name) {
                return Some(known);
            }
            let of_class =
                dotted.and_then(|name| solver.host.function_info(&Extended::Function(name.into())));
            match (solver.host.function_info(what), of_class) {
                (Some(own), Some(of_class)) => Some(own.or(of_class)),
                (own, of_class) => own.or(of_class),
            }
        }
        Extended::Attribute(..) => None,
    }
}

/// What is known of what is called.
pub(crate) fn of_callee(solver: &Solver<'_>, callee: Type) -> Rc<FunctionInfo> {
    match solver.cx.types.get(callee) {
        TypeData::Function(name) => of(solver, &Extended::Function(name)),
        TypeData::Method(of_type, name) => of(solver, &Extended::Method(of_type, name)),
        // Numbers and booleans are made.
        TypeData::Class(of) if !solver.cx.types.is_instance(of) => Rc::new(FunctionInfo::reading()),
        _ => Rc::default(),
    }
}

/// The value whose method is called.
pub(crate) fn receiver(solver: &Solver<'_>, method: Value) -> Option<Value> {
    let Def::Result(inst, _) = solver.func.values[method].def else { return None };
    let data = &solver.func.insts[inst];
    (data.op == Op::Getattr).then(|| data.args[0])
}

/// An argument of a call.
pub(crate) struct Argument<'e> {
    pub value: Value,
    /// Its position; of a method, the value is at 0.
    position: usize,
    /// The name by which it is given.
    name: Option<&'e str>,
}

impl Argument<'_> {
    pub fn is_for(&self, parameter: &Parameter) -> bool {
        parameter.takes(self.position, self.name)
    }

    pub fn is_named(&self) -> bool {
        self.name.is_some()
    }

    pub fn may_be_changed(&self, info: &FunctionInfo) -> bool {
        info.mutates(self.position, self.name)
    }

    pub fn may_be_called(&self, info: &FunctionInfo) -> bool {
        info.calls(self.position, self.name)
    }
}

/// The arguments of a call that names each of them, as the callee's facts number them; none of another call.
pub(crate) fn arguments<'e>(solver: &'e Solver<'_>, inst: Inst) -> Option<Vec<Argument<'e>>> {
    let data = &solver.func.insts[inst];
    let (Op::Call, Some(Attr::Symbols(names))) = (data.op, data.attrs.first()) else { return None };
    let callee = solver.ty(data.args[0])?;
    let mut values = Vec::new();
    if let TypeData::Method(..) = solver.cx.types.get(callee) {
        values.push(receiver(solver, data.args[0])?);
    }
    values.extend(data.args[1..].iter().copied());
    let by_position = values.len().checked_sub(names.len())?;
    let named = |at: usize| {
        let name = names.get(at.checked_sub(by_position)?)?;
        Some(solver.func.symbols.get(*name).as_str())
    };
    let arguments = values.into_iter().enumerate();
    Some(arguments.map(|(position, value)| Argument { value, position, name: named(position) }).collect())
}
