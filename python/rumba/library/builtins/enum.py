"""Names of enumeration members, which compiled code represents by their values."""
import enum

from ...types import EnumMember
from ...types.typeof import typeof
from ...extending.effects import Effects
from .. import library


@library("enum.Enum.name", effects=Effects(also="shows"))
def name(self, /):
    if not isinstance(self, EnumMember) or issubclass(self.instance_class, enum.Flag):
        return None
    # Members whose values are of other types have other types themselves.
    members = [member for member in self.instance_class if typeof(member.value) == self.dtype]
    names, values = tuple(member.name for member in members), tuple(member.value for member in members)
    last = len(members) - 1

    def name(self, /):
        for at in range(last):
            if self.value == values[at]:
                return names[at]
        return names[last]
    return name
