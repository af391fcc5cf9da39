"""Which names a function uses where not every path has bound them: what a compiler may refuse.

How much a compiler knows of conditions decides whether it sees that no path binds a name; a name that
every path binds must never be refused. Absent: what conditions mean.
"""
import ast

# The state of a place that no path reaches.
NOWHERE = None


def maybe_unbound_names(source):
    """Names that some function of the source uses where not every path has bound them."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            args = node.args
            params = {arg.arg for arg in args.posonlyargs + args.args + args.kwonlyargs + [args.vararg] * bool(args.vararg)}
            analysis = _Analysis(params | _stored(node))
            analysis.block(node.body, frozenset(params))
            found |= analysis.found
    return found


def _stored(function):
    stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    return stored | {node.name for node in ast.walk(function) if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name}


def _join(*states):
    """Names that are bound on all of the ways that lead here."""
    open_ways = [state for state in states if state is not NOWHERE]
    return frozenset.intersection(*open_ways) if open_ways else NOWHERE


class _Analysis:
    """Goes through a function; `found` collects. A state is the set of names that are bound."""

    def __init__(self, local):
        self.local, self.found = local, set()
        # States at the breaks and continues of the loops around.
        self.loops = []

    def block(self, stmts, state):
        """The state after the statements."""
        for stmt in stmts:
            if state is NOWHERE:
                return NOWHERE
            state = getattr(self, f"{type(stmt).__name__.lower()}_stmt")(stmt, state)
        return state

    def expr(self, node, state):
        """The state behind an expression."""
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and node.id in self.local and node.id not in state:
                self.found.add(node.id)
            return state
        if isinstance(node, ast.Lambda):
            return state
        if isinstance(node, ast.NamedExpr):
            return self.expr(node.value, state) | {node.target.id}
        if isinstance(node, ast.IfExp):
            state = self.expr(node.test, state)
            return _join(self.expr(node.body, state), self.expr(node.orelse, state))
        lazy = isinstance(node, ast.BoolOp) or isinstance(node, ast.Compare) and len(node.ops) > 1
        certain = 2 if isinstance(node, ast.Compare) else 1
        operands = [child for child in ast.iter_child_nodes(node) if isinstance(child, (ast.expr, ast.keyword))]
        behind = state
        for index, child in enumerate(operands):
            state = self.expr(child, state)
            behind = behind if lazy and index >= certain else state
        return behind

    def bind(self, target, state):
        """The state behind a store."""
        return state | {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}

    def assign_stmt(self, stmt, state):
        state = self.expr(stmt.value, state)
        for target in stmt.targets:
            state = self.bind(target, state)
        return state

    def annassign_stmt(self, stmt, state):
        return self.bind(stmt.target, self.expr(stmt.value, state))

    def augassign_stmt(self, stmt, state):
        self.expr(ast.Name(stmt.target.id, ast.Load()), state)
        return self.bind(stmt.target, self.expr(stmt.value, state))

    def delete_stmt(self, stmt, state):
        for target in stmt.targets:
            self.expr(ast.Name(target.id, ast.Load()), state)
            state -= {target.id}
        return state

    def functiondef_stmt(self, stmt, state):
        """What it reads may be bound later, when it is called."""
        return state | {stmt.name}

    def pass_stmt(self, _, state):
        return state

    def return_stmt(self, stmt, state):
        if stmt.value:
            self.expr(stmt.value, state)
        return NOWHERE

    def raise_stmt(self, stmt, state):
        self.expr(stmt.exc, state)
        return NOWHERE

    def expr_stmt(self, stmt, state):
        return self.expr(stmt.value, state)

    def assert_stmt(self, stmt, state):
        return self.expr(stmt.test, state)

    def break_stmt(self, _, state):
        self.loops[-1][0].append(state)
        return NOWHERE

    def continue_stmt(self, _, state):
        self.loops[-1][1].append(state)
        return NOWHERE

    def if_stmt(self, stmt, state):
        state = self.expr(stmt.test, state)
        return _join(self.block(stmt.body, state), self.block(stmt.orelse, state))

    def match_stmt(self, stmt, state):
        """Captures are bound in their case alone, as far as is certain."""
        state, ends, full = self.expr(stmt.subject, state), [], False
        for case in stmt.cases:
            captures = {node.name for node in ast.walk(case.pattern) if isinstance(node, ast.MatchAs) and node.name}
            inside = state | captures
            if case.guard:
                inside = self.expr(case.guard, inside)
            ends.append(self.block(case.body, inside))
            full = full or not case.guard and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
        return _join(*ends, NOWHERE if full else state)

    def for_stmt(self, stmt, state):
        state = self.expr(stmt.iter, state)
        return self.loop(stmt, self.bind(stmt.target, state), state)

    def while_stmt(self, stmt, state):
        state = self.expr(stmt.test, state)
        forever = isinstance(stmt.test, ast.Constant) and stmt.test.value
        return self.loop(stmt, state, NOWHERE if forever else state)

    def loop(self, stmt, inside, leave):
        """What is bound before the body is bound in every round, unless the body deletes it."""
        deleted = {target.id for node in ast.walk(stmt) if isinstance(node, ast.Delete) for target in node.targets}
        self.loops.append(([], []))
        self.block(stmt.body, inside - deleted)
        breaks, _ = self.loops.pop()
        leave = leave if leave is NOWHERE else leave - deleted
        after = self.block(stmt.orelse, leave) if leave is not NOWHERE else NOWHERE
        return _join(after, *breaks)
