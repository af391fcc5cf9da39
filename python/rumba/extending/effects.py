"""Effects of a function on its arguments, in the compiler's notation.

Absent: the facts of what the compiler itself implements (`catalog`), what is done with them (inference).
"""
import inspect


class Effects:
    """What a function does to its arguments. What is not stated it does not do: `Effects()` is of a function that only
    reads them and gives something new.

    Parameters are given by their names, several as a text with spaces between:

    - `mutates`: those that it changes, or whose items it changes.
    - `appends={"container": "item"}`, `extends={"container": "items"}`: what it puts into a list or a set;
      `sets={"container": ("key", "value")}`, `updates={"container": "pairs"}`: into a dict. So a list, set or dict that is
      made by the calling function gets items of a type that both have.
    - `returns`: which list, set or dict of its arguments its result is or holds: `"a"`, `"item of a"`, `"items of a"` or, of
      several arguments one and of only one an item, `"any of a"`; `"list of a"` is a list of all items. A list or tuple of such
      texts says several.
    - `calls`: functions that it calls, now or when its result is gone through.
    - `exhausts`: the iterator that it goes through to its end before anything else can be noticed; `("a", True)` if it ends
      at an item that is true.
    """

    def __init__(self, *, mutates="", appends={}, extends={}, sets={}, updates={}, returns=(), calls="", exhausts="",
                 also=""):
        self._facts = [("mutates", [name]) for name in mutates.split()]
        for word, puts in (("appends", appends), ("extends", extends), ("sets", sets), ("updates", updates)):
            for container, what in puts.items():
                self._facts.append((word, [container, *((what,) if isinstance(what, str) else what)]))
        for text in (returns,) if isinstance(returns, str) else returns:
            kind, of, name = text.rpartition(" of ")
            if of and kind not in ("item", "items", "list", "any"):
                raise ValueError(f"a result is a parameter, or 'item of', 'items of', 'list of' or 'any of' one, not {text!r}")
            self._facts.append(("returns", [kind + ":", name] if of else [name]))
        self._facts += [("calls", [name]) for name in calls.split()]
        if exhausts:
            name, *how = (exhausts,) if isinstance(exhausts, str) else exhausts
            self._facts.append(("exhausts", [name, *(f":{one}" for one in how)]))
        # Facts of Rumba's own library.
        self._also = also

    def text(self, function, skipped=0):
        """The same in the compiler's notation, with the positions that the parameters of `function` have; its first ones may
        be skipped."""
        places = _places(function, skipped)
        words = [f"{word}={_joined(names, places)}" for word, names in self._facts]
        return " ".join([*words, *self._also.split()]) or "reads"


def writes_out(function):
    """The effects of a function of NumPy that states none: it writes to `out`, if it has that."""
    return Effects(mutates="out") if "out" in inspect.signature(function).parameters else Effects()


def _places(function, skipped):
    """Each parameter's name as it is written, by its name."""
    places = {}
    parameters = list(inspect.signature(function).parameters.values())[skipped:]
    for position, one in enumerate(parameters):
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        by_name = one.kind in (one.KEYWORD_ONLY, one.VAR_KEYWORD)
        places[one.name] = f"{star}{one.name}@{'-' if by_name else position}"
    return places


def _joined(names, places):
    """`heap@0:item@1`."""
    parts = []
    for name in names:
        if name.strip(":") != name:
            parts.append(name.strip(":"))
        elif name in places:
            parts.append(places[name])
        else:
            raise TypeError(f"there is no parameter {name!r}: there are {', '.join(places)}")
    return ":".join(parts)
