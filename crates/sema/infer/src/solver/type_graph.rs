//! The type dependence graph, as printed by `RUMBA_DUMP_TYPEGRAPH`.
//!
//! Nodes are the versions of variables (`x_0`, `x_1`), calls and operators, and the types of constants;
//! an edge leads to what a type depends on. Below it stands its condensation: what depends on itself
//! is one node, `SCC0`. For
//!
//! ```text
//! x = 0                        digraph typegraph {        digraph condensation {
//! for i in range(10):              x_0 -> int                 // SCC0: x_1 x_2 f
//!     x = f(x)                     x_1 -> x_0                 x_0 -> int
//! y = x                            x_1 -> x_2                 SCC0 -> x_0
//!                                  x_2 -> f                   y_0 -> SCC0
//!                                  f -> x_1                   ...
//! ```
//!
//! The engine does not walk this graph: it visits blocks in reverse postorder and visits again what
//! uses a value whose type has grown. Outside of cycles that is one visit, in topological order;
//! inside one it is the fixpoint iteration over its members.

use entity::{EntityRef, HashMap, SideTable};
use flow::{AdjacencyList, Components};
use ir::{Attr, BlockCall, ConstData, Def, Function, Inst, Op, Value};
use std::fmt;

entity::id!(
    /// A node of the type dependence graph.
    pub struct TypeNode = "type"
);

/// The type dependence graph of an Untyped function.
pub struct TypeGraph {
    names: Vec<String>,
    graph: AdjacencyList<TypeNode>,
    /// The edges in the order in which they were found.
    edges: Vec<(TypeNode, TypeNode)>,
}

impl TypeGraph {
    /// The graph of all variables and of the results.
    pub fn compute(func: &Function) -> Self {
        let mut builder = Builder {
            func,
            incoming: incoming(func),
            graph: TypeGraph { names: Vec::new(), graph: AdjacencyList::new(0), edges: Vec::new() },
            nodes: SideTable::new(),
            ops: SideTable::new(),
            shared: HashMap::default(),
            uses: HashMap::default(),
        };
        let named = func.values.keys().filter(|&value| func.value_name(value).is_some());
        for value in named {
            builder.node(value);
        }
        builder.aliases();
        builder.returns();
        builder.graph
    }

    fn add_node(&mut self, name: String) -> TypeNode {
        self.names.push(name);
        self.graph.add_node()
    }

    fn add_edge(&mut self, from: TypeNode, to: TypeNode) {
        if !self.edges.contains(&(from, to)) {
            self.edges.push((from, to));
            self.graph.add_edge(from, to);
        }
    }
}

/// The values that edges give to each block parameter.
fn incoming(func: &Function) -> SideTable<Value, Vec<Value>> {
    let mut incoming: SideTable<Value, Vec<Value>> = SideTable::new();
    let edges = func.layout.iter().flat_map(|&block| func.edges(block));
    for BlockCall { block, args } in edges {
        for (&param, &arg) in func.blocks[*block].params.iter().zip(args) {
            if !incoming[param].contains(&arg) {
                incoming[param].push(arg);
            }
        }
    }
    incoming
}

struct Builder<'a> {
    func: &'a Function,
    incoming: SideTable<Value, Vec<Value>>,
    graph: TypeGraph,
    nodes: SideTable<Value, Option<TypeNode>>,
    ops: SideTable<Inst, Option<TypeNode>>,
    /// Nodes of constants, by type.
    shared: HashMap<&'static str, TypeNode>,
    /// How often a name of an operation has been given.
    uses: HashMap<String, u32>,
}

impl Builder<'_> {
    /// The node of a value; nodes that it depends on are made with it.
    fn node(&mut self, value: Value) -> Option<TypeNode> {
        let mut pending = Vec::new();
        let node = self.make(value, &mut pending);
        while let Some((from, value)) = pending.pop() {
            if let Some(to) = self.make(value, &mut pending) {
                self.graph.add_edge(from, to);
            }
        }
        node
    }

    /// The node of a value; what it depends on and was not there before goes to `pending`.
    fn make(&mut self, value: Value, pending: &mut Vec<(TypeNode, Value)>) -> Option<TypeNode> {
        let value = self.seen_through(value);
        if let Some(node) = self.nodes[value] {
            return Some(node);
        }
        let name = self.func.value_name(value);
        let node = match (name, self.func.values[value].def) {
            (Some(name), def) => {
                let version = self.func.values[value].version;
                let node = self.graph.add_node(format!("{name}_{version}"));
                self.nodes[value] = Some(node);
                match def {
                    Def::Param(..) => self.depend_on_edges(node, value, pending),
                    Def::Result(inst, _) if self.func.insts[inst].op == Op::Arg => {}
                    Def::Result(inst, _) => {
                        let op = self.operation(inst, pending)?;
                        self.graph.add_edge(node, op);
                    }
                }
                node
            }
            (None, Def::Param(..)) => {
                let name = self.unique("join");
                let node = self.graph.add_node(name);
                self.nodes[value] = Some(node);
                self.depend_on_edges(node, value, pending);
                node
            }
            (None, Def::Result(inst, _)) => self.operation(inst, pending)?,
        };
        self.nodes[value] = Some(node);
        Some(node)
    }

    /// A value's type is that of another one: what checks, casts and iterates is not shown.
    fn seen_through(&self, mut value: Value) -> Value {
        while let (None, Def::Result(inst, _)) = (self.func.value_name(value), self.func.values[value].def) {
            let data = &self.func.insts[inst];
            match data.op {
                Op::CheckBound | Op::NotNone | Op::Narrow | Op::Cast | Op::Getiter | Op::Iternext => {
                    value = data.args[0]
                }
                _ => break,
            }
        }
        value
    }

    fn depend_on_edges(&mut self, node: TypeNode, param: Value, pending: &mut Vec<(TypeNode, Value)>) {
        for index in (0..self.incoming[param].len()).rev() {
            pending.push((node, self.incoming[param][index]));
        }
    }

    /// The node of what an instruction does; nothing for a name without a value.
    fn operation(&mut self, inst: Inst, pending: &mut Vec<(TypeNode, Value)>) -> Option<TypeNode> {
        if let Some(node) = self.ops[inst] {
            return Some(node);
        }
        let data = &self.func.insts[inst];
        let node = match (data.op, data.attrs.first()) {
            (Op::Undef, _) => return None,
            (
                Op::Iternext
                | Op::Getiter
                | Op::CheckBound
                | Op::NotNone
                | Op::Narrow
                | Op::Cast
                | Op::Declared,
                _,
            ) => {
                return self.make(data.args[0], pending);
            }
            (Op::Const, Some(Attr::Const(id))) => self.constant(self.func.consts.get(*id)),
            _ => {
                let name = self.called(inst);
                let name = self.unique(&name);
                let node = self.graph.add_node(name);
                let skipped = usize::from(matches!(data.op, Op::Call | Op::CallEx) && self.is_global(inst));
                for &arg in data.args.iter().skip(skipped).rev() {
                    pending.push((node, arg));
                }
                node
            }
        };
        self.ops[inst] = Some(node);
        Some(node)
    }

    fn constant(&mut self, data: &ConstData) -> TypeNode {
        let name = match data {
            ConstData::None => "None",
            ConstData::Ellipsis => "ellipsis",
            ConstData::Bool(_) => "bool",
            ConstData::Int(_) | ConstData::BigInt(_) => "int",
            ConstData::Float(_) => "float",
            ConstData::Complex(..) => "complex",
            ConstData::Str(_) => "str",
            ConstData::Bytes(_) => "bytes",
            ConstData::Tuple(_) => "tuple",
            ConstData::FrozenSet(_) => "frozenset",
            ConstData::Function(..) => "function",
            ConstData::Array(..) => "array",
            ConstData::Words(..) => "value",
            ConstData::Code(..) => "code",
        };
        if let Some(&node) = self.shared.get(name) {
            return node;
        }
        let node = self.graph.add_node(name.to_owned());
        self.shared.insert(name, node);
        node
    }

    /// The instruction that makes the callee of a call.
    fn callee(&self, call: Inst) -> Option<Inst> {
        match self.func.values[*self.func.insts[call].args.first()?].def {
            Def::Result(inst, _) => Some(inst),
            Def::Param(..) => None,
        }
    }

    fn is_global(&self, call: Inst) -> bool {
        let callee = self.callee(call).map(|inst| self.func.insts[inst].op);
        matches!(callee, Some(Op::Global | Op::Freevar))
    }

    /// What an operation is called: the function of a call, an operator, or the op's own name.
    fn called(&self, inst: Inst) -> String {
        let data = &self.func.insts[inst];
        let symbol = |inst: Inst| {
            self.func.insts[inst].attrs.iter().find_map(|attr| match attr {
                Attr::Symbol(symbol) => Some(self.func.symbols.get(*symbol).as_str()),
                _ => None,
            })
        };
        match (data.op, data.attrs.first()) {
            (Op::Call | Op::CallEx, _) if self.is_global(inst) => {
                self.callee(inst).and_then(symbol).unwrap_or("call").to_owned()
            }
            (Op::Global | Op::Freevar, _) => symbol(inst).unwrap_or("global").to_owned(),
            (Op::Getattr, _) => format!(".{}", symbol(inst).unwrap_or_default()),
            (_, Some(Attr::Binary(op))) => op.text().to_owned(),
            (_, Some(Attr::Unary(op))) => op.text().to_owned(),
            (_, Some(Attr::Compare(op))) => op.text().to_owned(),
            _ => data.op.info().name.to_owned(),
        }
    }

    /// The name, with a number after if it was given before.
    fn unique(&mut self, name: &str) -> String {
        let count = self.uses.entry(name.to_owned()).or_default();
        *count += 1;
        if *count == 1 { name.to_owned() } else { format!("{name} #{count}") }
    }

    /// Variables that are further names of a value: `y = x`.
    fn aliases(&mut self) {
        let mut next: HashMap<&str, u32> = HashMap::default();
        for value in self.func.values.keys() {
            if let Some(name) = self.func.value_name(value) {
                let free = next.entry(name).or_default();
                *free = (*free).max(self.func.values[value].version + 1);
            }
        }
        for &(name, value) in &self.func.aliases {
            let name = self.func.symbols.get(name).as_str();
            let version = next.entry(name).or_default();
            let label = format!("{name}_{version}");
            *version += 1;
            if let Some(to) = self.node(value) {
                let node = self.graph.add_node(label);
                self.graph.add_edge(node, to);
            }
        }
    }

    fn returns(&mut self) {
        let mut node = None;
        for last in self.func.layout.iter().filter_map(|&block| self.func.terminator(block)) {
            let data = &self.func.insts[last];
            if let (Op::Return, Some(&value)) = (data.op, data.args.first())
                && let Some(to) = self.node(value)
            {
                let from = *node.get_or_insert_with(|| self.graph.add_node("return".to_owned()));
                self.graph.add_edge(from, to);
            }
        }
    }
}

/// Both graphs in DOT.
impl fmt::Display for TypeGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "digraph typegraph {{")?;
        for &(from, to) in &self.edges {
            writeln!(f, "    {} -> {}", quoted(self.name(from)), quoted(self.name(to)))?;
        }
        writeln!(f, "}}\ndigraph condensation {{")?;
        let components = flow::compute_components(&self.graph);
        let labels = self.label_components(&components);
        let mut shown = vec![false; components.len()];
        for component in (0..self.names.len()).map(|node| components.component_of(TypeNode::new(node))) {
            let is_shown = std::mem::replace(&mut shown[component.index()], true);
            if components.is_cyclic(component) && !is_shown {
                let members: Vec<&str> =
                    components.members(component).iter().map(|&node| self.name(node)).collect();
                writeln!(f, "    // {}: {}", labels[component.index()], members.join(" "))?;
            }
        }
        let mut told = Vec::new();
        for &(from, to) in &self.edges {
            let edge = (components.component_of(from), components.component_of(to));
            if edge.0 != edge.1 && !told.contains(&edge) {
                told.push(edge);
                writeln!(
                    f,
                    "    {} -> {}",
                    quoted(&labels[edge.0.index()]),
                    quoted(&labels[edge.1.index()])
                )?;
            }
        }
        write!(f, "}}")
    }
}

impl TypeGraph {
    fn name(&self, node: TypeNode) -> &str {
        &self.names[node.index()]
    }

    /// `SCC0`, `SCC1`, ... for what depends on itself, in the order of the nodes; else the node's name.
    fn label_components(&self, components: &Components<TypeNode>) -> Vec<String> {
        let mut labels = vec![String::new(); components.len()];
        let mut cycles = 0;
        for node in (0..self.names.len()).map(TypeNode::new) {
            let component = components.component_of(node);
            let label = &mut labels[component.index()];
            if label.is_empty() {
                *label = if components.is_cyclic(component) {
                    cycles += 1;
                    format!("SCC{}", cycles - 1)
                } else {
                    self.name(node).to_owned()
                };
            }
        }
        labels
    }
}

/// An identifier of DOT.
fn quoted(name: &str) -> String {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")) }
}
