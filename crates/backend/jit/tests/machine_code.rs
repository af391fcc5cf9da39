//! Explicit text through LLVM and the linker: values of every op, calls, failures, memory, threads.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use jit::{Imports, Jit, LinkedUnit};
use llvm::{Options, TextRequest, Unit, UnitFunction};
use std::sync::Arc;
use types::TypeTable;

fn parse(text: &str) -> ir::Function {
    let func = ir::parse(text, &TypeTable::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    ir::verify(&func).unwrap_or_else(|error| panic!("{error}\n{text}"));
    func
}

fn options(opt_level: u8) -> Options {
    Options { opt_level, verify: true, ..Default::default() }
}

fn link(jit: &Jit, members: Vec<UnitFunction>, level: u8, imports: &Imports) -> Arc<LinkedUnit> {
    let unit = Unit { name: "test", functions: members, texts: Vec::new() };
    let compiled = llvm::compile(&unit, &options(level)).unwrap();
    jit.link(compiled.object, imports).unwrap()
}

/// Calls a thunk; gives the status and the words of the results.
fn call(unit: &LinkedUnit, thunk: &str, args: &[u64]) -> (usize, [u64; 8]) {
    let mut ret = [0xdead_beef_dead_beef; 8];
    // SAFETY: the thunk follows its convention and the unit is alive.
    let entry: abi::Thunk = unsafe { std::mem::transmute(unit.address(thunk).unwrap()) };
    // SAFETY: the arguments are those of the function, and there is room for eight words of results.
    let status = unsafe { entry(args.as_ptr(), ret.as_mut_ptr()) };
    (status, ret)
}

/// A function of one expression at every level, entered in both ways; gives the words of its
/// results, which must be the same everywhere.
fn eval(text: &str, args: &[u64]) -> [u64; 8] {
    let func = parse(text);
    let jit = Jit::new(&[]);
    let mut seen = None;
    for (level, exported) in [(0, false), (1, true), (2, false), (3, true)] {
        let member = UnitFunction { exported, ..UnitFunction::python(&func, "native", "thunk") };
        let unit = link(&jit, vec![member], level, &Imports::default());
        let (status, ret) = call(&unit, "thunk", args);
        assert_eq!(status, 0);
        assert_eq!(*seen.get_or_insert(ret), ret, "level {level} differs\n{text}");
    }
    seen.unwrap()
}

/// `op` over operands of type `ty`, given as words, with the result `result`.
fn apply(op: &str, ty: &str, result: &str, args: &[u64]) -> u64 {
    let names = ["a", "b", "c"];
    let mut text = format!(
        "function explicit \"f\" file \"f.py\" line 1 ({}) -> {result} {{\nblock0:\n",
        names[..args.len()].join(", ")
    );
    for (index, name) in names[..args.len()].iter().enumerate() {
        text += &format!("    %{index}: {ty} = arg {index}, {name}\n");
    }
    let list: Vec<String> = (0..args.len()).map(|index| format!("%{index}")).collect();
    let separator = if op.contains(' ') { "," } else { "" };
    text += &format!("    %9: {result} = {op}{separator} {}\n    return %9\n}}\n", list.join(", "));
    eval(&text, args)[0]
}

fn binary(op: &str, ty: &str, a: u64, b: u64) -> u64 {
    apply(op, ty, ty, &[a, b])
}

const I64_MIN: u64 = i64::MIN as u64;
const I64_MAX: u64 = i64::MAX as u64;

/// What was there, and what is there after an atomic operation on a word of memory.
fn changed(op: &str, ty: &str, there: u64, args: &[u64]) -> [u64; 2] {
    [format!("%8: {ty}"), format!("%9: {ty}")].map(|result| {
        let names: Vec<String> = (0..=args.len()).map(|index| format!("x{index}")).collect();
        let mut text = format!(
            "function explicit \"f\" file \"f.py\" line 1 ({}) -> {ty} {{\nblock0:\n",
            names.join(", ")
        );
        for (index, name) in names.iter().enumerate() {
            text += &format!("    %{index}: {ty} = arg {index}, {name}\n");
        }
        let list: Vec<String> = (1..=args.len()).map(|index| format!("%{index}")).collect();
        text += &format!(
            "    %7: ptr = stack_slot 8\n    store 0, %7, %0\n    %8: {ty} = {op} %7, {}\n    \
             %9: {ty} = load {ty}, 0, %7\n    return {}\n}}\n",
            list.join(", "),
            &result[..2]
        );
        eval(&text, &[&[there], args].concat())[0]
    })
}

#[test]
fn atomic_operations_give_what_was_there() {
    for ty in ["i8", "i16", "i32", "i64"] {
        assert_eq!(changed("atomic_add", ty, 100, &[27]), [100, 127], "{ty}");
        assert_eq!(changed("atomic_exchange", ty, 100, &[27]), [100, 27], "{ty}");
        assert_eq!(changed("atomic_cas", ty, 100, &[27, 28]), [100, 100], "{ty}");
        assert_eq!(changed("atomic_cas", ty, 100, &[100, 28]), [100, 28], "{ty}");
    }
    assert_eq!(changed("atomic_add", "i64", I64_MAX, &[1]), [I64_MAX, I64_MIN]);
}

#[test]
fn integers_wrap_and_divide_as_the_table_says() {
    assert_eq!(binary("iadd", "i64", I64_MAX, 1), I64_MIN);
    assert_eq!(binary("iadd", "i8", 127, 1), 128);
    assert_eq!(binary("isub", "i64", I64_MIN, 1), I64_MAX);
    assert_eq!(binary("isub", "i16", 0, 1), 0xffff);
    assert_eq!(binary("imul", "i64", I64_MAX, 2), (-2i64) as u64);
    assert_eq!(binary("imul", "i32", 0x8000_0000, 3), 0x8000_0000);
    assert_eq!(binary("sdiv", "i64", (-7i64) as u64, 2), (-3i64) as u64);
    assert_eq!(binary("sdiv", "i8", 0x80, 2), 0xc0);
    assert_eq!(binary("udiv", "i64", u64::MAX, 2), I64_MAX);
    assert_eq!(binary("srem", "i64", (-7i64) as u64, 2), (-1i64) as u64);
    assert_eq!(binary("srem", "i64", 7, (-2i64) as u64), 1);
    assert_eq!(binary("urem", "i64", u64::MAX, 10), 5);
    assert_eq!(binary("iand", "i32", 0xff00_ff00, 0x0ff0_0ff0), 0x0f00_0f00);
    assert_eq!(binary("ior", "i16", 0xf000, 0x000f), 0xf00f);
    assert_eq!(binary("ixor", "i1", 1, 1), 0);
    assert_eq!(binary("ixor", "i64", u64::MAX, 1), u64::MAX - 1);
    assert_eq!(binary("ishl", "i64", 1, 63), I64_MIN);
    assert_eq!(binary("ishl", "i8", 0xff, 7), 0x80);
    assert_eq!(binary("sshr", "i64", I64_MIN, 63), u64::MAX);
    assert_eq!(binary("sshr", "i8", 0x80, 7), 0xff);
    assert_eq!(binary("ushr", "i64", I64_MIN, 63), 1);
    assert_eq!(binary("umulhi", "i64", u64::MAX, u64::MAX), u64::MAX - 1);
    assert_eq!(binary("umulhi", "i32", 0xffff_ffff, 2), 1);
    assert_eq!(binary("umulhi", "i8", 0xff, 0xff), 0xfe);
}

#[test]
fn bits_are_counted() {
    for (ty, width) in [("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)] {
        assert_eq!(apply("clz", ty, ty, &[0]), width);
        assert_eq!(apply("ctz", ty, ty, &[0]), width);
        assert_eq!(apply("clz", ty, ty, &[1]), width - 1);
        assert_eq!(apply("ctz", ty, ty, &[1 << (width - 1)]), width - 1);
        assert_eq!(apply("popcount", ty, ty, &[u64::MAX >> (64 - width)]), width);
    }
}

#[test]
fn overflow_is_told() {
    let both = |op: &str, ty: &str, a: u64, b: u64| {
        let text = format!(
            "function explicit \"f\" file \"f.py\" line 1 (a, b) -> {ty}, i1 {{
             block0:
                 %0: {ty} = arg 0, a
                 %1: {ty} = arg 1, b
                 %2: {ty}, %3: i1 = {op} %0, %1
                 return %2, %3
             }}"
        );
        let ret = eval(&text, &[a, b]);
        (ret[0], ret[1])
    };
    assert_eq!(both("sadd_overflow", "i64", I64_MAX, 1), (I64_MIN, 1));
    assert_eq!(both("sadd_overflow", "i64", I64_MAX, 0), (I64_MAX, 0));
    assert_eq!(both("sadd_overflow", "i8", 0x80, 0xff), (0x7f, 1));
    assert_eq!(both("smul_overflow", "i64", 1 << 32, 1 << 31), (I64_MIN, 1));
    assert_eq!(both("smul_overflow", "i64", (-1i64) as u64, I64_MIN), (I64_MIN, 1));
    assert_eq!(both("smul_overflow", "i32", 46341, 46341), (46341 * 46341, 1));
    assert_eq!(both("smul_overflow", "i16", 3, 5), (15, 0));
}

#[test]
fn integers_and_pointers_compare() {
    let cond = |cond: &str, ty: &str, a: u64, b: u64| apply(&format!("icmp {cond}"), ty, "i1", &[a, b]);
    for (name, expected) in [
        ("eq", 0),
        ("ne", 1),
        ("slt", 1),
        ("sle", 1),
        ("sgt", 0),
        ("sge", 0),
        ("ult", 0),
        ("ule", 0),
        ("ugt", 1),
        ("uge", 1),
    ] {
        assert_eq!(cond(name, "i64", I64_MIN, 1), expected, "{name}");
        assert_eq!(cond(name, "i8", 0x80, 1), expected, "{name}");
    }
    assert_eq!(cond("eq", "ptr", 64, 64), 1);
    assert_eq!(cond("ult", "ptr", 64, 128), 1);
}

fn double(op: &str, args: &[f64]) -> f64 {
    let words: Vec<u64> = args.iter().map(|arg| arg.to_bits()).collect();
    f64::from_bits(apply(op, "f64", "f64", &words))
}

fn single(op: &str, args: &[f32]) -> f32 {
    let words: Vec<u64> = args.iter().map(|arg| arg.to_bits().into()).collect();
    let word = apply(op, "f32", "f32", &words);
    f32::from_bits(u32::try_from(word).expect("the upper half of the word is zero"))
}

#[test]
fn floats_compute_as_ieee_says() {
    assert_eq!(double("fadd", &[0.1, 0.2]), 0.1 + 0.2);
    assert!(double("fsub", &[f64::INFINITY, f64::INFINITY]).is_nan());
    assert_eq!(double("fmul", &[1e308, 10.0]), f64::INFINITY);
    assert_eq!(double("fdiv", &[-1.0, 0.0]), f64::NEG_INFINITY);
    assert_eq!(double("frem", &[-7.5, 2.0]), -1.5);
    assert_eq!(double("frem", &[1e300, 3.0]), 1e300 % 3.0);
    assert!(double("frem", &[1.0, 0.0]).is_nan());
    assert_eq!(double("fma", &[1e16, 1.0 + f64::EPSILON, -1e16]), 1e16f64.mul_add(1.0 + f64::EPSILON, -1e16));
    assert_eq!(double("fneg", &[0.0]).to_bits(), I64_MIN);
    assert_eq!(double("fabs", &[-0.0]).to_bits(), 0);
    assert_eq!(double("fsqrt", &[2.0]), 2f64.sqrt());
    assert!(double("fsqrt", &[-1.0]).is_nan());
    assert_eq!(double("ffloor", &[-0.5]), -1.0);
    assert_eq!(double("fceil", &[-0.5]).to_bits(), (-0.0f64).to_bits());
    assert_eq!(double("ftrunc", &[-2.7]), -2.0);
    assert_eq!(double("frint", &[2.5]), 2.0);
    assert_eq!(double("frint", &[3.5]), 4.0);
    assert_eq!(double("copysign", &[3.0, -0.0]), -3.0);
    assert_eq!(single("fadd", &[16_777_216.0, 1.0]), 16_777_216.0);
    assert_eq!(single("frem", &[7.5, -2.0]), 1.5);
    assert_eq!(single("fma", &[3.0, 4.0, 5.0]), 17.0);
    assert_eq!(single("fsqrt", &[2.0]), 2f32.sqrt());
    assert_eq!(single("frint", &[-0.5]).to_bits(), (-0.0f32).to_bits());
    assert_eq!(single("copysign", &[1.0, -1.0]), -1.0);
}

#[test]
fn floats_compare_and_nan_is_apart() {
    let cond =
        |cond: &str, a: f64, b: f64| apply(&format!("fcmp {cond}"), "f64", "i1", &[a.to_bits(), b.to_bits()]);
    let order = ["oeq", "une", "olt", "ole", "ogt", "oge", "uno", "ord"];
    let expect = |a, b, bits: [u64; 8]| {
        for (name, bit) in order.iter().zip(bits) {
            assert_eq!(cond(name, a, b), bit, "{name} {a} {b}");
        }
    };
    expect(1.0, 2.0, [0, 1, 1, 1, 0, 0, 0, 1]);
    expect(0.0, -0.0, [1, 0, 0, 1, 0, 1, 0, 1]);
    expect(f64::NAN, 1.0, [0, 1, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn conversions_keep_saturate_and_reinterpret() {
    let convert = |op: &str, from: &str, to: &str, word: u64| apply(&format!("{op} {to}"), from, to, &[word]);
    assert_eq!(convert("sext", "i8", "i64", 0x80), (-128i64) as u64);
    assert_eq!(convert("sext", "i1", "i32", 1), 0xffff_ffff);
    assert_eq!(convert("zext", "i1", "i64", 1), 1);
    assert_eq!(convert("zext", "i16", "i32", 0xffff), 0xffff);
    assert_eq!(convert("trunc", "i64", "i8", 0x1ff), 0xff);
    assert_eq!(convert("trunc", "i64", "i1", 2), 0);
    assert_eq!(convert("sint_to_float", "i64", "f64", I64_MIN), (i64::MIN as f64).to_bits());
    assert_eq!(convert("sint_to_float", "i64", "f32", (1 << 24) + 1), u64::from(16_777_216f32.to_bits()));
    assert_eq!(convert("uint_to_float", "i64", "f64", u64::MAX), (u64::MAX as f64).to_bits());
    assert_eq!(convert("uint_to_float", "i8", "f32", 255), u64::from(255f32.to_bits()));
    for value in
        [0.0, -0.9, 1e19, -1e19, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 127.5, -128.5, 300.0]
    {
        let bits = value.to_bits();
        assert_eq!(convert("float_to_sint", "f64", "i64", bits), (value as i64) as u64, "{value}");
        assert_eq!(convert("float_to_uint", "f64", "i64", bits), value as u64, "{value}");
        let or_min = if value.abs() < 9.2e18 { value as i64 } else { i64::MIN };
        assert_eq!(convert("float_to_sint_or_min", "f64", "i64", bits), or_min as u64, "{value}");
        let single = u64::from((value as f32).to_bits());
        assert_eq!(convert("float_to_sint_or_min", "f32", "i64", single), or_min as u64, "{value}");
        assert_eq!(convert("float_to_sint", "f64", "i32", bits), u64::from((value as i32) as u32), "{value}");
        assert_eq!(convert("float_to_sint", "f64", "i8", bits), u64::from((value as i8) as u8), "{value}");
        assert_eq!(convert("float_to_uint", "f64", "i16", bits), u64::from(value as u16), "{value}");
    }
    assert_eq!(convert("float_to_sint", "f32", "i64", u64::from(1e10f32.to_bits())), 10_000_000_000);
    let beyond = (-1e15f64 - 0.5).to_bits();
    assert_eq!(convert("float_to_sint_or_min", "f64", "i64", beyond), (-1e15 as i64) as u64);
    assert_eq!(convert("fpext", "f32", "f64", u64::from(0.1f32.to_bits())), f64::from(0.1f32).to_bits());
    assert_eq!(convert("fptrunc", "f64", "f32", 0.1f64.to_bits()), u64::from(0.1f32.to_bits()));
    assert_eq!(convert("bitcast", "f64", "i64", 1.5f64.to_bits()), 1.5f64.to_bits());
    assert_eq!(convert("bitcast", "i32", "f32", 0x3f80_0000), 0x3f80_0000);
    assert_eq!(convert("bitcast", "ptr", "f64", 77), 77);
    assert_eq!(convert("bitcast", "i64", "ptr", 78), 78);
    assert_eq!(convert("bitcast", "i64", "i64", 79), 79);
}

#[test]
fn constants_and_select() {
    let text = "function explicit \"f\" file \"f.py\" line 1 (a) -> i64, i8, i1, f64, f32, ptr, i64 {
    block0:
        %0: i1 = arg 0, a
        %1: i64 = iconst i64, -9223372036854775808
        %2: i8 = iconst i8, -1
        %3: i1 = iconst i1, 1
        %4: f64 = fconst f64, nan:7ff8000000000123
        %5: f32 = fconst f32, 0.1
        %6: ptr = iconst ptr, 0
        %7: i64 = iconst i64, 7
        %8: i64 = select %0, %1, %7
        return %1, %2, %3, %4, %5, %6, %8
    }";
    let expected = [I64_MIN, 0xff, 1, 0x7ff8_0000_0000_0123, u64::from(0.1f32.to_bits()), 0];
    let ret = eval(text, &[1]);
    assert_eq!(ret[..6], expected);
    assert_eq!(ret[6], I64_MIN);
    assert_eq!(eval(text, &[0])[6], 7);
}

#[test]
fn memory_and_stack_slots() {
    let text = "function explicit \"f\" file \"f.py\" line 1 (p, i) -> i64, i1, i64, i1 {
    block0:
        %0: ptr = arg 0, p
        %1: i64 = arg 1, i
        %2: i64 = iconst i64, 8
        %3: i64 = imul %1, %2
        %4: ptr = ptr_add %0, %3
        %5: i64 = load i64, 8, %4
        %6: i1 = load i1, 0, %0
        store 1, %0, %6
        %7: ptr = stack_slot 24
        store 16, %7, %5
        %8: i64 = load i64, 16, %7
        %9: i64 = bitcast i64, %7
        %10: i64 = iconst i64, 15
        %11: i64 = iand %9, %10
        %12: i64 = iconst i64, 0
        %13: i1 = icmp eq, %11, %12
        return %5, %6, %8, %13
    }";
    let mut memory = [2u64, 11, 22, 33];
    let ret = eval(text, &[memory.as_mut_ptr() as u64, 1]);
    assert_eq!(ret[..4], [22, 1, 22, 1]);
    assert_eq!(memory[0], 0x0102);
}

const SUM: &str = "function explicit \"sum\" file \"f.py\" line 1 (n) -> i64 {
block0:
    %0: i64 = arg 0, n
    %1: i64 = iconst i64, 0
    %2: i64 = iconst i64, 1
    jump block1(%1, %1)
block1(%3: i64, %4: i64):
    %5: i1 = icmp slt, %4, %0
    branch %5, block2, block3
block2:
    %6: i64 = iadd %3, %4
    %7: i64 = iadd %4, %2
    jump block1(%6, %7)
block3:
    return %3
}";

#[test]
fn loops_joins_and_double_edges() {
    assert_eq!(eval(SUM, &[10])[0], 45);
    assert_eq!(eval(SUM, &[I64_MIN])[0], 0);
    let text = "function explicit \"f\" file \"f.py\" line 1 (a, b) -> i64 {
    block0:
        %0: i64 = arg 0, a
        %1: i64 = arg 1, b
        %2: i1 = icmp slt, %0, %1
        branch %2, block1(%0), block1(%1)
    block1(%3: i64):
        return %3
    block2:
        unreachable
    }";
    assert_eq!(eval(text, &[3, 4])[0], 3);
    assert_eq!(eval(text, &[4, 3])[0], 3);
}

const DIVIDE: &str =
    "function explicit \"Some.divide\" file \"/tmp/kern \u{e9}.py\" line 1 (a, b) -> f64, f64, f32 fails {
    site0 = raises ZeroDivisionError \"division \\u{1f980} by zero\" @ 12:4-9
    site1 = raises ValueError @ 13
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
    %5: i1 = fcmp olt, %1, %2
    branch %5, block3, block4
block3:
    %6: i64 = site_status site1
    fail %6
block4:
    %7: f64 = fdiv %0, %1
    %8: f32 = fptrunc f32, %7
    return %7, %1, %8
}";

fn site(status: usize) -> (u32, u32, u32, Option<String>, Option<String>, Option<String>) {
    assert_ne!(status, 0);
    // SAFETY: a status other than 0 is the address of a record in the unit's memory.
    let site = unsafe { &*(status as *const abi::RaiseSite) };
    assert_eq!(site.flags, 0);
    // SAFETY: the texts of a record lie in the unit's memory.
    unsafe { (site.class, site.line, site.column, site.message(), site.function(), site.file()) }
}

#[test]
fn a_failing_site_reads_back() {
    let func = parse(DIVIDE);
    let jit = Jit::new(&[]);
    for (level, exported) in [(0, true), (2, false), (2, true), (3, true)] {
        let member = UnitFunction { exported, ..UnitFunction::python(&func, "native", "thunk") };
        let unit = link(&jit, vec![member], level, &Imports::default());
        let words = |a: f64, b: f64| [a.to_bits(), b.to_bits()];
        let (status, ret) = call(&unit, "thunk", &words(1.0, 4.0));
        assert_eq!(
            (status, &ret[..3]),
            (0, &[0.25f64.to_bits(), 4f64.to_bits(), 0.25f32.to_bits().into()][..])
        );
        let text = |text: &str| Some(text.to_owned());
        let zero = (
            abi::ExceptionClass::ZeroDivisionError as u32,
            12,
            4,
            text("division \u{1f980} by zero"),
            text("Some.divide"),
            text("/tmp/kern \u{e9}.py"),
        );
        assert_eq!(site(call(&unit, "thunk", &words(1.0, 0.0)).0), zero);
        let negative = site(call(&unit, "thunk", &words(1.0, -1.0)).0);
        assert_eq!(negative.0, abi::ExceptionClass::ValueError as u32);
        assert_eq!((negative.1, negative.2, negative.3), (13, u32::MAX, None));
    }
}

/// One function of a unit calls another by its symbol; the results of the callee are many.
#[test]
fn calls_inside_and_across_units() {
    let callee = parse(DIVIDE);
    let caller = parse(
        "function explicit \"g\" file \"f.py\" line 1 (a, b) -> f64, f64, f32 fails {
        fn0 = external \"divide\" (f64, f64) -> i64, f64, f64, f32
    block0:
        %0: f64 = arg 0, a
        %1: f64 = arg 1, b
        %2: i64, %3: f64, %4: f64, %5: f32 = call_external fn0, %0, %1
        %6: i64 = iconst i64, 0
        %7: i1 = icmp eq, %2, %6
        branch %7, block1, block2
    block1:
        return %3, %4, %5
    block2:
        fail %2
    }",
    );
    let jit = Jit::new(&[]);
    let check = |unit: &LinkedUnit| {
        let (status, ret) = call(unit, "enter", &[3f64.to_bits(), 2f64.to_bits()]);
        assert_eq!(
            (status, &ret[..3]),
            (0, &[1.5f64.to_bits(), 2f64.to_bits(), 1.5f32.to_bits().into()][..])
        );
        assert_eq!(site(call(unit, "enter", &[3f64.to_bits(), 0]).0).1, 12);
    };
    for level in [0, 2, 3] {
        let inner = UnitFunction { exported: false, ..UnitFunction::native(&callee, "divide") };
        let outer = UnitFunction::python(&caller, "g", "enter");
        check(&link(&jit, vec![inner, outer.clone()], level, &Imports::default()));

        let callee_unit =
            link(&jit, vec![UnitFunction::native(&callee, "divide")], level, &Imports::default());
        let units = [callee_unit];
        let caller_unit = link(&jit, vec![outer], level, &Imports { units: &units, ..Default::default() });
        drop(units);
        assert_eq!(caller_unit.callees().len(), 1);
        check(&caller_unit);
        assert_eq!(jit.live_units(), 2);
    }
    assert_eq!(jit.live_units(), 0);
}

/// Signatures up to the edge of what registers hold, and over it.
#[test]
fn results_of_every_shape_pass_between_functions() {
    let shapes: [&[&str]; 9] = [
        &["i1"],
        &["i8", "f32"],
        &["i64", "i64", "i64"],
        &["i64", "i64", "i64", "i64"],
        &["f64", "f64"],
        &["f64", "f64", "f64"],
        &["i1", "f64", "ptr", "f32", "i16"],
        &["f32", "i1", "i1", "i32", "i8", "f64"],
        &[],
    ];
    let jit = Jit::new(&[]);
    for (shape, fails) in shapes.into_iter().flat_map(|shape| [(shape, false), (shape, true)]) {
        let names: Vec<String> = (0..shape.len()).map(|i| format!("p{i}")).collect();
        let args: String =
            shape.iter().enumerate().map(|(i, ty)| format!("        %{i}: {ty} = arg {i}, p{i}\n")).collect();
        let values: Vec<String> = (0..shape.len()).map(|i| format!("%{i}")).collect();
        let arrow = if shape.is_empty() { String::new() } else { format!("-> {}", shape.join(", ")) };
        let word = if fails { "fails" } else { "" };
        let header = |name: &str| {
            format!(
                "function explicit \"{name}\" file \"f.py\" line 1 ({}) {arrow} {word} {{\n",
                names.join(", ")
            )
        };
        let callee = parse(&format!(
            "{}    block0:\n{args}        return {}\n}}",
            header("callee"),
            values.join(", ")
        ));
        let results: Vec<&str> = fails.then_some("i64").into_iter().chain(shape.iter().copied()).collect();
        let back: Vec<String> =
            results.iter().enumerate().map(|(i, ty)| format!("%{}: {ty}", 50 + i)).collect();
        let given: Vec<String> =
            (usize::from(fails)..results.len()).map(|i| format!("%{}", 50 + i)).collect();
        let equals = if back.is_empty() { String::new() } else { format!("{} = ", back.join(", ")) };
        let operands: String = values.iter().map(|value| format!(", {value}")).collect();
        let caller = parse(&format!(
            "{}    fn0 = external \"callee\" ({}) -> {}\n    block0:\n{args}        {equals}call_external fn0{operands}\n        return {}\n}}",
            header("caller"),
            shape.join(", "),
            results.join(", "),
            given.join(", "),
        ));
        let words: Vec<u64> = shape
            .iter()
            .enumerate()
            .map(|(i, &ty)| match ty {
                "i1" => 1,
                "f64" => (i as f64 + 0.5).to_bits(),
                "f32" => (i as f32 + 0.25).to_bits().into(),
                "i8" => 0x80 + i as u64,
                _ => 0x4321 + i as u64,
            })
            .collect();
        for level in [0, 1, 3] {
            let members = vec![
                UnitFunction { thunk: Some("direct".into()), ..UnitFunction::native(&callee, "callee") },
                UnitFunction::python(&caller, "caller", "enter"),
            ];
            let unit = link(&jit, members, level, &Imports::default());
            for thunk in ["direct", "enter"] {
                let (status, ret) = call(&unit, thunk, &words);
                assert_eq!(
                    (status, &ret[..words.len()]),
                    (0, &words[..]),
                    "{shape:?} fails {fails} at {level}"
                );
            }
        }
    }
}

extern "C" fn host_add(a: i64, b: f64, c: bool) -> f64 {
    a as f64 + b + f64::from(u8::from(c))
}

#[repr(C)]
struct Pair {
    status: u64,
    value: f64,
}

extern "C" fn host_pair(a: f64) -> Pair {
    Pair { status: 0, value: a * 2.0 }
}

#[test]
fn runtime_functions_are_bound_by_name() {
    let func = parse(
        "function explicit \"f\" file \"f.py\" line 1 (a, b, c) -> f64, i64, f64, f64 {
        fn0 = external \"host_add\" (i64, f64, i1) -> f64
        fn1 = external \"host_pair\" (f64) -> i64, f64
        fn2 = external pure \"pow\" (f64, f64) -> f64
    block0:
        %0: i64 = arg 0, a
        %1: f64 = arg 1, b
        %2: i1 = arg 2, c
        %3: f64 = call_external fn0, %0, %1, %2
        %4: i64, %5: f64 = call_external fn1, %1
        %6: f64 = call_external fn2, %1, %1
        return %3, %4, %5, %6
    }",
    );
    let jit = Jit::new(&[("host_add", host_add as *const () as usize)]);
    let addresses = [("host_pair", host_pair as *const () as usize)];
    for level in [0, 2] {
        let imports = Imports { addresses: &addresses, ..Default::default() };
        let unit = link(&jit, vec![UnitFunction::python(&func, "f", "enter")], level, &imports);
        let (_, ret) = call(&unit, "enter", &[2, 1.5f64.to_bits(), 1]);
        assert_eq!(ret[..4], [4.5f64.to_bits(), 0, 3f64.to_bits(), 1.5f64.powf(1.5).to_bits()]);
    }
}

#[test]
fn a_missing_symbol_is_an_error_that_names_it() {
    let func = parse(
        "function explicit \"f\" file \"f.py\" line 1 () {
        fn0 = external \"nobody_has_this\" () -> \n
        fn1 = external \"getpid\" () -> i32
    block0:
        call_external fn0
        %0: i32 = call_external fn1
        return
    }",
    );
    let jit = Jit::new(&[]);
    let unit =
        Unit { name: "test", functions: vec![UnitFunction::python(&func, "f", "enter")], texts: Vec::new() };
    let compiled = llvm::compile(&unit, &options(2)).unwrap();
    let error = jit.link(compiled.object, &Imports::default()).unwrap_err();
    assert_eq!(error.code, diag::codes::CODE_GENERATION);
    assert!(error.message.contains("`nobody_has_this`, `getpid`"), "{error}");
    assert!(jit.link(b"no object".to_vec(), &Imports::default()).is_err());
    assert_eq!(jit.live_units(), 0);
}

/// Resident memory in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn units_are_freed_and_may_share_names() {
    let func = parse(SUM);
    let jit = Jit::new(&[]);
    let unit =
        Unit { name: "test", functions: vec![UnitFunction::python(&func, "f", "enter")], texts: Vec::new() };
    let object: Arc<[u8]> = llvm::compile(&unit, &options(2)).unwrap().object.into();
    let units: Vec<_> =
        (0..50).map(|_| jit.link(Arc::clone(&object), &Imports::default()).unwrap()).collect();
    assert_eq!(jit.live_units(), 50);
    assert_eq!(units[7].object(), &object);
    assert!(units[7].code_size() > 0 && units[7].info().memory_size >= units[7].code_size());
    assert_eq!(units[7].entries().count(), 1);
    assert_eq!(units[7].address("f"), None);
    for unit in &units {
        assert_eq!(call(unit, "enter", &[4]).1[0], 6);
    }
    drop(units);
    assert_eq!(jit.live_units(), 0);
    let before = resident();
    for _ in 0..2000 {
        let unit = jit.link(Arc::clone(&object), &Imports::default()).unwrap();
        assert_eq!(call(&unit, "enter", &[5]).1[0], 10);
    }
    let grown = resident().saturating_sub(before);
    assert!(grown < 8 << 20, "2000 units that were freed left {grown} bytes");
}

#[test]
fn threads_compile_and_link_at_once() {
    let (sum, divide) = (parse(SUM), parse(DIVIDE));
    let jit = Jit::new(&[]);
    std::thread::scope(|scope| {
        for seed in 0..4u64 {
            let (sum, divide, jit) = (&sum, &divide, jit.clone());
            scope.spawn(move || {
                for round in 0..15 {
                    let members = vec![
                        UnitFunction::python(sum, "sum", "enter_sum"),
                        UnitFunction::python(divide, "divide", "enter_divide"),
                    ];
                    let unit = link(&jit, members, 2, &Imports::default());
                    let n = seed * 100 + round;
                    assert_eq!(call(&unit, "enter_sum", &[n]).1[0], n * n.saturating_sub(1) / 2);
                    assert_eq!(call(&unit, "enter_divide", &[n, 2f64.to_bits()]).0, 0);
                }
            });
        }
    });
    assert_eq!(jit.live_units(), 0);
}

#[test]
fn texts_are_for_people() {
    let func = parse(DIVIDE);
    let unit = Unit {
        name: "test",
        functions: vec![UnitFunction::python(&func, "divide", "enter")],
        texts: Vec::new(),
    };
    let texts = TextRequest { llvm: true, optimized: true, assembly: true };
    let compiled = llvm::compile(&unit, &Options { texts, ..options(2) }).unwrap();
    let text = compiled.texts.llvm.unwrap();
    assert!(text.contains("branch_weights") && text.contains("division"), "{text}");
    assert!(text.contains("define i64 @enter(ptr noalias nocapture readonly dereferenceable(16)"), "{text}");
    assert!(compiled.texts.optimized.unwrap().contains("define"));
    assert!(compiled.texts.assembly.unwrap().contains("enter:"));
    let names: Vec<_> = compiled.timings.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["machine", "build", "verify", "optimize", "assembly", "codegen", "free"]);
    assert_eq!(compiled.symbols, ["enter"]);
}

#[test]
fn large_frames_touch_their_pages_in_order() {
    let text = "function explicit \"f\" file \"f.py\" line 1 (a) -> i64 {
    block0:
        %0: i64 = arg 0, a
        %1: ptr = stack_slot 100000
        store 99992, %1, %0
        %2: i64 = load i64, 99992, %1
        return %2
    }";
    assert_eq!(eval(text, &[7])[0], 7);
    let func = parse(text);
    let unit =
        Unit { name: "test", functions: vec![UnitFunction::python(&func, "f", "enter")], texts: Vec::new() };
    let texts = TextRequest { llvm: true, ..Default::default() };
    let compiled = llvm::compile(&unit, &Options { texts, ..options(2) }).unwrap();
    assert!(compiled.texts.llvm.unwrap().contains("\"probe-stack\"=\"inline-asm\""));
}

#[test]
fn pure_externals_say_so() {
    let func = parse(
        "function explicit \"f\" file \"f.py\" line 1 (a, c) -> f64 {
        fn0 = external pure \"tan\" (f64) -> f64
        fn1 = external \"log_bool\" (i1) -> i1
    block0:
        %0: f64 = arg 0, a
        %1: i1 = arg 1, c
        %2: f64 = call_external fn0, %0
        %3: i1 = call_external fn1, %1
        %4: f64 = fadd %2, %2
        return %4
    }",
    );
    let unit = Unit { name: "test", functions: vec![UnitFunction::native(&func, "f")], texts: Vec::new() };
    let texts = TextRequest { llvm: true, ..Default::default() };
    let text = llvm::compile(&unit, &Options { texts, ..options(2) }).unwrap().texts.llvm.unwrap();
    // A function of mathematics under its own name, of which two equal calls are one.
    assert!(text.contains("nounwind speculatable willreturn memory(none)"), "{text}");
    assert_eq!(text.matches("call double @rumba_tan").count(), 1, "{text}");
    assert!(text.contains("declare zeroext i1 @log_bool(i1 zeroext)"), "{text}");
    assert!(text.contains("define double @f(double %0, i1 zeroext %1)"), "{text}");
}

#[test]
fn fastmath_frees_only_what_is_asked_for() {
    let func = parse(
        "function explicit \"f\" file \"f.py\" line 1 (a) -> f64 {
    block0:
        %0: f64 = arg 0, a
        %1: f64 = fadd %0, %0
        return %1
    }",
    );
    let unit =
        Unit { name: "test", functions: vec![UnitFunction::python(&func, "f", "enter")], texts: Vec::new() };
    let text = |fastmath| {
        let texts = TextRequest { llvm: true, ..Default::default() };
        llvm::compile(&unit, &Options { fastmath, texts, ..options(2) }).unwrap().texts.llvm.unwrap()
    };
    assert!(text(llvm::FastMath::NONE).contains(" fadd double"));
    assert!(text(llvm::FastMath::ALL).contains(" fadd fast double"));
    let some = llvm::FastMath::CONTRACT.union(llvm::FastMath::NO_SIGNED_ZEROS);
    assert!(text(some).contains(" fadd nsz contract double"));
}

#[test]
fn the_same_text_lowers_for_a_gpu() {
    let (sum, divide) = (parse(SUM), parse(DIVIDE));
    let store = parse(
        "function explicit \"store.<locals>\" file \"f.py\" line 1 (p, x) {
        fn0 = external \"sum\" (i64) -> i64
    block0:
        %0: ptr = arg 0, p
        %1: i64 = arg 1, x
        %2: i64 = call_external fn0, %1
        store 0, %0, %2
        return
    }",
    );
    let functions = vec![
        UnitFunction::native(&sum, "sum"),
        UnitFunction::python(&divide, "divide", "enter"),
        UnitFunction::native(&store, "store.<locals>"),
    ];
    let unit = Unit { name: "gpu", functions, texts: Vec::new() };
    let options = llvm::PtxOptions { kernels: vec!["store.<locals>".into()], ..Default::default() };
    let text = llvm::emit_ptx(&unit, &options).unwrap();
    println!("{text}");
    assert!(text.contains(".visible .func") && text.contains(".visible .entry store__locals_("), "{text}");
    assert!(text.contains(".target sm_80") && text.contains("div.rn.f64"), "{text}");
    let failing = llvm::PtxOptions { kernels: vec!["divide".into()], ..Default::default() };
    assert_eq!(llvm::emit_ptx(&unit, &failing).unwrap_err().code, diag::codes::CODE_GENERATION);
}

#[test]
fn broken_text_is_an_internal_error_not_a_crash() {
    let func = parse(
        "function explicit \"f\" file \"f.py\" line 1 () {
        fn0 = external \"g\" () -> i64
        fn1 = external \"g\" () -> f64
    block0:
        %0: i64 = call_external fn0
        %1: f64 = call_external fn1
        return
    }",
    );
    let unit =
        Unit { name: "test", functions: vec![UnitFunction::python(&func, "f", "enter")], texts: Vec::new() };
    assert_eq!(llvm::compile(&unit, &options(2)).unwrap_err().code, diag::codes::INTERNAL);
}

/// Through the address of a function of the unit, of another unit and of the host; failures and results in memory.
#[test]
fn functions_are_called_by_their_address() {
    let callee = parse(
        "function explicit \"callee\" file \"f.py\" line 1 (a) -> i64, f64, i8, i64 fails {
    site0 = raises ValueError \"zero\" @ 2:0-1
block0:
    %0: i64 = arg 0, a
    %1: i64 = iconst i64, 0
    %2: i1 = icmp eq, %0, %1
    branch %2, block1, block2
block1:
    %3: i64 = site_status site0
    fail %3
block2:
    %4: f64 = sint_to_float f64, %0
    %5: i8 = trunc i8, %0
    %6: i64 = iadd %0, %0
    return %0, %4, %5, %6
}",
    );
    let caller = parse(
        "function explicit \"caller\" file \"f.py\" line 1 (f, a) -> i64, f64, i8, i64 fails {
    fn0 = external \"native\" () ->
    fn1 = external \"\" (i64) -> i64, i64, f64, i8, i64
block0:
    %0: ptr = arg 0, f
    %1: i64 = arg 1, a
    %2: ptr = iconst ptr, 0
    %3: i1 = icmp eq, %0, %2
    %4: ptr = address_of fn0
    %5: ptr = select %3, %4, %0
    %6: i64, %7: i64, %8: f64, %9: i8, %10: i64 = call_indirect fn1, %5, %1
    %11: i64 = iconst i64, 0
    %12: i1 = icmp ne, %6, %11
    branch %12, block1, block2
block1:
    fail %6
block2:
    return %7, %8, %9, %10
}",
    );
    for level in 0..4 {
        let jit = Jit::new(&[]);
        let other = link(&jit, vec![UnitFunction::native(&callee, "native")], level, &Imports::default());
        let own = UnitFunction { exported: false, ..UnitFunction::native(&callee, "native") };
        let members = vec![UnitFunction::python(&caller, "caller", "thunk"), own];
        let unit = link(&jit, members, level, &Imports::default());
        let elsewhere = other.address("native").unwrap() as u64;
        for address in [0, elsewhere] {
            let (status, ret) = call(&unit, "thunk", &[address, 7]);
            assert_eq!((status, ret[0], f64::from_bits(ret[1]), ret[2] as u8, ret[3]), (0, 7, 7.0, 7, 14));
            assert_ne!(call(&unit, "thunk", &[address, 0]).0, 0);
        }
        let units = [other.clone()];
        let imports = Imports { units: &units, ..Imports::default() };
        let alone = vec![UnitFunction::python(&caller, "caller", "thunk")];
        let bound = link(&jit, alone, level, &imports);
        assert_eq!(call(&bound, "thunk", &[0, 5]).1[3], 10, "the address of another unit's entry");
    }
}

#[test]
fn positions_in_the_source_are_symbols_of_a_relocatable_object() {
    let func = parse(DIVIDE);
    let jit = Jit::new(&[]);
    for level in [0, 2, 3] {
        let unit = Unit {
            name: "test",
            functions: vec![UnitFunction::python(&func, "native", "thunk")],
            texts: vec![],
        };
        let sources = llvm::function_sources(&unit);
        assert_eq!(sources, [llvm::FunctionSource { file: "/tmp/kern \u{e9}.py", first_line: 1 }]);
        let object = llvm::compile(&unit, &Options { relocatable: true, ..options(level) }).unwrap().object;
        for (file, first_line) in [("moved.py", 1), ("/tmp/kern \u{e9}.py", 1), ("", 70_000)] {
            let values = [first_line + 1, file.as_ptr() as usize, file.len()];
            let addresses: Vec<(String, usize)> = llvm::source_symbols(0).into_iter().zip(values).collect();
            let addresses: Vec<(&str, usize)> =
                addresses.iter().map(|(name, address)| (name.as_str(), *address)).collect();
            let linked =
                jit.link(object.clone(), &Imports { addresses: &addresses, ..Imports::default() }).unwrap();
            for (b, line) in [(0.0f64, 12), (-1.0, 13)] {
                let (status, _) = call(&linked, "thunk", &[1f64.to_bits(), b.to_bits()]);
                let found = site(status);
                assert_eq!((found.1 as usize, found.5.as_deref()), (line + first_line - 1, Some(file)));
            }
        }
    }
}
