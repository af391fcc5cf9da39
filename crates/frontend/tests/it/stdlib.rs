//! Every code object of each interpreter's standard library becomes Untyped SSA that verifies, and
//! its text reads back. Debug builds walk one file in 32; `cargo xtask walk` walks them all, or one in
//! `WALK_EVERY`.

use crate::interpreters::{Interpreter, installed};
use crate::{Times, run};
use bytecode::{CodeSnapshot, PythonVersion};
use ir::{Function, Printer};
use types::TypeTable;

/// One in this many files is walked, unless `WALK_EVERY` says otherwise.
const STRIDE: usize = if cfg!(debug_assertions) { 32 } else { 1 };
/// One in this many functions is printed and parsed again.
const PRINTED: usize = 16;

#[test]
fn every_code_object_becomes_ssa_that_verifies() {
    let stride = std::env::var("WALK_EVERY").map_or(STRIDE, |text| text.parse().unwrap());
    let read = move |python: Interpreter| {
        let stream = python.run("tools/snapshot.py", &["--stdlib", "--every", &stride.to_string()]);
        (python.version, stream)
    };
    let readers = installed().into_iter().map(|python| std::thread::spawn(move || read(python)));
    let streams: Vec<_> = readers.collect::<Vec<_>>().into_iter().map(|reader| reader.join()).collect();
    for (version, stream) in streams.into_iter().map(Result::unwrap) {
        walk(version, &stream, stride);
    }
}

fn walk(version: PythonVersion, mut rest: &[u8], stride: usize) {
    let (mut files, mut codes, mut printed) = (0, 0, 0);
    let mut times = Times::default();
    while let Some(module) = CodeSnapshot::read(&mut rest).unwrap() {
        files += 1;
        module.for_each(&mut |code| {
            let func =
                run(code, &mut times).unwrap_or_else(|error| panic!("{}: {error}", qualified_name(code)));
            codes += 1;
            if codes % PRINTED == 0 {
                check_text(&func);
                printed += 1;
            }
        });
    }
    let rate = times.rate();
    report(version, &format!("{files} files, {codes} code objects, {printed} printed"), &times);
    assert!(codes > 50_000 / stride, "{codes}");
    // The aim is 1,000; a machine may be busy with other things.
    assert!(cfg!(debug_assertions) || rate < 3_000.0, "{rate:.0} us for 1,000 instructions");
}

fn report(version: PythonVersion, what: &str, times: &Times) {
    eprintln!(
        "CPython {version}: {what}, {} instructions; decode {:.0?}, build {:.0?}, verify {:.0?}: {:.0} us for each 1,000",
        times.instructions,
        times.decode,
        times.build,
        times.verify,
        times.rate(),
    );
}

/// What is printed reads back, verifies, and prints the same again.
fn check_text(func: &Function) {
    let types = TypeTable::default();
    let text = Printer::new(func, &types).to_string();
    let again = ir::parse(&text, &types).unwrap_or_else(|error| panic!("{error}\n{text}"));
    ir::verify(&again).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let printed = Printer::new(&again, &types).to_string();
    assert!(printed == text, "{text}\nis after reading\n{printed}");
}

fn qualified_name(code: &CodeSnapshot) -> String {
    format!("CPython {} {}:{} {}", code.version, code.filename, code.first_line, code.qualname)
}
