"""Mangles names and types by the rules of the Itanium C++ ABI: Numba's `numba.core.itanium_mangler`.

What C++ has no letter for is an identifier: its length, then its text. Absent: the symbols that Rumba's own code has.
"""
import re

_PREFIX = "_Z"
_LETTERS = {
    "void": "v", "boolean": "b", "bool": "b", "uint8": "h", "int8": "a", "uint16": "t", "int16": "s", "uint32": "j", "int32": "i",
    "uint64": "y", "int64": "x", "float16": "Dh", "float32": "f", "float64": "d"}


def mangle_identifier(ident, template_params="", *, abi_tags=(), uid=None):
    """A name, whose parts between dots are nested: `mangle_identifier("f") == "1f"`. Behind it `uid` as a tag, the tags, and
    parameters, which are mangled already."""
    if uid is not None:
        # As in `v123`: which version of a function it is.
        abi_tags = (f"v{uid}", *abi_tags)
    parts = [_with_length(part) for part in ident.split(".")]
    tags = "".join(map(mangle_abi_tag, abi_tags))
    text = "".join(parts) + tags + template_params
    return f"N{text}E" if len(parts) > 1 else text


def mangle_abi_tag(tag):
    """A tag, which is appended to a name."""
    return "B" + _with_length(tag)


def mangle_type_or_value(value):
    """A type, or a constant that stands for one."""
    from ..types import Type

    if isinstance(value, Type):
        return mangle_type(value)
    if isinstance(value, str):
        # The code of a type of C.
        return mangle_identifier(value)
    return mangle_value(value)


def mangle_type(ty):
    """A type: the letter of C++, or its name and parameters.

    >>> from rumba import types
    >>> from rumba.tools.name_mangling import mangle_type
    >>> mangle_type(types.int32)
    'i'
    """
    letter = _LETTERS.get(str(ty))
    if letter is not None:
        return letter
    name, params = ty.mangling_args if hasattr(ty, "mangling_args") else (str(ty), ())
    return mangle_templated_ident(name, params)


def mangle_value(value):
    """A constant: `mangle_value(123) == "Li123E"`; what is no integer is an identifier of its text."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"Li{value}E"
    return _with_length(str(value))


def mangle_templated_ident(identifier, parameters):
    """A name with types and constants as parameters."""
    template = f"I{''.join(map(mangle_type_or_value, parameters))}E" if parameters else ""
    return mangle_identifier(identifier, template)


def mangle_args(argtys):
    """The types of arguments, concatenated."""
    return "".join(map(mangle_type_or_value, argtys))


def mangle(ident, argtys, *, abi_tags=(), uid=None):
    """The symbol of a function for types of arguments: `mangle("f", [int32, float32]) == "_Z1fif"`."""
    return _PREFIX + mangle_identifier(ident, abi_tags=abi_tags, uid=uid) + mangle_args(argtys)


def prepend_namespace(mangled, ns):
    """A symbol with one more name prepended to its own."""
    if not mangled.startswith(_PREFIX):
        raise ValueError("input is not a mangled name")
    rest = mangled.removeprefix(_PREFIX)
    if rest.startswith("N"):
        return f"{_PREFIX}N{mangle_identifier(ns)}{rest[1:]}"
    # The name that it has is one identifier, and the types of the arguments come behind it.
    length = re.match(r"\d+", rest)
    end = length.end() + int(length.group())
    return f"{_PREFIX}N{mangle_identifier(ns)}{rest[:end]}E{rest[end:]}"


def _with_length(text):
    """A text without what linkers do not take, behind its length."""
    kept = re.sub(r"[^A-Za-z0-9_]", lambda found: "".join(f"_{byte:02x}" for byte in found.group().encode()), text)
    if kept[:1].isdigit():
        # The length would run into it.
        kept = f"_{kept}"
    return f"{len(kept)}{kept}"


default_mangler = mangle
