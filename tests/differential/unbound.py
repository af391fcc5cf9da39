"""Which names a function uses where no path has bound them: what a compiler may refuse.

A name counts as bound where some path binds it. A branch whose condition is a literal, or a name that
holds one, goes one way only for a compiler that prunes; what is said of names with pruning and without it
are both right.
"""
import ast
from typing import NamedTuple


# How far a compiler may look: at no condition, at what a branch tests, at values of `and` and `or`, too.
NOTHING, BRANCHES, VALUES = range(3)

# Names that may be unbound where they are used: what a compiler that knows more than this file may refuse.
MAYBE = 3


def maybe_unbound_names(source):
    """Names that some function of the source uses where not every path has bound them."""
    return unbound_names(source, (MAYBE,))


def unbound_names(source, ways=(NOTHING, BRANCHES, VALUES)):
    """Names that some function of the source uses where no path has bound them."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            args = node.args
            params = {arg.arg for arg in args.posonlyargs + args.args + args.kwonlyargs + [args.vararg] * bool(args.vararg)}
            for prunes in ways:
                analysis = _Analysis(params | _stored(node), prunes)
                analysis.block(node.body, _State(frozenset(params), frozenset(), prunes == MAYBE))
                found |= analysis.found
    return found


class _Unbound(Exception):
    """A use of a name that is bound on no path: nothing behind it is reached."""


def _stored(function):
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return stored | {name for node in ast.walk(function) if isinstance(node, ast.MatchAs) for name in [node.name] if name}


class _State(NamedTuple):
    """Names that are bound on some path; names, and elements of tuples, that are one literal on every path."""

    bound: frozenset
    literals: frozenset
    # Whether `bound` has the names that every path binds, instead of some path.
    strict: bool = False

    def bind(self, name, value):
        """The state behind a store of an expression, of which literals are remembered."""
        kept = frozenset(entry for entry in self.literals if entry[0] != name and not entry[0].startswith(f"{name}["))
        return self._replace(bound=self.bound | {name}, literals=kept | frozenset(self.known(name, value)))

    def known(self, name, value):
        """The literals that a name holds after a store."""
        if isinstance(value, ast.Constant):
            yield name, repr(value.value)
        elif isinstance(value, ast.UnaryOp) and isinstance(value.operand, ast.Constant):
            yield name, ast.unparse(value)
        elif isinstance(value, (ast.Name, ast.Subscript)):
            source = ast.unparse(value)
            yield from ((name, text) for known, text in self.literals if known == source)
        elif isinstance(value, ast.Tuple):
            for index, item in enumerate(value.elts):
                for at in (index, index - len(value.elts)):
                    yield from self.known(f"{name}[{at}]", item)


def _join(*states):
    """Where ways meet; a state is None where no way leads."""
    states = [state for state in states if state is not None]
    if not states:
        return None
    together = frozenset.intersection if states[0].strict else frozenset.union
    bound = together(*(state.bound for state in states))
    literals = frozenset().union(*(state.literals for state in states))
    # A way on which the name is not bound does not count.
    kept = (entry for entry in literals
            if all(entry in state.literals or entry[0].split("[")[0] not in state.bound for state in states))
    return _State(bound, frozenset(kept), states[0].strict)


def _truth(node, state, deep=True):
    """Whether a condition is known to be true or false, or None; `deep`: through stored values of `and`, too."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        known = _truth(node.operand, state, deep)
        return None if known is None else not known
    if isinstance(node, ast.NamedExpr):
        stored = isinstance(node.value, (ast.BoolOp, ast.IfExp)) and not deep
        return None if stored else _truth(node.value, state, deep)
    if isinstance(node, ast.IfExp):
        ways = [_truth(part, state, deep) for part in (node.test, node.body, node.orelse)]
        return (ways[1] if ways[1] == ways[2] else None) if ways[0] is None else ways[1 if ways[0] else 2]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "bool":
        return _truth(node.args[0], state, deep)
    if isinstance(node, ast.BoolOp):
        decides = isinstance(node.op, ast.Or)
        known = [_truth(value, state, deep) for value in node.values]
        return decides if decides in known else None if None in known else not decides
    return _literal_truth(node, state)


def _literal_truth(node, state):
    """The truth of an expression of literals and names that hold literals."""
    known = {name: eval(text, {}) for name, text in state.literals}
    for part in ast.walk(node):
        usual = isinstance(part, (ast.Constant, ast.Compare, ast.UnaryOp, ast.operator, ast.unaryop, ast.cmpop, ast.Load))
        if not usual and not (isinstance(part, ast.Name) and part.id in known):
            return None
    return bool(eval(compile(ast.Expression(node), "<condition>", "eval"), {}, known))


class _Analysis:
    """Goes through a function; `found` collects."""

    def __init__(self, local, prunes):
        self.local, self.prunes, self.found = local, prunes, set()
        # States at the breaks and continues of the loops around.
        self.loops = []

    def block(self, stmts, state):
        """The state behind the statements."""
        for stmt in stmts:
            if state is None:
                return None
            try:
                state = getattr(self, f"{type(stmt).__name__.lower()}_stmt")(stmt, state)
            except _Unbound:
                return None
        return state

    def branch(self, node, state):
        """The states of the true and of the false way."""
        decided = self.prunes and self.prunes != MAYBE or isinstance(node, ast.Constant)
        known = _truth(node, state, self.prunes == VALUES) if state and decided else None
        return (None if known is False else state), (None if known is True else state)

    def use(self, name, state):
        """Notes a name that is not bound here."""
        if name in self.local and name not in state.bound:
            self.found.add(name)
            if not state.strict:
                raise _Unbound
        return state

    def way(self, node, state):
        """The state behind an operand that may not be evaluated."""
        try:
            return state and self.expr(node, state)
        except _Unbound:
            return None

    def expr(self, node, state):
        """The state behind an expression."""
        if isinstance(node, ast.Name):
            return self.use(node.id, state)
        if isinstance(node, ast.NamedExpr):
            return self.bind(node.target, node.value, self.expr(node.value, state))
        if isinstance(node, ast.IfExp):
            yes, no = self.branch(node.test, self.expr(node.test, state))
            return self.reached(_join(self.way(node.body, yes), self.way(node.orelse, no)))
        if isinstance(node, ast.BoolOp):
            return self.bool_op(node, state)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                state = self.expr(child, state)
        return state

    def bool_op(self, node, state):
        """Each operand may be the last."""
        ends = []
        for value in node.values:
            after = self.way(value, state)
            yes, no = self.branch(value, after)
            state, end = (yes, no) if isinstance(node.op, ast.And) else (no, yes)
            ends.append(end)
        return self.reached(_join(state, *ends))

    def reached(self, state):
        """The state, if a way leads here."""
        if state is None:
            raise _Unbound
        return state

    def bind(self, target, value, state):
        """The state behind a store."""
        if isinstance(target, ast.Name):
            return state.bind(target.id, value)
        if not all(isinstance(name, ast.Name) for name in target.elts):
            for name in target.elts:
                state = self.bind(name, None, state)
            return state
        items = value.elts if isinstance(value, ast.Tuple) else [None] * len(target.elts)
        before, literals = state, []
        for name, item in zip(target.elts, items):
            state = state.bind(name.id, None)
            literals += before.known(name.id, item)
        return state._replace(literals=state.literals | frozenset(literals))

    def assign_stmt(self, stmt, state):
        state = self.expr(stmt.value, state)
        for target in stmt.targets:
            state = self.bind(target, stmt.value, state)
        return state

    def annassign_stmt(self, stmt, state):
        return self.bind(stmt.target, stmt.value, self.expr(stmt.value, state))

    def match_stmt(self, stmt, state):
        """Captures are bound where a guard fails, too."""
        state, ends = self.expr(stmt.subject, state), []
        for case in stmt.cases:
            inside, captures = state, [node.name for node in ast.walk(case.pattern) if isinstance(node, ast.MatchAs)]
            for name in filter(None, captures):
                inside = inside.bind(name, None)
            yes, no = inside, None
            if case.guard:
                yes, no = self.branch(case.guard, self.way(case.guard, inside))
            ends.append(self.block(case.body, yes))
            irrefutable = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
            state = no if irrefutable else _join(state, no)
            if state is None:
                break
        return _join(state, *ends)

    def augassign_stmt(self, stmt, state):
        self.use(stmt.target.id, state)
        return self.bind(stmt.target, None, self.expr(stmt.value, state))

    def delete_stmt(self, stmt, state):
        for target in stmt.targets:
            state = self.use(target.id, state).bind(target.id, None)
            state = state._replace(bound=state.bound - {target.id})
        return state

    def pass_stmt(self, _, state):
        return state

    def return_stmt(self, stmt, state):
        self.expr(stmt.value, state)

    def raise_stmt(self, stmt, state):
        self.expr(stmt.exc, state)

    def assert_stmt(self, stmt, state):
        return self.branch(stmt.test, self.expr(stmt.test, state))[0]

    def break_stmt(self, _, state):
        self.loops[-1][0].append(state)

    def continue_stmt(self, _, state):
        self.loops[-1][1].append(state)

    def if_stmt(self, stmt, state):
        yes, no = self.branch(stmt.test, self.expr(stmt.test, state))
        return _join(self.block(stmt.body, yes), self.block(stmt.orelse, no))

    def for_stmt(self, stmt, state):
        return self.loop(stmt, self.expr(stmt.iter, state))

    def while_stmt(self, stmt, state):
        return self.loop(stmt, state)

    def loop(self, stmt, state):
        """The body is passed again with what it made, until nothing changes.

        The test of `while` stands twice in bytecode, before the body and behind it: a name may be unbound
        in the second place alone.
        """
        noted, again = set(self.found), None
        while True:
            # What an earlier round noted may be bound on the back edge.
            self.found = set(noted)
            inside, leave = zip(self.test(stmt, state), self.test(stmt, again))
            self.loops.append(([], []))
            end = self.block(stmt.body, _join(*inside))
            breaks, continues = self.loops.pop()
            back = _join(end, again, *continues)
            if back == again:
                return _join(self.block(stmt.orelse, _join(*leave)), *breaks)
            again = back

    def test(self, stmt, state):
        """The states into the body and behind the loop."""
        if state is None:
            return None, None
        if isinstance(stmt, ast.While):
            return self.branch(stmt.test, self.way(stmt.test, state))
        return self.bind(stmt.target, None, state), state
