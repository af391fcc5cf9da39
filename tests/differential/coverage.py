"""What a campaign has exercised: rows of the grammar, kinds of statements, outcomes."""
import re
from collections import Counter
from pathlib import Path

from . import grammar


# Where the ops of the Explicit phase are declared, and how.
TABLE = Path(__file__).resolve().parents[2] / "crates" / "ir" / "src" / "op.rs"
DECLARATION = re.compile(r'^    \w+ "(\w+)" (?:E|ALL) ', re.M)


class Coverage:
    """Counters that add up over programs and processes."""

    COUNTERS = ("rows", "statements", "outcomes", "ops")

    def __init__(self):
        self.rows, self.statements, self.outcomes, self.ops = Counter(), Counter(), Counter(), Counter()

    def see(self, program, expected):
        """Counts a program and what CPython made of its inputs."""
        for stmt in program.statements():
            self.statements[stmt.kind] += 1
        for expr in program.expressions():
            if expr.row is not None:
                self.rows[expr.row.name] += 1
            elif ":=" in expr.python:
                self.statements["walrus"] += 1
            elif expr.args:
                self.statements["call"] += 1
        for outcome in expected:
            self.outcomes[_name(outcome)] += 1

    def data(self):
        """As plain data."""
        return {name: dict(getattr(self, name)) for name in self.COUNTERS}

    def add(self, data):
        """Adds what another process counted."""
        for name, counts in data.items():
            getattr(self, name).update(counts)

    def missing(self, groups):
        """Rows of these groups that did not occur."""
        return [row.name for row in grammar.ROWS if row.group in groups and row.name not in self.rows]

    def report(self, groups, full=False):
        """Text for people; `full` lists every row with its count."""
        missing = self.missing(groups)
        wanted = sum(row.group in groups for row in grammar.ROWS)
        lines = [
            f"rows of the grammar (operator and types): {wanted - len(missing)} of {wanted}",
            "statements: " + _counts(self.statements),
            "outcomes: " + _counts(self.outcomes),
        ]
        lines += self.report_ops()
        if missing:
            rest = f" and {len(missing) - 20} more" if len(missing) > 20 else ""
            lines.append("rows that did not occur: " + ", ".join(missing[:20]) + rest)
        if full:
            lines.append("")
            for group in groups:
                lines.append(f"{group}:")
                rows = [row.name for row in grammar.ROWS if row.group == group]
                lines += [f"  {self.rows[name]:7}  {name}" for name in rows]
        return "\n".join(lines)

    def report_ops(self):
        """The lines about ops of the Explicit phase."""
        if not self.ops or not TABLE.exists():
            return []
        declared = DECLARATION.findall(TABLE.read_text())
        absent = [name for name in declared if name not in self.ops]
        lines = [f"ops of the Explicit phase: {len(declared) - len(absent)} of {len(declared)}"]
        return lines + ([f"ops that did not occur: {', '.join(absent)}"] if absent else [])


def _name(outcome):
    if outcome is None:
        return "too long"
    kind = outcome.key[0]
    return kind if isinstance(kind, str) else "tuple"


def _counts(counter):
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())
