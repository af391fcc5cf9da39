"""Many programs, in this process or in worker processes, so that a crash names the program it came from."""
import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import shrink as shrinking
from . import tiers
from .constructs_seen import constructs
from .coverage import Coverage
from .generator import Settings, generate, row_program
from .grammar import ROWS
from .program import Program

ROOT = Path(__file__).resolve().parents[2]

# Only this many mismatches of a kind are shrunk and printed in full.
SHOWN_PER_KIND = 2


@dataclass(frozen=True)
class Plan:
    """What to run. Program number n has the seed `seed * 1_000_000_007 + n`."""

    seed: int = 1
    first: int = 0
    programs: int = 100
    calls: bool = False
    complexes: bool = False
    tiers: tuple = tiers.USUAL
    shrink: bool = True
    seconds: float = 0.0
    fail_fast: bool = False
    rows: bool = False
    # One in this many programs is also compiled with optimizations, which take most of the time.
    optimized: int = 1
    # For one in this many programs, the coverage of its text and of the compiler's phases is recorded.
    looked_at: int = 2

    # What worker processes run; one that says nothing for so long hangs in compiled code.
    MODULE, PATIENCE = "tests.differential", 60.0

    def settings(self):
        """For the generator."""
        groups = Settings().groups + (("complex", "widths") if self.complexes else ())
        return Settings(groups=groups, calls=self.calls)

    def program(self, number):
        """The program of a number; `rows`: the row of the grammar of that number, alone."""
        if self.rows:
            return row_program(number % len(ROWS), self.seed)
        return generate(self.seed * 1_000_000_007 + number, self.settings())

    def tiers_of(self, number):
        """The tiers that a program runs in."""
        return self.tiers if number % self.optimized == 0 else tuple(tier for tier in self.tiers if tier in tiers.CHEAP)

    def text(self, number):
        """What is printed where the program took its process down."""
        return self.program(number).source().strip()

    def command(self, number):
        """The command line that runs one program again."""
        return command(self, number)

    def environment(self):
        """Variables for worker processes."""
        return {}


@dataclass
class Result:
    """What a campaign found."""

    programs: int = 0
    failures: list = field(default_factory=list)
    kinds: dict = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)

    def note(self, kind, text, number):
        """Counts a failure and keeps its text if its kind is not well known by now."""
        numbers = self.kinds.setdefault(kind, [])
        numbers.append(number)
        if len(numbers) <= SHOWN_PER_KIND:
            self.failures.append(text)
            return True
        return False


def run_here(plan, on_event):
    """Runs the programs in this process; tells `on_event` what happens."""
    seen = {}
    coverage = Coverage()
    deadline = time.monotonic() + plan.seconds if plan.seconds else None
    for number in range(plan.first, plan.first + plan.programs):
        if deadline and time.monotonic() > deadline:
            break
        on_event({"begin": number})
        program = plan.program(number)
        expected = tiers.emulate(program, program.inputs)
        coverage.see(program, expected)
        names = plan.tiers_of(number)
        ready = tiers.prepare(program, names)
        mismatch = tiers.check(program, names, expected, ready, coverage.refused)
        if plan.rows or number % plan.looked_at == 0:
            coverage.constructs.update(constructs(program.source()))
            coverage.see_phases(*ready.phases())
        event = {"end": number}
        if mismatch:
            deadline = 1.0 if plan.fail_fast else deadline
            kind = mismatch.signature
            seen[kind] = seen.get(kind, 0) + 1
            shown = seen[kind] <= SHOWN_PER_KIND
            event["kind"] = kind
            event["text"] = _failure(plan, number, program, mismatch, on_event) if shown else ""
        on_event(event)
    on_event({"coverage": coverage.data()})


def _failure(plan, number, program, mismatch, on_event):
    """The text of a failure, of a smaller program if one fails the same way."""
    lines = [f"program {number} of seed {plan.seed}: {mismatch.signature}"]
    if plan.shrink:
        small = _shrunk(plan, program, mismatch, lambda: on_event({"shrinking": number}))
        again = tiers.check(small, plan.tiers)
        if again:
            program, mismatch = small, again
    lines += [program.source().strip(), "", mismatch.report(), f"once more: {plan.command(number)}"]
    return "\n".join(lines) + "\n"


def _shrunk(plan, program, mismatch, beat):
    wanted = mismatch.signature

    def still_fails(candidate):
        beat()
        try:
            found = tiers.check(candidate, plan.tiers)
        except SyntaxError:
            return False
        return found is not None and found.signature == wanted

    return shrinking.shrink(Program(program.functions, [mismatch.args]), still_fails)


def command(plan, number):
    """The command line that runs one program again."""
    flags = "".join(f" --{name}" for name, on in (("calls", plan.calls), ("complex", plan.complexes), ("rows", plan.rows)) if on)
    return f"python -m tests.differential --seed {plan.seed} --first {number} --programs 1{flags}"


class Campaign:
    """Worker processes that share the programs of a plan."""

    def __init__(self, plan, jobs, on_progress=None):
        self.plan, self.jobs, self.on_progress = plan, jobs, on_progress or (lambda result: None)
        self.result = Result()
        self.next = plan.first
        self.selector = selectors.DefaultSelector()
        self.deadline = time.monotonic() + plan.seconds if plan.seconds else None

    def run(self):
        """Runs all and gives the result."""
        try:
            for _ in range(self.jobs):
                self._start()
            self._listen()
        finally:
            for key in list(self.selector.get_map().values()):
                key.data.process.kill()
                key.data.process.wait()
        return self.result

    def _listen(self):
        while self.selector.get_map():
            for key, _ in self.selector.select(timeout=1.0):
                self._read(key.data)
            for key in list(self.selector.get_map().values()):
                worker = key.data
                if worker.hangs(self.plan.PATIENCE):
                    worker.process.kill()
                    self._lost(worker, f"no answer for {self.plan.PATIENCE:.0f} s")

    def _start(self):
        """A worker for the next share, if any is left."""
        end = self.plan.first + self.plan.programs
        if self.next >= end or self._is_over() or self.deadline and time.monotonic() > self.deadline:
            return
        count = min(max(20, self.plan.programs // (4 * self.jobs)), 500, end - self.next)
        self._spawn(self.next, count)
        self.next += count

    def _is_over(self):
        return self.plan.fail_fast and bool(self.result.kinds)

    def _spawn(self, first, count):
        plan = dict(self.plan.__dict__, first=first, programs=count)
        if self.deadline:
            plan["seconds"] = max(0.1, self.deadline - time.monotonic())
        # Nobody reads errors before the process ends, so they go where there is room for all of them.
        errors = tempfile.TemporaryFile()
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", self.plan.MODULE, "--worker", json.dumps(plan)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, env=os.environ | self.plan.environment())
        worker = _Worker(process, errors, first, first + count)
        os.set_blocking(process.stdout.fileno(), False)
        self.selector.register(process.stdout, selectors.EVENT_READ, worker)

    def _read(self, worker):
        data = worker.process.stdout.read()
        worker.hear()
        if data == b"":
            self._lost(worker, None)
            return
        *lines, worker.rest = (worker.rest + (data or b"")).split(b"\n")
        for line in lines:
            self._event(worker, json.loads(line))

    def _event(self, worker, event):
        if "begin" in event:
            worker.current = event["begin"]
        if "end" in event:
            worker.current = None
            worker.first = event["end"] + 1
            self.result.programs += 1
            if "kind" in event:
                self.result.note(event["kind"], event["text"], event["end"])
            self.on_progress(self.result)
        if "coverage" in event:
            self.result.coverage.add(event["coverage"])
            worker.done = True

    def _lost(self, worker, why):
        """The worker ended, as it should or not; what it left goes to another one."""
        self.selector.unregister(worker.process.stdout)
        code = worker.process.wait()
        worker.process.stdout.close()
        with worker.errors as file:
            file.seek(0)
            errors = file.read().decode(errors="replace")
        if not worker.done:
            number = worker.first if worker.current is None else worker.current
            why = why or f"the process ended with code {code}"
            text = f"program {number} of seed {self.plan.seed}: {why}\n{self.plan.text(number)}\n{errors[-3000:]}\n"
            self.result.note(f"crash: {why}", text + f"once more: {self.plan.command(number)}\n", number)
            self.result.programs += 1
            if number + 1 < worker.end and not self._is_over():
                self._spawn(number + 1, worker.end - number - 1)
                return
        self._start()


class _Worker:
    """A process, its share, and what it was heard of last."""

    def __init__(self, process, errors, first, end):
        self.process, self.errors, self.first, self.end = process, errors, first, end
        self.current, self.rest, self.done = None, b"", False
        self.hear()

    def hear(self):
        """Notes that the process said something."""
        self.heard, self.used = time.monotonic(), processor_time(self.process.pid)

    def hangs(self, patience):
        """Whether the process has computed, or else waited very long, without a word. A busy machine is no hang."""
        silent = time.monotonic() - self.heard
        return silent > patience and (processor_time(self.process.pid) - self.used > patience or silent > 20 * patience)


def processor_time(pid):
    """Seconds that the process has computed, where the system tells."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
