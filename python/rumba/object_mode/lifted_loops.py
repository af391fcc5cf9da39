"""Loop lifting: each outermost loop of a function in object mode becomes a function in nopython mode, which is called
before the loop.

```text
                                        attempt = loop._call_tentatively
for i in range(n):     ->       found = attempt(n, total)
    total += i                  if found is None:
                                    for i in range(n): total += i
                                else: total, = found
```

The call gives None where the arguments have no types, or the loop does not compile for these: then the loop itself runs, as
Python's. Where the expression that a `for` loop iterates over is what does not compile, its value is passed.

Absent: where loops begin and end (`rumba.object_mode.loop_regions`), bytes of code (`rumba.object_mode.code_editor`).
"""
import contextlib
import dis
import sys
import types
import warnings

from .code_editor import VERSION, Instruction, write
from .loop_regions import Function, loops

_ITERABLE, _EXIT, _VALUE = "$iterable", "$exit", "$value"
_IF = "POP_JUMP_FORWARD_IF_" if VERSION == (3, 11) else "POP_JUMP_IF_"
# From CPython 3.12 on, the plain instruction does not look whether there is a value.
_CHECKED = "LOAD_FAST_CHECK" if "LOAD_FAST_CHECK" in dis.opmap else "LOAD_FAST"
_NOT_OF_LOOPS = ("fallback", "forceobj", "looplift", "pipeline_class", "cache", "locals", "nopython")


class LiftedLoop:
    """A loop that was lifted: a dispatcher, as which it can be asked for its signatures and its code. `line` is where it
    begins. There may be several functions of it, of which the one counts that compiled."""

    def __init__(self, dispatchers, line):
        self._dispatchers, self.line = dispatchers, line

    @property
    def dispatcher(self):
        """The function of the loop that compiled, or else the first."""
        return next((found for found in self._dispatchers if found.signatures), self._dispatchers[0])

    def __getattr__(self, name):
        return getattr(self.dispatcher, name)

    def __repr__(self):
        return f"<LiftedLoop of {self.dispatcher.py_func.__qualname__} at line {self.line}>"


class Lifted:
    """What became of a function in object mode: the function that runs, and its loops."""

    def __init__(self, function, loops):
        self.function, self.loops = function, loops


def of(dispatcher):
    """The loops lifted out of a dispatcher's function, and the function that runs."""
    function = dispatcher.py_func
    known = dispatcher.__dict__.get("_lifted_loops")
    if known is None:
        known = Lifted(function, ())
        if dispatcher.targetoptions.get("looplift", True):
            with _announced(dispatcher):
                known = _lift(function, dispatcher.targetoptions)
        known = dispatcher.__dict__.setdefault("_lifted_loops", known)
    return known


def _announced(dispatcher):
    """Tells who listens that the function is prepared for object mode, whose values are all objects."""
    events = sys.modules.get("rumba.events")
    if events is None or not events._registered:
        return contextlib.nullcontext()
    from ..types import pyobject

    args = (pyobject,) * dispatcher.py_func.__code__.co_argcount
    return events.trigger_event(events.COMPILE, {"dispatcher": dispatcher, "args": args, "return_type": pyobject})


def executed(dispatcher):
    """The function that runs in place of a dispatcher's."""
    return of(dispatcher).function


def tell(dispatcher, reason, is_one_line=False):
    """Warns once that a function, or one line of it, runs on Python objects because of an error, at the line where that is."""
    from .. import config
    from ..errors import NumbaPerformanceWarning

    if config.DISABLE_PERFORMANCE_WARNINGS:
        return
    code, found = dispatcher.py_func.__code__, getattr(reason, "diagnostic", None)
    place = getattr(found, "place", None)
    file, line = (place.filename, place.line) if place else (code.co_filename, code.co_firstlineno)
    why = f"{found.code}: {found.message}" if found else str(reason)
    told = dispatcher.__dict__.setdefault("_told", set())
    if (file, line, why) in told:
        return
    told.add((file, line, why))
    how = "runs this on Python objects" if is_one_line else "runs in object mode, with its loops lifted out where they compile"
    warnings.warn_explicit(f"'{dispatcher.py_func.__name__}' {how}: {why}", NumbaPerformanceWarning, file, line)


def _lift(function, options):
    code = function.__code__
    shape = Function(code)
    options = {name: value for name, value in options.items() if name not in _NOT_OF_LOOPS}
    found, lifted = loops(shape), []
    if not found:
        return Lifted(function, ())
    outer = _Outer(shape)
    for regions in found:
        dispatchers = []
        for region in regions:
            try:
                made = _Loop(shape, region).function(function)
            except ValueError:
                continue
            dispatchers.append(_dispatcher(made, options))
            outer.call(region, dispatchers[-1]._call_tentatively)
        if dispatchers:
            lifted.append(LiftedLoop(dispatchers, shape.all[regions[0].header].position[0]))
    if not lifted:
        return Lifted(function, ())
    made = types.FunctionType(outer.code(), function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__, made.__qualname__, made.__module__ = function.__kwdefaults__, function.__qualname__, function.__module__
    made.__dict__.update(function.__dict__)
    return Lifted(made, tuple(lifted))


def _dispatcher(function, options):
    from .. import _rumba

    return _rumba.session.dispatcher(function, {**options, "nopython": True})


def _slots_of(bits):
    return [slot for slot in range(bits.bit_length()) if bits >> slot & 1]


class _Loop:
    """The code of a loop as a function: its variables are parameters, its exits lead to a `return` of the outgoing ones."""

    def __init__(self, shape, region):
        self.shape, self.region = shape, region
        self.passed, self.outgoing = _slots_of(region.passed), _slots_of(region.outgoing)
        self.slots = list(shape.slots)
        self.consts = list(shape.code.co_consts)
        self.exits = _exits(region)
        position = shape.all[region.entry].position
        self.make = lambda op, arg=0, target=None: Instruction(op, arg, target, None, position)

    def slot(self, name):
        if name not in self.slots:
            self.slots.append(name)
        return self.slots.index(name)

    def constant(self, value):
        return self.make("LOAD_CONST", _constant(self.consts, value))

    def function(self, function):
        """The function of the loop, which belongs to the globals and outer functions of another."""
        code = function.__code__
        made, free = self._instructions(), code.co_freevars
        params = [_ITERABLE] * self.region.takes_iterable + [self.slots[slot] for slot in self.passed]
        others = [name for name in self.slots if name not in params and name not in free]
        made = write(
            code, made, varnames=tuple(params + others), cellvars=(), freevars=free, slots=self.slots,
            consts=tuple(self.consts), stack=code.co_stacksize + len(self.outgoing) + 3, argcount=len(params),
            flags=code.co_flags & ~(0x04 | 0x08 | 0x20 | 0x80 | 0x100 | 0x200))
        result = types.FunctionType(made, function.__globals__, function.__name__, None, function.__closure__)
        result.__qualname__, result.__module__ = function.__qualname__, function.__module__
        return result

    def _instructions(self):
        make, region, all_ = self.make, self.region, self.shape.all
        out = [make("COPY_FREE_VARS", len(self.shape.code.co_freevars))] if self.shape.code.co_freevars else []
        out.append(make("RESUME", 0))
        for slot in _slots_of(region.unsure):
            out += [self.constant(False), make("STORE_FAST", self.slot(_flag(self.slots[slot])))]
        if region.returns:
            out += [self.constant(None), make("STORE_FAST", self.slot(_VALUE))]
        if region.takes_iterable:
            out.append(make("LOAD_FAST", self.slot(_ITERABLE)))
        order = sorted(region.inside)
        # The first of the instructions of each, in their order.
        bodies = {number: self._body(number) for number in order}
        label = {number: body[0] for number, body in bodies.items()}
        stubs = {way: self._stub(way) for way, (_, to) in region.exits.items() if to is not None}
        if order[0] != region.entry:
            out.append(make("JUMP_FORWARD", target=label[region.entry]))
        for place, number in enumerate(order):
            body = bodies[number]
            out += body
            made = all_[number]
            if made.target is not None:
                to = self.shape.number[id(made.target)]
                body[-1].target = label[to] if to in label else stubs[number, to][0]
            following = order[place + 1] if place + 1 < len(order) else None
            if made.falls_through() and following != number + 1:
                target = label[number + 1] if number + 1 in label else stubs[number, number + 1][0]
                out.append(make("JUMP_FORWARD", target=target))
        epilogue = self._epilogue()
        for stub in stubs.values():
            out += stub
            out.append(make("JUMP_FORWARD", target=epilogue[0]))
        return out + epilogue

    def _body(self, number):
        """An instruction of the loop in the function: variables of inner functions are variables like others."""
        made = self.shape.all[number].copy()
        made.handler = None
        if made.op == "LOAD_DEREF" and not self.shape.free >> made.arg & 1:
            made.op = _CHECKED
        body = [made]
        if made.op == "STORE_FAST" and self.region.unsure >> made.arg & 1:
            body += [self.constant(True), self.make("STORE_FAST", self.slot(_flag(self.slots[made.arg])))]
        return body

    def _stub(self, way):
        """What runs where the loop is left: the rest of the way to where the stack is as it was."""
        path, to = self.region.exits[way]
        # `END_FOR` belongs to the jump that leads to it.
        first = bool(path) and self.shape.all[path[0]].op == "END_FOR"
        out = [] if first else [self.make("NOP")]
        for number in path:
            if self.shape.all[number].op not in ("NOP", "JUMP_FORWARD"):
                out += self._body(number)
        if to in self.region.returns:
            out.append(self.make("STORE_FAST", self.slot(_VALUE)))
        if len(self.exits) > 1:
            out += [self.constant(self.exits.index(to)), self.make("STORE_FAST", self.slot(_EXIT))]
        return out

    def _epilogue(self):
        make, out = self.make, []
        for slot in self.outgoing:
            if self.region.unsure >> slot & 1:
                flag = self.slot(_flag(self.slots[slot]))
                nothing, behind = self.constant(None), make("LOAD_FAST", flag)
                out += [make("LOAD_FAST", flag), make(_IF + "FALSE", target=nothing), make(_CHECKED, slot),
                        make("JUMP_FORWARD", target=behind), nothing, behind]
            else:
                out.append(make("LOAD_FAST", slot))
        if self.region.returns:
            out.append(make("LOAD_FAST", self.slot(_VALUE)))
        if len(self.exits) > 1:
            out.append(make("LOAD_FAST", self.slot(_EXIT)))
        count = _results(self.region)
        out.append(make("BUILD_TUPLE", count) if count else self.constant(True))
        return out + [make("RETURN_VALUE")]


def _exits(region):
    return sorted({to for _, to in region.exits.values() if to is not None})


def _results(region):
    """How many values the function of a loop returns."""
    several = len(_exits(region)) > 1
    return region.outgoing.bit_count() + region.unsure.bit_count() + bool(region.returns) + several


def _flag(name):
    """The variable that says whether another one has a value."""
    return f"${name}"


def _constant(consts, value):
    consts.append(value)
    return len(consts) - 1


class _Outer:
    """The code around the loops, with calls inserted before them."""

    def __init__(self, shape):
        self.shape = shape
        self.calls = {}
        self.consts, self.slots, self.most = list(shape.code.co_consts), list(shape.slots), 0
        self.names = []

    def slot(self, name):
        if name not in self.slots:
            self.slots.append(name)
            self.names.append(name)
        return self.slots.index(name)

    def call(self, region, attempt):
        """Inserts a call before a loop."""
        place = self.shape.all[region.entry]

        def make(op, arg=0, target=None):
            return Instruction(op, arg, target, place.handler, place.position)

        load = make("LOAD_CONST", _constant(self.consts, attempt))
        out = [make("STORE_FAST", self.slot(_ITERABLE))] if region.takes_iterable else []
        out += [load, make("PUSH_NULL")] if VERSION >= (3, 13) else [make("PUSH_NULL"), load]
        passed = _slots_of(region.passed)
        if region.takes_iterable:
            out.append(make("LOAD_FAST", self.slot(_ITERABLE)))
        out += [make(self._load(slot), slot) for slot in passed]
        count = len(passed) + region.takes_iterable
        self.most = max(self.most, count + 3, _results(region) + 2)
        out += [make("PRECALL", count)] * (VERSION == (3, 11)) + [make("CALL", count)]
        fails = make("POP_TOP")
        out += [make("COPY", 1), make(_IF + "NONE", target=fails), *self._results(region, make), fails]
        if region.takes_iterable:
            slot = self.slot(_ITERABLE)
            out += [make("LOAD_FAST", slot), make("DELETE_FAST", slot)]
        self.calls[region.entry] = out, region

    def _load(self, slot):
        return "LOAD_DEREF" if self.slots[slot] in self.shape.code.co_cellvars else "LOAD_FAST"

    def _results(self, region, make):
        """What takes the values that a loop returned, and goes on behind it."""
        exits, count = _exits(region), _results(region)
        out = [make("UNPACK_SEQUENCE", count)] if count else [make("POP_TOP")]
        flagged = _slots_of(region.unsure)
        for slot in _slots_of(region.outgoing):
            out.append(make("STORE_FAST", slot))
            if slot in flagged:
                out.append(make("STORE_FAST", self.slot(_flag(self.slots[slot]))))
        if region.returns:
            out.append(make("STORE_FAST", self.slot(_VALUE)))
        if len(exits) > 1:
            out.append(make("STORE_FAST", self.slot(_EXIT)))
        if region.takes_iterable:
            out.append(make("DELETE_FAST", self.slot(_ITERABLE)))
        for slot in flagged:
            bound = make("NOP")
            flag = self.slot(_flag(self.slots[slot]))
            out += [make("LOAD_FAST", flag), make(_IF + "TRUE", target=bound), make("DELETE_FAST", slot), bound]
        for number, to in enumerate(exits[:-1]):
            out += [make("LOAD_FAST", self.slot(_EXIT)), make("LOAD_CONST", _constant(self.consts, number)), make("IS_OP", 0)]
            other = make("NOP")
            out += [make(_IF + "FALSE", target=other), *self._leave(region, to, make), other]
        # A loop that is never left raises.
        return out + self._leave(region, exits[-1] if exits else region.entry, make)

    def _leave(self, region, to, make):
        op = "JUMP_FORWARD" if to >= region.entry else "JUMP_BACKWARD"
        value = [make("LOAD_FAST", self.slot(_VALUE))] * (to in region.returns)
        return [*value, make(op, target=self.shape.all[to])]

    def code(self):
        """The code object."""
        code, all_ = self.shape.code, self.shape.all
        out = []
        for number, made in enumerate(all_):
            call, _ = self.calls.get(number, ((), None))
            # What leads to a loop from outside leads to the call: from other calls, too.
            for added in call:
                self._redirect(added, lambda region, at=number: region.entry != at)
            self._redirect(made, lambda region, at=number: at not in region.cycle)
            out += [*call, made]
        return write(
            code, out, varnames=code.co_varnames + tuple(self.names), cellvars=code.co_cellvars, freevars=code.co_freevars,
            slots=self.slots, consts=tuple(self.consts), stack=code.co_stacksize + self.most)

    def _redirect(self, made, from_outside):
        to = None if made.target is None else self.shape.number.get(id(made.target))
        if to in self.calls:
            call, region = self.calls[to]
            if from_outside(region):
                made.target = call[0]
