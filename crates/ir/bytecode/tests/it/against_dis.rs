//! The checked-in tables and the decoder, compared with each interpreter's `opcode` and `dis`.

use bytecode::wordcode::RawInstructions;
use bytecode::{CodeSnapshot, decode};
use diag::Span;

use crate::interpreters::{Interpreter, installed, repository};

#[test]
fn tables_are_what_the_generator_prints() {
    for python in installed() {
        let file = format!("crates/ir/bytecode/src/tables/v3{}.rs", python.version.minor());
        let checked_in = std::fs::read_to_string(repository().join(&file)).unwrap();
        let printed = String::from_utf8(python.run("tools/gen_opcodes.py", &[])).unwrap();
        assert!(checked_in == printed, "{file} is not what tools/gen_opcodes.py prints");
    }
}

#[test]
fn decoding_agrees_with_dis() {
    let workers = installed().into_iter().map(|python| std::thread::spawn(move || compare(&python)));
    for worker in workers.collect::<Vec<_>>() {
        worker.join().unwrap();
    }
}

/// Every tenth file of the standard library.
fn compare(python: &Interpreter) {
    let list = "import pathlib, sysconfig; print('\\n'.join(sorted(str(p) for p in \
        pathlib.Path(sysconfig.get_path('stdlib')).rglob('*.py') if 'site-packages' not in p.parts)[::10]))";
    let files = python.evaluate(list);
    let files: Vec<&str> = files.lines().collect();
    let answer = python.run("crates/ir/bytecode/tests/oracle.py", &files);
    let mut frames = Frames(&answer);
    let (mut codes, mut instructions) = (0, 0);
    while !frames.0.is_empty() {
        let code = CodeSnapshot::from_bytes(frames.bytes()).unwrap();
        instructions += compare_code(&code, Frames(frames.bytes()));
        codes += 1;
    }
    eprintln!("CPython {}: {codes} code objects, {instructions} instructions agree", python.version);
    assert!(codes > 3000 && instructions > 100_000, "{codes} {instructions}");
}

fn compare_code(code: &CodeSnapshot, mut expected: Frames<'_>) -> u32 {
    let context = format!("{}:{} {}", code.filename, code.first_line, code.qualname);
    let decoded = decode(code).unwrap_or_else(|error| panic!("{context}: {error}"));
    let slots = expected.u32();
    assert_eq!(code.locals.len(), slots as usize, "{context}");
    for slot in &code.locals {
        assert_eq!(slot.name, String::from_utf8_lossy(expected.bytes()), "{context}");
    }
    let entries = expected.u32();
    assert_eq!(decoded.exceptions.len(), entries as usize, "{context}");
    for range in &decoded.exceptions {
        let row = [range.start, range.end, range.target, range.depth, u32::from(range.push_lasti)];
        assert_eq!(row, expected.row(), "{context}");
    }
    let count = expected.u32();
    let mut raws = RawInstructions::new(code.version, &code.code);
    for _ in 0..count {
        let raw = raws.next().unwrap().unwrap();
        let [offset, number, arg, target, line, end_line, column, end_column] = expected.row();
        assert_eq!((raw.offset, u32::from(raw.number)), (offset, number), "{context}");
        let raw_arg = if raw.opcode.has_arg { raw.arg } else { 0 };
        assert_eq!((raw_arg, raw.target().unwrap_or(u32::MAX)), (arg, target), "{context} {offset}");
        let first = decoded.index_at(offset).unwrap();
        let same = decoded.instructions[first..].iter().take_while(|it| it.offset == offset);
        for instruction in same {
            let span = Span { line, end_line, column, end_column };
            assert_eq!(instruction.span, span, "{context} {offset}");
            assert_eq!(instruction.op.target().unwrap_or(target), target, "{context} {offset}");
        }
    }
    assert!(raws.next().is_none() && expected.0.is_empty(), "{context}");
    count
}

/// What is left of the oracle's answer.
struct Frames<'a>(&'a [u8]);

impl<'a> Frames<'a> {
    fn u32(&mut self) -> u32 {
        let (head, rest) = self.0.split_first_chunk().unwrap();
        self.0 = rest;
        u32::from_le_bytes(*head)
    }

    fn bytes(&mut self) -> &'a [u8] {
        let length = self.u32() as usize;
        let (head, rest) = self.0.split_at(length);
        self.0 = rest;
        head
    }

    fn row<const N: usize>(&mut self) -> [u32; N] {
        std::array::from_fn(|_| self.u32())
    }
}
