"""Post-processing of a function that a pass changed."""
from .utils import remove_dels


class VariableLifetime:
    """Where variables live."""

    def __init__(self, blocks):
        self._blocks = blocks

    @property
    def cfg(self):
        """The control-flow graph."""
        from .utils import compute_cfg_from_blocks

        return compute_cfg_from_blocks(self._blocks)

    @property
    def livemap(self):
        """Names of the variables that live where each block begins."""
        from ..rewriting.liveness import live_in

        return live_in(self._blocks)


class PostProcessor:
    """Brings the order of blocks and the definitions of variables up to date."""

    def __init__(self, func_ir):
        self.func_ir = func_ir

    def run(self, emit_dels=False, extend_lifetimes=False):
        """Does so. With `emit_dels`, `del`s are put behind last uses; with `extend_lifetimes` they are not."""
        func_ir = self.func_ir
        func_ir.blocks = dict(sorted(func_ir.blocks.items()))
        func_ir.variable_lifetime = VariableLifetime(func_ir.blocks)
        func_ir.definitions_anew()
        if emit_dels:
            self._insert_var_dels(extend_lifetimes)

    def _insert_var_dels(self, extend_lifetimes=False):
        from ..rewriting.liveness import place_dels

        if not extend_lifetimes:
            place_dels(self.func_ir.blocks)

    def remove_dels(self):
        """Takes the `del`s out again."""
        remove_dels(self.func_ir.blocks)
