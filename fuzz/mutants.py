"""Seeds bugs into the compiler, one at a time, and counts how many the differential tester finds.

    .venv/bin/python fuzz/mutants.py                     all of them; half an hour on two cores
    .venv/bin/python fuzz/mutants.py "shift" "llvm"      those whose kind of programs, place or description contains a word

The committed state is built in a copy, `target/mutants`. A tester that finds fewer than 19 of 20 has a hole.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.differential.objects.campaign import IN_TESTS  # noqa: E402

COPY = ROOT / "target" / "mutants"

BUILTINS, LLVM, CATALOG = "crates/library/builtins/src/", "crates/backend/llvm/src/", "crates/sema/catalog/src/"
FRONTEND, INFER = "crates/frontend/src/", "crates/sema/infer/src/"

# Where the bug is, what is wrong then, file, the text there, the text instead.
MUTANTS = (
    # Reading bytecode.
    ("frontend", "a name that may be unbound is read without a check", FRONTEND + "locals.rs",
     "if !r.is_tracked(local) || r.bound(local) == r.truth(true) {", "if true {"),
    ("frontend", "a name is unbound on one path only if all say so", FRONTEND + "definite_assignment.rs", "*word &= also;", "*word |= also;"),
    ("frontend", "unpacking gives the items from behind", FRONTEND + "translate.rs",
     "r.stack.extend(items.into_iter().rev().map(Slot::value));", "r.stack.extend(items.into_iter().map(Slot::value));"),
    ("frontend", "`is None` jumps as `is not None` does", FRONTEND + "translate.rs",
     "let condition = r.b.untyped(ir::Op::IsNone, [], &[value]);\n    Ok(Ended::Branch { condition, jump_if })",
     "let condition = r.b.untyped(ir::Op::IsNone, [], &[value]);\n    Ok(Ended::Branch { condition, jump_if: !jump_if })"),
    # Types.
    ("types", "an unsigned and a signed integer meet in the width of one", "crates/ir/types/src/unify.rs",
     "unsigned.saturating_mul(2)", "unsigned.saturating_mul(1)"),
    ("types", "a single and an integer of 32 bits meet in a single", "crates/ir/types/src/unify.rs",
     "is_none_or(|(bits, _)| bits <= 16)", "is_none_or(|(bits, _)| bits <= 32)"),
    ("infer", "minus of a literal is the literal", INFER + "ops.rs",
     "Ok(vec![Some(types.literal_int(-value))])", "Ok(vec![Some(types.literal_int(value))])"),
    ("infer", "results of early returns do not count", INFER + "solver/visit.rs",
     "solver.result = Some(joined);", "solver.result = solver.result.or(Some(joined));"),
    ("conversions", "NaN is false", CATALOG + "cast.rs",
     "_ if from.is_float() => Some(emit.b.fcmp(FloatCond::Ne, value.value(), zero)),",
     "_ if from.is_float() => { let size = emit.b.like_first(Op::Fabs, &[value.value()]); "
     "Some(emit.b.fcmp(FloatCond::Gt, size, zero)) }"),
    ("conversions", "unsigned integers become floats as signed ones", CATALOG + "cast.rs",
     "(false, true) => Op::UintToFloat,", "(false, true) => Op::SintToFloat,"),
    ("conversions", "an Optional is opened without a look", CATALOG + "cast.rs",
     "let absent = emit.b.icmp(IntCond::Ne, value.parts[0], yes);", "let absent = emit.b.icmp(IntCond::Ne, yes, yes);"),
    # Lowering.
    ("lowering", "complex constants have their parts swapped", "crates/middle/lower/src/constants.rs",
     "parts.extend([*re, *im].map(", "parts.extend([*im, *re].map("),
    ("lowering", "an index from the end is one too low", "crates/middle/lower/src/ops.rs",
     "let at = if index < 0 { index + elements.len() as i64 } else { index };",
     "let at = if index < 0 { (index + elements.len() as i64 - 1).max(0) } else { index };"),
    ("lowering", "an exception's words overlap", "crates/middle/lower/src/raise.rs",
     "l.emit.b.store(payload, 8 * index as i64, word);", "l.emit.b.store(payload, 4 * index as i64, word);"),
    # Builtins.
    ("builtins", "floor division rounds toward zero where signs differ", BUILTINS + "division.rs",
     "let differ = emit.b.icmp(IntCond::Slt, signs, zero);", "let differ = emit.b.icmp(IntCond::Sgt, signs, zero);"),
    ("builtins", "true division rounds twice between 2**53 and 2**60", BUILTINS + "division.rs",
     "const LIMIT: i64 = 1 << 53;", "const LIMIT: i64 = 1 << 60;"),
    ("builtins", "a float remainder of zero has the dividend's sign", BUILTINS + "division.rs",
     "let signed_zero = emit.b.like_first(Op::Copysign, &[zero, y]);",
     "let signed_zero = emit.b.like_first(Op::Copysign, &[zero, x]);"),
    ("builtins", "a left shift by a large count is one by 63", BUILTINS + "bitwise.rs",
     "let value = or_zero(emit, large, shifted);\n    single(args[0].ty, value)\n}\n\nfn shift_right",
     "let _ = large;\n    single(args[0].ty, shifted)\n}\n\nfn shift_right"),
    ("builtins", "an integer power forgets its last squaring", BUILTINS + "power.rs",
     "emit.b.like_first(Op::Imul, &[square, square]);", "emit.b.like_first(Op::Imul, &[square, one]);"),
    ("builtins", "2.0**63 equals the largest integer", BUILTINS + "compare.rs",
     "emit.b.fcmp(FloatCond::Eq, self.error, zero)", "emit.b.fcmp(FloatCond::Eq, zero, zero)"),
    ("builtins", "int() of 2.0**63 is no error", BUILTINS + "rounding.rs",
     "let beyond = emit.b.fcmp(FloatCond::Ne, rounded, least);", "let beyond = emit.b.fcmp(FloatCond::Lt, rounded, least);"),
    ("builtins", "a range of an inexact number of steps is one short", BUILTINS + "range.rs",
     "let all = emit.b.like_first(Op::Iadd, &[steps, one]);", "let all = emit.b.like_first(Op::Iadd, &[steps, zero]);"),
    ("builtins", "abs of an integer is negative", BUILTINS + "arithmetic.rs",
     "let negative = emit.b.icmp(IntCond::Slt, value, zero);", "let negative = emit.b.icmp(IntCond::Sgt, value, zero);"),
    # Machine code and the interpreter.
    ("llvm", "< of floats holds for NaN", LLVM + "ops.rs", "FloatCond::Lt => FloatPredicate::OLT",
     "FloatCond::Lt => FloatPredicate::ULT"),
    ("llvm", "right shifts are unsigned", LLVM + "ops.rs", "Op::Sshr => InstructionOpcode::AShr",
     "Op::Sshr => InstructionOpcode::LShr"),
    ("llvm", "truth values widen with their sign", LLVM + "ops.rs", "Op::Zext => InstructionOpcode::ZExt",
     "Op::Zext => InstructionOpcode::SExt"),
    ("interpreter", "unsigned comparisons are signed", "crates/ir/interp/src/ints.rs", "IntCond::Ult => ua < ub,",
     "IntCond::Ult => sa < sb,"),
    # Between Python and compiled code.
    ("dispatch", "an int16 arrives without its high byte", "crates/runtime/python_rt/src/plan/scalars.rs",
     "ScalarContent::Int16 => i64::from(*value.cast::<i16>()) as u64,", "ScalarContent::Int16 => i64::from(*value.cast::<i8>()) as u64,"),
    ("dispatch", "integers above 2**63 leave negative", "crates/runtime/python_rt/src/plan/boxing.rs",
     "Boxing::UInt64 => ffi::PyLong_FromUnsignedLongLong(*words),", "Boxing::UInt64 => ffi::PyLong_FromLongLong(*words as i64),"),
    ("dispatch", "an int that is near the limit is read from one digit", "crates/runtime/python_rt/src/values/int_object.rs",
     "(size.unsigned_abs() < 2).then(", "(size.unsigned_abs() < 3).then("),
)

# Bugs that numbers alone do not show: before them, the kind of programs that shows them (`tests/differential/objects`).
OBJECT_MUTANTS = (
    ("containers", "lowering", "tuples are iterated over without conversion of what is constant in their types", BUILTINS + "iterators.rs",
     "    let tuple = as_uniform(types, tuple)?;\n    let result = types.intern(TypeData::Iterator(tuple));\n"
     "    let emit: catalog::EmitFn = |emit, args| iterate",
     "    as_uniform(types, tuple)?;\n    let result = types.intern(TypeData::Iterator(tuple));\n"
     "    let emit: catalog::EmitFn = |emit, args| iterate"),
    ("containers", "border", "inner containers of arguments are not counted where they stand", "crates/runtime/python_rt/src/plan/layout.rs",
     "counted => rt::incref(counted),", "counted => { let _ = counted; }"),
    ("containers", "border", "an object that is passed twice becomes two", "crates/runtime/python_rt/src/plan/conversions.rs",
     "if copy.ty == ty {", "if false && copy.ty == ty {"),
    ("leaving", "lowering", "a loop whose body always leaves keeps its iterator where there was no item", "crates/middle/lower/src/ops.rs",
     "l.release_dying(next, &data.results);", ""),
    ("arrays", "arrays", "an array that is changed in place joins the expression that made it", "crates/library/arrays/src/elementwise/fusion.rs",
     "self.first.contains(&value) || self.out == Some(value)",
     "self.first.contains(&value) && self.out == Some(value) && false"),
    ("arrays", "builtins", "an array is not itself where containers look for it", BUILTINS + "equality.rs",
     "let same = same_array(emit, a, b);", "let same = { let _ = same_array(emit, a, b); emit.b.bool(false) };"),
    ("arrays", "arrays", "an array of several items has the truth of its first", "crates/library/arrays/src/truth.rs",
     "emit.raise_if(several, ValueError, SEVERAL);", "let _ = several;"),
    ("meetings", "infer", "containers that meet in an operation stay what they are", INFER + "solver/joins.rs",
     "if !require_type(solver, value, param) {\n            return Err(diagnostics::cannot_grow(solver, inst, value, param));\n        }\n"
     "        settled = false;", "let _ = (value, param, &mut settled);"),
    ("functions", "infer", "a function that another one captures is returned with its cells", INFER + "calls/captures.rs",
     "let frozen = freeze_within(solver, block, content, open)?;", "let frozen = Some(content);"),
    ("iterators", "lowering", "iterators of one place share their state", "crates/middle/lower/src/iterator_escape.rs",
     "if live.contains(&value) || self.shared.contains(&value) {", "if self.shared.contains(&value) {"),
    ("iterators", "lowering", "an iterator that functions share keeps its state in the frame", "crates/middle/lower/src/iterator_escape.rs",
     "if live.contains(&value) || self.shared.contains(&value) {", "if live.contains(&value) {"),
    ("optional arrays", "builtins", "an array that may be None equals something or not", BUILTINS + "equality.rs",
     "(types.unliteral(found) == Type::BOOL).then(", "(types.unliteral(found) != Type::NONE).then("),
    ("options", "builtins", "what may be None is true if it is there", BUILTINS + "truthiness.rs",
     "let value = both_if_present(emit, present, inner, |emit| {", "let value = both_if_present(emit, present, inner, |emit| {\n"
     "        if true { return Ok(emit.b.bool(true)); }"),
)

# The seed and the number of programs of kinds that `make test` does not run.
ALONE = 51, 200

# What `make test` runs, in the same order of kinds; this many programs of each first, then all.
KINDS = ((1, 7000, ()), (2, 4000, ("--calls",)), (3, 6000, ("--complex",)), (4, 3000, ("--calls", "--complex")))
FIRST = 400


def copy():
    """The committed state, in a folder of its own whose build is kept."""
    if COPY.exists():
        subprocess.run(["git", "fetch", "-q", "origin"], cwd=COPY, check=True)
        subprocess.run(["git", "reset", "-q", "--hard", "origin/HEAD"], cwd=COPY, check=True)
    else:
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(COPY)], check=True)
    if not (COPY / ".venv").exists():
        (COPY / ".venv").symlink_to(ROOT / ".venv")


def build():
    """Builds the copy; the error output if it does not build."""
    env = dict(os.environ, CARGO_TARGET_DIR=str(COPY / "target"))
    command = ["cargo", "build", "-q", "--release", "-p", "python", "--features", "extension-module"]
    done = subprocess.run(command, cwd=COPY, env=env, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    suffix = next((ROOT / "python" / "rumba").glob(f"_rumba*{sys.version_info[1]}*.so")).name
    shutil.copy(COPY / "target" / "release" / "lib_rumba.so", COPY / "python" / "rumba" / suffix)
    return None


def run(*flags):
    """The tester's exit code, the number of programs, and how the first failure is described."""
    return run_tester("tests.differential", *flags)


def run_tester(module, *flags):
    """The same for one of the two testers."""
    env = dict(os.environ, PYTHONPATH=str(COPY / "python"))
    always = [sys.executable, "-m", module, "--jobs", str(os.cpu_count() or 1), "--no-shrink", "--fail-fast"]
    done = subprocess.run([*always, *flags], cwd=COPY, env=env, capture_output=True, text=True)
    count = re.search(r"^(\d+) programs of seed", done.stdout, re.M)
    kind = re.search(r"FAILED \d+ times: (.*)  \[", done.stdout)
    return done.returncode, int(count[1]) if count else 0, kind[1][:90] if kind else done.stderr[-300:]


def hunt():
    """How many random programs it took to find a difference (None: none of them), or whether a row did."""
    tried = 0
    for seed, _, flags in KINDS:
        code, count, kind = run("--seed", str(seed), "--programs", str(FIRST), *flags)
        tried += count
        if code:
            return f"{tried} random programs", kind
    code, count, kind = run("--rows")
    if code:
        return f"no difference in {tried} random programs, then {count} rows", kind
    for seed, programs, flags in KINDS:
        code, count, kind = run("--seed", str(seed), "--first", str(FIRST), "--programs", str(programs - FIRST), *flags)
        tried += count
        if code:
            return f"{tried} random programs", kind
    return None, ""


def hunt_objects(kind):
    """The same for programs of a kind over containers, arrays and so on."""
    seed, programs = IN_TESTS.get(kind, ALONE)
    code, count, what = run_tester("tests.differential.objects", "--kind", kind, "--seed", str(seed), "--programs", str(programs))
    return (f"{count} programs", what) if code else (None, "")


def main():
    """Goes through the mutants; the exit code is 1 if too many live."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only mutants whose description contains one of these")
    args = parser.parse_args()
    copy()
    if error := build():
        raise SystemExit(f"the committed state does not build:\n{error[-3000:]}")
    # What fails without a mutant would pass for finding one.
    for kind in sorted({mutant[0] for mutant in OBJECT_MUTANTS}):
        if found := hunt_objects(kind)[0]:
            raise SystemExit(f"the tester fails without a mutant ({kind}, {found})")
    for seed, _, flags in KINDS:
        code, _, kind = run("--seed", str(seed), "--programs", str(FIRST), *flags)
        if code:
            raise SystemExit(f"the tester fails without a mutant: {kind}")
    results = {"found": [], "LIVES": [], "NO PLACE": [], "NO BUILD": []}
    for kind, *mutant in (*(("numbers", *mutant) for mutant in MUTANTS), *OBJECT_MUTANTS):
        if not args.words or any(word in " ".join([kind, *mutant[:2]]) for word in args.words):
            try_one(mutant, results, hunt if kind == "numbers" else lambda: hunt_objects(kind))
    build()
    found, lived = len(results["found"]), len(results["LIVES"])
    lost = len(results["NO PLACE"]) + len(results["NO BUILD"])
    print(f"{found} of {found + lived} found; {lost} could not be tried")
    return 0 if lived * 20 <= found + lived and not lost else 1


def try_one(mutant, results, hunt):
    """Builds one mutant, tests it, takes it back."""
    where, what, path, old, new = mutant
    file = COPY / path
    original, started = file.read_text(), time.monotonic()
    if original.count(old) != 1:
        outcome, note = "NO PLACE", f"the text is there {original.count(old)} times"
    else:
        file.write_text(original.replace(old, new))
        error = build()
        outcome, note = "NO BUILD", (error or "")[-600:]
        if not error:
            count, kind = hunt()
            outcome, note = ("found", f"{count} ({kind})") if count else ("LIVES", "")
        file.write_text(original)
    results[outcome].append(what)
    print(f"{outcome:8} {time.monotonic() - started:4.0f} s  {where}: {what}: {note}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
