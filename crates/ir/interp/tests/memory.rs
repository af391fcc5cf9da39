//! Stack slots, loads and stores, and what the sandbox refuses.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{call, function, refuse};
use interp::{Library, Machine, Outcome, Word};

#[test]
fn words_of_every_type_are_stored_and_loaded() {
    let rows = [
        ("i1", Word::I1(true)),
        ("i8", Word::I8(-128)),
        ("i16", Word::I16(i16::MIN)),
        ("i32", Word::I32(i32::MAX)),
        ("i64", Word::I64(i64::MIN)),
        ("f32", Word::F32(-0.0)),
        ("f64", Word::F64(5e-324)),
        ("ptr", Word::Ptr(u64::MAX)),
    ];
    for (ty, word) in rows {
        for (store, load, offset) in [("store", "load", 8), ("store_unaligned", "load_unaligned", 3)] {
            let func = function(
                "f",
                &format!("(a) -> {ty}"),
                &format!(
                    "block0:
                %a.0: {ty} = arg 0, a
                %0: ptr = stack_slot 16
                {store} {offset}, %0, %a.0
                %1: {ty} = {load} {ty}, {offset}, %0
                return %1"
                ),
            );
            assert_eq!(call(&func, &[word]), Ok(Outcome::Returned(vec![word])));
        }
    }
}

#[test]
fn a_slot_that_debuggers_know_is_as_it_was() {
    let func = function(
        "f",
        "(a) -> i64",
        "block0:
        %a.0: i64 = arg 0, a
        %0: ptr = stack_slot 8
        store 0, %0, %a.0
        declare_variable 0, %0
        %1: i64 = load i64, 0, %0
        return %1",
    );
    assert_eq!(call(&func, &[Word::I64(7)]), Ok(Outcome::Returned(vec![Word::I64(7)])));
}

#[test]
fn atomic_ops_give_what_was_there() {
    for (op, behind) in [("atomic_add", 107), ("atomic_exchange", 7), ("atomic_cas", 100)] {
        let func = function(
            "f",
            "(a, b) -> i8, i8",
            &format!(
                "block0:
            %a.0: i8 = arg 0, a
            %b.0: i8 = arg 1, b
            %0: ptr = stack_slot 1
            store 0, %0, %a.0
            %1: i8 = {op} %0, %b.0{}
            %2: i8 = load i8, 0, %0
            return %1, %2",
                if op == "atomic_cas" { ", %b.0" } else { "" }
            ),
        );
        let given = Outcome::Returned(vec![Word::I8(100), Word::I8(behind)]);
        assert_eq!(call(&func, &[Word::I8(100), Word::I8(7)]), Ok(given));
    }
}

#[test]
fn a_slot_has_one_address_within_an_activation() {
    let func = function(
        "f",
        "() -> i1, i1, i64",
        "block0:
        %0: i1 = iconst i1, 1
        %1: i1 = iconst i1, 0
        %2: ptr = iconst ptr, 0
        %3: i64 = iconst i64, 16
        jump block1(%2, %0)
    block1(%p.0: ptr, %c.0: i1):
        %4: ptr = stack_slot 4
        %5: ptr = stack_slot 4
        branch %c.0, block1(%4, %1), block2
    block2:
        %6: i1 = icmp eq, %4, %p.0
        %7: i1 = icmp eq, %4, %5
        %8: i64 = bitcast i64, %4
        %9: i64 = urem %8, %3
        return %6, %7, %9",
    );
    let words = vec![Word::I1(true), Word::I1(false), Word::I64(0)];
    assert_eq!(call(&func, &[]), Ok(Outcome::Returned(words)));
}

#[test]
fn bytes_are_little_endian_and_may_be_read_apart() {
    let func = function(
        "f",
        "(a) -> i8, i8",
        "block0:
        %a.0: i32 = arg 0, a
        %0: ptr = stack_slot 4
        %1: i64 = iconst i64, 3
        store 0, %0, %a.0
        %2: i8 = load i8, 0, %0
        %3: ptr = ptr_add %0, %1
        %4: i8 = load i8, 0, %3
        return %2, %4",
    );
    let outcome = call(&func, &[Word::I32(0x0102_0304)]);
    assert_eq!(outcome, Ok(Outcome::Returned(vec![Word::I8(4), Word::I8(1)])));
}

/// A function that loads an i32 after `before`.
fn load_after(size: u64, before: &str, offset: i64) -> ir::Function {
    function(
        "f",
        "() -> i32",
        &format!(
            "block0:
        %0: ptr = stack_slot {size}
        %1: i32 = iconst i32, 515
        {before}
        %2: i32 = load i32, {offset}, %0
        return %2"
        ),
    )
}

#[test]
fn accesses_outside_of_an_allocation_are_refused() {
    refuse(&load_after(8, "", 0), &[], "not all of the 4 bytes");
    refuse(&load_after(8, "store 0, %0, %1", 1), &[], "not all of the 4 bytes");
    refuse(&load_after(8, "", 5), &[], "not inside of an allocation");
    refuse(&load_after(8, "", -1), &[], "not inside of an allocation");
    refuse(&load_after(8, "store 6, %0, %1", 0), &[], "not inside of an allocation");
    refuse(&load_after(0, "", 0), &[], "not inside of an allocation");
    refuse(&load_after(1 << 62, "", 0), &[], "above the limit");
    let null = "block0:\n %0: ptr = iconst ptr, 0\n %1: i8 = load i8, 0, %0\n return";
    refuse(&function("f", "()", null), &[], "not inside of an allocation");
    let truth = "block0:\n %0: ptr = stack_slot 4\n %1: i8 = iconst i8, 2\n store 0, %0, %1
        %2: i1 = load i1, 0, %0\n return";
    refuse(&function("f", "()", truth), &[], "no truth value");
}

#[test]
fn a_slot_ends_with_its_activation() {
    let leak = function(
        "leak",
        "() -> ptr",
        "block0:
        %0: ptr = stack_slot 8
        store 0, %0, %0
        return %0",
    );
    let uses = function(
        "uses",
        "() -> ptr",
        "fn0 = external \"leak\" () -> ptr
    block0:
        %0: ptr = call_external fn0
        %1: ptr = load ptr, 0, %0
        return %1",
    );
    let error = interp::run(&uses, &[], &Library::new([leak])).unwrap_err().message;
    assert!(error.contains("not inside of an allocation"), "{error}");
}

#[test]
fn the_caller_prepares_memory_and_looks_at_it_afterwards() {
    let func = function(
        "f",
        "(a)",
        "block0:
        %a.0: ptr = arg 0, a
        %0: f64 = load f64, 0, %a.0
        %1: f64 = fadd %0, %0
        store 8, %a.0, %1
        return",
    );
    let env = Library::default();
    let mut machine = Machine::new(&env);
    let array = machine.space.memory.allocate(16).unwrap();
    machine.space.memory.store(array, Word::F64(1.5)).unwrap();
    assert_eq!(machine.run(&func, &[Word::Ptr(array)]), Ok(Outcome::Returned(vec![])));
    assert_eq!(machine.space.memory.load(ir::Native::F64, array + 8), Ok(Word::F64(3.0)));
}

#[test]
fn a_block_lives_as_long_as_somebody_refers_to_it() {
    let func = function(
        "f",
        "(size) -> i64",
        "block0:
        %size.0: i64 = arg 0, size
        %0: i64 = iconst i64, 0
        %4: i64 = iconst i64, 1
        %1: ptr = alloc %size.0, %4
        %2: i64 = bitcast i64, %1
        incref %2
        take_ref %2
        give_ref %2
        decref %2
        %3: i64 = load i64, 64, %1
        decref %2
        null_ref %0
        return %3",
    );
    let library = Library::default();
    let mut machine = Machine::new(&library);
    assert_eq!(machine.run(&func, &[Word::I64(8)]).unwrap(), Outcome::Returned(vec![Word::I64(0)]));
    assert_eq!(machine.space.blocks_held(), 0);
}
