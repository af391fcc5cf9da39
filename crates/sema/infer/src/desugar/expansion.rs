//! The position in a Typed function where calls, closures and cells are expanded, and the instructions that features
//! insert there.
//!
//! Absent: the expansions themselves (`desugar`).

use crate::calls::call_data::{Argument, FoldedCall};
use crate::desugar::starred_literals;
use crate::overloads::literally;
use crate::solver::Solver;
use ir::{Attr, Block, Builder, ConstData, Function, Inst, Op, Value, ValueType};
use types::Type;

/// The pass, at the end of the part of a block that is written out.
pub(crate) struct Expansion<'e, 'a> {
    pub solver: &'e Solver<'a>,
    pub func: &'e mut Function,
    pub block: Block,
    /// In a closure: itself.
    pub own: Option<Value>,
    /// Calls of compiled functions so far.
    pub calls: Vec<Inst>,
}

impl Expansion<'_, '_> {
    /// A builder for what stands before an instruction.
    pub fn builder(&mut self, inst: Inst) -> Builder<'_> {
        let mut builder = Builder::new(self.func, self.block);
        builder.span = builder.func.insts[inst].span;
        builder
    }

    /// The type of a value.
    pub fn ty(&self, value: Value) -> Type {
        match self.func.values[value].ty {
            ValueType::Typed(ty) => ty,
            _ => Type::UNDEFINED,
        }
    }

    /// A value for each parameter of a call.
    pub fn arguments(&mut self, inst: Inst, callee: Value, folded: &FoldedCall) -> Vec<Value> {
        let solver = self.solver;
        let operands: Vec<Value> = self.func.insts[inst].args.to_vec();
        let is_spread = solver.func.insts[inst].op == Op::CallEx;
        let mut builder = self.builder(inst);
        let elements = if is_spread {
            starred_literals::unpacked(&mut builder, solver, operands[1])
        } else {
            Vec::new()
        };
        let call = Passed { solver, callee, operands: &operands, elements: &elements };
        let given = folded.arguments.iter().zip(&folded.types);
        let mut args: Vec<Value> = given.map(|(arg, &ty)| call.value(&mut builder, arg, ty)).collect();
        literally::convert_to_exact(&mut builder, folded, &mut args);
        args
    }

    /// The instruction becomes a call with one operand per parameter.
    pub fn make_call(&mut self, inst: Inst, callee: Value, args: &[Value]) {
        let is_compiled = self.solver.cx.types.functions(self.ty(callee)).is_some();
        self.calls.extend(Some(inst).filter(|_| is_compiled));
        let data = &mut self.func.insts[inst];
        data.op = Op::Call;
        data.attrs = [Attr::Symbols(Vec::new())].into_iter().collect();
        data.args = std::iter::once(callee).chain(args.iter().copied()).collect();
    }
}

/// What a call passes.
struct Passed<'e, 'a> {
    solver: &'e Solver<'a>,
    callee: Value,
    operands: &'e [Value],
    /// The elements of the tuple that `f(*tuple)` passes.
    elements: &'e [Value],
}

impl Passed<'_, '_> {
    /// The value of an argument of type `ty`.
    fn value(&self, builder: &mut Builder<'_>, argument: &Argument, ty: Type) -> Value {
        let types = self.solver.cx.types;
        let typed = ValueType::Typed(ty);
        match argument {
            Argument::Operand(index) => self.operands[1 + index],
            Argument::Element(index) => self.elements[*index],
            Argument::Keyword(name) => {
                let key = builder.constant(ConstData::Str(name.clone()));
                let name = ValueType::Typed(types.literal_str(name));
                let key = builder.value(Op::Const, [Attr::Const(key)], &[], name);
                builder.value(Op::Getitem, [], &[self.operands[2], key], typed)
            }
            // What may be None is there where its method is called.
            Argument::Value(value) if self.solver.ty(*value) == Some(types.optional(ty)) => {
                builder.value(Op::Promote, [], &[*value], typed)
            }
            Argument::Value(value) => *value,
            Argument::Exception(value) => {
                let there = ValueType::Typed(types.without_none(ty));
                let mut exception = *value;
                if self.solver.ty(exception) == Some(types.optional(ty)) {
                    exception = builder.value(Op::Promote, [], &[exception], there);
                }
                let name = builder.symbol("exact_exception");
                builder.value(Op::Python, [Attr::Symbol(name), Attr::Int(0)], &[exception], there)
            }
            Argument::Callee => self.callee,
            Argument::Captured(part) => {
                builder.value(Op::Capture, [Attr::Int(*part as i64)], &[self.callee], typed)
            }
            Argument::Constant(id) => builder.value(Op::Const, [Attr::Const(*id)], &[], typed),
            Argument::Type(_) => {
                let name = builder.symbol("default");
                builder.value(Op::Global, [Attr::Symbol(name)], &[], typed)
            }
            Argument::Rest(rest) => {
                let parts = types.components(ty).unwrap_or_default();
                let values: Vec<Value> =
                    rest.iter().zip(parts.iter()).map(|(part, &ty)| self.value(builder, part, ty)).collect();
                builder.value(Op::BuildTuple, [], &values, typed)
            }
        }
    }
}
