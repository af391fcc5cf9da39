"""SSA construction in the Numba-shaped form: versions of names, and phis.

Before: `x = $1` and `x = $2` in the blocks of an `if`, `$3 = x` behind it.
After: `x = $1` and `x.1 = $2`, and behind it `x.2 = phi(incoming_values=[x, x.1], incoming_blocks=[8, 12])`.

After R. Cytron and others, Efficiently computing static single assignment form, 1991; phis stand only where the
variable lives.
"""
import warnings

from ..errors import NotDefinedError, NumbaIRAssumptionWarning
from ..numba_ir import UNDEFINED, Assign, ExceptionEdge, Expr, Var
from ..numba_ir.statements import target_of
from ..numba_ir.transforms import copied, drop_unreached
from ..numba_ir.utils import compute_cfg_from_blocks, visit_vars_inner, visit_vars_stmt
from ..rewriting import liveness


def reconstruct_ssa(func_ir):
    """Gives each assignment a variable of its own, in place; the function. What is protected by a `try` is left as it
    is: the compiler does the same for it later."""
    blocks = func_ir.blocks
    if not any(isinstance(inst, ExceptionEdge) for block in blocks.values() for inst in block.body):
        drop_unreached(blocks)
        for block in blocks.values():
            # What was kept of the function stays as it is.
            block.body = copied(block).body
        cfg = compute_cfg_from_blocks(blocks)
        for name in _several(blocks):
            _Versions(func_ir, cfg, name).run()
    func_ir.definitions_anew()
    return func_ir


def _several(blocks):
    """Variables that are assigned in several places, in the order of their first assignments."""
    counts = {}
    for _, block in sorted(blocks.items()):
        for inst in block.body:
            name = target_of(inst)
            if name is not None:
                counts[name] = counts.get(name, 0) + 1
    return [name for name, count in counts.items() if count > 1]


class _Versions:
    """The versions of one variable."""

    def __init__(self, func_ir, cfg, name):
        self.blocks, self.cfg, self.name = func_ir.blocks, cfg, name
        self.scope, self.loc = next(iter(self.blocks.values())).scope, func_ir.loc
        self.count, self.phis, self.at_end = 0, {}, {}

    def check_scope(self, block):
        """Warns of a variable that a pass has put into a block of another scope."""
        try:
            block.scope.get_exact(self.name)
        except NotDefinedError:
            warnings.warn(
                f"variable {self.name!r} is not in scope: a pass makes it by block.scope.define(name, loc)",
                NumbaIRAssumptionWarning, stacklevel=2)

    def run(self):
        live, frontier = liveness.live_in(self.blocks), self.cfg.dominance_frontier()
        work = [label for label, block in self.blocks.items() if any(target_of(i) == self.name for i in block.body)]
        for label in work:
            self.check_scope(self.blocks[label])
            for join in sorted(frontier[label]):
                if join not in self.phis and self.name in live[join]:
                    self.phis[join] = Expr.phi(self.blocks[join].loc)
                    work.append(join)
        tree = self.cfg.dominator_tree()
        stack = [(min(self.blocks), None)]
        while stack:
            label, current = stack.pop()
            current = self.rename(label, current)
            stack.extend((child, current) for child in sorted(tree[label], reverse=True))
        self.fill()

    def version(self, loc):
        """A variable for the next assignment; the first one keeps its name."""
        first, self.count = not self.count, self.count + 1
        return Var(self.scope, self.name, loc) if first else self.scope.redefine(self.name, loc)

    def rename(self, label, current):
        """Gives reads of a block what is current; what is current at its end."""
        block = self.blocks[label]
        if label in self.phis:
            current = self.version(block.loc)
            block.body.insert(0, Assign(self.phis[label], current, block.loc))
        for inst in block.body:
            if current is not None:
                _read(inst, self.name, current)
            if isinstance(inst, Assign) and inst.value is not self.phis.get(label) and inst.target.name == self.name:
                current = inst.target = self.version(inst.loc)
        self.at_end[label] = current
        return current

    def fill(self):
        for label, phi in self.phis.items():
            for before, _ in sorted(self.cfg.predecessors(label)):
                value = self.at_end.get(before)
                phi.incoming_blocks.append(before)
                phi.incoming_values.append(UNDEFINED if value is None else value)


def _read(inst, name, current):
    """Puts a version in place of a variable that a statement reads."""
    def change(var, _):
        return current if var.name == name else var

    if not isinstance(inst, Assign):
        visit_vars_stmt(inst, change, None)
    elif not (isinstance(inst.value, Expr) and inst.value.op == "phi"):
        inst.value = visit_vars_inner(inst.value, change, None)
