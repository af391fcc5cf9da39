//! The view as text: statements consist of text and variables, so that the variables they read are known.

use crate::model::{BlockId, VarId};
use crate::view::View;
use entity::{EntityRef, Table};
use std::fmt;

/// A piece of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Piece {
    Text(String),
    Var(VarId),
    /// `Var(name, file.py:line)`, as a list of operands shows one.
    Quoted(VarId),
}

/// One line.
#[derive(Clone, Default, Debug)]
pub(crate) struct Statement {
    pub target: Option<VarId>,
    pub pieces: Vec<Piece>,
    /// A `del`: its variable is not listed after it.
    pub is_del: bool,
}

impl Statement {
    pub fn new(target: Option<VarId>) -> Self {
        Statement { target, ..Statement::default() }
    }

    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    pub fn var(mut self, var: VarId) -> Self {
        self.pieces.push(Piece::Var(var));
        self
    }

    /// Operands as a list shows them.
    pub fn quoted(mut self, vars: &[VarId]) -> Self {
        for (index, &var) in vars.iter().enumerate() {
            self = self.text(if index > 0 { ", " } else { "" });
            self.pieces.push(Piece::Quoted(var));
        }
        self
    }

    /// Variables that it reads, each once, in order.
    pub fn uses(&self) -> Vec<VarId> {
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
pub(crate) struct TextBlock {
    pub label: u32,
    pub statements: Vec<Statement>,
    pub successors: Vec<BlockId>,
    pub handler: Option<BlockId>,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(crate) struct VarName {
    pub name: String,
    /// Line of its first assignment.
    pub line: u32,
}

/// A function as text.
pub(crate) struct Text<'f> {
    /// The file that the function stands in.
    pub file: &'f str,
    pub blocks: Table<BlockId, TextBlock>,
    /// Those of the view, and those that stand for no value.
    pub vars: Table<VarId, VarName>,
}

impl<'f> Text<'f> {
    /// The blocks and variables of a view, and no statements yet.
    pub fn new(view: &View, file: &'f str) -> Self {
        let mut text = Text { file, blocks: Table::new(), vars: Table::new() };
        for block in view.blocks.values() {
            let successors = block.steps.last().map(|last| last.targets.clone()).unwrap_or_default();
            let handler = block.handler.as_ref().map(|&(_, handler)| handler);
            text.blocks.push(TextBlock { label: block.label, statements: Vec::new(), successors, handler });
        }
        for var in view.vars.values() {
            text.vars.push(VarName { name: var.text.clone(), line: var.line });
        }
        text
    }

    pub fn new_var(&mut self, name: String, line: u32) -> VarId {
        self.vars.push(VarName { name, line })
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
                    let file = self.file.rsplit(['/', '\\']).next().unwrap_or_default();
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

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut blocks: Vec<&TextBlock> = self.blocks.values().collect();
        blocks.sort_by_key(|block| block.label);
        for block in blocks {
            writeln!(f, "label {}:", block.label)?;
            block.statements.iter().try_for_each(|statement| self.write_statement(f, statement))?;
        }
        Ok(())
    }
}

/// The control-flow graph, exception edges included.
impl flow::Graph for Text<'_> {
    type Node = BlockId;

    fn node_count(&self) -> usize {
        self.blocks.len()
    }

    fn successors(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let block = &self.blocks[block];
        block.successors.iter().copied().chain(block.handler)
    }
}

impl flow::FlowGraph for Text<'_> {
    fn entry(&self) -> BlockId {
        BlockId::new(0)
    }
}
