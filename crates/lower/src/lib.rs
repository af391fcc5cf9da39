//! Lowering: a Typed function becomes an Explicit one.
//!
//! Every value becomes its parts (`catalog::machine_types`), every op the machine operations of the
//! catalog's rule for its operand types; conversions, checks and raises are spelled out.
//!
//! Absent: what an op means for given types (`catalog`, `builtins`), LLVM.

mod instruction;

use catalog::{Callee, Catalog, Emit, ErrorModel, Operand, machine_types};
use diag::{Diagnostic, Result};
use entity::SideTable;
use ir::{Attr, Block, Function, Op, Phase, Value, ValueType};
use std::sync::Arc;
use types::{Handle, Type, TypeTable};

/// What lowering works with.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The session's types.
    pub types: &'a TypeTable,
    /// What the compiler knows of.
    pub catalog: &'a Catalog,
    /// What division by zero does.
    pub error_model: ErrorModel,
    /// Other compiled functions that are called, by handle and (plain) argument types.
    pub callees: &'a [(Handle, Vec<Type>, Callee)],
    /// The function itself as a callee and its symbol.
    pub own: Option<Handle>,
    /// The symbol that the function gets.
    pub symbol: &'a Arc<str>,
}

/// Lowers a Typed function with a result of type `result`.
pub fn lower(typed: &Function, params: &[Type], result: Type, context: Context<'_>) -> Result<Function> {
    let mut func = Function::new(&typed.name, &typed.file, typed.first_line, Phase::Explicit);
    func.results = machine_types(context.types, result).to_vec();
    // A function that may call itself must know whether it can fail before its body is lowered.
    func.can_fail = calls_itself(typed, context);
    let entry = func.entry;
    let emit = Emit::new(&mut func, entry, context.types, context.error_model);
    let mut lowering = Lowering {
        typed,
        cx: context,
        emit,
        params,
        result,
        values: SideTable::new(),
        blocks: SideTable::new(),
    };
    lowering.run()?;
    Ok(func)
}

fn calls_itself(typed: &Function, context: Context<'_>) -> bool {
    let Some(own) = context.own else { return false };
    let own = context.types.intern(types::TypeData::Dispatcher(own));
    let insts = typed.layout.iter().flat_map(|&block| &typed.blocks[block].insts);
    insts.map(|&inst| &typed.insts[inst]).any(|data| data.op == Op::Call && typed.ty(data.args[0]) == own)
}

pub(crate) struct Lowering<'a> {
    pub typed: &'a Function,
    pub cx: Context<'a>,
    pub emit: Emit<'a>,
    params: &'a [Type],
    pub result: Type,
    /// The parts of each Typed value, once lowered.
    values: SideTable<Value, Option<Operand>>,
    /// The Explicit block where each Typed block begins.
    blocks: SideTable<Block, Option<Block>>,
}

impl Lowering<'_> {
    fn run(&mut self) -> Result<()> {
        self.arguments();
        let order = flow::Cfg::compute(self.typed).reverse_postorder().to_vec();
        for &block in &order {
            self.make_block(block);
        }
        let first = self.block(self.typed.entry)?;
        self.emit.b.jump(first, &[]);
        for &block in &order {
            let start = self.block(block)?;
            self.emit.b.switch_to(start);
            for &inst in &self.typed.blocks[block].insts {
                self.emit.b.span = self.typed.insts[inst].span;
                instruction::lower(self, inst)?;
            }
        }
        Ok(())
    }

    /// The entry block: one `arg` per machine word of the parameters.
    fn arguments(&mut self) {
        let mut operands = Vec::new();
        let mut index = 0;
        for (number, &ty) in self.params.iter().enumerate() {
            let name = self.typed.params.get(number).map(|&symbol| self.typed.symbols.get(symbol).as_str());
            let natives = machine_types(self.cx.types, ty);
            let many = natives.len() > 1;
            let mut operand = Operand::new(ty, []);
            for (part, native) in natives.into_iter().enumerate() {
                let base = name.unwrap_or("arg");
                let symbol = if many { format!("{base}.{part}") } else { base.to_owned() };
                let symbol = self.emit.b.symbol(&symbol);
                self.emit.b.func.params.push(symbol);
                let attrs = [Attr::Int(index), Attr::Symbol(symbol)];
                operand.parts.push(self.emit.b.native(Op::Arg, attrs, &[], native));
                index += 1;
            }
            operands.push(operand);
        }
        for &block in &self.typed.layout {
            for &inst in &self.typed.blocks[block].insts {
                let data = &self.typed.insts[inst];
                if let (Op::Arg, Some(&Attr::Int(number))) = (data.op, data.attrs.first()) {
                    self.values[data.results[0]] = operands.get(number as usize).cloned();
                }
            }
        }
    }

    fn make_block(&mut self, block: Block) {
        let new = self.emit.b.func.add_block(self.typed.blocks[block].label);
        self.blocks[block] = Some(new);
        for &param in &self.typed.blocks[block].params {
            let ty = self.typed.ty(param);
            let parts = machine_types(self.cx.types, ty)
                .into_iter()
                .map(|native| self.emit.b.func.add_param(new, ValueType::Native(native)));
            let operand = Operand::new(ty, parts.collect::<Vec<_>>());
            self.name(param, &operand);
            self.values[param] = Some(operand);
        }
    }

    /// Where a Typed block begins.
    pub fn block(&self, block: Block) -> Result<Block> {
        self.blocks[block]
            .ok_or_else(|| Diagnostic::internal("lowering", format!("{block} is not reachable")))
    }

    /// The parts of a Typed value.
    pub fn operand(&self, value: Value) -> Result<Operand> {
        let operand = self.values[value].clone();
        operand
            .ok_or_else(|| Diagnostic::internal("lowering", format!("{value} is used before it is lowered")))
    }

    /// Notes the parts of a Typed value.
    pub fn define(&mut self, value: Value, operand: Operand) {
        self.name(value, &operand);
        self.values[value] = Some(operand);
    }

    /// The only part of a variable keeps the variable's name.
    fn name(&mut self, value: Value, operand: &Operand) {
        if let ([part], Some(name)) = (&operand.parts[..], self.typed.value_name(value))
            && self.emit.b.func.values[*part].name.is_none()
        {
            let symbol = self.emit.b.symbol(name);
            self.emit.b.func.set_name(*part, symbol, self.typed.values[value].version);
        }
    }
}
