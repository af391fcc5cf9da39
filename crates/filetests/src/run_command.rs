//! The command `interp`: lines `; run:` call functions of the case in the interpreter.
//!
//! ```text
//! ; run: f(1, 2.5) == 3
//! ; run: f(1, 0.0) raises ZeroDivisionError "division by zero"
//! ; run: f(1, inf) error: does not fit
//! ```
//!
//! Types come from the function. Several results stand in brackets, none is `()`. An `error:` is an
//! internal error whose message contains the text.

use crate::Result;
use crate::commands::{Outcome, read};
use crate::testfile::Case;
use interp::{Library, Word};
use ir::{Attr, Function, Native, Op};

const RUN: &str = "; run:";
/// What the interpreter's errors begin with.
const INTERNAL: &str = "internal compiler error in the interpreter: ";

/// Rewrites each `; run:` line with how the call ends.
pub(crate) fn interp(case: &Case) -> Result<Outcome> {
    let library = Library::new(read(&case.body)?);
    let mut runs = 0;
    let mut body = String::new();
    for line in case.body.lines() {
        match line.strip_prefix(RUN) {
            Some(run) => {
                runs += 1;
                let ended = call(run, &library).map_err(|error| format!("`{line}`: {error}"))?;
                body += &format!("{RUN} {ended}\n");
            }
            None => body += &format!("{line}\n"),
        }
    }
    if runs == 0 {
        return Err(format!("has no line `{RUN}`"));
    }
    Ok(Outcome::Within(body))
}

/// The line as it should be. An expectation that holds stays as it is written.
fn call(run: &str, library: &Library) -> Result<String> {
    let (call, expected) = match run.find(')') {
        Some(end) => (run[..=end].trim(), run[end + 1..].trim()),
        None => return Err("is no call".into()),
    };
    let (name, args) = call.split_once('(').ok_or("is no call")?;
    let func = library.function(name.trim_matches('"'));
    let func = func.ok_or_else(|| format!("there is no function `{name}`"))?;
    let args = split(args.trim_end_matches(')'));
    let args: Result<Vec<Word>> =
        args.iter().enumerate().map(|(index, text)| word(param_type(func, index, text), text)).collect();
    let mut machine = interp::Machine::new(library);
    let ended = match machine.run(func, &args?) {
        Ok(interp::Outcome::Returned(words)) => match returned(func, expected) {
            Ok(wanted) if same(&wanted, &words) => expected.to_owned(),
            _ => format!("== {}", results(&words)),
        },
        Ok(interp::Outcome::Failed(status)) => {
            let site = machine.space.site_of(status).ok_or("it failed with the status of no site")?;
            match &site.message {
                Some(message) => format!("raises {} {message:?}", site.class.name()),
                None => format!("raises {}", site.class.name()),
            }
        }
        Err(error) => match expected.strip_prefix("error: ") {
            Some(text) if error.message.contains(text) => expected.to_owned(),
            _ => format!("error: {}", error.message.trim_start_matches(INTERNAL)),
        },
    };
    Ok(format!("{call} {ended}"))
}

fn split(list: &str) -> Vec<&str> {
    if list.trim().is_empty() { Vec::new() } else { list.split(',').map(str::trim).collect() }
}

/// The type that the function reads parameter `index` as; a guess for one that it never reads.
fn param_type(func: &Function, index: usize, text: &str) -> Native {
    let reads = |inst: &&ir::InstData| inst.op == Op::Arg && inst.attrs[0] == Attr::Int(index as i64);
    match func.insts.values().find(reads) {
        Some(inst) => func.native(inst.results[0]),
        None if text.contains('.') => Native::F64,
        None => Native::I64,
    }
}

/// The words after `==`.
fn returned(func: &Function, expected: &str) -> Result<Vec<Word>> {
    let text = expected.strip_prefix("==").ok_or("expects no results")?.trim();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let texts = inner.map_or_else(|| vec![text], split);
    if texts.len() != func.results.len() {
        return Err(format!("there are {} results", func.results.len()));
    }
    texts.iter().zip(&func.results).map(|(text, &ty)| word(ty, text)).collect()
}

fn results(words: &[Word]) -> String {
    match words {
        [word] => word.to_string(),
        words => format!("({})", words.iter().map(Word::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The same bits, but one NaN is as good as another.
fn same(wanted: &[Word], found: &[Word]) -> bool {
    wanted.len() == found.len()
        && wanted.iter().zip(found).all(|(wanted, found)| {
            wanted == found || wanted.is_nan() && found.is_nan() && wanted.ty() == found.ty()
        })
}

/// Reads `true`, `-3`, `0xff`, `2.5`, `inf`, `nan`, `nan:7ff8000000000001`.
fn word(ty: Native, text: &str) -> Result<Word> {
    let fail = || format!("`{text}` is no {}", ty.text());
    if ty == Native::I1 {
        return text.parse().map(Word::I1).map_err(|_| fail());
    }
    if let Some(bits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("nan:")) {
        let bits = u64::from_str_radix(bits, 16).map_err(|_| fail())?;
        let word = Word::from_bits(ty, bits);
        return if word.bits() == bits { Ok(word) } else { Err(fail()) };
    }
    match ty {
        Native::F32 => text.parse().map(Word::F32).map_err(|_| fail()),
        Native::F64 => text.parse().map(Word::F64).map_err(|_| fail()),
        _ => {
            let value: i128 = text.parse().map_err(|_| fail())?;
            let word = Word::from_bits(ty, value as u64);
            let exact = word.signed() == value || word.unsigned() as i128 == value;
            if exact { Ok(word) } else { Err(fail()) }
        }
    }
}
