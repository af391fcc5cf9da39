"""Methods of named tuples."""
from ... import source_text
from ...errors import TypingError
from ...extending import Effects
from ...types import NamedTuple, NamedUniTuple
from .. import library


@library("builtins.tuple._replace", strict=False, effects=Effects(also="returns=items:self@0 returns=**kwds@1"))
def replace(self, /, **kwds):
    if not isinstance(self, (NamedTuple, NamedUniTuple)):
        return None
    unknown = [name for name in kwds if name not in self.fields]
    if unknown:
        raise TypingError(f"Got unexpected field names: {unknown!r}")
    values = [f"kwds[{name!r}]" if name in kwds else f"self.{name}" for name in self.fields]
    return source_text.function("replace(self, /, **kwds)", [f"return made({', '.join(values)})"], {"made": self.instance_class})


@library("builtins.tuple._asdict", effects=Effects(returns="items of self"))
def asdict(self, /):
    if isinstance(self, (NamedTuple, NamedUniTuple)):
        items = ", ".join(f"{name!r}: self.{name}" for name in self.fields)
        return source_text.function("asdict(self, /)", [f"return {{{items}}}"], {})
