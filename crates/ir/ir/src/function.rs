//! A function: tables of blocks, values and instructions, and what they refer to.

use crate::references::References;
use crate::{Attr, DebugVariable, FunctionAttribute, Native, Op};
use abi::{ExceptionClass, Runtime};
use diag::Span;
use entity::{HashMap, Interner, PackedOption, Table};
use smallvec::SmallVec;
use std::sync::Arc;
use types::Type;

entity::id!(
    /// A basic block.
    pub struct Block = "block"
);
entity::id!(
    /// An SSA value.
    pub struct Value = "v"
);
entity::id!(
    /// An instruction.
    pub struct Inst = "inst"
);
entity::id!(
    /// A name.
    pub struct Symbol = "symbol"
);
entity::id!(
    /// A Python constant.
    pub struct Const = "const"
);
entity::id!(
    /// A place that may raise.
    pub struct Site = "site"
);
entity::id!(
    /// A function outside this one.
    pub struct ExternalFn = "fn"
);

/// How far a function has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Phase {
    /// As the bytecode says it.
    Untyped,
    /// Every value has a type.
    Typed,
    /// Only machine values and operations.
    Explicit,
}

impl Phase {
    /// The printed form.
    pub fn text(self) -> &'static str {
        match self {
            Phase::Untyped => "untyped",
            Phase::Typed => "typed",
            Phase::Explicit => "explicit",
        }
    }
}

/// The type of a value, by phase.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ValueType {
    /// Not known yet.
    Untyped,
    /// A type of compiled Python.
    Typed(Type),
    /// A machine type.
    Native(Native),
}

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Def {
    /// Result number n of an instruction.
    Result(Inst, u16),
    /// Parameter number n of a block.
    Param(Block, u16),
}

/// What is known of a value.
#[derive(Clone, Hash, Debug)]
pub struct ValueData {
    /// Its type.
    pub ty: ValueType,
    /// Where it comes from.
    pub def: Def,
    /// The variable it is a version of, if it is one.
    pub name: PackedOption<Symbol>,
    /// Which version of that variable.
    pub version: u32,
}

/// A block with values for its parameters.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct BlockCall {
    /// The block.
    pub block: Block,
    /// Values for its parameters. An exception edge leaves out the last parameter: the exception.
    pub args: SmallVec<[Value; 4]>,
}

impl BlockCall {
    /// A block with values for its parameters.
    pub fn new(block: Block, args: impl IntoIterator<Item = Value>) -> Self {
        BlockCall { block, args: args.into_iter().collect() }
    }
}

/// An instruction.
#[derive(Clone, Hash, Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// Immediate operands.
    pub attrs: SmallVec<[Attr; 2]>,
    /// Value operands.
    pub args: SmallVec<[Value; 3]>,
    /// Results.
    pub results: SmallVec<[Value; 1]>,
    /// Successor blocks of a terminator.
    pub targets: SmallVec<[BlockCall; 2]>,
    /// The source location.
    pub span: Span,
}

impl InstData {
    /// A branch becomes a jump to one of its targets.
    pub fn jump_to(&mut self, target: usize) {
        self.op = Op::Jump;
        self.args.clear();
        self.targets = self.targets.drain(target..=target).collect();
    }

    /// The values that it uses: operands, and arguments of its targets.
    pub fn uses(&self) -> impl Iterator<Item = Value> {
        self.args.iter().chain(self.targets.iter().flat_map(|target| &target.args)).copied()
    }

    /// The same, to be replaced.
    pub fn uses_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.args.iter_mut().chain(self.targets.iter_mut().flat_map(|target| &mut target.args))
    }
}

/// A basic block.
#[derive(Clone, Hash, Debug)]
pub struct BlockData {
    /// Parameters: the values that differ between predecessors.
    pub params: Vec<Value>,
    /// Instructions, a terminator last.
    pub insts: Vec<Inst>,
    /// The handler, in this function, of an exception raised by any of these instructions.
    pub handler: Option<BlockCall>,
    /// Its name in dumps: the bytecode offset at which it begins.
    pub label: u32,
    /// Whether the block is rarely executed.
    pub cold: bool,
}

/// A Python constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ConstData {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// A boolean.
    Bool(bool),
    /// An integer that fits 64 bits, signed.
    Int(i64),
    /// Any other integer, in decimal.
    BigInt(String),
    /// A float by its bits.
    Float(u64),
    /// A complex number by the bits of its parts.
    Complex(u64, u64),
    /// A string.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A tuple.
    Tuple(Vec<Const>),
    /// A frozen set.
    FrozenSet(Vec<Const>),
    /// A function value of this type, by its index among the function values of the compilation.
    Function(u32, Type),
    /// A global array of this type, by its index as above: its shape, then its strides.
    Array(u32, Type, Vec<i64>),
    /// A global value of this type, by the words of its parts. Its owners live as long as the code.
    Words(Type, Vec<i64>),
    /// A code object: its index among the constants of the function's own code object, its name.
    Code(u32, String),
}

/// A raise site: a location that may raise, and the exception.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SiteData {
    /// The exception's class.
    pub class: ExceptionClass,
    /// A user-defined class instead, by its number.
    pub user_class: Option<u32>,
    /// Its message; none means that the exception has no arguments.
    pub message: Option<String>,
    /// Whether the message describes the layout of arguments in the thread's buffer (`abi::RaiseSite::PAYLOAD`).
    pub payload: bool,
    /// The source location.
    pub span: Span,
    /// The function that it belongs to, if that was inlined into this one.
    pub origin: Option<Origin>,
}

/// A function of the source, for tracebacks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    /// Its name.
    pub name: Arc<str>,
    /// Its file.
    pub file: Arc<str>,
    /// The line of its `def`; 0 if it was parsed from the text form, which omits it.
    pub first_line: u32,
}

/// A function outside this one, with its machine signature.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct External {
    /// Its symbol.
    pub name: String,
    /// Types of its parameters.
    pub params: Vec<Native>,
    /// Types of its results. C functions have at most one.
    pub results: Vec<Native>,
    /// Whether it only computes its results from its operands.
    pub pure: bool,
    /// Whether calls of it under this entry are always inlined.
    pub inline: bool,
    /// Whether its first result is a status: if it is not 0, the other results are undefined.
    pub fails: bool,
    /// Parameters whose reference it takes over, as a bit mask.
    pub takes: u64,
    /// Results that are references owned by the caller.
    pub gives: References,
}

impl External {
    /// A function with this signature and unknown effects, which cannot fail and transfers no references.
    pub fn new(name: impl Into<String>, params: Vec<Native>, results: Vec<Native>) -> External {
        let name = name.into();
        External {
            name,
            params,
            results,
            pure: false,
            inline: false,
            fails: false,
            takes: 0,
            gives: References::default(),
        }
    }

    /// The same with results that are owned references.
    pub fn giving(self, gives: References) -> External {
        External { gives, ..self }
    }

    /// The same with a status as the first result.
    pub fn failing(mut self) -> External {
        self.results.insert(0, Native::I64);
        External { fails: true, gives: self.gives.behind_one(), ..self }
    }
}

impl From<Runtime> for External {
    fn from(function: Runtime) -> External {
        let row = function.row();
        External {
            name: row.symbol.to_owned(),
            params: row.params.to_vec(),
            results: row.results.to_vec(),
            pure: row.is_pure(),
            inline: false,
            fails: row.has(abi::Effect::Fails),
            takes: row.takes,
            gives: row.gives.into(),
        }
    }
}

/// A statement such as `y = x`: no instruction, but a debugger shows what it does.
#[derive(Clone, Hash, Debug)]
pub struct Renaming {
    /// The further name.
    pub name: Symbol,
    /// The value.
    pub value: Value,
    /// The block it is in.
    pub block: Block,
    /// After which instruction; none at the begin of the block.
    pub after: PackedOption<Inst>,
    /// Its place in the source.
    pub span: Span,
}

/// A function in one of the phases. Its hash covers everything: the cache of object files relies on that.
#[derive(Clone, Hash, Debug)]
pub struct Function {
    /// The qualified name of the Python function.
    pub name: String,
    /// The dotted name of its module, or empty.
    pub module: String,
    /// File of the source.
    pub file: String,
    /// Line of the `def`.
    pub first_line: u32,
    /// Its phase.
    pub phase: Phase,
    /// Names of the parameters (Explicit: one per machine word).
    pub params: Vec<Symbol>,
    /// Machine types of the results in the Explicit phase. With `can_fail`, a status precedes them.
    pub results: Vec<Native>,
    /// Results that are references owned by the caller, not counting a status.
    pub gives: References,
    /// Whether it may return a status other than 0. Explicit only.
    pub can_fail: bool,
    /// Whether it is the code of a generator. Untyped and Typed only.
    pub is_generator: bool,
    /// Whether elementwise operations are not fused, because a rewrite disabled it. Not part of the text form.
    pub keeps_operations: bool,
    /// Whether what leads to a call of it costs far more than it does, as where only Python calls it: then it is to be compiled soon, not to be
    /// fast. The text form leaves it out.
    pub is_rare: bool,
    /// The entry block. It has no parameters and no predecessors.
    pub entry: Block,
    /// Blocks in printing order; blocks that are not in it are deleted.
    pub layout: Vec<Block>,
    /// All blocks.
    pub blocks: Table<Block, BlockData>,
    /// All instructions.
    pub insts: Table<Inst, InstData>,
    /// All values.
    pub values: Table<Value, ValueData>,
    /// All names.
    pub symbols: Interner<Symbol, String>,
    /// Additional variable names of a value, such as `y` after `y = x`. Only for display; not part of the text form.
    pub aliases: Vec<(Symbol, Value)>,
    /// Where values got further names. Not part of the text form.
    pub renamings: Vec<Renaming>,
    /// What `declare_variable` numbers. Not part of the text form.
    pub variables: Vec<DebugVariable>,
    /// All constants.
    pub consts: Interner<Const, ConstData>,
    /// All raise sites.
    pub sites: Table<Site, SiteData>,
    /// All external functions that it refers to.
    pub externals: Interner<ExternalFn, External>,
}

impl Function {
    /// A function with an empty entry block.
    pub fn new(name: &str, file: &str, first_line: u32, phase: Phase) -> Self {
        let mut function = Function {
            name: name.into(),
            module: String::new(),
            file: file.into(),
            first_line,
            phase,
            params: Vec::new(),
            results: Vec::new(),
            gives: References::default(),
            can_fail: false,
            is_generator: false,
            keeps_operations: false,
            is_rare: false,
            entry: Block::from_u32(0),
            layout: Vec::new(),
            blocks: Table::new(),
            insts: Table::new(),
            values: Table::new(),
            symbols: Interner::default(),
            aliases: Vec::new(),
            renamings: Vec::new(),
            variables: Vec::new(),
            consts: Interner::default(),
            sites: Table::new(),
            externals: Interner::default(),
        };
        function.entry = function.add_block(0);
        function
    }

    /// A new empty block at the end of the layout.
    pub fn add_block(&mut self, label: u32) -> Block {
        let block = self.blocks.push(BlockData {
            params: Vec::new(),
            insts: Vec::new(),
            handler: None,
            label,
            cold: false,
        });
        self.layout.push(block);
        block
    }

    /// A new parameter of a block.
    pub fn add_param(&mut self, block: Block, ty: ValueType) -> Value {
        let index = self.blocks[block].params.len() as u16;
        let value = self.values.push(ValueData {
            ty,
            def: Def::Param(block, index),
            name: PackedOption::default(),
            version: 0,
        });
        self.blocks[block].params.push(value);
        value
    }

    /// One more result of an instruction.
    pub fn add_result(&mut self, inst: Inst, ty: ValueType) -> Value {
        let index = self.insts[inst].results.len() as u16;
        let value = self.values.push(ValueData {
            ty,
            def: Def::Result(inst, index),
            name: PackedOption::default(),
            version: 0,
        });
        self.insts[inst].results.push(value);
        value
    }

    /// Sets the variable that a value is a version of.
    pub fn set_name(&mut self, value: Value, name: Symbol, version: u32) {
        self.values[value].name = name.into();
        self.values[value].version = version;
    }

    /// The terminator of a block, if it has one yet.
    pub fn terminator(&self, block: Block) -> Option<Inst> {
        let last = *self.blocks[block].insts.last()?;
        self.insts[last].op.is_terminator().then_some(last)
    }

    /// The exception edge and the edges of the terminator, in this order.
    pub fn edges(&self, block: Block) -> impl Iterator<Item = &BlockCall> {
        let normal =
            self.terminator(block).map(|inst| self.insts[inst].targets.as_slice()).unwrap_or_default();
        self.blocks[block].handler.iter().chain(normal)
    }

    /// The native type of a value of the Explicit phase.
    ///
    /// # Panics
    /// If the function is not Explicit.
    pub fn native(&self, value: Value) -> Native {
        match self.values[value].ty {
            ValueType::Native(native) => native,
            other => panic!("{value} of {} has no machine type but {other:?}", self.name),
        }
    }

    /// The type of a value of the Typed phase.
    ///
    /// # Panics
    /// If the function is not Typed.
    pub fn ty(&self, value: Value) -> Type {
        match self.values[value].ty {
            ValueType::Typed(ty) => ty,
            other => panic!("{value} of {} has no type but {other:?}", self.name),
        }
    }

    /// The only result of an instruction.
    ///
    /// # Panics
    /// If it has none.
    pub fn result(&self, inst: Inst) -> Value {
        self.insts[inst].results[0]
    }

    /// Changes the uses in a block: of its instructions, and arguments of its handler.
    pub fn change_uses(&mut self, block: Block, mut change: impl FnMut(&mut Value)) {
        let BlockData { insts, handler, .. } = &mut self.blocks[block];
        handler.iter_mut().flat_map(|handler| &mut handler.args).for_each(&mut change);
        for &inst in insts.iter() {
            self.insts[inst].uses_mut().for_each(&mut change);
        }
    }

    /// Every use of a value in a block becomes one of another.
    pub fn replace_uses(&mut self, block: Block, from: Value, to: Value) {
        self.change_uses(block, |value| {
            if *value == from {
                *value = to;
            }
        });
    }

    /// The number of uses of each value, including arguments of handlers.
    pub fn count_uses(&self) -> HashMap<Value, u32> {
        let mut uses: HashMap<Value, u32> = HashMap::default();
        for &block in &self.layout {
            let data = &self.blocks[block];
            let used = data.insts.iter().flat_map(|&inst| self.insts[inst].uses());
            for value in data.handler.iter().flat_map(|handler| &handler.args).copied().chain(used) {
                *uses.entry(value).or_default() += 1;
            }
        }
        uses
    }

    /// The symbol of the function that an instruction calls. Explicit only.
    pub fn callee(&self, inst: Inst) -> Option<&str> {
        let data = &self.insts[inst];
        match (data.op, data.attrs.first()) {
            (Op::CallExternal, Some(&Attr::External(id))) => Some(&self.externals.get(id).name),
            _ => None,
        }
    }

    /// The attribute that an instruction sets on the function that is its second operand, if it does that.
    pub fn function_attribute(&self, inst: Inst) -> Option<FunctionAttribute> {
        let data = &self.insts[inst];
        match (data.op, &data.attrs[..]) {
            (Op::Python, &[Attr::Symbol(name), Attr::Int(number)])
                if self.symbols.get(name) == FunctionAttribute::OP =>
            {
                FunctionAttribute::from_number(number)
            }
            _ => None,
        }
    }

    /// Symbols whose address the function takes.
    pub fn addressed(&self) -> impl Iterator<Item = &str> {
        let insts = self.layout.iter().flat_map(|&block| &self.blocks[block].insts);
        insts.filter_map(|&inst| match (self.insts[inst].op, self.insts[inst].attrs.first()) {
            (Op::AddressOf, Some(&Attr::External(id))) => Some(self.externals.get(id).name.as_str()),
            _ => None,
        })
    }

    /// Whether the function contains indirect calls.
    pub fn calls_by_address(&self) -> bool {
        let mut insts = self.layout.iter().flat_map(|&block| &self.blocks[block].insts);
        insts.any(|&inst| self.insts[inst].op == Op::CallIndirect)
    }

    /// The name a value is a version of, if any.
    pub fn value_name(&self, value: Value) -> Option<&str> {
        self.values[value].name.expand().map(|name| self.symbols.get(name).as_str())
    }

    /// Number of instructions in blocks of the layout that become code.
    pub fn len(&self) -> usize {
        let insts = self.layout.iter().flat_map(|&block| &self.blocks[block].insts);
        insts.filter(|&&inst| !self.insts[inst].op.is_transfer()).count()
    }

    /// Whether there is no instruction yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The control-flow graph, exception edges included.
impl flow::Graph for Function {
    type Node = Block;

    fn node_count(&self) -> usize {
        self.blocks.len()
    }

    fn successors(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        self.edges(block).map(|call| call.block)
    }
}

impl flow::FlowGraph for Function {
    fn entry(&self) -> Block {
        self.entry
    }
}
