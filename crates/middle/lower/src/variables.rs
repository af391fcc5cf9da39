//! Variables in memory, where a debugger finds them (`debug=True`).
//!
//! ```text
//! x = a + 1                  %5: i64 = iadd %0, %4
//!                  becomes   store 0, %1, %5          (in the first block: %1: ptr = stack_slot 8
//!                                                                          declare_variable 0, %1)
//! ```
//!
//! A variable has one slot for as long as the function runs, so its value is there after its last use, too. One that is a
//! number of several types, or None at times, is shown as the type that holds all of them; else each further type has a
//! slot of its own, `x$1`.
//!
//! A variable also holds what its value refers to, such as the items of an array, until it gets another value or the
//! function ends; not in generators.
//!
//! Absent: how types lie in memory (`variable_layout`).

use crate::Lowering;
use crate::variable_layout::{Layout, Word};
use catalog::{Operand, cast};
use diag::{Result, Span};
use entity::HashMap;
use ir::{Attr, Block, DebugVariable, Def, Function, Inst, Native, Op, Renaming, Value, ValueType};
use smallvec::SmallVec;
use std::rc::Rc;
use types::{Type, TypeData, TypeTable};

/// The variables of a function.
pub(crate) struct Variables {
    /// The type of all values of a variable that is a number.
    numbers: HashMap<String, Type>,
    slots: HashMap<(String, Type), Option<Slot>>,
    /// How many slots each name has.
    versions: HashMap<String, u32>,
    /// Whether all slots are made that the names of values tell of.
    is_complete: bool,
    /// The further names of values: after the instruction, or at the begin of the block.
    aliases: HashMap<ProgramPoint, Vec<(String, Value, Span)>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum ProgramPoint {
    After(Inst),
    Begin(Block),
}

#[derive(Clone)]
struct Slot {
    address: Value,
    layout: Rc<Layout>,
    /// The parts of a value that it holds references to, and where these are kept.
    owners: Rc<[(usize, i64)]>,
}

impl Variables {
    /// The variables of a Typed function.
    pub(crate) fn of(typed: &Function, types: &TypeTable) -> Self {
        let mut numbers: HashMap<String, Option<Type>> = HashMap::default();
        let mut note = |name: &str, value: Value| {
            let ValueType::Typed(ty) = typed.values[value].ty else { return };
            let ty = types.unliteral(ty);
            let joined = |known: Option<Type>| known.and_then(|known| types::unify(types, known, ty));
            let of = numbers.get(name).map_or(Some(ty), |&known| joined(known));
            numbers.insert(name.to_owned(), of.filter(|&of| joins(types, of)));
        };
        for value in typed.values.keys() {
            if let Some(name) = typed.value_name(value) {
                note(name, value);
            }
        }
        let mut aliases: HashMap<ProgramPoint, Vec<(String, Value, Span)>> = HashMap::default();
        for &Renaming { name, value, block, after, span } in &typed.renamings {
            let name = typed.symbols.get(name);
            note(name, value);
            let point = after.expand().map_or(ProgramPoint::Begin(block), ProgramPoint::After);
            aliases.entry(point).or_default().push((name.clone(), value, span));
        }
        Variables {
            numbers: numbers.into_iter().filter_map(|(name, ty)| Some((name, ty?))).collect(),
            slots: HashMap::default(),
            versions: HashMap::default(),
            is_complete: false,
            aliases,
        }
    }
}

/// Whether values of this type are shown as the type that joins all types of a variable: numbers, and None among them.
fn joins(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Optional(inner) => is_number(types, inner),
        TypeData::None => true,
        _ => is_number(types, ty),
    }
}

/// Whether a name is one of the source.
fn is_written(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The line where a value is made.
fn line_of(typed: &Function, value: Value) -> u32 {
    let inst = match typed.values[value].def {
        Def::Result(inst, _) => Some(inst),
        Def::Param(block, _) => typed.blocks[block].insts.first().copied(),
    };
    inst.map_or(0, |inst| typed.insts[inst].span.line)
}

/// Whether a variable of this type may hold its value longer than the program does.
fn is_holdable(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Tuple(members) | TypeData::NamedTuple { types: members, .. } => {
            members.iter().all(|&member| is_holdable(types, member))
        }
        TypeData::TaggedUnion(members) => members.iter().all(|&member| is_holdable(types, member)),
        TypeData::Optional(inner) => is_holdable(types, inner),
        TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Record(_)
        | TypeData::Str
        | TypeData::List { .. }
        | TypeData::Deque { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        | TypeData::Instance { .. }
        | TypeData::Union(_) => true,
        _ => catalog::owners(types, ty).is_empty(),
    }
}

fn is_number(types: &TypeTable, ty: Type) -> bool {
    matches!(
        types.get(ty),
        TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Complex { .. }
    )
}

impl Lowering<'_> {
    /// The arguments, in the first block, and the slots of all other variables: what leaves the function anywhere releases what
    /// they hold.
    pub(crate) fn show_arguments(&mut self, operands: &[Operand]) -> Result<()> {
        for (number, operand) in operands.iter().enumerate() {
            if let Some(&symbol) = self.typed.params.get(number) {
                let name = self.typed.symbols.get(symbol).clone();
                self.show(&name, operand, Some(number as u32))?;
            }
        }
        self.make_slots();
        Ok(())
    }

    fn make_slots(&mut self) {
        if self.variables.is_none() {
            return;
        }
        let typed = self.typed;
        let named = typed.values.keys().filter_map(|value| {
            let name = typed.value_name(value)?;
            Some((line_of(typed, value), name, value))
        });
        let renamed =
            typed.renamings.iter().map(|of| (of.span.line, typed.symbols.get(of.name).as_str(), of.value));
        let mut all: Vec<(u32, &str, Value)> =
            named.chain(renamed).filter(|(_, name, _)| is_written(name)).collect();
        all.sort_by_key(|&(line, ..)| if line == 0 { u32::MAX } else { line });
        for (line, name, value) in all {
            if let ValueType::Typed(ty) = typed.values[value].ty {
                let ty = self.shown_type(name, ty);
                self.emit.b.span = Span::line(line);
                self.slot(name, ty, None);
            }
        }
        self.emit.b.span = Span::UNKNOWN;
        if let Some(variables) = &mut self.variables {
            variables.is_complete = true;
        }
    }

    /// The type as which a variable shows values of a type.
    fn shown_type(&self, name: &str, ty: Type) -> Type {
        let ty = self.cx.types.unliteral(ty);
        let number = self.variables.as_ref().and_then(|variables| variables.numbers.get(name));
        number.copied().filter(|_| joins(self.cx.types, ty)).unwrap_or(ty)
    }

    /// The variables that values from several predecessors become, at the begin of a block.
    pub(crate) fn show_params(&mut self, block: Block) -> Result<()> {
        if self.variables.is_none() {
            return Ok(());
        }
        let typed = self.typed;
        // What is stored before the first instruction belongs to no line.
        self.emit.b.span = Span::UNKNOWN;
        for &param in &typed.blocks[block].params {
            self.show_value(param)?;
        }
        self.show_aliases(ProgramPoint::Begin(block))
    }

    /// The variables that results of an instruction become, behind it.
    pub(crate) fn show_results(&mut self, inst: Inst) -> Result<()> {
        if self.variables.is_none() {
            return Ok(());
        }
        let typed = self.typed;
        for &result in &typed.insts[inst].results {
            self.show_value(result)?;
        }
        self.show_aliases(ProgramPoint::After(inst))
    }

    fn show_value(&mut self, value: Value) -> Result<()> {
        let typed = self.typed;
        match (typed.value_name(value), self.values[value].clone()) {
            (Some(name), Some(operand)) => self.show(name, &operand, None),
            _ => Ok(()),
        }
    }

    fn show_aliases(&mut self, point: ProgramPoint) -> Result<()> {
        let aliases = self.variables.as_mut().and_then(|variables| variables.aliases.remove(&point));
        for (name, value, span) in aliases.into_iter().flatten() {
            self.emit.b.span = span;
            if let Some(operand) = self.values[value].clone() {
                self.show(&name, &operand, None)?;
            }
        }
        Ok(())
    }

    /// Writes the value to the variable's slot.
    fn show(&mut self, name: &str, operand: &Operand, parameter: Option<u32>) -> Result<()> {
        if self.variables.is_none() || !is_written(name) {
            return Ok(());
        }
        let ty = self.shown_type(name, operand.ty);
        let is_whole = operand.parts.len() == self.emit.machine_types(ty).len();
        let value = match is_whole && ty == self.cx.types.unliteral(operand.ty) {
            true => operand.clone(),
            false => cast(&mut self.emit, operand, ty)?,
        };
        let Some(Slot { address, layout, owners }) = self.slot(name, ty, parameter) else { return Ok(()) };
        for &(part, offset) in owners.iter() {
            self.emit.hold_debug_variable((address, offset), value.parts[part]);
        }
        for (offset, word) in &layout.words {
            if let Some(word) = self.word(word, &value) {
                self.emit.b.store(address, i64::from(*offset), word);
            }
        }
        Ok(())
    }

    /// What is stored of a value.
    fn word(&mut self, word: &Word, value: &Operand) -> Option<Value> {
        match word {
            Word::Part(part) => {
                let part = *value.parts.get(*part)?;
                let is_truth = self.emit.b.func.native(part) == Native::I1;
                Some(if is_truth { self.emit.b.convert_bool(part, Native::I8) } else { part })
            }
            Word::Shifted(part, bits) => {
                let bits = self.emit.b.iconst(Native::I64, *bits);
                Some(self.emit.b.like_first(Op::Ushr, &[*value.parts.get(*part)?, bits]))
            }
            Word::Product(factor, parts) => {
                let mut product = self.emit.b.iconst(Native::I64, *factor);
                for &part in parts {
                    product = self.emit.b.like_first(Op::Imul, &[product, *value.parts.get(part)?]);
                }
                Some(product)
            }
        }
    }

    /// The slot of a variable, made and cleared in the first block; none if its type cannot be shown.
    fn slot(&mut self, name: &str, ty: Type, parameter: Option<u32>) -> Option<Slot> {
        let key = (name.to_owned(), ty);
        if let Some(known) = self.variables.as_ref()?.slots.get(&key) {
            return known.clone();
        }
        let made = Layout::of(self.cx.types, ty).map(|layout| self.new_slot((name, ty), layout, parameter));
        self.variables.as_mut()?.slots.insert(key, made.clone());
        made
    }

    fn new_slot(&mut self, (name, ty): (&str, Type), layout: Layout, parameter: Option<u32>) -> Slot {
        // The frame of a generator is freed wherever it stopped, and what is made late is not known at every exit.
        let is_early = self.variables.as_ref().is_some_and(|variables| !variables.is_complete);
        let holds = is_early && self.generator.is_none() && is_holdable(self.cx.types, ty);
        let number = self.variables.as_mut().map_or(0, |variables| {
            let version = variables.versions.entry(name.to_owned()).or_default();
            *version += 1;
            *version - 1
        });
        let name = if number == 0 { name.to_owned() } else { format!("{name}${number}") };
        let words = layout.ty.size.div_ceil(8);
        let owners = if holds { catalog::owners(self.cx.types, ty) } else { SmallVec::new() };
        let points = (i64::from(words)..).map(|word| 8 * word);
        let owners: Rc<[(usize, i64)]> = owners.into_iter().zip(points).collect();
        let words = words + owners.len() as u32;
        let line = if parameter.is_none() { self.emit.b.span.line } else { 0 };
        let variable = DebugVariable { name, parameter, line, ty: layout.ty.clone() };
        let address = self.emit.at_entry(|b| {
            let span = std::mem::replace(&mut b.span, Span::UNKNOWN);
            let address = b.stack_slot(8 * words);
            let zero = b.iconst(Native::I64, 0);
            (0..i64::from(words)).for_each(|word| b.store(address, 8 * word, zero));
            let variables = &mut b.func.variables;
            variables.push(variable);
            let index = variables.len() as i64 - 1;
            b.inst(Op::DeclareVariable, [Attr::Int(index)], &[address], &[]);
            b.span = span;
            address
        });
        self.emit.refs.shown.extend(owners.iter().map(|&(_, offset)| (address, offset)));
        Slot { address, layout: Rc::new(layout), owners }
    }
}
