//! The commands of `.test` files: one row and one function each.

use crate::Result;
use crate::passes;
use crate::run_command;
use crate::testfile::Case;
use diag::Diagnostic;
use ir::{Function, Native, Phase, Printer};
use types::TypeTable;

/// A command of a `.test` file.
pub struct Command {
    /// What the file calls it.
    pub name: &'static str,
    /// Runs it; an error means that the case makes no sense, whatever its expectation.
    pub run: fn(&Case) -> Result<Outcome>,
}

/// What came out of a command.
pub enum Outcome {
    /// The body as it should be: the expectation stands in the input itself.
    Within(String),
    /// What should stand below `;; expect`.
    Below(String),
}

/// Every command.
pub const COMMANDS: &[Command] = &[
    Command { name: "parse", run: parse },
    Command { name: "verify", run: verify },
    Command { name: "interp", run: run_command::interp },
    Command { name: "infer", run: infer },
    Command { name: "expressions", run: expressions },
    Command { name: "parallel", run: parallel },
    Command { name: "lower", run: lower },
    Command { name: "loops", run: loops },
    Command { name: "split", run: split },
    Command { name: "threads", run: |case| changed(case, thread_jumps) },
    Command { name: "correlated", run: |case| changed(case, opt::thread_correlated_branches) },
    Command { name: "guarded", run: |case| changed(case, opt::insert_zero_trip_guards) },
    Command { name: "refcounts", run: |case| changed(case, prune_refcounts) },
    Command { name: "new_objects", run: |case| changed(case, opt::forward_new_objects) },
    Command { name: "generators", run: generators },
];

/// The text form is read and printed. Without `;; expect` the print equals the input.
fn parse(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let mut printed = Vec::new();
    for text in functions(&case.body) {
        match ir::parse(text, &types) {
            Ok(func) => printed.push(Printer::new(&func, &types).to_string()),
            // An error is never blessed by accident: the case must ask for one.
            Err(error) if case.expect.is_none() => return Err(error_text(&error)),
            Err(error) => return Ok(Outcome::Below(error_text(&error))),
        }
    }
    for text in &printed {
        let again = ir::parse(text, &types).map_err(|error| format!("what is printed: {error}\n{text}"))?;
        let again = Printer::new(&again, &types).to_string();
        if again != *text {
            return Err(crate::diff("printed", "printed after reading that", text, &again));
        }
    }
    let printed = printed.join("\n");
    Ok(if case.expect.is_some() { Outcome::Below(printed) } else { Outcome::Within(printed) })
}

/// `OK`, or what the verifier (or already the parser) says.
fn verify(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let verified = functions(&case.body).into_iter().try_for_each(|text| {
        let func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        match func.phase {
            Phase::Untyped => Ok(()),
            Phase::Typed => passes::verify_types(&func, &types),
            Phase::Explicit => ir::verify_counts(&func),
        }
    });
    Ok(Outcome::Below(match verified {
        Ok(()) => "OK".into(),
        Err(error) => error_text(&error),
    }))
}

/// Typed functions with their array expressions formed.
fn expressions(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let form = |text: &str| -> diag::Result<String> {
        let mut func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        passes::fuse_elementwise(&mut func, &types);
        ir::verify(&func)?;
        Ok(Printer::new(&func, &types).to_string())
    };
    let formed: Vec<String> = functions(&case.body)
        .into_iter()
        .map(|text| form(text).unwrap_or_else(|error| error_text(&error)))
        .collect();
    Ok(Outcome::Below(formed.join("\n")))
}

/// Typed functions with their loops over `prange` made parallel: after each the bodies, and why others stay serial.
fn parallel(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let form = |text: &str| -> diag::Result<String> {
        let mut func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        let found = lower::form_parallel_loops(&mut func, &types, &passes::full_catalog(), 0);
        let mut printed = Printer::new(&func, &types).to_string();
        for body in &found.bodies {
            ir::verify(&body.func)?;
            printed.push_str(&Printer::new(&body.func, &types).to_string());
        }
        for other in &found.serial {
            printed.push_str(&format!("; the loop at {} is serial: {}\n", other.span, other.reason));
        }
        ir::verify(&func)?;
        Ok(printed)
    };
    let formed: Vec<String> = functions(&case.body)
        .into_iter()
        .map(|text| form(text).unwrap_or_else(|error| error_text(&error)))
        .collect();
    Ok(Outcome::Below(formed.join("\n")))
}

/// Explicit functions with their loops prepared; versions that rarely run follow their function.
fn loops(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let prepare = |text: &str| -> diag::Result<String> {
        let mut func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        let lazy = opt::CompileWhen::Lazy;
        let opt::ColdFunctions { cold, checked } =
            opt::optimize_loops(&mut func, "symbol", lazy, &ir::Plainly)?;
        let long = passes::place_polls(&mut func);
        let outlined = cold.into_iter().chain(checked).map(|(_, func)| func).chain(long);
        let all: Vec<Function> = std::iter::once(func).chain(outlined).collect();
        all.iter().try_for_each(ir::verify)?;
        Ok(all.iter().map(|func| Printer::new(func, &types).to_string()).collect::<String>())
    };
    let texts = functions(&case.body).into_iter().map(prepare).collect::<diag::Result<Vec<_>>>();
    texts.map(|texts| Outcome::Below(texts.join("\n"))).map_err(|error| error_text(&error))
}

/// The code of generators, split: the machine types of an item stand in a line `; item:`, those of what is sent in one `; sent:`.
fn split(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let natives = |name: &str| {
        let line = case.body.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        let words = line.split(',').map(str::trim).filter(|word| !word.is_empty());
        let native = |word| {
            let found = Native::ALL.iter().copied().find(|native| native.text() == word);
            found.ok_or_else(|| format!("`{word}` is no machine type"))
        };
        words.map(native).collect::<Result<Vec<Native>>>()
    };
    let (items, sent) = (natives("; item:")?, natives("; sent:")?);
    let cut = |text: &str| -> diag::Result<String> {
        let mut func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        let (size, holds_nothing) = passes::split(&mut func, &items, &sent);
        ir::verify(&func)?;
        let needs = if holds_nothing { "can be given up as it is" } else { "is resumed when it is given up" };
        Ok(format!("; a frame of {size} bytes, which {needs}\n{}", Printer::new(&func, &types)))
    };
    let texts = functions(&case.body).into_iter().map(cut).collect::<diag::Result<Vec<_>>>();
    texts.map(|texts| Outcome::Below(texts.join("\n"))).map_err(|error| error_text(&error))
}

/// Edges with constants lead to where they go in the end.
fn thread_jumps(func: &mut ir::Function) {
    opt::thread_jumps(func);
    opt::mem2reg(func);
}

/// Increments and decrements that cancel out go.
fn prune_refcounts(func: &mut ir::Function) {
    opt::drop_transfers(func);
    opt::eliminate_refcount_pairs(func);
}

/// Explicit functions after a pass.
fn changed(case: &Case, pass: fn(&mut ir::Function)) -> Result<Outcome> {
    let types = TypeTable::default();
    let run = |text: &str| -> diag::Result<String> {
        let mut func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        pass(&mut func);
        ir::verify(&func)?;
        Ok(Printer::new(&func, &types).to_string())
    };
    let texts = functions(&case.body).into_iter().map(run).collect::<diag::Result<Vec<_>>>();
    texts.map(|texts| Outcome::Below(texts.join("\n"))).map_err(|error| error_text(&error))
}

/// The first function with the generators that it makes and goes through; the others are their code, by name.
fn generators(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let parsed = functions(&case.body).into_iter().map(|text| {
        let func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        Ok(func)
    });
    let mut all = parsed.collect::<diag::Result<Vec<Function>>>().map_err(|error| error_text(&error))?;
    let mut func = all.remove(0);
    let bodies = |symbol: &str| Some((all.iter().find(|body| body.name == symbol)?, true));
    opt::inline_generators(&mut func, &bodies, opt::Policy { tiny: 12, in_loop: 120, most: 4000 });
    ir::verify(&func).map_err(|error| error_text(&error))?;
    Ok(Outcome::Below(Printer::new(&func, &types).to_string()))
}

/// Untyped functions become Typed for the types of a line `; args:`, or a diagnostic.
fn infer(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let line = case.body.lines().find_map(|line| line.strip_prefix("; args:"));
    let args = passes::read_types(line.ok_or("has no line `; args:`")?, &types)?;
    let infer = |text| {
        let func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        passes::infer(func, &args, &types).map(|typed| passes::print(&typed.func, &types))
    };
    Ok(printed_or_error(functions(&case.body).into_iter().map(infer)))
}

/// Typed functions become Explicit, or a diagnostic.
fn lower(case: &Case) -> Result<Outcome> {
    let types = TypeTable::default();
    let lower = |text| {
        let func = ir::parse(text, &types)?;
        ir::verify(&func)?;
        passes::lower(&func, &types).map(|func| passes::print(&func, &types))
    };
    Ok(printed_or_error(functions(&case.body).into_iter().map(lower)))
}

fn printed_or_error(outputs: impl Iterator<Item = diag::Result<String>>) -> Outcome {
    let texts: Vec<String> =
        outputs.map(|output| output.unwrap_or_else(|error| passes::diagnostic_text(&error))).collect();
    Outcome::Below(texts.join("\n"))
}

/// The texts of the functions of a body; each begins with a line that begins with `function`.
pub(crate) fn functions(body: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in body.split_inclusive('\n') {
        if line.starts_with("function ") {
            starts.push(at);
        }
        at += line.len();
    }
    if starts.is_empty() {
        return vec![body];
    }
    starts.push(at);
    starts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect()
}

/// Reads the functions of a body, which must be right.
pub(crate) fn read(body: &str) -> Result<Vec<Function>> {
    let types = TypeTable::default();
    let read = |text| ir::parse(text, &types).map_err(|error| error_text(&error));
    functions(body).into_iter().map(read).collect()
}

/// Code and message; hints are the same for all internal errors.
pub(crate) fn error_text(error: &Diagnostic) -> String {
    format!("error {}: {}", error.code, error.message)
}
