"""`Rewrite`, and the registry that orders rewrites."""
import inspect

from ..compat.targets import cpu_target
from ..errors import CompilerError
from ..numba_ir import Assign, Block, Expr, Stmt, Var
from ..numba_ir.statements import target_of, uses_of
from . import liveness
from .._rumba import rewriting as _compiler

# A block that one rewrite changes more often than this is one that it never stops to change.
MAX_CHANGES = 1000
# Where the rewrite of expressions of arrays stands.
_ARRAY_EXPRS = "rumba.rewriting.array_exprs"


class RewriteError(CompilerError):
    """What a rewrite made of a function makes no sense; the message names the rewrite."""


class Watched(type):
    """The class of the classes of the rewrites that stand in the registry from the start: what somebody assigns to one of them
    counts from the next compilation on."""

    def __init__(cls, name, bases, namespace):
        super().__init__(name, bases, namespace)
        type.__setattr__(cls, "_written", dict(namespace))

    def __setattr__(cls, name, value):
        super().__setattr__(name, value)
        rewrite_registry.changed()

    @property
    def is_patched(cls):
        """Whether it is not as it was written."""
        return any(vars(cls).get(name) is not value for name, value in cls._written.items() if not name.startswith("__"))


class _Known(list):
    """The rewrites of a kind. Whoever changes the list tells the compiler."""

    def __init__(self, registry):
        super().__init__()
        self._registry = registry


def _telling(name):
    plain = getattr(list, name)

    def change(self, *args):
        result = plain(self, *args)
        self._registry.changed()
        return result

    change.__name__, change.__doc__ = name, plain.__doc__
    return change


for _name in "append extend insert remove pop clear reverse __setitem__ __delitem__ __iadd__".split():
    setattr(_Known, _name, _telling(_name))


class Rewrite:
    """A rewrite of one block: `match` says whether there is something to do, `apply` gives the new block."""

    def __init__(self, pipeline=None, *args, **kws):
        self.pipeline, self.args, self.kws = pipeline, args, kws

    def match(self, func_ir, block, typemap, calltypes):
        """Whether `apply` has something to do. `typemap` has the types of variables by name and `calltypes` the
        signatures of operations; both are None before inference."""
        return False

    def apply(self):
        """The block that takes the place of the one matched last."""
        raise NotImplementedError(f"{type(self).__name__}.apply() is not there")


class RewriteRegistry:
    """Rewrites in the order in which they were registered."""

    _kinds = frozenset(["before-inference", "after-inference"])

    def __init__(self):
        self.rewrites = {kind: _Known(self) for kind in ("before-inference", "after-inference")}

    def register(self, kind):
        """A decorator for subclasses of `Rewrite`: they see functions compiled from now on."""
        if kind not in self._kinds:
            raise KeyError(f"invalid kind {kind!r}")

        def do_register(rewrite_cls):
            if not (isinstance(rewrite_cls, type) and issubclass(rewrite_cls, Rewrite)):
                raise TypeError(f"{rewrite_cls!r} is not a subclass of Rewrite")
            self.rewrites[kind].append(rewrite_cls)
            return rewrite_cls

        return do_register

    def unregister(self, rewrite_cls):
        """Takes a rewrite out again; ValueError if it is not there."""
        kinds = [kind for kind, known in self.rewrites.items() if rewrite_cls in known]
        if not kinds:
            raise ValueError(f"{rewrite_cls!r} is not registered")
        for kind in kinds:
            self.rewrites[kind].remove(rewrite_cls)

    def changed(self):
        """Tells the compiler whether there is anything that it would not do by itself."""
        if self is globals().get("rewrite_registry") and self._is_complete:
            _compiler.enable(any(map(self.of_users, self.rewrites)) or self.is_altered())

    # Whether all rewrites of the start stand in it.
    _is_complete = False

    def completed(self):
        """Tells that all rewrites of the start stand in it."""
        self._is_complete = True
        self.changed()

    def of_users(self, kind):
        """The rewrites that somebody registered or changed."""
        return [cls for cls in self.rewrites[kind] if not isinstance(cls, Watched) or cls.is_patched
                or not cls.__module__.startswith("rumba.rewriting")]

    def is_altered(self):
        """Whether expressions of arrays are not made as they are from the start: the rewrite was taken out or changed, or an
        operation has code of its own."""
        known = [cls for cls in self.rewrites["after-inference"] if cls.__module__ == _ARRAY_EXPRS]
        hook = cpu_target.target_context.special_ops.get("arrayexpr")
        has_hook = hook is not None and getattr(hook, "__module__", None) != _ARRAY_EXPRS
        return not known or any(cls.is_patched for cls in known) or has_hook

    def apply(self, kind, state):
        """Offers the blocks of `state.func_ir` to each rewrite in turn; a changed block again, until that rewrite
        leaves it. The names of the rewrites that changed something."""
        if not hasattr(state, "check"):
            # The state of a pipeline, or whatever else has a function.
            from ..numba_pipeline.untyped import apply_rewrites

            return apply_rewrites(kind, state, self)
        changed = []
        for rewrite_cls in list(self.rewrites[kind]):
            if apply_one(rewrite_cls, state):
                changed.append(rewrite_cls)
        return changed


def apply_one(rewrite_cls, state):
    """Offers the blocks to one rewrite. Whether it changed something."""
    rewrite = rewrite_cls(state)
    func_ir = state.func_ir
    match = _matcher(rewrite)
    work, changes, changed = list(func_ir.blocks), {}, False
    shown = state.shown
    while work:
        label = work.pop()
        block = func_ir.blocks[label]
        before = block.text() if shown else None
        if not match(func_ir, block, state.typemap, state.calltypes):
            continue
        new = rewrite.apply()
        check_block(rewrite_cls, state, label, new)
        if shown:
            print("_" * 70, "REWRITING:", before, "_" * 60, new.text(), sep="\n")
        func_ir.blocks[label] = new
        func_ir.definitions_anew()
        changed = True
        changes[label] = changes.get(label, 0) + 1
        if changes[label] > MAX_CHANGES:
            raise RewriteError(
                f"the rewrite {_name(rewrite_cls)} does not come to an end: it changed block {label} of "
                f"{func_ir.func_id.func_qualname} {MAX_CHANGES} times, and match() still finds something in it. What "
                "apply() builds must not match again.", loc=block.loc)
        work.append(label)
    if changed:
        finish(rewrite_cls, state)
    return changed


def finish(rewrite_cls, state):
    """Puts the `del`s where they belong now, and checks that the blocks are a function."""
    liveness.place_dels(state.func_ir.blocks)
    state.func_ir.definitions_anew()
    state.check(lambda message: _broken(rewrite_cls, state, message))


def _matcher(rewrite):
    """`match`, also one of the three arguments that it had once."""
    parameters = inspect.signature(rewrite.match).parameters.values()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) == 3 and not any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return lambda func_ir, block, typemap, calltypes: rewrite.match(block, typemap, calltypes)
    return rewrite.match


def _name(rewrite_cls):
    return f"{rewrite_cls.__module__}.{rewrite_cls.__qualname__}"


def _broken(rewrite_cls, state, what, loc=None):
    func_id = state.func_ir.func_id
    return RewriteError(
        f"the rewrite {_name(rewrite_cls)} made of {func_id.func_qualname} what is no function: {what}",
        loc=loc or state.func_ir.loc)


def check_block(rewrite_cls, state, label, block):
    """A RewriteError if what a rewrite gave is no block."""
    def fail(what, loc=None):
        raise _broken(rewrite_cls, state, f"block {label}: {what}", loc)

    if not isinstance(block, Block):
        fail(f"apply() returned {block!r}, not an ir.Block")
    if not block.is_terminated:
        fail("its last statement does not leave it (Jump, Branch, Return, Raise)")
    for inst in block.body:
        if not isinstance(inst, Stmt):
            fail(f"{inst!r} is no statement")
        if inst.is_terminator and inst is not block.body[-1]:
            fail(f"`{inst}` leaves it before its end", inst.loc)
        if isinstance(inst, Assign):
            if not isinstance(inst.target, Var):
                fail(f"`{inst}` assigns something that is no ir.Var: ir.Assign takes (value, target, loc)", inst.loc)
            check_types(state, inst, fail)
    missing = [target for target in block.terminator.get_targets() if target not in state.func_ir.blocks]
    if missing:
        fail(f"`{block.terminator}` leads to block {missing[0]}, which is not there", block.terminator.loc)
    assigned = {target_of(inst) for known in (block, *state.func_ir.blocks.values()) for inst in known.body}
    for inst in block.body:
        unknown = [name for name in uses_of(inst) if name not in assigned]
        if unknown:
            fail(f"`{inst}` reads {unknown[0]!r}, which nothing assigns", inst.loc)


def check_types(state, inst, fail):
    """Once types are known, each variable has one."""
    if state.typemap is None or inst.target.name in state.typemap or inst.target.name in state.untyped:
        return
    kind = f"the {inst.value.op} " if isinstance(inst.value, Expr) else ""
    fail(f"the variable {inst.target.name!r} has no type: put the type of {kind}`{inst.value}` into the typemap under "
         "that name", inst.loc)


rewrite_registry = RewriteRegistry()


def register_rewrite(kind):
    """A decorator that registers a rewrite: `"before-inference"` or `"after-inference"`."""
    return rewrite_registry.register(kind)
