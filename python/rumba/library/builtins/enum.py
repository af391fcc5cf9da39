"""Enumerations: names of members, which compiled code represents by their values, and members by value and by name."""
import enum

from ...types import EnumClass, EnumMember, UnicodeType, unliteral
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


@library("enum.EnumMeta.__call__", strict=False)
def member_of_value(cls, value):
    if not isinstance(cls, EnumClass) or issubclass(cls.instance_class, enum.Flag):
        return None
    if isinstance(value, EnumMember) and value.instance_class is cls.instance_class:
        return lambda cls, value: value
    if cls.instance_class._missing_.__func__ is not enum.Enum._missing_.__func__:
        # What it gives is any member, or an exception.
        return None
    members = tuple(cls.instance_class)
    values, count, name = tuple(member.value for member in members), len(members), cls.instance_class.__qualname__

    def member_of_value(cls, value):
        for at in range(count):
            if values[at] == value:
                return members[at]
        raise ValueError(f"{value!r} is not a valid {name}")

    return member_of_value


@library("enum.EnumMeta.__getitem__", strict=False)
def member_of_name(cls, name):
    if not isinstance(cls, EnumClass) or not isinstance(unliteral(name), UnicodeType):
        return None
    known = cls.instance_class.__members__
    names, members, count = tuple(known), tuple(known.values()), len(known)

    def member_of_name(cls, name):
        for at in range(count):
            if names[at] == name:
                return members[at]
        raise KeyError(name)

    return member_of_name
