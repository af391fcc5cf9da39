//! Control flow, statuses, calls and limits.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{call, function, refuse};
use interp::{Library, Limits, Machine, Outcome, Word};

fn sum() -> ir::Function {
    function(
        "sum",
        "(n) -> i64",
        "block0:
        %n.0: i64 = arg 0, n
        %0: i64 = iconst i64, 0
        %1: i64 = iconst i64, 1
        jump block1(%0, %0)
    block1(%i.0: i64, %s.0: i64):
        %2: i1 = icmp slt, %i.0, %n.0
        branch %2, block2, block3
    block2:
        %3: i64 = iadd %s.0, %i.0
        %4: i64 = iadd %i.0, %1
        jump block1(%4, %3)
    block3:
        return %s.0",
    )
}

fn div() -> ir::Function {
    function(
        "div",
        "(a, b) -> i64 fails",
        "site0 = raises ZeroDivisionError \"division by zero\" @ 8:11-16
    block0:
        %a.0: i64 = arg 0, a
        %b.0: i64 = arg 1, b
        %0: i64 = iconst i64, 0
        %1: i1 = icmp eq, %b.0, %0
        branch %1, block1, block2
    block1:
        %2: i64 = site_status site0
        fail %2
    block2:
        %3: i64 = sdiv %a.0, %b.0
        return %3",
    )
}

fn ints(values: &[i64]) -> Vec<Word> {
    values.iter().map(|&value| Word::I64(value)).collect()
}

#[test]
fn no_signals_come() {
    let looks = function(
        "looks",
        "() -> i8, i1",
        "site0 = raises Exception payload \"!\" @ 8:11-16
    block0:
        poll_out_of_line site0
        %0: ptr = poll_flag
        %1: i8 = load_volatile i8, 0, %0
        %2: i1 = poll
        return %1, %2",
    );
    assert_eq!(call(&looks, &[]), Ok(Outcome::Returned(vec![Word::I8(0), Word::I1(false)])));
}

#[test]
fn a_loop_runs() {
    assert_eq!(call(&sum(), &ints(&[1000])), Ok(Outcome::Returned(ints(&[499500]))));
}

#[test]
fn parameters_are_assigned_at_once() {
    let swap = function(
        "swap",
        "(a, b) -> i64, i64",
        "block0:
        %a.0: i64 = arg 0, a
        %b.0: i64 = arg 1, b
        %0: i1 = iconst i1, 1
        %1: i1 = iconst i1, 0
        jump block1(%a.0, %b.0, %0)
    block1(%x.0: i64, %y.0: i64, %c.0: i1):
        branch %c.0, block1(%y.0, %x.0, %1), block2
    block2:
        return %x.0, %y.0",
    );
    assert_eq!(call(&swap, &ints(&[1, 2])), Ok(Outcome::Returned(ints(&[2, 1]))));
}

#[test]
fn a_failure_says_where() {
    let div = div();
    assert_eq!(call(&div, &ints(&[7, 2])), Ok(Outcome::Returned(ints(&[3]))));
    let library = Library::default();
    let mut machine = Machine::new(&library);
    let Ok(Outcome::Failed(status)) = machine.run(&div, &ints(&[7, 0])) else { panic!("it returned") };
    let site = machine.space.site_of(status).unwrap();
    assert_eq!(site.class.name(), "ZeroDivisionError");
    assert_eq!(site.message.as_deref(), Some("division by zero"));
    assert_eq!(site.span.to_string(), "8:11-16");
}

/// Calls `div` and catches its failure, or passes it on.
fn caller(name: &str, failed: &str) -> ir::Function {
    function(
        name,
        "(a, b) -> i64 fails",
        &format!(
            "fn0 = external \"div\" (i64, i64) -> i64, i64
    block0:
        %a.0: i64 = arg 0, a
        %b.0: i64 = arg 1, b
        %0: i64 = iconst i64, 0
        %1: i64, %2: i64 = call_external fn0, %a.0, %b.0
        %3: i1 = icmp ne, %1, %0
        branch %3, block1, block2
    block1:
        {failed}
    block2:
        return %2"
        ),
    )
}

#[test]
fn statuses_travel_through_calls() {
    let library = Library::new([div()]);
    let outcome = |func: &ir::Function, args: &[i64]| interp::run(func, &ints(args), &library);
    let passes = caller("passes", "fail %1");
    assert_eq!(outcome(&passes, &[9, 2]), Ok(Outcome::Returned(ints(&[4]))));
    let mut machine = Machine::new(&library);
    let Ok(Outcome::Failed(status)) = machine.run(&passes, &ints(&[9, 0])) else { panic!("it returned") };
    assert_eq!(machine.space.site_of(status).unwrap().span.line, 8);
    let catches = caller("catches", "return %0");
    assert_eq!(outcome(&catches, &[9, 0]), Ok(Outcome::Returned(ints(&[0]))));
    // The results of a call that failed must not be looked at.
    let looks = caller("looks", "return %2");
    assert!(outcome(&looks, &[9, 0]).unwrap_err().message.contains("which is undefined"));
}

#[test]
fn what_the_lowering_must_not_do_is_refused() {
    let body = "block0:\n %0: i64 = iconst i64, 1\n fail %0";
    refuse(&function("f", "() -> i64 fails", body), &[], "status of no site");
    refuse(&function("f", "()", "block0:\n unreachable"), &[], "was reached");
    let body = "block0:\n %0: i64 = iconst i64, 1\n %1: i64 = suspend %0\n return";
    refuse(&function("f", "()", body), &[], "runs once the generator is split at it");
    refuse(&sum(), &[], "takes 1 arguments, 0 were given");
    refuse(&sum(), &[Word::I32(1)], "argument 0 is i64 by the function, i32 by its caller");
    let body = "fn0 = external \"nowhere\" () -> i64\nblock0:\n %0: i64 = call_external fn0\n return %0";
    refuse_unknown(&function("f", "() -> i64", body), &[], "nowhere");
    let wrong = function(
        "f",
        "()",
        "fn0 = external \"div\" (i64, i64) -> i64
    block0:
        %0: i64 = iconst i64, 1
        %1: i64 = call_external fn0, %0, %0
        return",
    );
    let error = interp::run(&wrong, &[], &Library::new([div()])).unwrap_err().message;
    assert!(error.contains("other results than its declaration"), "{error}");
}

#[test]
fn functions_of_the_c_library_are_called() {
    let func = function(
        "f",
        "(x, y) -> f64, f32",
        "fn0 = external pure \"pow\" (f64, f64) -> f64
    fn1 = external pure \"sinf\" (f32) -> f32
    block0:
        %x.0: f64 = arg 0, x
        %y.0: f64 = arg 1, y
        %0: f64 = call_external fn0, %x.0, %y.0
        %1: f32 = fptrunc f32, %x.0
        %2: f32 = call_external fn1, %1
        return %0, %2",
    );
    let words = vec![Word::F64(2f64.powf(0.5)), Word::F32(2f32.sin())];
    assert_eq!(call(&func, &[Word::F64(2.0), Word::F64(0.5)]), Ok(Outcome::Returned(words)));
}

#[test]
fn limits_end_with_an_error() {
    let endless = function("f", "()", "block0:\n jump block1\nblock1:\n jump block1");
    let env = Library::default();
    let mut machine = Machine::with_limits(&env, Limits { steps: 1000, ..Limits::default() });
    let error = machine.run(&endless, &[]).unwrap_err().message;
    assert!(error.contains("out of fuel after 1000 steps"), "{error}");

    let deep = function("deep", "()", "fn0 = external \"deep\" () -> \nblock0:\n call_external fn0\n return");
    let env = Library::new([deep.clone()]);
    let error = interp::run(&deep, &[], &env).unwrap_err().message;
    assert!(error.contains("more than 10000 activations"), "{error}");
}

#[test]
fn functions_are_called_by_their_address() {
    let caller = function(
        "caller",
        "(a, b) -> i64, i64",
        "fn0 = external \"div\" () ->
        fn1 = external \"\" (i64, i64) -> i64, i64
    block0:
        %a.0: i64 = arg 0, a
        %b.0: i64 = arg 1, b
        %0: ptr = address_of fn0
        %1: i64, %2: i64 = call_indirect fn1, %0, %a.0, %b.0
        %3: i64 = iconst i64, 0
        %4: i1 = icmp eq, %1, %3
        %5: i64 = select %4, %2, %3
        %6: i64 = select %4, %3, %a.0
        return %5, %6",
    );
    let library = Library::new([div()]);
    let mut machine = Machine::new(&library);
    assert_eq!(machine.run(&caller, &ints(&[42, 6])).unwrap(), Outcome::Returned(ints(&[7, 0])));
    assert_eq!(machine.run(&caller, &ints(&[42, 0])).unwrap(), Outcome::Returned(ints(&[0, 42])));
    refuse_unknown(&caller, &ints(&[1, 1]), "div");
}

/// Asserts that a call is refused because it calls a function that nobody knows.
fn refuse_unknown(func: &ir::Function, args: &[Word], name: &str) {
    let error = call(func, args).expect_err(name);
    assert!(error.contains(&format!("nothing is known of `{name}`")), "{error}");
}
