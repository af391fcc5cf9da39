//! The data model of the Numba-shaped form: blocks and statements over variables.

use crate::names;
use entity::{EntityRef, EntitySet, HashSet, SideTable, Table};
use ir::{Block, Function, Value};
use std::fmt;

entity::id!(
    /// A variable of the text.
    pub(crate) struct Var = "var"
);
entity::id!(
    /// A block of the text.
    pub(crate) struct Place = "place"
);

/// A piece of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    Text(String),
    Var(Var),
    /// `Var(name, file.py:line)`, as a list of operands shows one.
    Quoted(Var),
}

/// One line.
#[derive(Clone, Default, Debug)]
pub(crate) struct Statement {
    pub target: Option<Var>,
    pub pieces: Vec<Piece>,
    /// A `del`: its variable is not listed behind it.
    pub is_del: bool,
}

impl Statement {
    pub fn new(target: Option<Var>) -> Self {
        Statement { target, ..Statement::default() }
    }

    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    pub fn var(mut self, var: Var) -> Self {
        self.pieces.push(Piece::Var(var));
        self
    }

    /// Operands as a list shows them.
    pub fn quoted(mut self, vars: &[Var]) -> Self {
        for (index, &var) in vars.iter().enumerate() {
            self = self.text(if index > 0 { ", " } else { "" });
            self.pieces.push(Piece::Quoted(var));
        }
        self
    }

    /// Variables that it reads, each once, in order.
    pub fn uses(&self) -> Vec<Var> {
        let mut found = Vec::new();
        for piece in &self.pieces {
            if let Piece::Var(var) | Piece::Quoted(var) = *piece
                && !found.contains(&var)
            {
                found.push(var);
            }
        }
        found
    }
}

/// A block: statements, the last of which leaves it.
#[derive(Clone, Default, Debug)]
pub(crate) struct IrBlock {
    pub label: u32,
    pub statements: Vec<Statement>,
    pub successors: Vec<Place>,
    pub handler: Option<Place>,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) struct VarData {
    pub name: String,
    /// Line of its first assignment.
    pub line: u32,
}

/// A function as blocks and statements.
pub(crate) struct View<'a> {
    pub func: &'a Function,
    pub parts: Table<Place, IrBlock>,
    pub vars: Table<Var, VarData>,
    pub var_of: SideTable<Value, Option<Var>>,
    /// The block of the text for each block of the function.
    pub place_of: SideTable<Block, Option<Place>>,
    /// The block that the entry alone leads to: both are one block of the text.
    pub merged: Option<Block>,
    /// Blocks that exceptions lead to.
    pub handlers: EntitySet<Block>,
    labels: HashSet<u32>,
}

impl<'a> View<'a> {
    /// Blocks with labels and variables with names, and no statements yet.
    pub fn new(func: &'a Function) -> Self {
        let mut view = View {
            func,
            parts: Table::new(),
            vars: Table::new(),
            var_of: SideTable::new(),
            place_of: SideTable::new(),
            merged: find_merged(func),
            handlers: EntitySet::new(),
            labels: HashSet::default(),
        };
        let handlers = func.layout.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
        view.handlers.extend(handlers.map(|call| call.block));
        let merged = view.merged;
        for &block in func.layout.iter().filter(|&&block| Some(block) != merged) {
            let label = view.take_label(func.blocks[block].label);
            view.place_of[block] = Some(view.parts.push(IrBlock { label, ..IrBlock::default() }));
        }
        if let Some(merged) = merged {
            view.place_of[merged] = view.place_of[func.entry];
        }
        names::assign(&mut view);
        view
    }

    /// The label, or the next that no block has: bytecode offsets are even, so an odd one is free.
    pub fn take_label(&mut self, wanted: u32) -> u32 {
        let mut label = wanted;
        while !self.labels.insert(label) {
            label = (label | 1).wrapping_add(2 * (label % 2));
        }
        label
    }

    /// The block of the text that an edge leads to.
    pub fn place(&self, block: Block) -> Place {
        self.place_of[block].unwrap_or(Place::new(0))
    }

    pub fn var(&mut self, value: Value) -> Var {
        match self.var_of[value] {
            Some(var) => var,
            // A value that no instruction of the layout makes: the verifier refuses such a function.
            None => self.new_var(format!("<{value}>"), 0),
        }
    }

    pub fn new_var(&mut self, name: String, line: u32) -> Var {
        self.vars.push(VarData { name, line })
    }

    fn write_statement(&self, f: &mut fmt::Formatter<'_>, statement: &Statement) -> fmt::Result {
        let mut text = String::new();
        if let Some(target) = statement.target {
            text += &format!("{} = ", self.vars[target].name);
        }
        for piece in &statement.pieces {
            match piece {
                Piece::Text(words) => text += words,
                Piece::Var(var) => text += &self.vars[*var].name,
                Piece::Quoted(var) => {
                    let data = &self.vars[*var];
                    let file = self.func.file.rsplit(['/', '\\']).next().unwrap_or_default();
                    text += &format!("Var({}, {file}:{})", data.name, data.line);
                }
            }
        }
        let listed = statement.uses().into_iter().chain(statement.target);
        let mut names: Vec<&str> = listed.map(|var| self.vars[var].name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
        let names = if statement.is_del { String::new() } else { names.join(", ") };
        writeln!(f, "    {text:40} [{names}]")
    }
}

/// The block that the entry leads to, if nothing else does and nothing stands between.
fn find_merged(func: &Function) -> Option<Block> {
    let last = func.terminator(func.entry)?;
    let [call] = func.insts[last].targets.as_slice() else { return None };
    let edges = func.layout.iter().flat_map(|&block| func.edges(block));
    let ways = edges.filter(|edge| edge.block == call.block).count();
    let plain = func.blocks[call.block].params.is_empty() && func.blocks[call.block].handler.is_none();
    (ways == 1 && plain).then_some(call.block)
}

impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<&IrBlock> = self.parts.values().collect();
        parts.sort_by_key(|part| part.label);
        for part in parts {
            writeln!(f, "label {}:", part.label)?;
            part.statements.iter().try_for_each(|statement| self.write_statement(f, statement))?;
        }
        Ok(())
    }
}

/// The control-flow graph, exception edges included.
impl flow::Graph for View<'_> {
    type Node = Place;

    fn node_count(&self) -> usize {
        self.parts.len()
    }

    fn successors(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let part = &self.parts[place];
        part.successors.iter().copied().chain(part.handler)
    }
}

impl flow::FlowGraph for View<'_> {
    fn entry(&self) -> Place {
        self.place(self.func.entry)
    }
}
