"""Text that is created when it is first read: `_lazy_pformat` of `numba.core.utils`."""
import pprint


class LazyText:
    """Stands for `pprint.pformat(...)` of what it is given."""

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs

    def __str__(self):
        return pprint.pformat(*self.args, **self.kwargs)
