//! `super()` in methods of compiled classes, resolved before types are known.
//!
//! ```text
//! %s = call super                       %s = freevar __class__
//! %m = getattr init, %s         becomes %m = getattr init, %s
//! %r = call %m, %x                      %r = call %m, %self, %x
//! ```
//!
//! In such methods the closure variable `__class__` is the class that `super()` means (`rumba.classes.jitclass`), whose attributes are
//! functions. Python 3.12 has an op for the first two lines.

use catalog::Host;
use entity::HashMap;
use ir::{Attr, ConstData, Def, Function, Inst, Op, Value};

/// Writes out the calls of `super` without arguments.
pub(crate) fn expand(func: &mut Function, host: &dyn Host) {
    let insts = || func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().copied());
    let is_super = |inst: Inst| is_call_of_super(func, inst) || super_attribute(func, inst).is_some();
    let found: Vec<Inst> = insts().filter(|&inst| is_super(inst)).collect();
    if found.is_empty() {
        return;
    }
    let own = insts().find_map(|inst| {
        let data = &func.insts[inst];
        (data.op == Op::Arg && data.attrs.first() == Some(&Attr::Int(0))).then(|| data.results[0])
    });
    let (Some(own), Some(class)) = (own, host.own_class()) else { return };
    let all: Vec<Inst> = insts().collect();
    // Methods that were read of the class, and get the object first.
    let mut methods: HashMap<Value, ()> = HashMap::default();
    let mut classes: HashMap<Value, ()> = HashMap::default();
    for &inst in &found {
        let result = func.insts[inst].results[0];
        if let Some((of, name)) = super_attribute(func, inst) {
            let name = func.symbols.intern(name);
            let data = &mut func.insts[inst];
            data.op = Op::Getattr;
            data.attrs = [Attr::Symbol(name)].into_iter().collect();
            data.args = [of].into_iter().collect();
            methods.insert(result, ());
        } else {
            let name = func.symbols.intern("__class__".to_owned());
            let data = &mut func.insts[inst];
            data.op = Op::Freevar;
            data.attrs = [Attr::Int(class as i64), Attr::Symbol(name)].into_iter().collect();
            data.args.clear();
            classes.insert(result, ());
        }
    }
    for &inst in &all {
        let data = &func.insts[inst];
        if data.op == Op::Getattr && classes.contains_key(&data.args[0]) {
            methods.insert(data.results[0], ());
        }
    }
    for &inst in &all {
        let data = &mut func.insts[inst];
        if data.op == Op::Call && methods.contains_key(&data.args[0]) {
            data.args.insert(1, own);
        }
    }
}

fn is_call_of_super(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let [callee] = data.args[..] else { return false };
    let Def::Result(read, _) = func.values[callee].def else { return false };
    let read = &func.insts[read];
    let is_named = |attr: &Attr| matches!(attr, Attr::Symbol(name) if func.symbols.get(*name) == "super");
    data.op == Op::Call && read.op == Op::Global && read.attrs.iter().any(is_named)
}

/// The class and the name of `super().name`, where it is one op.
fn super_attribute(func: &Function, inst: Inst) -> Option<(Value, String)> {
    let data = &func.insts[inst];
    let [_, class, _, name] = data.args[..] else { return None };
    match (data.op, data.attrs.first()) {
        (Op::Python, Some(&Attr::Symbol(what))) if func.symbols.get(what) == "super_attribute" => {}
        _ => return None,
    }
    let Def::Result(name, _) = func.values[name].def else { return None };
    match func.insts[name].attrs.first() {
        Some(&Attr::Const(id)) => match func.consts.get(id) {
            ConstData::Str(text) => Some((class, text.clone())),
            _ => None,
        },
        _ => None,
    }
}
