//! Appends instructions to a function.

use crate::{
    Attr, Block, BlockCall, Const, ConstData, Def, External, ExternalFn, FloatCond, Function, Inst, InstData,
    IntCond, Native, Op, Site, Symbol, Value, ValueData, ValueType,
};
use abi::Runtime;
use diag::Span;
use entity::PackedOption;
use smallvec::SmallVec;

/// Appends instructions to one block of a function, at one place of the source.
pub struct Builder<'f> {
    /// The function being built.
    pub func: &'f mut Function,
    /// The block that instructions are appended to.
    pub block: Block,
    /// Where the next instructions stand in the source.
    pub span: Span,
}

impl<'f> Builder<'f> {
    /// A builder at the end of `block`.
    pub fn new(func: &'f mut Function, block: Block) -> Self {
        Builder { func, block, span: Span::UNKNOWN }
    }

    /// Goes on at the end of another block.
    pub fn switch_to(&mut self, block: Block) {
        self.block = block;
    }

    /// A new block; the builder stays where it is.
    pub fn new_block(&mut self) -> Block {
        let label = self.func.blocks[self.block].label;
        self.func.add_block(label)
    }

    /// Appends an instruction with results of these types.
    pub fn inst(
        &mut self,
        op: Op,
        attrs: impl IntoIterator<Item = Attr>,
        args: &[Value],
        results: &[ValueType],
    ) -> Inst {
        self.push(op, attrs.into_iter().collect(), args, results, SmallVec::new())
    }

    fn push(
        &mut self,
        op: Op,
        attrs: SmallVec<[Attr; 2]>,
        args: &[Value],
        results: &[ValueType],
        targets: SmallVec<[BlockCall; 2]>,
    ) -> Inst {
        let inst = self.func.insts.push(InstData {
            op,
            attrs,
            args: args.iter().copied().collect(),
            results: SmallVec::new(),
            targets,
            span: self.span,
        });
        for (index, &ty) in results.iter().enumerate() {
            let def = Def::Result(inst, index as u16);
            let value =
                self.func.values.push(ValueData { ty, def, name: PackedOption::default(), version: 0 });
            self.func.insts[inst].results.push(value);
        }
        self.func.blocks[self.block].insts.push(inst);
        inst
    }

    /// Appends an instruction with one result.
    pub fn value(
        &mut self,
        op: Op,
        attrs: impl IntoIterator<Item = Attr>,
        args: &[Value],
        result: ValueType,
    ) -> Value {
        let inst = self.inst(op, attrs, args, &[result]);
        self.func.result(inst)
    }

    /// Appends an instruction of the Untyped phase with one result.
    pub fn untyped(&mut self, op: Op, attrs: impl IntoIterator<Item = Attr>, args: &[Value]) -> Value {
        self.value(op, attrs, args, ValueType::Untyped)
    }

    /// Appends an instruction of the Explicit phase with one result.
    pub fn native(
        &mut self,
        op: Op,
        attrs: impl IntoIterator<Item = Attr>,
        args: &[Value],
        ty: Native,
    ) -> Value {
        self.value(op, attrs, args, ValueType::Native(ty))
    }

    /// The id of a name.
    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.func.symbols.intern_str(name)
    }

    /// Gives the function parameters of these machine types after those that it has, and reads them.
    pub fn arguments(&mut self, natives: &[Native]) -> Vec<Value> {
        let mut values = Vec::with_capacity(natives.len());
        for &native in natives {
            let index = self.func.params.len();
            let symbol = self.symbol(&format!("word{index}"));
            self.func.params.push(symbol);
            values.push(self.native(Op::Arg, [Attr::Int(index as i64), Attr::Symbol(symbol)], &[], native));
        }
        values
    }

    /// The id of a constant.
    pub fn constant(&mut self, data: ConstData) -> Const {
        self.func.consts.intern(data)
    }

    /// The id of a function outside this one.
    pub fn external(&mut self, external: External) -> ExternalFn {
        self.func.externals.intern(external)
    }

    // ---- terminators ----

    /// Ends the block: continues in another.
    pub fn jump(&mut self, block: Block, args: &[Value]) -> Inst {
        let target = BlockCall::new(block, args.iter().copied());
        self.push(Op::Jump, SmallVec::new(), &[], &[], [target].into_iter().collect())
    }

    /// Ends the block: continues in `then` if the condition is true, else in `other`.
    pub fn branch(&mut self, condition: Value, then: BlockCall, other: BlockCall) -> Inst {
        self.push(Op::Branch, SmallVec::new(), &[condition], &[], [then, other].into_iter().collect())
    }

    /// Ends the block with any other terminator.
    pub fn terminate(&mut self, op: Op, args: &[Value]) -> Inst {
        self.push(op, SmallVec::new(), args, &[], SmallVec::new())
    }

    // ---- Explicit phase ----

    /// An integer constant.
    pub fn iconst(&mut self, ty: Native, value: i64) -> Value {
        self.native(Op::Iconst, [Attr::Native(ty), Attr::Int(value)], &[], ty)
    }

    /// The number if the value is an integer constant.
    pub fn known_int(&self, value: Value) -> Option<i64> {
        let Def::Result(inst, _) = self.func.values[value].def else { return None };
        let data = &self.func.insts[inst];
        match (data.op, &data.attrs[..]) {
            (Op::Iconst, &[_, Attr::Int(number)]) => Some(number),
            _ => None,
        }
    }

    /// A float constant.
    pub fn fconst(&mut self, ty: Native, value: f64) -> Value {
        self.native(Op::Fconst, [Attr::Native(ty), Attr::Float(value.to_bits())], &[], ty)
    }

    /// A boolean.
    pub fn bool(&mut self, value: bool) -> Value {
        self.iconst(Native::I1, value.into())
    }

    /// An op whose result has the type of its first operand.
    pub fn like_first(&mut self, op: Op, args: &[Value]) -> Value {
        let ty = self.func.native(args[0]);
        self.native(op, [], args, ty)
    }

    /// Compares integers or pointers.
    pub fn icmp(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.native(Op::Icmp, [Attr::IntCond(cond)], &[a, b], Native::I1)
    }

    /// Compares floats.
    pub fn fcmp(&mut self, cond: FloatCond, a: Value, b: Value) -> Value {
        self.native(Op::Fcmp, [Attr::FloatCond(cond)], &[a, b], Native::I1)
    }

    /// `then` if the condition is true, else `other`.
    pub fn select(&mut self, condition: Value, then: Value, other: Value) -> Value {
        let ty = self.func.native(then);
        self.native(Op::Select, [], &[condition, then, other], ty)
    }

    /// A conversion op (`sext`, `sint_to_float`, ...) to `ty`.
    pub fn convert(&mut self, op: Op, value: Value, ty: Native) -> Value {
        self.native(op, [Attr::Native(ty)], &[value], ty)
    }

    /// A boolean as 0 or 1 of an integer type.
    pub fn convert_bool(&mut self, value: Value, ty: Native) -> Value {
        if ty == Native::I1 { value } else { self.convert(Op::Zext, value, ty) }
    }

    /// Address of `size` bytes of the frame. They are appended to the entry block by convention of
    /// the caller; running it again gives the same address.
    pub fn stack_slot(&mut self, size: u32) -> Value {
        self.native(Op::StackSlot, [Attr::Int(size.into())], &[], Native::Ptr)
    }

    /// Reads a value at `pointer + offset`.
    pub fn load(&mut self, ty: Native, pointer: Value, offset: i64) -> Value {
        self.native(Op::Load, [Attr::Native(ty), Attr::Int(offset)], &[pointer], ty)
    }

    /// Writes a value at `pointer + offset`.
    pub fn store(&mut self, pointer: Value, offset: i64, value: Value) {
        self.inst(Op::Store, [Attr::Int(offset)], &[pointer, value], &[]);
    }

    /// [`Self::load`] from any address.
    pub fn load_unaligned(&mut self, ty: Native, pointer: Value, offset: i64) -> Value {
        self.native(Op::LoadUnaligned, [Attr::Native(ty), Attr::Int(offset)], &[pointer], ty)
    }

    /// [`Self::store`] to any address.
    pub fn store_unaligned(&mut self, pointer: Value, offset: i64, value: Value) {
        self.inst(Op::StoreUnaligned, [Attr::Int(offset)], &[pointer, value], &[]);
    }

    /// The status that stands for a site.
    pub fn site_status(&mut self, site: Site) -> Value {
        self.native(Op::SiteStatus, [Attr::Site(site)], &[], Native::I64)
    }

    /// Calls the function at an address.
    pub fn call_indirect(
        &mut self,
        address: Value,
        signature: External,
        args: &[Value],
    ) -> SmallVec<[Value; 1]> {
        let types: SmallVec<[ValueType; 2]> =
            signature.results.iter().map(|&ty| ValueType::Native(ty)).collect();
        let id = self.external(External { name: String::new(), ..signature });
        let operands: SmallVec<[Value; 8]> = [address].iter().chain(args).copied().collect();
        let inst = self.inst(Op::CallIndirect, [Attr::External(id)], &operands, &types);
        self.func.insts[inst].results.clone()
    }

    /// The address of what is called so.
    pub fn address_of(&mut self, symbol: &str) -> Value {
        let id = self.external(External::new(symbol, Vec::new(), Vec::new()));
        self.native(Op::AddressOf, [Attr::External(id)], &[], Native::Ptr)
    }

    /// Calls a function of the runtime.
    pub fn call_runtime(&mut self, function: Runtime, args: &[Value]) -> SmallVec<[Value; 1]> {
        self.call_external(function.into(), args)
    }

    /// A new block of a given size in bytes: its address; null if there is no memory.
    pub fn alloc(&mut self, size: Value, zeroed: Value) -> Value {
        self.native(Op::Alloc, [], &[size, zeroed], Native::Ptr)
    }

    /// An op on the count of an owner word (`incref`, `decref`, `take_ref`, `give_ref`, `null_ref`), which does nothing for 0.
    pub fn count(&mut self, op: Op, owner: Value) {
        if self.known_int(owner) != Some(0) {
            self.inst(op, [], &[owner], &[]);
        }
    }

    /// Calls a function outside this one.
    pub fn call_external(&mut self, external: External, args: &[Value]) -> SmallVec<[Value; 1]> {
        let results: SmallVec<[ValueType; 2]> =
            external.results.iter().map(|&ty| ValueType::Native(ty)).collect();
        let id = self.external(external);
        let inst = self.inst(Op::CallExternal, [Attr::External(id)], args, &results);
        self.func.insts[inst].results.clone()
    }
}
