"""Loops of a function that can be lifted out of its bytecode: their boundaries, and the variables that enter and
leave them.

A loop is a strongly connected component of the control flow graph with a single entry, with the expression that a `for`
loop iterates over, and with its exits up to where the stack depth is that before the loop. All sets of
variables are bit sets: integers with a bit for each slot.

Not here: the functions created from them (`rumba.object_mode.lifted_loops`).
"""
import dis

from .code_editor import VERSION, is_of_slot, read, slot_names

# What a compiled function cannot do for the one around it: suspend it, or change what others see.
_KEPT = frozenset({
    "YIELD_VALUE", "SEND", "RETURN_GENERATOR", "GET_AWAITABLE", "GET_ANEXT", "GET_AITER", "END_ASYNC_FOR", "GET_YIELD_FROM_ITER",
    "ASYNC_GEN_WRAP", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_NAME", "DELETE_NAME", "LOAD_NAME", "LOAD_LOCALS", "DELETE_FAST",
    "STORE_DEREF", "DELETE_DEREF", "LOAD_CLOSURE", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF", "LOAD_FROM_DICT_OR_GLOBALS",
    "IMPORT_NAME", "IMPORT_FROM", "IMPORT_STAR", "BEFORE_WITH", "BEFORE_ASYNC_WITH", "MAKE_CELL", "LOAD_FAST_AND_CLEAR",
    "LOAD_BUILD_CLASS", "CLEANUP_THROW", "RETURN_VALUE", "RETURN_CONST"})
_STORES = frozenset({"STORE_FAST", "STORE_DEREF"})
_DELETES = frozenset({"DELETE_FAST", "DELETE_DEREF", "LOAD_FAST_AND_CLEAR"})


class Function:
    """What the analyses share: instructions, who follows whom, heights of the stack, live and bound variables."""

    def __init__(self, code):
        self.code, self.slots = code, slot_names(code)
        self.all = read(code)
        self.number = {id(made): number for number, made in enumerate(self.all)}
        self.free = (1 << len(self.slots)) - (1 << len(self.slots) - len(code.co_freevars))
        self.cells = sum(1 << slot for slot, name in enumerate(self.slots) if name in code.co_cellvars)
        self.after = [self._after(number) for number in range(len(self.all))]
        self.before = [[] for _ in self.all]
        for number, successors in enumerate(self.after):
            for successor in successors:
                self.before[successor].append(number)
        self.depth = self._depths()
        self.live = self._live()
        # A comprehension gives these back what they were, which may be nothing.
        self.restored = 0
        for made in self.all:
            self.restored |= (made.op == "LOAD_FAST_AND_CLEAR") << made.arg

    def _after(self, number):
        made, out = self.all[number], []
        if made.falls_through() and number + 1 < len(self.all):
            out.append(number + 1)
        if made.target is not None:
            out.append(self.number[id(made.target)])
        return out

    def handler(self, number):
        """The instruction that handles exceptions of another; None if there is none."""
        handler = self.all[number].handler
        return None if handler is None else self.number[id(handler.target)]

    def _depths(self):
        """The stack depth before each instruction; None if it is unreachable."""
        # What runs a generator pushes a value that the first instructions drop.
        suspends = bool(self.code.co_flags & (0x20 | 0x80 | 0x200)) and VERSION == (3, 11)
        depths = [None] * len(self.all)
        depths[0], open_ = int(suspends), [0]
        while open_:
            number = open_.pop()
            made = self.all[number]
            arg = made.arg if dis.opmap[made.op] >= dis.HAVE_ARGUMENT or VERSION >= (3, 13) else None
            if arg is not None and VERSION >= (3, 13) and dis.opmap[made.op] not in dis.hasarg:
                arg = None
            for successor in self.after[number]:
                jump = made.target is not None and successor == self.number[id(made.target)]
                depth = depths[number] + dis.stack_effect(dis.opmap[made.op], arg, jump=jump)
                if depths[successor] is None:
                    depths[successor] = depth
                    open_.append(successor)
            handler = made.handler
            if handler is not None and depths[self.handler(number)] is None:
                depths[self.handler(number)] = handler.depth + handler.lasti + 1
                open_.append(self.handler(number))
        return depths

    def uses(self, number):
        """(read, stored, deleted): the variables that an instruction is about."""
        made = self.all[number]
        if not is_of_slot(made) or made.op in ("MAKE_CELL", "COPY_FREE_VARS"):
            return 0, 0, 0
        bit = 1 << made.arg
        if made.op in _STORES:
            return 0, bit, 0
        return (bit, 0, bit) if made.op in _DELETES else (bit, 0, 0)

    def _live(self):
        """By instruction: the variables whose values are read from there on."""
        live, changed = [0] * len(self.all), True
        use = [self.uses(number) for number in range(len(self.all))]
        while changed:
            changed = False
            for number in range(len(self.all) - 1, -1, -1):
                now = 0
                for successor in self.after[number]:
                    now |= live[successor]
                read_, stored, _ = use[number]
                now = now & ~stored | read_
                handler = self.handler(number)
                if handler is not None:
                    now |= live[handler]
                if now != live[number]:
                    live[number], changed = now, True
        return live

    def bound(self, entry, at_entry, numbers, surely):
        """By instruction: the variables that are definitely or possibly assigned before it, if `at_entry` are at the
        entry; over the instructions of `numbers`."""
        known = {entry: at_entry}
        open_ = [entry]
        while open_:
            number = open_.pop()
            _, stored, deleted = self.uses(number)
            behind = (known[number] | stored) & ~(deleted if surely or not stored else 0)
            ways = [(successor, behind) for successor in self.after[number]]
            handler = self.handler(number)
            if handler is not None:
                ways.append((handler, known[number] & ~deleted if surely else known[number] | stored))
            for successor, bound in ways:
                if successor not in numbers:
                    continue
                there = known.get(successor)
                joined = bound if there is None else there & bound if surely else there | bound
                if joined != there:
                    known[successor] = joined
                    open_.append(successor)
        return known

    def parameters(self):
        """The variables that arguments are bound to."""
        code = self.code
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        return (1 << count) - 1


class Region:
    """A loop to be cut out. `entry` is where it begins; `takes_iterable` says that the stack holds what it iterates over;
    `inside` are its instructions, `exits` lead from those behind it to what runs then, in the order of their numbers."""

    def __init__(self, entry, header, inside, exits, takes_iterable, cycle):
        self.entry, self.header, self.inside, self.exits = entry, header, inside, exits
        self.takes_iterable, self.cycle = takes_iterable, cycle
        # The exits that are a `return` of a value on the stack.
        self.returns = set()
        self.passed = self.outgoing = self.unsure = 0


def loops(function):
    """The regions of each loop, in order: the first with the expression that it iterates over, the others with its value."""
    found = [candidates for cycle in _cycles(function) if (candidates := _regions(function, cycle))]
    return sorted(found, key=lambda candidates: candidates[0].entry)


def _cycles(function):
    """The strongly connected parts of the flow graph, exceptions included (Tarjan 1972)."""
    index, low, on_stack, stack, out = {}, {}, set(), [], []

    def successors(number):
        handler = function.handler(number)
        return function.after[number] + ([] if handler is None else [handler])

    for root in range(len(function.all)):
        if root in index or function.depth[root] is None:
            continue
        work = [(root, iter(successors(root)))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            number, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[number])
                if low[number] == index[number]:
                    part = set()
                    while number not in part:
                        part.add(stack.pop())
                    on_stack -= part
                    if len(part) > 1 or number in function.after[number]:
                        out.append(part)
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(successors(following))))
            elif following in on_stack:
                low[number] = min(low[number], index[following])
    return out


def _regions(function, cycle):
    """What can be cut out for a loop, best first; nothing if it has to stay."""
    entries = [number for number in cycle if any(before not in cycle for before in function.before[number])]
    if len(entries) != 1:
        return []
    header = entries[0]
    first = function.all[header]
    outside = [before for before in function.before[header] if before not in cycle]
    if first.op == "FOR_ITER" and outside == [header - 1] and function.all[header - 1].op == "GET_ITER":
        begins = _expression(function, header - 1)
        starts = [(begin, begin == header - 1) for begin in ([] if begins is None else [begins]) + [header - 1]]
        if begins == header - 2:
            del starts[1]
        height = function.depth[header] - 1
    elif first.op == "FOR_ITER":
        return []
    else:
        starts, height = [(header, False)], function.depth[header]
    regions = [_region(function, cycle, header, begin, takes, height) for begin, takes in starts]
    return [region for region in regions if region is not None]


def _expression(function, get_iter):
    """The first instruction of the expression whose iterator is taken; None if it has branches."""
    height = function.depth[get_iter] - 1
    number = get_iter
    while function.depth[number] != height:
        if len(function.before[number]) != 1 or function.before[number] != [number - 1]:
            return None
        number -= 1
        if function.all[number].target is not None or function.all[number].handler is not function.all[get_iter].handler:
            return None
    return number


def _region(function, cycle, header, begin, takes_iterable, height):
    inside = set(cycle) | set(range(begin, header))
    handler = function.all[header].handler
    exits = {}
    for number in sorted(inside):
        for successor in function.after[number]:
            if successor not in inside:
                exits[number, successor] = None
    raising = set()
    for number, successor in exits:
        path, to = _way_out(function, successor, height)
        if to is None and not _raises(function, successor, handler, raising):
            return None
        exits[number, successor] = path, to
    everything = inside | raising | {number for path, to in exits.values() if to is not None for number in path}
    if any(function.all[number].handler is not handler or function.all[number].op in _KEPT for number in everything):
        return None
    if any(function.uses(number)[0] & function.cells and function.all[number].op == "LOAD_FAST" for number in everything):
        return None
    region = Region(begin, header, inside | raising, exits, takes_iterable, cycle)
    region.returns = {to for _, to in exits.values() if to is not None and function.depth[to] != height}
    return region if _find_variables(function, region, everything) else None


def _way_out(function, number, height):
    """The instructions from an exit to where the stack depth is restored, and the one after them; None if there are none."""
    path = []
    while len(path) < 64:
        made = function.all[number]
        low = function.depth[number] == height
        if low and made.op not in ("NOP", "JUMP_FORWARD"):
            return path, number
        if made.op == "RETURN_VALUE" and function.depth[number] == height + 1:
            return path, number
        if made.op in _KEPT or made.target is not None and made.op != "JUMP_FORWARD" or not function.after[number]:
            return path, None
        path.append(number)
        number = function.after[number][0]
    return path, None


def _raises(function, number, handler, found):
    """Whether all ways from an exit end with an exception; adds their instructions."""
    open_, seen = [number], set()
    while open_:
        number = open_.pop()
        if number in seen:
            continue
        seen.add(number)
        made = function.all[number]
        ends = made.op in ("RAISE_VARARGS", "RERAISE")
        if made.op in _KEPT or made.handler is not handler or len(seen) > 256 or not ends and not function.after[number]:
            return False
        open_ += function.after[number]
    found |= seen
    return True


def _find_variables(function, region, everything):
    """Which variables go in and out; whether they are known well enough."""
    touched = stored = 0
    for number in everything:
        read_, written, _ = function.uses(number)
        touched, stored = touched | read_ | written, stored | written
    local = ~function.free
    behind = [to for _, to in region.exits.values() if to is not None]
    live_behind = 0
    for to in behind:
        live_behind |= function.live[to]
    handler = function.handler(region.header)
    if handler is not None and stored & function.live[handler]:
        return False
    numbers = range(len(function.all))
    surely = function.bound(0, function.parameters(), numbers, True).get(region.entry)
    maybe = function.bound(0, function.parameters(), numbers, False).get(region.entry)
    if surely is None:
        return False
    surely &= ~function.restored
    # A variable that the loop alone reads is found among what is live at its begin.
    wanted = function.live[region.entry] & touched & local
    if wanted & maybe & ~surely:
        return False
    region.passed = wanted & surely
    region.outgoing = stored & live_behind & local
    bound = function.bound(region.entry, region.passed, region.inside, True)
    region.unsure = 0
    for (number, _), (path, to) in region.exits.items():
        if to is not None:
            sure = bound.get(number, 0)
            for passing in (number, *path):
                sure |= function.uses(passing)[1]
            region.unsure |= region.outgoing & ~sure
    return True
