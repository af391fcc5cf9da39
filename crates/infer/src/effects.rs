//! What calls do to their arguments: facts from beside the catalog's rules, from the library's index and from users'
//! overloads (`catalog::FunctionInfo`), for the arguments of a call.
//!
//! Absent: what compiled functions do, which inference sees in their bodies (`containers::demand`).

use crate::solver::Engine;
use catalog::{Extended, FunctionInfo, Parameter};
use ir::{Attr, Def, Inst, Op, Value};
use std::rc::Rc;
use types::{Type, TypeData};

/// What is known of a function or a method.
pub(crate) fn of(engine: &Engine<'_>, what: &Extended) -> Rc<FunctionInfo> {
    if let Some(known) = engine.shared.info(what) {
        return known;
    }
    let found = Rc::new(find(engine, what).unwrap_or_default());
    engine.shared.note_info(what.clone(), found.clone());
    found
}

/// Rules of the catalog come before what libraries implement.
fn find(engine: &Engine<'_>, what: &Extended) -> Option<FunctionInfo> {
    let by_name = |name: &str| engine.cx.catalog.info(name).cloned();
    match what {
        Extended::Function(name) => by_name(name).or_else(|| engine.host.function_info(what)),
        Extended::Method(of, name) => {
            let class = engine.cx.types.class_of_methods(*of);
            let dotted = class.map(|class| format!("{class}.{name}"));
            if let Some(known) = dotted.as_deref().and_then(by_name) {
                return Some(known);
            }
            let of_class =
                dotted.and_then(|name| engine.host.function_info(&Extended::Function(name.into())));
            match (engine.host.function_info(what), of_class) {
                (Some(own), Some(of_class)) => Some(own.or(of_class)),
                (own, of_class) => own.or(of_class),
            }
        }
        Extended::Attribute(..) => None,
    }
}

/// What is known of what is called.
pub(crate) fn of_callee(engine: &Engine<'_>, callee: Type) -> Rc<FunctionInfo> {
    match engine.cx.types.get(callee) {
        TypeData::Function(name) => of(engine, &Extended::Function(name)),
        TypeData::Method(of_type, name) => of(engine, &Extended::Method(of_type, name)),
        // Numbers and truth values are made.
        TypeData::Class(_) => Rc::new(FunctionInfo::reading()),
        _ => Rc::default(),
    }
}

/// The value whose method is called.
pub(crate) fn receiver(engine: &Engine<'_>, method: Value) -> Option<Value> {
    let Def::Result(inst, _) = engine.func.values[method].def else { return None };
    let data = &engine.func.insts[inst];
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

    pub fn may_be_changed(&self, info: &FunctionInfo) -> bool {
        info.mutates(self.position, self.name)
    }

    pub fn may_be_called(&self, info: &FunctionInfo) -> bool {
        info.calls(self.position, self.name)
    }
}

/// The arguments of a call that names each of them, as the callee's facts number them; none of another call.
pub(crate) fn arguments<'e>(engine: &'e Engine<'_>, inst: Inst) -> Option<Vec<Argument<'e>>> {
    let data = &engine.func.insts[inst];
    let (Op::Call, Some(Attr::Symbols(names))) = (data.op, data.attrs.first()) else { return None };
    let callee = engine.ty(data.args[0])?;
    let mut values = Vec::new();
    if let TypeData::Method(..) = engine.cx.types.get(callee) {
        values.push(receiver(engine, data.args[0])?);
    }
    values.extend(data.args[1..].iter().copied());
    let by_position = values.len().checked_sub(names.len())?;
    let named = |at: usize| {
        let name = names.get(at.checked_sub(by_position)?)?;
        Some(engine.func.symbols.get(*name).as_str())
    };
    let arguments = values.into_iter().enumerate();
    Some(arguments.map(|(position, value)| Argument { value, position, name: named(position) }).collect())
}
