//! The body of one function: blocks, block parameters as phis, edges, exits.

use crate::alias_scopes::Fresh;
use crate::calling_convention::{Returned, Signature, basic};
use crate::error::{Built, broken};
use crate::module::{Declared, Emitter, Values};
use diag::Result;
use entity::SideTable;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{
    BasicValue, BasicValueEnum, FunctionValue, InstructionValue, IntValue, PhiValue, PointerValue,
};
use ir::{Block, BlockCall, Function, Native, Op, Value};

/// Where parameters come from and results go.
pub(crate) enum Frame<'ctx> {
    /// Registers, by the convention.
    Native(Signature),
    /// Words in memory.
    Packed {
        /// The arguments.
        args: PointerValue<'ctx>,
        /// Room for the results.
        ret: PointerValue<'ctx>,
        /// Types of the parameters.
        types: Vec<Native>,
    },
}

impl<'ctx> Frame<'ctx> {
    /// The frame of a native entry.
    pub(crate) fn native(declared: &Declared<'ctx>) -> Self {
        Frame::Native(declared.signature.clone())
    }
}

/// A function body under construction.
pub(crate) struct Body<'e, 'ctx> {
    pub(crate) emitter: &'e mut Emitter<'ctx>,
    pub(crate) func: &'e Function,
    function: FunctionValue<'ctx>,
    frame: Frame<'ctx>,
    values: SideTable<Value, Option<BasicValueEnum<'ctx>>>,
    blocks: SideTable<Block, Option<BasicBlock<'ctx>>>,
    phis: SideTable<Block, Vec<PhiValue<'ctx>>>,
    cold: SideTable<Block, bool>,
    fresh: Option<Fresh<'ctx>>,
}

/// Builds the body of `func` into `function`.
pub(crate) fn emit<'ctx>(
    emitter: &mut Emitter<'ctx>,
    func: &Function,
    function: FunctionValue<'ctx>,
    frame: Frame<'ctx>,
) -> Result<()> {
    let cfg = flow::Cfg::compute(func);
    let order = cfg.reverse_postorder();
    let fresh = if emitter.scoped { Fresh::find(emitter.context, func, &cfg) } else { None };
    let mut body = Body {
        emitter,
        func,
        function,
        frame,
        values: SideTable::new(),
        blocks: SideTable::new(),
        phis: SideTable::new(),
        cold: cold_blocks(func, order),
        fresh,
    };
    if let Some(lines) = &mut body.emitter.lines {
        lines.enter(func, function);
    }
    for &block in order {
        body.open_block(block)?;
    }
    // Every definition comes before its uses in this order, except at phis.
    for &block in order {
        body.fill_block(block)?;
    }
    let emitter = body.emitter;
    if let Some(lines) = &mut emitter.lines {
        lines.leave(&emitter.builder);
    }
    Ok(())
}

/// The blocks from which the function can only fail, and those that say that they are cold.
fn cold_blocks(func: &Function, order: &[Block]) -> SideTable<Block, bool> {
    let mut cold: SideTable<Block, bool> = SideTable::new();
    for &block in order.iter().rev() {
        let Some(last) = func.terminator(block) else { continue };
        let data = &func.insts[last];
        cold[block] = match data.op {
            _ if func.blocks[block].cold => true,
            Op::Fail | Op::Unreachable => true,
            Op::Jump | Op::Branch => data.targets.iter().all(|target| cold[target.block]),
            _ => false,
        };
    }
    cold
}

impl<'ctx> Body<'_, 'ctx> {
    /// Makes a block with a phi for each of its parameters.
    fn open_block(&mut self, block: Block) -> Result<()> {
        let data = &self.func.blocks[block];
        if data.handler.is_some() {
            return Err(broken(format!("{block} of `{}` still has an exception edge", self.func.name)));
        }
        let name = if self.emitter.named { block.to_string() } else { String::new() };
        let made = self.emitter.context.append_basic_block(self.function, &name);
        self.blocks[block] = Some(made);
        self.emitter.builder.position_at_end(made);
        for &param in &data.params {
            let ty = basic(self.emitter.context, self.func.native(param));
            let phi = self.emitter.builder.build_phi(ty, "").built()?;
            self.phis[block].push(phi);
            self.emitter.free_float(&phi);
            self.define(param, phi.as_basic_value());
        }
        Ok(())
    }

    fn fill_block(&mut self, block: Block) -> Result<()> {
        self.emitter.builder.position_at_end(self.block(block)?);
        for &inst in &self.func.blocks[block].insts {
            if let Some(lines) = &self.emitter.lines {
                let data = &self.func.insts[inst];
                let is_call = matches!(data.op, Op::CallExternal | Op::CallIndirect);
                lines.set_location(self.emitter.context, &self.emitter.builder, data.span, is_call);
            }
            self.inst(inst)?;
        }
        if self.func.terminator(block).is_none() {
            return Err(broken(format!("{block} of `{}` has no end", self.func.name)));
        }
        Ok(())
    }

    /// The function that is built.
    pub(crate) fn function(&self) -> FunctionValue<'ctx> {
        self.function
    }

    fn block(&self, block: Block) -> Result<BasicBlock<'ctx>> {
        self.blocks[block].ok_or_else(|| broken(format!("{block} of `{}` does not exist", self.func.name)))
    }

    /// The LLVM value of an operand.
    pub(crate) fn value(&self, value: Value) -> Result<BasicValueEnum<'ctx>> {
        self.values[value]
            .ok_or_else(|| broken(format!("{value} of `{}` is used before it is defined", self.func.name)))
    }

    /// The LLVM value of an integer operand.
    pub(crate) fn int(&self, value: Value) -> Result<IntValue<'ctx>> {
        match self.value(value)? {
            BasicValueEnum::IntValue(int) => Ok(int),
            _ => Err(broken(format!("{value} of `{}` should be an integer", self.func.name))),
        }
    }

    /// The LLVM value of a pointer operand.
    pub(crate) fn pointer(&self, value: Value) -> Result<PointerValue<'ctx>> {
        match self.value(value)? {
            BasicValueEnum::PointerValue(pointer) => Ok(pointer),
            _ => Err(broken(format!("{value} of `{}` should be a pointer", self.func.name))),
        }
    }

    /// Tells LLVM in which memory a load or store through a pointer is.
    pub(crate) fn tell_memory(&self, pointer: Value, access: Option<InstructionValue<'ctx>>) {
        if let (Some(fresh), Some(access)) = (&self.fresh, access) {
            fresh.tell(self.emitter.context, self.func, pointer, access);
        }
    }

    /// Says what LLVM calls a value of ours.
    pub(crate) fn define(&mut self, value: Value, made: BasicValueEnum<'ctx>) {
        self.emitter.free_float(&made);
        if self.emitter.named
            && made.as_instruction_value().is_some()
            && let Some(name) = self.func.value_name(value)
        {
            made.set_name(&format!("{name}.{}", self.func.values[value].version));
        }
        self.values[value] = Some(made);
    }

    /// Parameter number `index`.
    pub(crate) fn param(&self, index: usize) -> Result<BasicValueEnum<'ctx>> {
        let missing = || broken(format!("`{}` has no parameter {index}", self.func.name));
        match &self.frame {
            Frame::Native(_) => self.function.get_nth_param(index as u32).ok_or_else(missing),
            Frame::Packed { args, types, .. } => {
                self.emitter.load_word(*args, index, *types.get(index).ok_or_else(missing)?)
            }
        }
    }

    // ---- edges ----

    /// Notes the values that an edge brings along, and gives its target.
    fn edge(&mut self, call: &BlockCall) -> Result<BasicBlock<'ctx>> {
        let args = call.args.iter().map(|&arg| self.value(arg)).collect::<Result<Values>>()?;
        self.edge_with(call.block, &args)
    }

    fn edge_with(&mut self, target: Block, args: &[BasicValueEnum<'ctx>]) -> Result<BasicBlock<'ctx>> {
        let here = self.emitter.builder.get_insert_block().ok_or_else(|| broken("no block to build in"))?;
        if args.len() != self.phis[target].len() {
            return Err(broken(format!(
                "an edge brings {target} of `{}` too few or too many values",
                self.func.name
            )));
        }
        for (phi, arg) in self.phis[target].iter().zip(args) {
            phi.add_incoming(&[(arg, here)]);
        }
        self.block(target)
    }

    /// Goes on in another block.
    pub(crate) fn jump(&mut self, target: &BlockCall) -> Result<()> {
        let target = self.edge(target)?;
        self.emitter.builder.build_unconditional_branch(target).built()?;
        Ok(())
    }

    /// Goes on in one of two blocks.
    pub(crate) fn branch(&mut self, condition: Value, then: &BlockCall, other: &BlockCall) -> Result<()> {
        let condition = self.int(condition)?;
        if then.block == other.block {
            return self.merge(condition, then, other);
        }
        let (cold_then, cold_other) = (self.cold[then.block], self.cold[other.block]);
        let (then, other) = (self.edge(then)?, self.edge(other)?);
        let branch = self.emitter.builder.build_conditional_branch(condition, then, other).built()?;
        if cold_then != cold_other {
            self.weigh(branch, cold_then)?;
        }
        Ok(())
    }

    /// Two edges to one block: LLVM wants one value per predecessor, so the values are selected.
    fn merge(&mut self, condition: IntValue<'ctx>, then: &BlockCall, other: &BlockCall) -> Result<()> {
        let mut args = Values::new();
        for (&a, &b) in then.args.iter().zip(&other.args) {
            let (a, b) = (self.value(a)?, self.value(b)?);
            args.push(if a == b {
                a
            } else {
                self.emitter.builder.build_select(condition, a, b, "").built()?
            });
        }
        let target = self.edge_with(then.block, &args)?;
        self.emitter.builder.build_unconditional_branch(target).built()?;
        Ok(())
    }

    /// Tells LLVM that one side of a branch is rarely taken.
    fn weigh(&self, branch: InstructionValue<'ctx>, cold_then: bool) -> Result<()> {
        let context = self.emitter.context;
        let weight = |cold: bool| context.i32_type().const_int(if cold { 1 } else { 2000 }, false).into();
        let kind = context.metadata_string("branch_weights").into();
        let node = context.metadata_node(&[kind, weight(cold_then), weight(!cold_then)]);
        branch.set_metadata(node, context.get_kind_id("prof")).map_err(broken)
    }

    // ---- leaving ----

    /// Returns these values, and status 0 if there is a status.
    pub(crate) fn leave_with(&mut self, values: &[BasicValueEnum<'ctx>]) -> Result<()> {
        let ok = self.emitter.context.i64_type().const_zero();
        if let Frame::Packed { ret, .. } = self.frame {
            for (index, &value) in values.iter().enumerate() {
                self.emitter.store_word(ret, index, value)?;
            }
            self.emitter.builder.build_return(Some(&ok)).built()?;
            return Ok(());
        }
        let status = self.func.can_fail.then_some(ok.into());
        let all: Values = status.into_iter().chain(values.iter().copied()).collect();
        self.leave_native(&all)
    }

    /// Returns a status other than 0; the values are left open.
    pub(crate) fn leave_failing(&mut self, status: IntValue<'ctx>) -> Result<()> {
        let Frame::Native(signature) = &self.frame else {
            self.emitter.builder.build_return(Some(&status)).built()?;
            return Ok(());
        };
        let rest = signature.results.iter().skip(1);
        let poison = rest.map(|&native| poison(basic(self.emitter.context, native)));
        let all: Values = std::iter::once(status.into()).chain(poison).collect();
        self.leave_native(&all)
    }

    fn leave_native(&mut self, all: &[BasicValueEnum<'ctx>]) -> Result<()> {
        let Frame::Native(signature) = &self.frame else {
            return Err(broken("a thunk left as if it were not one"));
        };
        if all.len() != signature.results.len() {
            return Err(broken(format!("`{}` returns too few or too many values", self.func.name)));
        }
        let builder = &self.emitter.builder;
        match signature.returned() {
            Returned::Nothing => builder.build_return(None),
            Returned::One => builder.build_return(Some(&all[0])),
            Returned::Struct => builder.build_aggregate_return(all),
            Returned::Spilled => {
                let out = self.param(signature.params.len())?.into_pointer_value();
                for (index, &value) in all[1..].iter().enumerate() {
                    self.emitter.store_word(out, index, value)?;
                }
                builder.build_return(Some(&all[0]))
            }
        }
        .built()?;
        Ok(())
    }
}

fn poison(ty: inkwell::types::BasicTypeEnum) -> BasicValueEnum {
    use inkwell::types::BasicTypeEnum::*;
    match ty {
        ArrayType(t) => t.get_poison().into(),
        FloatType(t) => t.get_poison().into(),
        IntType(t) => t.get_poison().into(),
        PointerType(t) => t.get_poison().into(),
        StructType(t) => t.get_poison().into(),
        VectorType(t) => t.get_poison().into(),
        ScalableVectorType(t) => t.get_poison().into(),
    }
}
