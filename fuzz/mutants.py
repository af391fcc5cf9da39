"""Seeds bugs into the compiler, one at a time, and counts how many the differential tester finds.

    .venv/bin/python fuzz/mutants.py                     all of them; half an hour on two cores
    .venv/bin/python fuzz/mutants.py "shift" "range"     those whose description contains a word

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
COPY = ROOT / "target" / "mutants"

BUILTINS, LLVM, CATALOG = "crates/builtins/src/", "crates/llvm/src/", "crates/catalog/src/"
FRONTEND, INFER = "crates/frontend/src/", "crates/infer/src/"

# What is wrong then, where, the text there, the text instead.
MUTANTS = (
    ("floor division rounds toward zero where signs differ", BUILTINS + "division.rs",
     "let differ = emit.b.icmp(IntCond::Slt, signs, zero);", "let differ = emit.b.icmp(IntCond::Sgt, signs, zero);"),
    ("the remainder of integers keeps the dividend's sign", BUILTINS + "division.rs",
     "emit.b.select(correct, corrected, remainder)", "emit.b.select(correct, remainder, remainder)"),
    ("the least integer is divided by -1", BUILTINS + "division.rs",
     "safe = emit.b.select(found, one, safe);", "let _ = one;"),
    ("true division rounds twice between 2**53 and 2**60", BUILTINS + "division.rs",
     "const LIMIT: i64 = 1 << 53;", "const LIMIT: i64 = 1 << 60;"),
    ("a float remainder of zero has the dividend's sign", BUILTINS + "division.rs",
     "let signed_zero = emit.b.like_first(Op::Copysign, &[zero, y]);",
     "let signed_zero = emit.b.like_first(Op::Copysign, &[zero, x]);"),
    ("a right shift by a large count is one by 62", BUILTINS + "bits.rs",
     "let most = emit.b.iconst(Native::I64, 63);", "let most = emit.b.iconst(Native::I64, 62);"),
    ("a left shift by a large count is one by 63", BUILTINS + "bits.rs",
     "let value = emit.b.select(large, zero, shifted);\n    single(args[0].ty, value)\n}\n\nfn shift_right",
     "let value = emit.b.select(large, shifted, shifted);\n    let _ = zero;\n    single(args[0].ty, value)\n}\n\n"
     "fn shift_right"),
    ("zero to a positive power is an error", BUILTINS + "power.rs",
     "let negative = emit.b.fcmp(FloatCond::Lt, exponent, zero);",
     "let negative = emit.b.fcmp(FloatCond::Gt, exponent, zero);"),
    ("an integer power forgets its last squaring", BUILTINS + "power.rs",
     "emit.b.like_first(Op::Imul, &[square, square]);", "emit.b.like_first(Op::Imul, &[square, one]);"),
    ("a float and an integer compare after rounding", BUILTINS + "compare.rs",
     "let value = emit.b.select(equal, exact, by_float);", "let value = emit.b.select(equal, by_float, by_float);\n"
     "    let _ = exact;"),
    ("2.0**63 equals the largest integer", BUILTINS + "compare.rs",
     "let exact = emit.b.select(beyond, below, by_int);", "let exact = emit.b.select(beyond, by_int, by_int);\n"
     "    let _ = below;"),
    ("int() of 2.0**63 is no error", BUILTINS + "rounding.rs",
     "let fits = emit.b.fcmp(FloatCond::Lt, size, limit);", "let fits = emit.b.fcmp(FloatCond::Le, size, limit);"),
    ("a range of an inexact number of steps is one short", BUILTINS + "ranges.rs",
     "let all = emit.b.like_first(Op::Iadd, &[steps, one]);", "let all = emit.b.like_first(Op::Iadd, &[steps, zero]);"),
    ("a range over more than half of the integers counts signed", BUILTINS + "ranges.rs",
     "let steps = emit.b.like_first(Op::Udiv, &[before, stride]);",
     "let steps = emit.b.like_first(Op::Sdiv, &[before, stride]);"),
    ("abs of an integer is negative", BUILTINS + "numbers.rs",
     "let negative = emit.b.icmp(IntCond::Slt, value, zero);", "let negative = emit.b.icmp(IntCond::Sgt, value, zero);"),
    ("NaN is false", CATALOG + "cast.rs",
     "_ if from.is_float() => Some(emit.b.fcmp(FloatCond::Ne, value.value(), zero)),",
     "_ if from.is_float() => { let size = emit.b.like_first(Op::Fabs, &[value.value()]); "
     "Some(emit.b.fcmp(FloatCond::Gt, size, zero)) }"),
    ("< of floats holds for NaN, in machine code alone", LLVM + "ops.rs",
     "FloatCond::Lt => FloatPredicate::OLT", "FloatCond::Lt => FloatPredicate::ULT"),
    ("right shifts are unsigned, in machine code alone", LLVM + "ops.rs",
     "Op::Sshr => InstructionOpcode::AShr", "Op::Sshr => InstructionOpcode::LShr"),
    ("truth values widen with their sign, in machine code alone", LLVM + "ops.rs",
     "Op::Zext => InstructionOpcode::ZExt", "Op::Zext => InstructionOpcode::SExt"),
    ("a name that may be unbound is read without a check", FRONTEND + "locals.rs",
     "if !r.is_tracked(local) || r.bound(local) == r.truth(true) {", "if true {"),
    ("del leaves the name bound", FRONTEND + "locals.rs",
     "checked_local(r, local);\n    r.set_local(local, r.undefined);\n    r.set_bound(local, false);",
     "checked_local(r, local);\n    r.set_bound(local, true);"),
    ("a name is unbound on one path only if all say so", FRONTEND + "unbound.rs", "*word &= also;", "*word |= also;"),
    ("minus of a literal is the literal", INFER + "instruction.rs",
     "Ok(vec![Some(types.literal_int(-value))])", "Ok(vec![Some(types.literal_int(value))])"),
    ("the truth of a literal 1 is unknown to be true", INFER + "instruction.rs",
     "Some(LiteralValue::Int(value)) => Some(value != 0),", "Some(LiteralValue::Int(value)) => Some(value > 1),"),
)


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
    command = ["cargo", "build", "-q", "--release", "-p", "py", "--features", "extension-module"]
    done = subprocess.run(command, cwd=COPY, env=env, capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    suffix = next((ROOT / "python" / "rumba").glob(f"_rumba*{sys.version_info[1]}*.so")).name
    shutil.copy(COPY / "target" / "release" / "lib_rumba.so", COPY / "python" / "rumba" / suffix)
    return None


def test(programs, seed):
    """The tester's exit code and last lines, in the copy."""
    env = dict(os.environ, PYTHONPATH=str(COPY / "python"))
    always = [sys.executable, "-m", "tests.differential", "--jobs", str(os.cpu_count() or 1), "--no-shrink", "--fail-fast",
              "--seed", str(seed)]
    for flags in (["--rows"], ["--calls", "--programs", str(programs)]):
        done = subprocess.run(always + flags, cwd=COPY, env=env, capture_output=True, text=True)
        if done.returncode:
            break
    return done.returncode, done.stdout


def main():
    """Goes through the mutants; the exit code is 1 if too many live."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only mutants whose description contains one of these")
    parser.add_argument("--programs", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    copy()
    if error := build():
        raise SystemExit(f"the committed state does not build:\n{error[-3000:]}")
    code, text = test(60, args.seed)
    if code:
        raise SystemExit(f"the tester fails without a mutant:\n{text[-3000:]}")
    found, lived, lost = [], [], []
    for what, path, old, new in MUTANTS:
        if args.words and not any(word in what for word in args.words):
            continue
        file = COPY / path
        original = file.read_text()
        if original.count(old) != 1:
            lost.append(what)
            print(f"NO PLACE  {what}: {path} has the text {original.count(old)} times", flush=True)
            continue
        file.write_text(original.replace(old, new))
        started = time.monotonic()
        error = build()
        if error:
            lost.append(what)
            print(f"NO BUILD  {what}:\n{error[-800:]}", flush=True)
        else:
            code, text = test(args.programs, args.seed)
            (found if code else lived).append(what)
            kind = re.search(r"FAILED \d+ times: (.*)  \[", text)
            print(f"{'found' if code else 'LIVES'}  {time.monotonic() - started:4.0f} s  {what}"
                  f"{'  (' + kind[1][:90] + ')' if kind else ''}", flush=True)
        file.write_text(original)
    build()
    print(f"{len(found)} of {len(found) + len(lived)} found; {len(lost)} could not be tried")
    return 0 if len(lived) * 20 <= len(found) + len(lived) and not lost else 1


if __name__ == "__main__":
    sys.exit(main())
