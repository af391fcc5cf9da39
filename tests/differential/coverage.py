"""What a campaign has exercised: constructs, rows of the grammar, the compiler's catalog, its ops, outcomes."""
import functools
import re
from collections import Counter
from pathlib import Path

from . import constructs_seen, grammar

# Where the ops of the Explicit phase are declared, and how.
TABLE = Path(__file__).resolve().parents[2] / "crates" / "ir" / "ir" / "src" / "op.rs"
DECLARATION = re.compile(r'^    \w+ "(\w+)" (?:E|ALL) ', re.M)

# A line of a phase's text: results with types, op, operands.
LINE = re.compile(r"^    (?:(%[^=\n]*) = )?(\w+) ?([^@\n]*)", re.M)
RESULT = re.compile(r"(%[\w.$]+): (.+?)(?=, %|$)")
VALUE = re.compile(r"%[\w.$]+")
BLOCK = re.compile(r"^block\d+\((.*)\) @.*$", re.M)
LITERAL = {"int": "int64", "bool": "bool", "str": "unicode_type"}

# Keys that no program can name: `reveal_type` prints, the others are the compiler's and its library's own.
INTERNAL = ("call typing.reveal_type", "remainderiszero", "call rumba.scratch", "call rumba.scratch_get", "call rumba.scratch_items",
            "call rumba.scratch_like", "call rumba.scratch_set", "call rumba.where", "call rumba.random_numpy",
            "call rumba.random_python", "call rumba.random_unit", "call rumba.random_word", "call rumba.random_float", "call rumba.random_count",
            "call rumba.random_generator", "call rumba.items_equal", "call rumba.present", "call method._put",
            "call rumba.field", "call rumba.set_field", "call rumba.new_object", "call rumba.chunk_size", "call rumba.set_chunk_size",
            "call rumba.thread_count", "call rumba.thread_id", "call rumba.thread_limit", "call rumba.set_thread_limit")

# What programs over numbers have no use for. tests/python has differential tests of them: print, keyword arguments, times,
# context managers, classes of exceptions, NumPy's class of truth values, parallel loops. Programs over objects use the methods of generators.
ELSEWHERE = ("call builtins.print", "call method.get", "call method.items", "call method.keys", "call method.values",
             "call numpy.datetime64", "call numpy.timedelta64", "call numpy.isnat",
             "call contextlib.nullcontext", "call contextlib.suppress", "call method.__exit__",
             "call builtins.issubclass", "construct bool", "call method.send", "call method.throw", "call method.close",
             "call rumba.prange", "call rumba.parallel_chunksize")


class Coverage:
    """Counters that add up over programs and processes."""

    COUNTERS = ("constructs", "rows", "statements", "outcomes", "ops", "catalog", "refused")

    def __init__(self):
        for name in self.COUNTERS:
            setattr(self, name, Counter())

    def see(self, program, expected):
        """Counts a program and what CPython made of its inputs."""
        for stmt in program.statements():
            self.statements[stmt.kind] += 1
        for expr in program.expressions():
            if expr.row is not None:
                self.rows[expr.row.name] += 1
        for outcome in expected:
            self.outcomes[_name(outcome)] += 1

    def see_phases(self, typed, explicit):
        """Counts what the texts of the Typed and of the Explicit phase of compiled functions use."""
        declared = _declared()
        for text in explicit:
            for results, op, _ in LINE.findall(text):
                if op in declared:
                    self.ops[op, results.rsplit(": ", 1)[-1] if results else ""] += 1
        for text in typed:
            self.catalog.update(uses(text))

    def data(self):
        """As plain data."""
        return {name: [[key, count] for key, count in getattr(self, name).items()] for name in self.COUNTERS}

    def add(self, data):
        """Adds what another process counted."""
        for name, counts in data.items():
            counter = getattr(self, name)
            for key, count in counts:
                counter[_hashable(key)] += count

    def missing(self, groups):
        """Rows of these groups that did not occur."""
        return [row.name for row in grammar.ROWS if row.group in groups and row.name not in self.rows]

    def catalog_table(self):
        """For each key of the compiler's catalog: uses, and its signatures with theirs."""
        from rumba import _rumba

        merged = Counter()
        for (key, *types), count in self.catalog.items():
            merged[_plain(key), tuple(types)] += count
        table = {}
        for key, signatures in _rumba.interpreter.catalog():
            if key in INTERNAL or key in ELSEWHERE:
                continue
            key = _plain(key)
            total = sum(count for (used, _), count in merged.items() if used == key)
            table[key] = total, {tuple(types): merged[key, tuple(types)] for types in signatures}
        return table

    def report(self, groups, full=False):
        """Text for people; `full` lists every row with its count."""
        missing = self.missing(groups)
        wanted = sum(row.group in groups for row in grammar.ROWS)
        lines = [f"constructs: {sum(name in self.constructs for name in constructs_seen.EXPECTED)} of {len(constructs_seen.EXPECTED)}",
                 f"rows of the grammar (operator or function, and types): {wanted - len(missing)} of {wanted}",
                 "outcomes: " + _counts(self.outcomes)]
        lines += self.report_compiler()
        if self.refused:
            lines.append("names refused at compile time that may be unbound: " + str(sum(self.refused.values())))
        if missing:
            lines.append("rows that did not occur: " + _some(missing))
        if full:
            lines += self.tables(groups)
        return "\n".join(lines)

    def report_compiler(self):
        """The lines about the compiler's own tables."""
        if not self.ops:
            return []
        declared = _declared()
        names = {name for name, _ in self.ops}
        absent = [name for name in declared if name not in names]
        table = self.catalog_table()
        keys = [key for key, (count, _) in table.items() if not count]
        rows = [(key, types) for key, (_, signatures) in table.items() for types in signatures]
        unused = [f"{key}({', '.join(types)})" for key, types in rows if not table[key][1][types]]
        lines = [f"ops of the Explicit phase: {len(declared) - len(absent)} of {len(declared)}",
                 f"keys of the catalog: {len(table) - len(keys)} of {len(table)}",
                 f"signatures of the catalog: {len(rows) - len(unused)} of {len(rows)}"]
        for what, left in (("ops", absent), ("keys", keys), ("signatures", unused)):
            lines += [f"{what} that did not occur: {_some(left)}"] if left else []
        return lines

    def tables(self, groups):
        """Everything with its count."""
        lines = ["", "constructs:"]
        lines += [f"  {self.constructs[name]:8}  {name}" for name in constructs_seen.EXPECTED]
        for group in groups:
            rows = [row.name for row in grammar.ROWS if row.group == group]
            lines += [f"{group}:"] + [f"  {self.rows[name]:8}  {name}" for name in rows]
        lines.append("catalog:")
        for key, (count, signatures) in self.catalog_table().items():
            shown = "; ".join(f"({', '.join(types)}) {uses}" for types, uses in signatures.items())
            lines.append(f"  {count:8}  {key}" + (f": {shown}" if shown else ""))
        lines.append("ops of the Explicit phase, by type of their result:")
        lines += [f"  {count:8}  {op} {native}" for (op, native), count in sorted(self.ops.items())]
        return lines


@functools.cache
def _declared():
    """Names of the ops that the Explicit phase may hold."""
    return tuple(DECLARATION.findall(TABLE.read_text()))


def uses(text):
    """Keys of the catalog with argument types that the Typed text of a function uses."""
    types = {}
    for params in BLOCK.findall(text):
        types.update(RESULT.findall(params))
    lines = LINE.findall(text)
    for results, _, _ in lines:
        types.update(RESULT.findall(results))
    for _, op, operands in lines:
        key = _key(op, operands, types)
        if key:
            yield key


def _key(op, operands, types):
    values = [_unliteral(types.get(value, "?")) for value in VALUE.findall(operands)]
    word = operands.split(",")[0].split(" ")[0]
    if op in ("binary", "inplace"):
        return (f"binary {word}", *values)
    if op in ("unary", "compare"):
        return (f"{op} {word}", *values)
    if op in ("getiter", "iternext", "getitem"):
        return (op, *values)
    if op == "getattr":
        return (f"getattr {word}", *values)
    if op in ("call", "call_ex") and values:
        callee = values[0]
        if callee.startswith("Function("):
            return (f"call {callee[9:-1]}", *values[1:])
        if callee.startswith("class("):
            return (f"construct {callee[6:-1]}", *values[1:])
        if callee.startswith("BoundFunction("):
            name, _, of = callee[14:-1].partition(" of ")
            return (f"call method.{name}", of, *values[1:])
    return None


def _unliteral(name):
    found = re.match(r"Literal\[(\w+)\]", name)
    return LITERAL.get(found[1], name) if found else name


def _plain(key):
    """`operator` goes by two names."""
    return key.replace("call _operator.", "call operator.")


def _hashable(key):
    return tuple(key) if isinstance(key, list) else key


def _some(names, most=40):
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _name(outcome):
    if outcome is None:
        return "too long"
    kind = outcome.key[0]
    return kind if isinstance(kind, str) else "tuple"


def _counts(counter):
    return ", ".join(f"{name} {count}" for name, count in counter.most_common())
