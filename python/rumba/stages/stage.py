"""A function at one stage.

Absent: what each stage is (the compiler guide).
"""
import ast as python_ast
import json
import re

# Those that are SSA, and have terms.
_SSA = ("untyped", "typed", "explicit")
STAGES = ("ast", "normalized", "untyped", "typed", "explicit", "llvm", "assembly")

# Where an instruction stands in the source, and the offset of a block in the bytecode.
_PLACES = re.compile(r' @ \d+(?::\d+-(?:\d+:)?\d+)?$| @\d+(?=:$)', re.M)


class Stage:
    """A function at a stage of the compiler.

    Attributes
    ----------
    name : str
        One of `STAGES`.
    text : str
        The function in the form of the stage.
    function : function
        The Python function that it came from; its globals and closure are those of this one, too.
    signature : tuple of Type, or None
        Types of the parameters, from the stage `typed` on.
    options : dict
        Options of the decorator.

    Stages are values: `edited` gives a new one.
    """

    def __init__(self, name, text, function, signature=None, options=None):
        self.name, self.text, self.function = name, text, function
        self.signature, self.options = signature, dict(options or {})

    def __repr__(self):
        return f"<stage {self.name} of {self.function.__qualname__}>"

    def __str__(self):
        return self.text

    @property
    def without_places(self):
        """The text without places in the source, which are then unknown if it is read back."""
        return _PLACES.sub("", self.text).rstrip("\n")

    def edited(self, text):
        """The same stage with another text, which is verified."""
        other = Stage(self.name, text, self.function, self.signature, self.options)
        other.verify()
        return other

    def verify(self):
        """Raises an exception that says what is wrong if the text is not a function that keeps the rules of its stage.

        A function of the stages `typed` and `llvm` is compiled for this. Nobody reads the stage `assembly`.
        """
        if self.name == "assembly":
            raise ValueError("the stage assembly is not read back")
        if self.name in ("ast", "normalized"):
            self._tree()
        elif self.name in ("untyped", "explicit"):
            from .. import _rumba

            _rumba.stages.verify(self.text)
        else:
            self.compile()

    def run(self, *args):
        """Calls the function, by the interpreter of its stage where there is one.

        Gives and raises what the call would.
        """
        from .. import _rumba, testing

        if self.name in ("ast", "normalized"):
            return self._python_function()(*args)
        if self.name == "untyped":
            return _rumba.stages.execute(self.text, self.function, *args)
        compiled = self.compile()
        if self.name == "typed":
            return testing.execute(compiled, "typed", *args)
        return testing.interpret(compiled, *args) if self.name == "explicit" else compiled(*args)

    def compile(self):
        """The dispatcher of a compiled function that is made of this text.

        From the stage `typed` on it is compiled for `signature` at once, and takes no other types.
        """
        from .. import njit

        if self.name in ("ast", "normalized"):
            return njit(self._python_function(), **self.options)
        if self.name == "assembly":
            return _compiled(self.function, self.signature, self.options)
        dispatcher = njit(self.function, **self.options, stages={self.name: lambda _: self.text})
        if self.signature is not None:
            dispatcher.compile(self.signature)
            dispatcher.disable_compile()
        return dispatcher

    def dumps_json(self):
        """The stage as JSON: its name, the function's name, types of the parameters by name, and the text.

        `loads_json(text, function)` is the inverse.
        """
        types = None if self.signature is None else [str(one) for one in self.signature]
        return json.dumps({
            "stage": self.name, "function": self.function.__qualname__, "signature": types, "text": self.text}, indent=1)

    def terms(self):
        """The function as a tree: the `Module` of `rumba.stages.terms`, for the stages `untyped`, `typed` and `explicit`."""
        terms = self._terms_module()
        return terms.from_text(self.text, self.function.__globals__)

    def with_terms(self, module):
        """The stage that a tree describes; globals are what its `DataObject` units say."""
        from ..normalized.functions import function_like

        terms = self._terms_module()
        space = terms.globals_of(module, self.function.__globals__)
        function = self.function
        if space is not function.__globals__:
            function = function_like(function, function.__code__, space, function.__closure__)
        if self.name == "explicit":
            from . import polymorphic

            module = polymorphic.resolved(module)
        other = Stage(self.name, terms.to_text(module), function, self.signature, self.options)
        other.verify()
        return other

    def _terms_module(self):
        """`rumba.stages.terms`; ValueError if the stage has no terms."""
        from . import terms

        if self.name not in _SSA:
            raise ValueError(f"the stage {self.name} has no terms: {', '.join(_SSA)} have")
        return terms

    def _tree(self):
        from .. import normalized as normal

        if self.name == "ast":
            (definition,) = normal.from_ast(python_ast.parse(self.text))
            return definition
        tree = normal.loads_text(self.text)
        normal.validate(tree)
        return tree

    def _python_function(self):
        from .. import normalized as normal

        return normal.to_function(self._tree(), self.function)


def loads_json(text, function):
    """The stage that `Stage.dumps_json` wrote; `function` has its globals and closure. ValueError if it is no such JSON."""
    from .. import types as rumba_types

    given = json.loads(text)
    if not isinstance(given, dict) or not {"stage", "signature", "text"} <= given.keys() or given["stage"] not in STAGES:
        raise ValueError(f"JSON of a stage has the keys stage, function, signature and text, and stage is one of {', '.join(STAGES)}")
    signature = given["signature"]
    if signature is not None:
        signature = tuple(rumba_types.normalize_signature(f"({', '.join(signature)},)")[0]) if signature else ()
    return Stage(given["stage"], given["text"], _python(function), signature, _options(function))


def ast(function):
    """The source of a function. Its decorators, defaults and annotations were evaluated, and are not looked at again."""
    from .. import normalized as normal

    definition = normal.of_function(_python(function))
    definition.decorator_list = []
    return Stage("ast", python_ast.unparse(normal.to_ast([definition])), _python(function), None, _options(function))


def normalized(function):
    """Normalized IR, as `rumba.normalized.loads_text` reads it."""
    from .. import normalized as normal

    definition = normal.of_function(_python(function))
    return Stage("normalized", normal.dumps_text(definition), _python(function), None, _options(function))


def untyped(function):
    """Untyped SSA: values that are assigned once, and blocks with parameters where versions of a variable meet."""
    from .. import _rumba

    options = _options(function)
    return Stage("untyped", _rumba.stages.untyped(_python(function), options), _python(function), None, options)


def typed(function, signature=None):
    """Typed SSA for a signature, such as `"(int64, float64[:])"` or a tuple of types.

    Without one, `function` is a dispatcher that is compiled for exactly one.
    """
    return _captured("typed", function, signature)


def explicit(function, signature=None):
    """Machine operations on scalars and pointers, before calls are inlined; see `typed` for the signature."""
    return _captured("explicit", function, signature)


def llvm(function, signature=None):
    """LLVM IR of a function and those that it calls, before LLVM's own passes; see `typed` for the signature."""
    return _captured("llvm", function, signature)


def assembly(function, signature=None):
    """Assembly of a function and those that it calls; see `typed` for the signature."""
    types, options = _types(function, signature), _options(function)
    compiled = _compiled(_python(function), types, options)
    return Stage("assembly", compiled.inspect_asm(compiled.signatures[0]), _python(function), types, options)


def _python(function):
    return getattr(function, "py_func", function)


def _options(function):
    options = dict(getattr(function, "targetoptions", {}))
    for name in ("stages", "nopython"):
        options.pop(name, None)
    return options


def _types(function, signature):
    from .. import types as rumba_types

    if signature is None:
        known = getattr(function, "signatures", [])
        if len(known) != 1:
            raise ValueError(
                f"{_python(function).__name__} is compiled for {len(known)} signatures: say which one is meant, as in \"(int64, float64)\"")
        return tuple(known[0])
    if isinstance(signature, rumba_types.Type):
        return (signature,)
    return tuple(rumba_types.normalize_signature(signature)[0])


def _compiled(function, types, options, **more):
    from .. import njit

    dispatcher = njit(function, **options, **more)
    dispatcher.compile(types)
    return dispatcher


def _captured(name, function, signature):
    texts = []

    def keep(text):
        texts.append(text)
        return text

    types, options = _types(function, signature), _options(function)
    _compiled(_python(function), types, options, stages={name: keep})
    return Stage(name, texts[0], _python(function), types, options)
