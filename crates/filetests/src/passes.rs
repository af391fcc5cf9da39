//! Inference and lowering as golden tests run them: with the built-in catalog and [`TestHost`].

use crate::host::TestHost;
use catalog::Semantics;
use diag::{Diagnostic, Result};
use infer::Typed;
use ir::{Attr, Function, Native, Op, Printer, ValueType};
use std::rc::Rc;
use types::{Type, TypeTable};

/// The Python whose messages golden files show.
const PYTHON_MINOR: u8 = 11;

/// Types in one line: `int64, Tuple(int64, float64)`.
pub(crate) fn read_types(line: &str, types: &TypeTable) -> crate::Result<Vec<Type>> {
    let mut words = vec![String::new()];
    let mut depth = 0;
    for c in line.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match words.last_mut() {
            Some(word) if c != ',' || depth > 0 => word.push(c),
            _ => words.push(String::new()),
        }
    }
    if line.trim().is_empty() {
        return Ok(Vec::new());
    }
    let read = |word: &String| types.parse(word).ok_or_else(|| format!("`{}` is no type", word.trim()));
    words.iter().map(read).collect()
}

/// Untyped to Typed.
pub(crate) fn infer(func: Function, args: &[Type], types: &TypeTable) -> Result<Typed> {
    let catalog = builtins::catalog(PYTHON_MINOR);
    let request = infer::Request {
        func,
        host: Rc::new(TestHost),
        handle: None,
        args: args.to_vec(),
        result: None,
        semantics: Semantics::default(),
        wanted: infer::WantedLiterals::default(),
        rewriting: infer::Rewriting::default(),
    };
    let mut typed = infer::infer(request, infer::Context { types, catalog: &catalog, passes: &ir::Plainly })?;
    let typed = typed.swap_remove(0);
    ir::verify(&typed.func)?;
    Ok(typed)
}

/// Array expressions of a Typed function.
pub(crate) fn fuse_elementwise(func: &mut Function, types: &TypeTable) {
    arrays::fuse_elementwise(func, &full_catalog(), types);
}

/// What the compiler knows of, arrays included.
pub(crate) fn full_catalog() -> catalog::Catalog {
    let mut catalog = builtins::catalog(PYTHON_MINOR);
    arrays::add(&mut catalog);
    catalog
}

/// Polls where the pipeline puts them. Gives the functions that loops became for the case that they are long.
pub(crate) fn place_polls(func: &mut Function) -> Vec<Function> {
    let mut long = opt::place_polls(func, &|_| None, Some(("symbol", opt::CompileWhen::Lazy)), (None, true));
    for (_, func) in &mut long {
        opt::place_polls(func, &|_| None, None, (None, true));
    }
    long.into_iter().map(|(_, func)| func).collect()
}

/// The code of a generator, split: the size of its frame, and whether that can be given up as it is.
pub(crate) fn split(func: &mut Function, items: &[Native], sent: &[Native]) -> (i64, bool) {
    let mut free = abi::frame::RESULT;
    let mut assign_offsets = |count: usize| -> Vec<i64> {
        let first = free;
        free += 8 * count as i64;
        (0..count as i64).map(|part| first + 8 * part).collect()
    };
    let (result, sent_offsets, args) =
        (assign_offsets(func.results.len()), assign_offsets(sent.len()), assign_offsets(func.params.len()));
    let sent: Vec<(Native, i64)> = sent.iter().copied().zip(sent_offsets).collect();
    let (args, result, sent) = (&args[..], &result[..], &sent[..]);
    let holds_nothing = opt::holds_nothing(func);
    let frame =
        opt::Frame { args, result, sent, free, items, gives: ir::References::default(), checks_stack: false };
    (opt::split_generator(func, &frame), holds_nothing)
}

/// Typed to Explicit. Types of parameters and result are those that the function itself shows.
pub(crate) fn lower(typed: &Function, types: &TypeTable) -> Result<Function> {
    let catalog = full_catalog();
    let context = lower::Context {
        types,
        catalog: &catalog,
        resolved: &Default::default(),
        semantics: Semantics::default(),
        inlined: &Default::default(),
        callee: &|_, _| None,
        in_cycle: false,
        checks_stack: false,
        cells: &[],
        chunks: None,
        verifies: true,
    };
    let (params, result) = signature(typed)?;
    let explicit = lower::lower(typed, &params, result, context)?;
    ir::verify(&explicit)?;
    Ok(explicit)
}

/// The types of a Typed function against the rules of its ops; it calls no other one and has no cells.
pub(crate) fn verify_types(typed: &Function, types: &TypeTable) -> Result<()> {
    let (params, result) = signature(typed)?;
    let (catalog, instance) = (full_catalog(), |_, _: &[Type]| None);
    let (params, catalog, instance) = (&params[..], &catalog, &instance);
    lower::verify(typed, lower::VerifyContext { types, catalog, params, result, cells: &[], instance })
}

/// Types of parameters, from the `arg` ops, and of the result, from a `return`.
fn signature(typed: &Function) -> Result<(Vec<Type>, Type)> {
    let mut params = vec![Type::NONE; typed.params.len()];
    let mut result = Type::NONE;
    for data in typed.layout.iter().flat_map(|&block| &typed.blocks[block].insts).map(|&i| &typed.insts[i]) {
        let value = match data.op {
            Op::Arg => data.results.first(),
            Op::Return => data.args.first(),
            _ => continue,
        };
        let Some(ValueType::Typed(ty)) = value.map(|&value| typed.values[value].ty) else {
            return Err(Diagnostic::internal("the test", "an argument or a result has no type"));
        };
        match data.attrs.first() {
            Some(&Attr::Int(index)) => {
                if let Some(param) = params.get_mut(index as usize) {
                    *param = ty;
                }
            }
            _ => result = ty,
        }
    }
    Ok((params, result))
}

/// The printed form.
pub(crate) fn print(func: &Function, types: &TypeTable) -> String {
    Printer::new(func, types).to_string()
}

/// All of a diagnostic: code and message, places, notes, the hint.
pub(crate) fn diagnostic_text(error: &Diagnostic) -> String {
    let mut text = crate::commands::error_text(error);
    for label in &error.labels {
        text += &format!("\n  at {}: {}", label.span, label.text);
    }
    for note in &error.notes {
        text += &format!("\n  note: {note}");
    }
    if let Some(hint) = &error.hint {
        text += &format!("\n  hint: {hint}");
    }
    text
}
