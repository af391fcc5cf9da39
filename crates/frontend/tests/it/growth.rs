//! What the front end makes grows with the length of a function, not with its square; its times are
//! printed beside.

use crate::interpreters::{Interpreter, installed};
use crate::{Times, run};
use bytecode::CodeSnapshot;
use std::fmt::Write;

/// A name and the body of a function for a number of lines.
type Shape = (&'static str, fn(usize) -> String);

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, index| {
        writeln!(text, "    {}", line(index)).unwrap();
        text
    })
}

const SHAPES: &[Shape] = &[
    ("straight", |n| lines(n, |i| format!("x = x * {} + y", i % 7))),
    ("names", |n| lines(n, |i| format!("v{i} = x + {}", i % 7))),
    ("ifs", |n| lines(n / 2, |i| format!("if x > {i}:\n        x = x - y"))),
    ("ifs and names", |n| lines(n / 2, |i| format!("if x > {i}:\n        v{i} = x"))),
    ("read later", |n| {
        lines(n / 3, |i| format!("v{i} = x\n    if y > {i}: v{i} = y"))
            + &lines(n / 3, |i| format!("x += v{i}"))
    }),
    ("maybe unbound", |n| lines(n / 3, |i| format!("if x > {i}:\n        v{i} = x\n    print(v{i})"))),
    ("loops", |n| lines(n / 2, |i| format!("for i in range(y):\n        x = x + i * {i}"))),
    ("one loop", |n| format!("    for i in range(y):\n{}", lines(n, |i| format!("    if i > {i}: x += y")))),
    ("handlers", |n| {
        lines(n / 4, |i| format!("try:\n        x = y // {i}\n    except ValueError:\n        x = {i}"))
    }),
    ("one handler", |n| {
        let body = lines(n, |i| format!("    x = y // {i}"));
        format!("    try:\n{body}    except ValueError:\n        y = x\n")
    }),
    ("wide display", |n| format!("    x = [\n{}    ]\n", lines(n, |i| format!("x + {i},")))),
    ("wide call", |n| format!("    x = max(\n{}    )\n", lines(n, |i| format!("x if y else {i},")))),
];

fn compile(python: &Interpreter, name: &str, body: &str) -> CodeSnapshot {
    let path = format!("{}/{}.py", env!("CARGO_TARGET_TMPDIR"), name.replace(' ', "_"));
    std::fs::write(&path, format!("def f(x, y):\n{body}    return x\n")).unwrap();
    let bytes = python.run("tools/snapshot.py", &[&path, "--function", "f"]);
    CodeSnapshot::read(&mut bytes.as_slice()).unwrap().unwrap()
}

/// The fastest of a few runs, and how much IR came out: values, parameters of edges and blocks.
fn measure(code: &CodeSnapshot) -> (Times, usize) {
    let mut iterations = (0..3).map(|_| {
        let mut times = Times::default();
        let func = run(code, &mut times).unwrap();
        let edges = func.layout.iter().flat_map(|&block| func.edges(block)).map(|call| call.args.len());
        (times, func.values.len() + func.layout.len() + edges.sum::<usize>())
    });
    let first = iterations.next().unwrap();
    iterations.fold(first, |best, next| if next.0.total() < best.0.total() { next } else { best })
}

#[test]
fn the_ir_grows_with_the_length_of_a_function() {
    let python = installed().pop().unwrap();
    let sizes: &[usize] = if cfg!(debug_assertions) { &[100, 3_000] } else { &[100, 1_000, 10_000] };
    for (name, body) in SHAPES {
        let found: Vec<(Times, usize)> =
            sizes.iter().map(|&size| measure(&compile(&python, name, &body(size)))).collect();
        let rates: Vec<f64> = found.iter().map(|(times, _)| times.rate()).collect();
        let sizes: Vec<f64> =
            found.iter().map(|(times, size)| *size as f64 / times.instructions as f64).collect();
        eprintln!("{name:15} us for each 1,000: {rates:.0?}, IR for each instruction: {sizes:.2?}");
        assert!(sizes[sizes.len() - 1] <= 2.0 * sizes[0], "{name}: {sizes:?}");
    }
}
