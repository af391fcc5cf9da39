//! Where the time of a small compilation goes: `cargo run --release -p jit --example latency`.
//!
//! Arguments: number of iterations (60), name of the only kernel. Each kernel is compiled once cold and
//! then many times warm; figures are microseconds, the warm ones medians. The first kernel of the
//! list also pays for what LLVM sets up once per process.

#![allow(clippy::unwrap_used, reason = "a measuring tool may stop at the first surprise")]

use jit::{Imports, Jit};
use std::collections::BTreeMap;
use std::time::Instant;
use types::TypeTable;

const ADD: &str = r#"function explicit "add" file "k.py" line 1 (a, b) -> i64 {
block0:
    %0: i64 = arg 0, a
    %1: i64 = arg 1, b
    %2: i64 = iadd %0, %1
    return %2
}"#;

const DIVIDE: &str = r#"function explicit "divide" file "k.py" line 1 (a, b) -> f64 fails {
    site0 = raises ZeroDivisionError "division by zero" @ 2:11-16
block0:
    %0: f64 = arg 0, a
    %1: f64 = arg 1, b
    %2: f64 = fconst f64, 0.0
    %3: i1 = fcmp oeq, %1, %2
    branch %3, block1, block2
block1:
    %4: i64 = site_status site0
    fail %4
block2:
    %5: f64 = fdiv %0, %1
    return %5
}"#;

const POLY: &str = r#"function explicit "poly" file "k.py" line 1 (x, y) -> f64 {
block0:
    %x: f64 = arg 0, x
    %y: f64 = arg 1, y
    %c0: f64 = fconst f64, 1.5
    %m0: f64 = fmul %x, %y
    %s0: f64 = fadd %m0, %c0
    %c1: f64 = fconst f64, 2.5
    %m1: f64 = fmul %s0, %y
    %s1: f64 = fadd %m1, %c1
    %c2: f64 = fconst f64, 3.5
    %m2: f64 = fmul %s1, %y
    %s2: f64 = fadd %m2, %c2
    %c3: f64 = fconst f64, 4.5
    %m3: f64 = fmul %s2, %y
    %s3: f64 = fadd %m3, %c3
    %c4: f64 = fconst f64, 5.5
    %m4: f64 = fmul %s3, %y
    %s4: f64 = fadd %m4, %c4
    %c5: f64 = fconst f64, 6.5
    %m5: f64 = fmul %s4, %y
    %s5: f64 = fadd %m5, %c5
    %c6: f64 = fconst f64, 7.5
    %m6: f64 = fmul %s5, %y
    %s6: f64 = fadd %m6, %c6
    %c7: f64 = fconst f64, 8.5
    %m7: f64 = fmul %s6, %y
    %s7: f64 = fadd %m7, %c7
    %c8: f64 = fconst f64, 9.5
    %m8: f64 = fmul %s7, %y
    %s8: f64 = fadd %m8, %c8
    %c9: f64 = fconst f64, 10.5
    %m9: f64 = fmul %s8, %y
    %s9: f64 = fadd %m9, %c9
    %c10: f64 = fconst f64, 11.5
    %m10: f64 = fmul %s9, %y
    %s10: f64 = fadd %m10, %c10
    %c11: f64 = fconst f64, 12.5
    %m11: f64 = fmul %s10, %y
    %s11: f64 = fadd %m11, %c11
    %c12: f64 = fconst f64, 13.5
    %m12: f64 = fmul %s11, %y
    %s12: f64 = fadd %m12, %c12
    %c13: f64 = fconst f64, 14.5
    %m13: f64 = fmul %s12, %y
    %s13: f64 = fadd %m13, %c13
    %c14: f64 = fconst f64, 15.5
    %m14: f64 = fmul %s13, %y
    %s14: f64 = fadd %m14, %c14
    %c15: f64 = fconst f64, 16.5
    %m15: f64 = fmul %s14, %y
    %s15: f64 = fadd %m15, %c15
    %c16: f64 = fconst f64, 17.5
    %m16: f64 = fmul %s15, %y
    %s16: f64 = fadd %m16, %c16
    %c17: f64 = fconst f64, 18.5
    %m17: f64 = fmul %s16, %y
    %s17: f64 = fadd %m17, %c17
    %c18: f64 = fconst f64, 19.5
    %m18: f64 = fmul %s17, %y
    %s18: f64 = fadd %m18, %c18
    %c19: f64 = fconst f64, 20.5
    %m19: f64 = fmul %s18, %y
    %s19: f64 = fadd %m19, %c19
    %c20: f64 = fconst f64, 21.5
    %m20: f64 = fmul %s19, %y
    %s20: f64 = fadd %m20, %c20
    %c21: f64 = fconst f64, 22.5
    %m21: f64 = fmul %s20, %y
    %s21: f64 = fadd %m21, %c21
    %c22: f64 = fconst f64, 23.5
    %m22: f64 = fmul %s21, %y
    %s22: f64 = fadd %m22, %c22
    %c23: f64 = fconst f64, 24.5
    %m23: f64 = fmul %s22, %y
    %s23: f64 = fadd %m23, %c23
    return %s23
}"#;

const SUM: &str = r#"function explicit "sum" file "k.py" line 1 (n) -> i64 {
block0:
    %0: i64 = arg 0, n
    %1: i64 = iconst i64, 0
    %2: i64 = iconst i64, 1
    jump block1(%1, %1)
block1(%3: i64, %4: i64):
    %5: i1 = icmp slt, %4, %0
    branch %5, block2, block3
block2:
    %6: i64 = imul %4, %4
    %7: i64 = iadd %3, %6
    %8: i64 = iadd %4, %2
    jump block1(%7, %8)
block3:
    return %3
}"#;

const ARRAY_SUM: &str = r#"function explicit "array_sum" file "k.py" line 1 (data, n, stride) -> f64 {
block0:
    %0: ptr = arg 0, data
    %1: i64 = arg 1, n
    %2: i64 = arg 2, stride
    %3: i64 = iconst i64, 0
    %4: i64 = iconst i64, 1
    %5: f64 = fconst f64, 0.0
    jump block1(%5, %3)
block1(%6: f64, %7: i64):
    %8: i1 = icmp slt, %7, %1
    branch %8, block2, block3
block2:
    %9: i64 = imul %7, %2
    %10: ptr = ptr_add %0, %9
    %11: f64 = load f64, 0, %10
    %12: f64 = fadd %6, %11
    %13: i64 = iadd %7, %4
    jump block1(%12, %13)
block3:
    return %6
}"#;

const MANDELBROT: &str = r#"function explicit "mandelbrot" file "k.py" line 1 (width, height, limit) -> i64 {
block0:
    %w: i64 = arg 0, width
    %h: i64 = arg 1, height
    %limit: i64 = arg 2, limit
    %zero: i64 = iconst i64, 0
    %one: i64 = iconst i64, 1
    %fzero: f64 = fconst f64, 0.0
    %two: f64 = fconst f64, 2.0
    %four: f64 = fconst f64, 4.0
    %fw: f64 = sint_to_float f64, %w
    %fh: f64 = sint_to_float f64, %h
    jump block1(%zero, %zero)
block1(%y: i64, %total: i64):
    %in_y: i1 = icmp slt, %y, %h
    branch %in_y, block2, block9
block2:
    %fy: f64 = sint_to_float f64, %y
    %ry: f64 = fdiv %fy, %fh
    %sy: f64 = fmul %ry, %two
    %one_f: f64 = fconst f64, 1.0
    %ci: f64 = fsub %sy, %one_f
    jump block3(%zero, %total)
block3(%x: i64, %row: i64):
    %in_x: i1 = icmp slt, %x, %w
    branch %in_x, block4, block8
block4:
    %fx: f64 = sint_to_float f64, %x
    %rx: f64 = fdiv %fx, %fw
    %three: f64 = fconst f64, 3.0
    %sx: f64 = fmul %rx, %three
    %cr: f64 = fsub %sx, %two
    jump block5(%zero, %fzero, %fzero)
block5(%n: i64, %zr: f64, %zi: f64):
    %more: i1 = icmp slt, %n, %limit
    branch %more, block6, block7(%n)
block6:
    %rr: f64 = fmul %zr, %zr
    %ii: f64 = fmul %zi, %zi
    %size: f64 = fadd %rr, %ii
    %out: i1 = fcmp ogt, %size, %four
    %ri: f64 = fmul %zr, %zi
    %ri2: f64 = fmul %two, %ri
    %zi_next: f64 = fadd %ri2, %ci
    %d: f64 = fsub %rr, %ii
    %zr_next: f64 = fadd %d, %cr
    %n_next: i64 = iadd %n, %one
    branch %out, block7(%n), block5(%n_next, %zr_next, %zi_next)
block7(%count: i64):
    %row_next: i64 = iadd %row, %count
    %x_next: i64 = iadd %x, %one
    jump block3(%x_next, %row_next)
block8:
    %y_next: i64 = iadd %y, %one
    jump block1(%y_next, %row)
block9:
    return %total
}"#;

/// One compilation: microseconds by step.
fn once(jit: &Jit, func: &ir::Function, exported: bool, options: &llvm::Options) -> Vec<(&'static str, f64)> {
    let start = Instant::now();
    let member = llvm::UnitFunction { exported, ..llvm::UnitFunction::python(func, "native", "thunk") };
    let unit = llvm::Unit { name: "bench", functions: vec![member], texts: Vec::new() };
    let compiled = llvm::compile(&unit, options).unwrap();
    let linking = Instant::now();
    let linked = jit.link(compiled.object, &Imports::default()).unwrap();
    let micros = |d: std::time::Duration| d.as_secs_f64() * 1e6;
    let mut steps: Vec<_> = compiled.timings.into_iter().map(|(name, time)| (name, micros(time))).collect();
    steps.push(("link", micros(linking.elapsed())));
    steps.push(("total", micros(start.elapsed())));
    let dropping = Instant::now();
    drop(linked);
    steps.push(("unlink", micros(dropping.elapsed())));
    steps
}

fn row(title: &str, steps: &[(&'static str, f64)]) {
    let of = |name: &str| steps.iter().filter(|(n, _)| *n == name).map(|(_, t)| *t).sum::<f64>();
    print!("{title:34}");
    for name in ["machine", "build", "optimize", "codegen", "free", "link", "total", "unlink", "run"] {
        print!("{:9.0}", of(name));
    }
    println!();
}

fn medians(runs: &[Vec<(&'static str, f64)>]) -> Vec<(&'static str, f64)> {
    let mut by_name: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for &(name, time) in runs.iter().flatten() {
        by_name.entry(name).or_default().push(time);
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    by_name.iter_mut().map(|(&name, times)| (name, median(times))).collect()
}

/// Arguments that make a kernel run for a while.
fn workload(name: &str, data: &[f64]) -> [u64; 3] {
    match name {
        "mandelbrot" => [200, 200, 100],
        "array_sum" => [data.as_ptr() as u64, data.len() as u64, 8],
        "sum" => [1_000_000, 0, 0],
        _ => [3f64.to_bits(), 0.5f64.to_bits(), 0],
    }
}

/// Microseconds of one run.
fn run_time(jit: &Jit, name: &str, func: &ir::Function, exported: bool, opt_level: u8) -> f64 {
    let data = vec![1.5; 1_000_000];
    let args = workload(name, &data);
    let member = llvm::UnitFunction { exported, ..llvm::UnitFunction::python(func, "native", "thunk") };
    let unit = llvm::Unit { name: "bench", functions: vec![member], texts: Vec::new() };
    let compiled = llvm::compile(&unit, &llvm::Options { opt_level, ..Default::default() }).unwrap();
    let linked = jit.link(compiled.object, &Imports::default()).unwrap();
    // SAFETY: the thunk follows its convention and the unit is alive.
    let thunk: abi::Thunk = unsafe { std::mem::transmute(linked.address("thunk").unwrap()) };
    let mut ret = [0u64];
    let timed = |_| {
        let start = Instant::now();
        // SAFETY: the arguments are those of the function, and the unit is alive.
        unsafe { thunk(args.as_ptr(), ret.as_mut_ptr()) };
        start.elapsed().as_secs_f64() * 1e6
    };
    (0..15).map(timed).fold(f64::MAX, f64::min)
}

/// Nanoseconds of one call through a thunk.
fn call_cost(jit: &Jit, func: &ir::Function, exported: bool, opt_level: u8) -> f64 {
    let member = llvm::UnitFunction { exported, ..llvm::UnitFunction::python(func, "native", "thunk") };
    let unit = llvm::Unit { name: "bench", functions: vec![member], texts: Vec::new() };
    let compiled = llvm::compile(&unit, &llvm::Options { opt_level, ..Default::default() }).unwrap();
    let linked = jit.link(compiled.object, &Imports::default()).unwrap();
    // SAFETY: the thunk follows its convention and the unit is alive.
    let thunk: abi::Thunk = unsafe { std::mem::transmute(linked.address("thunk").unwrap()) };
    let (args, mut ret) = ([3f64.to_bits(), 0.5f64.to_bits()], [0u64]);
    let mut best = f64::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..100_000 {
            // SAFETY: the arguments are those of the function, and the unit is alive.
            unsafe { std::hint::black_box(thunk)(args.as_ptr(), ret.as_mut_ptr()) };
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / 100_000.0);
    }
    std::hint::black_box(ret[0]);
    best
}

fn main() {
    let iterations: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(60);
    let types = TypeTable::default();
    let only = std::env::args().nth(2);
    let mut kernels = vec![
        ("add", ADD),
        ("divide", DIVIDE),
        ("poly", POLY),
        ("sum", SUM),
        ("array_sum", ARRAY_SUM),
        ("mandelbrot", MANDELBROT),
    ];
    kernels.retain(|(name, _)| only.as_deref().is_none_or(|only| only == *name));
    let options = |opt_level| llvm::Options { opt_level, verify: false, ..Default::default() };
    let jit = Jit::new(&[]);
    print!("{:34}", "us");
    for title in ["machine", "build", "optimize", "codegen", "free", "link", "total", "unlink", "run"] {
        print!("{title:>9}");
    }
    println!();
    for &(name, text) in &kernels {
        let func = ir::parse(text, &types).unwrap();
        ir::verify(&func).unwrap();
        row(&format!("{name}, first here"), &once(&jit, &func, false, &options(2)));
    }
    for &(name, text) in &kernels {
        let func = ir::parse(text, &types).unwrap();
        for (level, title) in [(0, "O0"), (1, "cheap"), (2, "by content"), (3, "O3")] {
            let runs: Vec<_> = (0..iterations).map(|_| once(&jit, &func, false, &options(level))).collect();
            let mut steps = medians(&runs);
            steps.push(("run", run_time(&jit, name, &func, false, level)));
            row(&format!("{name}, warm, {title}"), &steps);
        }
        let runs: Vec<_> = (0..iterations).map(|_| once(&jit, &func, true, &options(2))).collect();
        row(&format!("{name}, warm, with native entry"), &medians(&runs));
    }
    for (name, text) in [("add", ADD), ("divide", DIVIDE), ("poly", POLY)] {
        let func = ir::parse(text, &types).unwrap();
        print!("ns per call of {name}:");
        for (title, exported, level) in
            [("O0", false, 0), ("cheap", false, 1), ("by content", false, 2), ("native entry", true, 2)]
        {
            print!("  {title} {:.2}", call_cost(&jit, &func, exported, level));
        }
        println!();
    }
}
