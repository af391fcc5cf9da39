//! Every pure op on values at the edges of its types, through the text form.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use interp::{Library, Outcome, Word, run};
use ir::{Native, Op, Phase};
use types::TypeTable;

/// `op immediates : operand types -> result types`, and rows `operands = results`; a row
/// `operands ! text` is an internal error that contains the text.
const TABLE: &[(&str, &[&str])] = &[
    ("iconst i1, 1 : -> i1", &["= true"]),
    ("iconst i1, -1 : -> i1", &["= true"]),
    ("iconst i1, 2 : -> i1", &["! does not fit"]),
    ("iconst i8, 255 : -> i8", &["= -1"]),
    ("iconst i8, -129 : -> i8", &["! does not fit"]),
    ("iconst i64, -9223372036854775808 : -> i64", &["= -9223372036854775808"]),
    ("iconst ptr, 0 : -> ptr", &["= 0x0"]),
    ("iconst ptr, 8 : -> ptr", &["! only 0"]),
    ("fconst f64, -0.0 : -> f64", &["= -0.0"]),
    ("fconst f64, 5e-324 : -> f64", &["= 5e-324"]),
    ("fconst f64, inf : -> f64", &["= inf"]),
    ("fconst f64, nan:7ff8000000000000 : -> f64", &["= nan"]),
    ("fconst f32, 0.1 : -> f32", &["= 0.1"]),
    ("fconst f32, 1e300 : -> f32", &["= inf"]),
    ("arg 0, a : i16 -> i16", &["-5 = -5"]),
    ("iadd : i8 i8 -> i8", &["127 1 = -128", "-128 -1 = 127", "3 4 = 7"]),
    ("iadd : i1 i1 -> i1", &["true true = false"]),
    ("iadd : i64 i64 -> i64", &["9223372036854775807 1 = -9223372036854775808"]),
    ("isub : i16 i16 -> i16", &["-32768 1 = 32767", "1 3 = -2"]),
    ("isub : i64 i64 -> i64", &["-9223372036854775808 1 = 9223372036854775807"]),
    ("imul : i8 i8 -> i8", &["-128 -1 = -128", "16 16 = 0", "-3 5 = -15"]),
    (
        "imul : i64 i64 -> i64",
        &[
            "-9223372036854775808 -9223372036854775808 = 0",
            "9223372036854775807 9223372036854775807 = 1",
            "4294967296 4294967296 = 0",
        ],
    ),
    (
        "sdiv : i32 i32 -> i32",
        &[
            "7 2 = 3",
            "-7 2 = -3",
            "7 -2 = -3",
            "-2147483648 1 = -2147483648",
            "1 0 ! divisor is 0",
            "-2147483648 -1 ! does not fit",
        ],
    ),
    ("sdiv : i64 i64 -> i64", &["-9223372036854775808 -1 ! does not fit"]),
    ("sdiv : i1 i1 -> i1", &["true true ! does not fit", "false true = false"]),
    ("udiv : i8 i8 -> i8", &["-1 2 = 127", "-1 -1 = 1", "1 0 ! divisor is 0"]),
    ("udiv : i64 i64 -> i64", &["-1 2 = 9223372036854775807"]),
    (
        "srem : i32 i32 -> i32",
        &["7 2 = 1", "-7 2 = -1", "7 -2 = 1", "1 0 ! divisor is 0", "-2147483648 -1 ! does not fit"],
    ),
    ("urem : i16 i16 -> i16", &["-1 256 = 255", "7 0 ! divisor is 0"]),
    ("iand : i8 i8 -> i8", &["-1 15 = 15", "-128 127 = 0"]),
    ("ior : i8 i8 -> i8", &["-128 127 = -1"]),
    ("ixor : i64 i64 -> i64", &["-1 9223372036854775807 = -9223372036854775808"]),
    ("ishl : i8 i8 -> i8", &["1 7 = -128", "-1 4 = -16", "1 8 ! not below", "1 -1 ! not below"]),
    (
        "ishl : i64 i64 -> i64",
        &["1 63 = -9223372036854775808", "-1 63 = -9223372036854775808", "1 64 ! not below"],
    ),
    ("sshr : i8 i8 -> i8", &["-128 7 = -1", "127 3 = 15", "1 8 ! not below"]),
    ("ushr : i8 i8 -> i8", &["-128 7 = 1", "-1 4 = 15", "1 8 ! not below"]),
    ("ushr : i64 i64 -> i64", &["-1 63 = 1", "-1 0 = -1"]),
    ("umulhi : i8 i8 -> i8", &["-1 -1 = -2", "16 16 = 1", "15 17 = 0"]),
    ("umulhi : i64 i64 -> i64", &["-1 -1 = -2", "4294967296 4294967296 = 1"]),
    ("clz : i8 -> i8", &["0 = 8", "1 = 7", "-1 = 0"]),
    ("clz : i64 -> i64", &["0 = 64", "4294967296 = 31"]),
    ("clz : i1 -> i1", &["false = true", "true = false"]),
    ("ctz : i16 -> i16", &["0 = 16", "-32768 = 15", "1 = 0"]),
    ("popcount : i32 -> i32", &["0 = 0", "-1 = 32", "-2147483648 = 1"]),
    ("sadd_overflow : i8 i8 -> i8 i1", &["127 1 = -128 true", "-128 -1 = 127 true", "100 27 = 127 false"]),
    ("sadd_overflow : i64 i64 -> i64 i1", &["-9223372036854775808 -1 = 9223372036854775807 true"]),
    (
        "smul_overflow : i32 i32 -> i32 i1",
        &["65536 32768 = -2147483648 true", "-65536 32768 = -2147483648 false"],
    ),
    (
        "smul_overflow : i64 i64 -> i64 i1",
        &[
            "-9223372036854775808 -1 = -9223372036854775808 true",
            "3037000500 3037000500 = -9223372036709301616 true",
            "3037000499 3037000499 = 9223372030926249001 false",
        ],
    ),
    ("icmp eq : i8 i8 -> i1", &["-1 -1 = true", "0 1 = false"]),
    ("icmp ne : i8 i8 -> i1", &["-1 -1 = false", "0 1 = true"]),
    ("icmp slt : i8 i8 -> i1", &["-128 127 = true", "1 1 = false"]),
    ("icmp sle : i8 i8 -> i1", &["1 1 = true", "2 1 = false"]),
    ("icmp sgt : i8 i8 -> i1", &["-128 127 = false", "2 1 = true"]),
    ("icmp sge : i8 i8 -> i1", &["1 1 = true", "-1 0 = false"]),
    ("icmp ult : i8 i8 -> i1", &["-128 127 = false", "0 -1 = true"]),
    ("icmp ule : i8 i8 -> i1", &["-1 -1 = true", "-1 0 = false"]),
    ("icmp ugt : i8 i8 -> i1", &["-128 127 = true", "0 0 = false"]),
    ("icmp uge : i8 i8 -> i1", &["0 0 = true", "0 -1 = false"]),
    ("icmp slt : i1 i1 -> i1", &["true false = true"]),
    ("icmp ult : ptr ptr -> i1", &["0x10 0xffffffffffffffff = true"]),
    (
        "fadd : f64 f64 -> f64",
        &["0.1 0.2 = 0.30000000000000004", "inf -inf = nan", "-0.0 -0.0 = -0.0", "-0.0 0.0 = 0.0"],
    ),
    ("fadd : f32 f32 -> f32", &["16777216.0 1.0 = 16777216.0"]),
    ("fsub : f64 f64 -> f64", &["0.0 0.0 = 0.0", "inf inf = nan", "1e308 -1e308 = inf"]),
    ("fmul : f64 f64 -> f64", &["0.0 inf = nan", "5e-324 0.5 = 0.0", "-1.0 0.0 = -0.0"]),
    (
        "fdiv : f64 f64 -> f64",
        &["1.0 0.0 = inf", "-1.0 0.0 = -inf", "0.0 0.0 = nan", "1.0 3.0 = 0.3333333333333333"],
    ),
    ("fdiv : f32 f32 -> f32", &["1.0 3.0 = 0.33333334"]),
    (
        "frem : f64 f64 -> f64",
        &[
            "5.5 2.0 = 1.5",
            "-5.5 2.0 = -1.5",
            "5.5 -2.0 = 1.5",
            "-4.0 2.0 = -0.0",
            "1.0 0.0 = nan",
            "inf 1.0 = nan",
            "1.0 inf = 1.0",
            "1e308 3.0 = 2.0",
            "1.0 5e-324 = 0.0",
        ],
    ),
    ("frem : f32 f32 -> f32", &["5.5 2.0 = 1.5"]),
    (
        "fma : f64 f64 f64 -> f64",
        &[
            "1.0000000000000002 1.0000000000000002 -1.0000000000000004 = 4.930380657631324e-32",
            "1e308 10.0 -inf = -inf",
            "inf 0.0 1.0 = nan",
        ],
    ),
    ("fma : f32 f32 f32 -> f32", &["4097.0 4097.0 -16785408.0 = 1.0"]),
    ("fneg : f64 -> f64", &["0.0 = -0.0", "inf = -inf"]),
    ("fneg : f32 -> f32", &["-0.0 = 0.0"]),
    ("fabs : f64 -> f64", &["-0.0 = 0.0", "-inf = inf"]),
    ("fsqrt : f64 -> f64", &["2.0 = 1.4142135623730951", "-0.0 = -0.0", "-1.0 = nan", "inf = inf"]),
    ("fsqrt : f32 -> f32", &["2.0 = 1.4142135"]),
    ("ffloor : f64 -> f64", &["-0.5 = -1.0", "2.7 = 2.0", "-0.0 = -0.0", "inf = inf"]),
    ("fceil : f64 -> f64", &["-0.5 = -0.0", "2.1 = 3.0", "4503599627370497.0 = 4503599627370497.0"]),
    ("ftrunc : f64 -> f64", &["-2.7 = -2.0", "2.7 = 2.0", "-0.3 = -0.0", "nan = nan"]),
    ("frint : f64 -> f64", &["0.5 = 0.0", "1.5 = 2.0", "2.5 = 2.0", "-0.5 = -0.0", "-2.5 = -2.0"]),
    ("frint : f32 -> f32", &["3.5 = 4.0"]),
    ("copysign : f64 f64 -> f64", &["3.0 -0.0 = -3.0", "-3.0 1.0 = 3.0", "-inf nan = inf"]),
    ("fcmp oeq : f64 f64 -> i1", &["0.0 -0.0 = true", "nan nan = false"]),
    ("fcmp une : f64 f64 -> i1", &["0.0 -0.0 = false", "nan nan = true", "1.0 nan = true"]),
    ("fcmp olt : f64 f64 -> i1", &["-inf inf = true", "1.0 nan = false"]),
    ("fcmp ole : f64 f64 -> i1", &["1.0 1.0 = true", "nan 1.0 = false"]),
    ("fcmp ogt : f64 f64 -> i1", &["2.0 1.0 = true", "nan 1.0 = false"]),
    ("fcmp oge : f64 f64 -> i1", &["1.0 1.0 = true", "1.0 nan = false"]),
    ("fcmp uno : f64 f64 -> i1", &["nan 1.0 = true", "1.0 nan = true", "1.0 2.0 = false"]),
    ("fcmp ord : f32 f32 -> i1", &["nan 1.0 = false", "1.0 2.0 = true"]),
    ("select : i1 f64 f64 -> f64", &["true 1.0 2.0 = 1.0", "false 1.0 2.0 = 2.0"]),
    ("sext i64 : i8 -> i64", &["-128 = -128", "127 = 127"]),
    ("sext i8 : i1 -> i8", &["true = -1", "false = 0"]),
    ("zext i64 : i8 -> i64", &["-1 = 255"]),
    ("zext i8 : i1 -> i8", &["true = 1"]),
    ("zext i64 : i32 -> i64", &["-1 = 4294967295"]),
    ("trunc i8 : i64 -> i8", &["511 = -1", "256 = 0"]),
    ("trunc i1 : i8 -> i1", &["2 = false", "-1 = true"]),
    (
        "sint_to_float f64 : i64 -> f64",
        &["9007199254740993 = 9007199254740992.0", "-9223372036854775808 = -9.223372036854775808e18"],
    ),
    ("sint_to_float f64 : i1 -> f64", &["true = -1.0"]),
    // By way of a double this would round twice and give 9007199791611904.
    ("sint_to_float f32 : i64 -> f32", &["9007199791611905 = 9007200328482816.0"]),
    ("uint_to_float f64 : i64 -> f64", &["-1 = 18446744073709551616.0"]),
    ("uint_to_float f32 : i8 -> f32", &["-1 = 255.0"]),
    (
        "float_to_sint i64 : f64 -> i64",
        &[
            "-2.9 = -2",
            "1e300 = 9223372036854775807",
            "-inf = -9223372036854775808",
            "nan = 0",
            "9223372036854775807.0 = 9223372036854775807",
        ],
    ),
    (
        "float_to_sint_or_min i64 : f64 -> i64",
        &[
            "-2.9 = -2",
            "9007199254740993.0 = 9007199254740992",
            "9223372036854775808.0 = -9223372036854775808",
            "nan = -9223372036854775808",
        ],
    ),
    ("float_to_sint_or_min i64 : f32 -> i64", &["2.5 = 2", "-inf = -9223372036854775808"]),
    ("float_to_sint i8 : f32 -> i8", &["200.0 = 127", "-129.0 = -128", "-0.9 = 0"]),
    ("float_to_sint i1 : f64 -> i1", &["1.0 = false", "-1.0 = true", "-7.0 = true"]),
    (
        "float_to_uint i64 : f64 -> i64",
        &["-1.0 = 0", "inf = -1", "nan = 0", "18446744073709549568.0 = -2048"],
    ),
    ("float_to_uint i8 : f64 -> i8", &["255.9 = -1", "256.0 = -1", "2.9 = 2"]),
    ("float_to_uint i1 : f64 -> i1", &["1.0 = true", "9.0 = true", "0.9 = false"]),
    ("fpext f64 : f32 -> f64", &["0.1 = 0.10000000149011612", "-inf = -inf", "nan = nan"]),
    ("fptrunc f32 : f64 -> f32", &["0.1 = 0.1", "1e300 = inf", "1e-300 = 0.0", "16777217.0 = 16777216.0"]),
    (
        "half_to_float f32 : i16 -> f32",
        &["15360 = 1.0", "-1024 = -inf", "32256 = nan", "1 = 5.960464477539063e-8"],
    ),
    (
        "float_to_half i16 : f32 -> i16",
        &["1.0 = 15360", "1.00048828125 = 15360", "65519.0 = 31743", "65520.0 = 31744", "-0.0 = -32768"],
    ),
    ("bitcast i64 : f64 -> i64", &["-0.0 = -9223372036854775808", "1.0 = 4607182418800017408"]),
    ("bitcast f32 : i32 -> f32", &["1065353216 = 1.0", "2139095041 = nan"]),
    ("bitcast ptr : i64 -> ptr", &["-1 = 0xffffffffffffffff"]),
    ("ptr_add : ptr i64 -> ptr", &["0x10 -1 = 0xf", "0x0 -1 = 0xffffffffffffffff"]),
];

fn native(text: &str) -> Native {
    *Native::ALL.iter().find(|n| n.text() == text).unwrap_or_else(|| panic!("{text} is no type"))
}

fn word(ty: Native, text: &str) -> Word {
    let int = || text.parse::<i128>().unwrap_or_else(|e| panic!("{text}: {e}"));
    match ty {
        Native::I1 => Word::I1(text == "true"),
        Native::F32 => Word::F32(text.parse().unwrap()),
        Native::F64 => Word::F64(text.parse().unwrap()),
        Native::Ptr => Word::Ptr(u64::from_str_radix(&text[2..], 16).unwrap()),
        ty => Word::from_bits(ty, int() as u64),
    }
}

fn text_of(op: &str, params: &[Native], results: &[Native]) -> String {
    let list = |words: Vec<String>| words.join(", ");
    let mut text = format!(
        "function explicit \"t\" file \"t.py\" line 1 ({}) -> {} {{\nblock0 @0:\n",
        list((0..params.len()).map(|i| format!("p{i}")).collect()),
        list(results.iter().map(|r| r.text().into()).collect()),
    );
    for (i, ty) in params.iter().enumerate() {
        text += &format!("    %p{i}.0: {} = arg {i}, p{i}\n", ty.text());
    }
    let bare = op.starts_with("arg");
    let separator = if op.contains(' ') { ", " } else { " " };
    let args = list((0..params.len()).map(|i| format!("%p{i}.0")).collect());
    let defs = list(results.iter().enumerate().map(|(i, r)| format!("%{i}: {}", r.text())).collect());
    let args = if bare || params.is_empty() { String::new() } else { format!("{separator}{args}") };
    let values = list((0..results.len()).map(|i| format!("%{i}")).collect());
    text + &format!("    {defs} = {op}{args} @ 3:4-9\n    return {values}\n}}\n")
}

fn check_row(text: &str, params: &[Native], results: &[Native], row: &str) {
    let func = ir::parse(text, &TypeTable::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (given, expected) = row.split_once(['=', '!']).unwrap();
    let words = |types: &[Native], text: &str| -> Vec<Word> {
        let texts: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(texts.len(), types.len(), "{row}");
        types.iter().zip(texts).map(|(&ty, text)| word(ty, text)).collect()
    };
    let outcome = run(&func, &words(params, given), &Library::default());
    if row.contains('!') {
        let error = outcome.expect_err(row).to_string();
        assert!(error.contains(expected.trim()) && error.contains("at 3:4-9 of `t`"), "{row}: {error}");
        return;
    }
    let Outcome::Returned(found) = outcome.unwrap_or_else(|e| panic!("{row}: {e}")) else {
        panic!("{row} failed")
    };
    for (found, expected) in found.iter().zip(words(results, expected)) {
        let same = *found == expected || found.is_nan() && expected.is_nan() && found.ty() == expected.ty();
        assert!(same, "{text}{row}: found {found}");
    }
    assert_eq!(found.len(), results.len(), "{row}");
}

#[test]
fn pure_ops_give_what_the_table_says() {
    for (head, rows) in TABLE {
        let (op, signature) = head.rsplit_once(" :").unwrap();
        let (params, results) = signature.split_once("->").unwrap();
        let natives = |text: &str| text.split_whitespace().map(native).collect::<Vec<_>>();
        let (params, results) = (natives(params), natives(results));
        let text = text_of(op.trim(), &params, &results);
        rows.iter().for_each(|row| check_row(&text, &params, &results, row));
    }
}

/// Ops that the table has no row for are run by `control.rs` and `memory.rs`.
#[test]
fn every_op_of_the_explicit_phase_is_covered() {
    let other = [include_str!("control.rs"), include_str!("memory.rs")].concat();
    for op in Op::ALL.iter().filter(|op| op.info().phases.contains(&Phase::Explicit)) {
        let name = op.info().name;
        let in_table = TABLE.iter().any(|(head, _)| head.split_whitespace().next() == Some(name));
        let words = |c: char| !c.is_alphanumeric() && c != '_';
        assert!(in_table || other.split(words).any(|word| word == name), "no test runs `{name}`");
    }
}

/// Only the sign changes, of a NaN too.
#[test]
fn sign_ops_keep_the_bits_of_a_nan() {
    let text = text_of("fneg", &[Native::F64], &[Native::F64]);
    let func = ir::parse(&text, &TypeTable::default()).unwrap();
    let nan = Word::F64(f64::from_bits(0x7ff8_0000_0000_1234));
    let outcome = run(&func, &[nan], &Library::default()).unwrap();
    assert_eq!(outcome, Outcome::Returned(vec![Word::F64(f64::from_bits(0xfff8_0000_0000_1234))]));
}
