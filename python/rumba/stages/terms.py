"""Stages as terms: the text of a function as a tree of the schema `SSA.asdl`, and back.

    >>> from rumba import stages
    >>> def twice(x):
    ...     return x + x
    >>> module = stages.untyped(twice).terms()
    >>> module.units[0].blocks[1].defns[0]
    defn([result('%0', None)], Op('binary', ['+'], ['%x.0', '%x.0']))

Parameters of blocks are `Phi` terms at their beginning, which say what comes from which block. Conversions at joins are `Promote` terms in the
blocks before. Closures are `Partial` terms of a function and a `MakeFrame` of cells. Globals that hold constants are `DataObject` units.
`rumba.normalized` has what works on the terms of any schema: `validate`, `Visitor`, `Transformer`, `walk`; `dumps_json` and `loads_json` are those
of this module.

Source: "Numba Intermediate Representation Specification", "Untyped IR in SSA form" and "Typed IR in SSA form".

Absent: the text of a stage (the crate `ir`).
"""
import re
import types as python_types

from ..normalized import serialize
from ..normalized.language import Language
from ..normalized.serialize import FormatError
from ..normalized.validate import validate

LANGUAGE = Language.of_file("rumba.stages.terms", __file__, "SSA.asdl", __name__)
SCHEMA = LANGUAGE.schema
globals().update(LANGUAGE.classes)
_Classes = python_types.SimpleNamespace(**LANGUAGE.classes)

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_HEAD = re.compile(rf"function (\w+) {_QUOTED} +file +{_QUOTED} line (\d+) \((.*)\)([^)]*) \{{$")
_SPAN = re.compile(r" @ (\d+(?::\d+-(?:\d+:)?\d+)?)$")
_BLOCK = re.compile(r"(block\d+)")
_TARGET = re.compile(r"(block\d+)(?:\((.*)\))?$")
# The operation that gives a function its cells.
_PARTIAL = "python", ["function_attribute", "8"]
_CONSTANTS = (type(None), bool, int, float, complex, str, bytes)


def from_text(text, space=None):
    """The module of a function's text.

    Parameters
    ----------
    text : str
        As `Stage.text`, of the stages `untyped`, `typed` and `explicit`.
    space : dict, optional
        The globals of the function. Those that it reads and that hold constants become `DataObject` units.

    Returns
    -------
    Module

    Raises
    ------
    FormatError
        If the text is none of a stage; the message has the line.
    """
    reader = _Reader(text)
    code = reader.code()
    read = dict.fromkeys(
        defn.value.name for block in code.blocks for defn in block.defns if isinstance(defn.value, _Classes.LoadGlobal))
    data = [_Classes.DataObject(name, space[name]) for name in read if type((space or {}).get(name, ...)) in _CONSTANTS]
    return _Classes.Module([*data, code])


def to_text(module):
    """The text of the function in a module. FormatError or ValidationError if its terms do not fit together."""
    validate(module)
    codes = [unit for unit in module.units if isinstance(unit, _Classes.CodeObject)]
    if len(codes) != 1:
        raise FormatError(f"the text of a stage is of one function, and this module has {len(codes)}")
    return _Writer(codes[0]).text()


def globals_of(module, space):
    """The globals `space` with the values that the `DataObject` units of a module say; `space` itself if they are these."""
    said = {unit.label: unit.init for unit in module.units if isinstance(unit, _Classes.DataObject)}
    same = all(name in space and type(space[name]) is type(init) and repr(space[name]) == repr(init) for name, init in said.items())
    return space if same else {**space, **said}


def dumps_json(module):
    """A module as JSON: a flat table in which row n is node n, so that readers need no recursion."""
    return serialize.dumps_json([module], LANGUAGE)


def loads_json(text):
    """The module of JSON; FormatError if it is not what `dumps_json` writes."""
    return serialize.loads_json(text, LANGUAGE)[0]


def loads_text(text):
    """The node that `repr` of one wrote."""
    return serialize.loads_text(text, LANGUAGE)


def _split(text, separator=", "):
    """The parts of a text, where separators in brackets and quotes do not count."""
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        char = text[at]
        if char == '"':
            at = _end_of_string(text, at)
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            start = at + len(separator)
            at = start - 1
        at += 1
    return [*parts, text[start:]] if text else []


def _end_of_string(text, at):
    """The place of the quote that ends a string."""
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at


class _Reader:
    """Reads text. First blocks with parameters and edges with arguments, then the phis that follow from both."""

    def __init__(self, text):
        self.lines = text.rstrip("\n").split("\n")
        self.at = 0
        # For each block its parameters, and the values that come over its edges: (in_block, edge, values).
        self.params, self.edges = {}, {}

    def fail(self, what):
        raise FormatError(f"line {self.at + 1}: {what}")

    def code(self):
        head = _HEAD.match(self.lines[0])
        if head is None or self.lines[-1] != "}":
            self.fail("this is no text of a stage")
        stage, name, file, line, params, modifiers = head.groups()
        declarations, blocks = [], []
        for self.at, text in enumerate(self.lines[1:-1], 1):
            if _BLOCK.match(text):
                blocks.append(self.block(text))
            elif not blocks:
                declarations.append(text[4:])
            else:
                self.instruction(blocks[-1], text.strip())
        for block in blocks:
            if block.tail_expr is None:
                self.fail(f"{block.id} has no end")
            block.defns[:0] = self.phis(block.id)
        _form_frames(blocks)
        return _Classes.CodeObject(name, file, int(line), stage, _split(params), modifiers, declarations, blocks)

    def block(self, text):
        name = _BLOCK.match(text).group()
        rest = text[len(name):-1]
        params, marks = [], rest
        if rest.startswith("("):
            inside, marks = self.bracketed(rest)
            params = [self.result(one) for one in _split(inside)]
        self.params[name] = params
        marks, _, handler = marks.partition(" handler ")
        block = _Classes.block(name, marks.strip(), [], None, None)
        if handler:
            block.handler = self.edge(block, -1, handler)
        return block

    def bracketed(self, text):
        depth, at = 0, 0
        while at < len(text):
            if text[at] == '"':
                at = _end_of_string(text, at)
            depth += (text[at:at + 1] in "([{") - (text[at:at + 1] in ")]}")
            if depth == 0:
                return text[1:at], text[at + 1:]
            at += 1
        return self.fail("a bracket is not closed")

    def result(self, text):
        name, colon, type_name = text.partition(": ")
        return _Classes.result(name, type_name if colon else None)

    def edge(self, block, number, text):
        found = _TARGET.match(text)
        if found is None:
            self.fail(f"{text!r} is no block")
        target, values = found.groups()
        self.edges.setdefault(target, []).append((block.id, number, _split(values or "")))
        return target

    def instruction(self, block, text):
        if block.tail_expr is not None:
            self.fail(f"an instruction behind the end of {block.id}")
        span = _SPAN.search(text)
        text, at = (text[:span.start()], span.group(1)) if span else (text, None)
        results = []
        if text.startswith("%"):
            left, *right = _split(text, " = ")
            results, text = [self.result(one) for one in _split(left)], " = ".join(right)
        op, _, rest = text.partition(" ")
        parts = _split(rest)
        operands = [part for part in parts if part.startswith("%")]
        first = next((index for index, part in enumerate(parts) if part.startswith("%")), len(parts))
        if self.ends_block():
            targets = [part for part in parts[first + len(operands):] or (parts if op == "jump" else [])]
            names = [self.edge(block, number, target) for number, target in enumerate(targets)]
            immediates = [] if op == "jump" else parts[:first]
            block.tail_expr = self.tail(op, immediates, operands, names, at)
        else:
            block.defns.append(_Classes.defn(results, self.value(op, parts[:first], operands), at=at))

    def ends_block(self):
        """Whether the next line begins a block, or ends the function."""
        after = self.lines[self.at + 1]
        return after == "}" or _BLOCK.match(after) is not None

    def tail(self, op, immediates, operands, targets, at):
        if op == "jump":
            return _Classes.Jump(targets[0], at=at)
        if op == "branch":
            return _Classes.If(operands[0], *targets, at=at)
        if op == "return":
            return _Classes.Return(operands, at=at)
        if op == "raise":
            return _Classes.Raise(immediates, operands, at=at)
        return _Classes.Other(op, immediates, operands, targets, at=at)

    def value(self, op, immediates, operands):
        if op == "const":
            return _Classes.Const(", ".join(immediates))
        if op == "global":
            return _Classes.LoadGlobal(immediates[0])
        if op == "promote":
            return _Classes.Promote(operands[0])
        if (op, immediates) == _PARTIAL:
            return _Classes.Partial(operands[1], operands[0])
        return _Classes.Op(op, immediates, operands)

    def phis(self, name):
        made = []
        for number, param in enumerate(self.params[name]):
            sources = []
            for block, edge, values in self.edges.get(name, ()):
                # The exception comes last, and is no value of the block before.
                given = [*values, "exception"] if edge == -1 else values
                if number >= len(given):
                    raise FormatError(f"{block} gives {name} too few values")
                sources.append(_Classes.phi_source(block, edge, given[number]))
            made.append(_Classes.defn([param], _Classes.Phi(sources)))
        return made


def _form_frames(blocks):
    """Tuples of cells that closures are made with become `MakeFrame` terms."""
    defns = [defn for block in blocks for defn in block.defns]
    frames = {defn.value.frame for defn in defns if isinstance(defn.value, _Classes.Partial)}
    for defn in defns:
        if isinstance(defn.value, _Classes.Op) and defn.value.op == "build_tuple" and defn.results[0].name in frames:
            defn.value = _Classes.MakeFrame(defn.value.operands)


class _Writer:
    """Writes text: phis become parameters of their block, and arguments of the edges to it."""

    def __init__(self, code):
        self.code = code
        self.phis = {block.id: self.leading_phis(block) for block in code.blocks}

    def leading_phis(self, block):
        found = []
        for at, defn in enumerate(block.defns):
            if not isinstance(defn.value, _Classes.Phi):
                continue
            if at != len(found):
                raise FormatError(f"a Phi of {block.id} stands behind other terms")
            found.append(defn)
        return found

    def text(self):
        code = self.code
        lines = [f'function {code.stage} "{code.name}" file "{code.file}" line {code.line} ({", ".join(code.params)}){code.modifiers} {{']
        lines += (f"    {one}" for one in code.declarations)
        for block in code.blocks:
            lines += self.block(block)
        return "\n".join([*lines, "}"]) + "\n"

    def block(self, block):
        params = ", ".join(self.result(defn.results[0]) for defn in self.phis[block.id])
        handler = f" handler {self.edge(block.id, -1, block.handler)}" if block.handler else ""
        yield f"{block.id}{f'({params})' if params else ''}{f' {block.marks}' if block.marks else ''}{handler}:"
        for defn in block.defns[len(self.phis[block.id]):]:
            yield self.defn(defn)
        yield self.tail(block)

    def result(self, result):
        return result.name if result.type is None else f"{result.name}: {result.type}"

    def edge(self, block, number, target):
        if target not in self.phis:
            raise FormatError(f"{block} leads to {target}, which is no block")
        values = [self.incoming(defn, block, number, target) for defn in self.phis[target]]
        values = [value for value in values if value != "exception"]
        return f"{target}({', '.join(values)})" if values else target

    def incoming(self, defn, block, number, target):
        for source in defn.value.incoming:
            if (source.in_block, source.edge) == (block, number):
                return source.in_val
        raise FormatError(f"the Phi {defn.results[0].name} of {target} says nothing of what comes from {block} over edge {number}")

    def line(self, op, parts, at):
        return f"    {op}{' ' if parts else ''}{', '.join(parts)}{f' @ {at}' if at else ''}"

    def defn(self, defn):
        value, left = defn.value, ", ".join(map(self.result, defn.results))
        if isinstance(value, _Classes.Const):
            op, parts = "const", [value.value]
        elif isinstance(value, _Classes.LoadGlobal):
            op, parts = "global", [value.name]
        elif isinstance(value, _Classes.Promote):
            op, parts = "promote", [value.value]
        elif isinstance(value, _Classes.MakeFrame):
            op, parts = "build_tuple", value.cells
        elif isinstance(value, _Classes.Partial):
            (op, immediates), operands = _PARTIAL, [value.frame, value.func]
            parts = [*immediates, *operands]
        else:
            op, parts = value.op, [*value.immediates, *value.operands]
        return self.line(f"{left} = {op}" if left else op, parts, defn.at)

    def tail(self, block):
        tail = block.tail_expr
        edges = lambda *targets: [self.edge(block.id, number, target) for number, target in enumerate(targets)]  # noqa: E731
        if isinstance(tail, _Classes.Jump):
            return self.line("jump", edges(tail.target), tail.at)
        if isinstance(tail, _Classes.If):
            return self.line("branch", [tail.test, *edges(tail.true_target, tail.false_target)], tail.at)
        if isinstance(tail, _Classes.Return):
            return self.line("return", tail.results, tail.at)
        if isinstance(tail, _Classes.Raise):
            return self.line("raise", [*tail.immediates, *tail.operands], tail.at)
        return self.line(tail.op, [*tail.immediates, *tail.operands, *edges(*tail.targets)], tail.at)


__all__ = ["FormatError", "LANGUAGE", "SCHEMA", "dumps_json", "from_text", "globals_of", "loads_json", "loads_text", "to_text",
           *LANGUAGE.classes]
