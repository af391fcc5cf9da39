//! A fused expression in postfix order, and the types of its parts.
//!
//! Its text is postfix: `0 1 numpy.multiply 2 numpy.add` is `a * b + c`, where numbers are operands. It may end with the
//! destination of the result: `=` for operand 0, which is the first argument of the last function (`a += b`);
//! `[]=` for the selection of operand 0 by operand 1; `out` for the last operand.
//!
//! `@0` is the result of the first function again, so `0 1 numpy.subtract @0 numpy.multiply` is `(a - b) ** 2`. A value left on the stack is a
//! result, and there may be several: `0 1 numpy.multiply @0 2 numpy.add` gives `a * b` and `a * b + c`.

use super::ufunc_table::{function, kernel, operator_of};
use catalog::{Catalog, Emit, Key, Operand, Resolution, cast};
use diag::Result;
use smallvec::SmallVec;
use std::sync::Arc;
use types::{ArrayType, ElementKernel, Layout, LiteralValue, Type, TypeData, TypeTable, kind};

/// What a value in a program is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kind {
    /// The type of an item, or of the scalar: one without dimensions.
    pub item: Type,
    /// Number of dimensions.
    pub ndim: u8,
    /// Order of the items.
    pub layout: Layout,
}

impl Kind {
    /// What an operand of this type is, if it may take part.
    pub fn of(types: &TypeTable, ty: Type) -> Option<Kind> {
        let scalar = |item| Kind { item, ndim: 0, layout: Layout::C };
        match types.array(ty) {
            Some(array) if types.record(array.dtype).is_some() => None,
            Some(array) => Some(Kind { item: array.dtype, ndim: array.ndim, layout: array.layout }),
            None => {
                let plain = types.unliteral(ty);
                let known = plain == Type::BOOL
                    || plain.is_number()
                    || matches!(types.get(plain), TypeData::Datetime { .. } | TypeData::CharSeq { .. });
                known.then_some(scalar(ty))
            }
        }
    }

    /// The type of a value of this kind.
    pub fn ty(&self, types: &TypeTable) -> Type {
        match self.ndim {
            0 => self.item,
            ndim => {
                let new =
                    ArrayType { dtype: self.item, ndim, layout: self.layout, mutable: true, aligned: true };
                types.intern(TypeData::Array(new.with_layout(self.layout)))
            }
        }
    }
}

/// One step of a program.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// An operand of this number.
    Operand(usize),
    /// A function of the results of earlier steps.
    Apply {
        /// What it does with items.
        rule: Rule,
        /// The steps that give its operands.
        args: SmallVec<[usize; 2]>,
    },
}

/// What a function does with items.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    /// What the catalog has for it.
    Known(Resolution),
    /// A call of a user's function.
    Kernel(Arc<ElementKernel>),
}

impl Rule {
    /// What it takes items as.
    pub fn params(&self) -> &[Type] {
        match self {
            Rule::Known(rule) => &rule.params,
            Rule::Kernel(kernel) => &kernel.params,
        }
    }

    /// What it gives.
    pub fn result(&self) -> Type {
        match self {
            Rule::Known(rule) => rule.result,
            Rule::Kernel(kernel) => kernel.result,
        }
    }

    /// What it gives for these items.
    pub fn emit(&self, emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
        let kernel = match self {
            Rule::Known(rule) => return emit.apply(rule, args),
            Rule::Kernel(kernel) => kernel,
        };
        let mut given = Vec::with_capacity(args.len());
        for (arg, &param) in args.iter().zip(&kernel.params) {
            given.push(cast(emit, arg, param)?);
        }
        let function = emit.types.intern(TypeData::Dispatcher(kernel.function));
        let result = emit.call_compiled(function, &given, false)?;
        match result.ty == kernel.result {
            true => Ok(result),
            false => emit.call(&Key::Construct(kernel.result), &[result]),
        }
    }
}

/// Where the result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// Into new memory, or nowhere if it has no dimensions.
    New,
    /// Into operand 0, in place.
    First,
    /// Into the part of operand 0 that operand 1 selects.
    Part,
    /// Into the operand of this number.
    Out(usize),
}

/// The functions, with the types of what they give.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    /// The steps.
    pub steps: Vec<Step>,
    /// What each gives.
    pub kinds: Vec<Kind>,
    /// The steps that give results: several only of arrays with as many dimensions in the same order.
    pub outputs: SmallVec<[usize; 1]>,
    /// Where the result goes.
    pub target: Target,
}

impl Program {
    /// The program with this text on operands of these types.
    pub fn read(catalog: &Catalog, types: &TypeTable, text: &str, operands: &[Type]) -> Option<Program> {
        let mut program = Program::empty(Target::New);
        // The step of each operand, those of functions, and the steps whose results are still to be used.
        let mut indices: Vec<Option<usize>> = vec![None; operands.len()];
        let mut applied: Vec<usize> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut words = text.split(' ').peekable();
        while let Some(word) = words.next() {
            if let Ok(number) = word.parse::<usize>() {
                let index = indices.get_mut(number)?;
                let step = match *index {
                    Some(step) => step,
                    None => program.push(Step::Operand(number), Kind::of(types, operands[number])?),
                };
                *index = Some(step);
                open.push(step);
                continue;
            }
            if let Some(number) = word.strip_prefix('@') {
                open.push(*applied.get(number.parse::<usize>().ok()?)?);
                continue;
            }
            match word {
                "=" => program.target = Target::First,
                "[]=" => program.target = Target::Part,
                "out" => program.target = Target::Out(operands.len() - 1),
                name => {
                    let arity = match function(name) {
                        Some(function) => function.arity,
                        None => kernel(types, name)?.params.len(),
                    };
                    let args: SmallVec<[usize; 2]> = open.drain(open.len().checked_sub(arity)?..).collect();
                    let in_place = words.peek() == Some(&"=");
                    let step = program.apply(catalog, types, name, args, in_place)?;
                    applied.push(step);
                    open.push(step);
                }
            }
        }
        program.outputs = open.into();
        program.is_complete().then_some(program)
    }

    fn empty(target: Target) -> Program {
        Program { steps: Vec::new(), kinds: Vec::new(), outputs: SmallVec::new(), target }
    }

    fn is_complete(&self) -> bool {
        let space = |&output: &usize| (self.kinds[output].ndim, self.kinds[output].layout);
        match self.outputs[..] {
            [] => false,
            [_] => true,
            [first, ..] => {
                let alike = self.outputs.iter().all(|output| space(output) == space(&first));
                alike && self.target == Target::New && self.kinds[first].ndim > 0
            }
        }
    }

    /// The program that gives one of several results.
    pub fn only(&self, output: usize) -> Program {
        let mut is_needed = vec![false; self.steps.len()];
        is_needed[output] = true;
        for (number, step) in self.steps.iter().enumerate().rev() {
            if let (true, Step::Apply { args, .. }) = (is_needed[number], step) {
                args.iter().for_each(|&arg| is_needed[arg] = true);
            }
        }
        let mut program = Program::empty(self.target);
        let mut indices = vec![0; self.steps.len()];
        for (number, step) in self.steps.iter().enumerate().filter(|&(number, _)| is_needed[number]) {
            let step = match step {
                Step::Operand(operand) => Step::Operand(*operand),
                Step::Apply { rule, args } => {
                    Step::Apply { rule: rule.clone(), args: args.iter().map(|&arg| indices[arg]).collect() }
                }
            };
            indices[number] = program.push(step, self.kinds[number]);
        }
        program.outputs = [indices[output]].into_iter().collect();
        program
    }

    fn push(&mut self, step: Step, kind: Kind) -> usize {
        self.steps.push(step);
        self.kinds.push(kind);
        self.steps.len() - 1
    }

    fn apply(
        &mut self,
        catalog: &Catalog,
        types: &TypeTable,
        name: &str,
        args: SmallVec<[usize; 2]>,
        in_place: bool,
    ) -> Option<usize> {
        let mut items: SmallVec<[Type; 3]> = args.iter().map(|&arg| self.kinds[arg].item).collect();
        if in_place {
            items[1] = changed_by(types, items[0], &self.kinds[args[1]])?;
        }
        // Unlike other functions, `where` gives an array without dimensions there, which the library makes.
        if name == "numpy.where" && args.iter().all(|&arg| self.kinds[arg].ndim == 0) {
            return None;
        }
        let rule = match kernel(types, name) {
            Some(kernel) => Rule::Kernel(kernel),
            None => {
                let find = |items: &[Type]| item_rule(catalog, types, name, items);
                let halves = if in_place { None } else { self.numbers_as_halves(types, &args) };
                // An exponent or a number of digits stays an integer.
                Rule::Known(halves.and_then(|halves| find(&halves)).or_else(|| find(&items))?)
            }
        };
        let kind = joined(rule.result(), args.iter().map(|&arg| self.kinds[arg]));
        Some(self.push(Step::Apply { rule, args }, kind))
    }

    /// The types of operands among which are arrays of halves: a number of Python beside them is a half, as NumPy's
    /// promotion has it.
    fn numbers_as_halves(&self, types: &TypeTable, args: &[usize]) -> Option<SmallVec<[Type; 3]>> {
        let kinds = || args.iter().map(|&arg| &self.kinds[arg]);
        let item = |kind: &Kind| match types.unliteral(kind.item) {
            Type::INT64 | Type::FLOAT64 if kind.ndim == 0 => Type::FLOAT16,
            Type::COMPLEX128 if kind.ndim == 0 => Type::COMPLEX64,
            _ => kind.item,
        };
        let has_halves = kinds().any(|kind| kind.ndim > 0 && kind.item == Type::FLOAT16);
        has_halves.then(|| kinds().map(item).collect())
    }

    /// What the first result is.
    pub fn result(&self) -> Kind {
        self.kinds[self.outputs[0]]
    }
}

/// What a function of operands of these kinds gives: as many dimensions as the one with most, in the order of
/// columns if all that are in an order are in that one.
fn joined(item: Type, kinds: impl Iterator<Item = Kind> + Clone) -> Kind {
    let ndim = kinds.clone().map(|kind| kind.ndim).max().unwrap_or(0);
    let arrays = || kinds.clone().filter(|kind| kind.ndim > 0);
    let columns =
        arrays().all(|kind| kind.layout != Layout::C) && arrays().any(|kind| kind.layout == Layout::F);
    Kind { item, ndim, layout: if columns { Layout::F } else { Layout::C } }
}

/// What a function does with items of these types.
///
/// Single precision stays single beside integers of any width, as Numba has it.
pub(crate) fn item_rule(
    catalog: &Catalog,
    types: &TypeTable,
    name: &str,
    items: &[Type],
) -> Option<Resolution> {
    let plain: SmallVec<[Type; 3]> = items.iter().map(|&item| types.unliteral(item)).collect();
    if name == "numpy.power" && types.literal(*items.get(1)?) == Some(LiteralValue::Int(2)) {
        let square = item_rule(catalog, types, "numpy.square", &items[..1])?;
        let power = item_rule(catalog, types, name, &plain)?;
        if square.result == power.result {
            let params = vec![square.result, items[1]];
            let emit: catalog::EmitFn =
                |emit, args| emit.call(&Key::Function("numpy.square".into()), &args[..1]);
            return Some(Resolution { params, emit, ..square });
        }
    }
    // What `where` does with numbers alone is another matter: the library has it.
    let key = Key::Function(if name == "numpy.where" { "rumba.where" } else { name }.into());
    let resolve = |items: &[Type]| catalog.resolve(types, &key, items);
    let is_plain = |ty: Type| ty == Type::BOOL || ty.is_number();
    if !plain.iter().all(|&item| is_plain(item)) {
        return resolve(&plain).or_else(|| catalog.resolve(types, operator_of(name)?, &plain));
    }
    let plain = if matches!(operator_of(name), Some(Key::Compare(_))) { in_floats(plain) } else { plain };
    let found = resolve(&plain)?;
    if name == "numpy.where" {
        return Some(found);
    }
    let (single, double) = match found.result {
        Type::FLOAT64 => (Type::FLOAT32, Type::FLOAT64),
        Type::COMPLEX128 => (Type::COMPLEX64, Type::COMPLEX128),
        _ => return Some(found),
    };
    let is_double = |ty: &Type| *ty == double || *ty == Type::FLOAT64 || *ty == Type::COMPLEX128;
    if !plain.contains(&single) || plain.iter().any(is_double) {
        return Some(found);
    }
    let narrow: SmallVec<[Type; 3]> =
        plain.iter().map(|&ty| if ty.is_int() || ty == Type::BOOL { Type::FLOAT32 } else { ty }).collect();
    resolve(&narrow).filter(|narrow| narrow.result == single).or(Some(found))
}

/// Integers that are compared with floats are floats first, as NumPy has it. Python compares such numbers exactly.
fn in_floats(items: SmallVec<[Type; 3]>) -> SmallVec<[Type; 3]> {
    let is_inexact = |ty: &Type| ty.is_float() || ty.is_complex();
    let has_inexact = items.iter().any(is_inexact);
    items.into_iter().map(|ty| if has_inexact && ty.is_int() { Type::FLOAT64 } else { ty }).collect()
}

/// The type in which what stands on the right of `a += b` takes part: a Python number takes the array's dtype, as
/// NumPy's promotion has it.
fn changed_by(types: &TypeTable, dtype: Type, by: &Kind) -> Option<Type> {
    let plain = types.unliteral(by.item);
    if by.ndim > 0 || kind(plain).is_none() || kind(dtype).is_none() {
        return Some(by.item);
    }
    if let (Some(LiteralValue::Int(number)), Some((bits, signed))) = (types.literal(by.item), dtype.as_int())
    {
        let low = if signed { -(1i128 << (bits - 1)) } else { 0 };
        let high = 1i128 << (bits - u8::from(signed));
        if !(low..high).contains(&number.into()) {
            return None;
        }
    }
    // A number of a narrow type is NumPy's own, which promotes as an array does.
    if plain != Type::BOOL && !matches!(plain, Type::INT64 | Type::FLOAT64 | Type::COMPLEX128) {
        return Some(by.item);
    }
    // The literal is kept: of powers it says more.
    Some(if kind(plain)? > kind(dtype)? {
        plain
    } else if types.literal(by.item).is_some() && !dtype.is_int() && plain != Type::BOOL {
        by.item
    } else {
        dtype
    })
}

/// NumPy's rule of this name: a result may become narrower, but neither unsigned nor of a lesser kind.
pub(crate) fn same_kind(from: Type, to: Type) -> bool {
    match (from.as_int(), to.as_int()) {
        (Some((_, signed)), Some((_, wanted))) => wanted || !signed,
        _ if kind(from).is_none() || kind(to).is_none() => from == to,
        _ => kind(from) <= kind(to),
    }
}
