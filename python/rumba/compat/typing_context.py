"""Typing contexts: they resolve calls and attributes with the registries installed in them and with the compiler.

Absent: what registries hold (`rumba.extending.templates`).
"""
from .. import types
from ..types import unliteral


class BaseContext:
    """A context. What is installed in one of a library's own, that one alone answers; code is compiled for
    `cpu_target.typing_context`."""

    def __init__(self):
        self._functions, self._attributes, self._globals = {}, [], {}
        self._registries = {}
        self.init()

    def init(self):
        """For subclasses: installs registries."""

    def refresh(self):
        """Looks at registries again: what they have got since they were installed is seen without."""
        self.load_additional_registries()

    def load_additional_registries(self):
        """For subclasses: installs further registries."""

    def install_registry(self, registry):
        """Answers from a registry, too, and from what it gets later."""
        if registry not in self._registries:
            self._registries[registry] = True
            registry.install(self._note)

    # As the documents of old call it.
    install = install_registry

    def _note(self, kind, item):
        if kind == "functions":
            self.insert_function(item)
        elif kind == "attributes":
            self.insert_attributes(item)
        else:
            self.insert_global(*item)

    def insert_function(self, template):
        """Answers for calls of a template's key."""
        self._functions.setdefault(_identity(template.key), []).append(template)

    def insert_attributes(self, template):
        """Answers for the attributes that a template states."""
        self._attributes.append(template)

    def insert_global(self, value, ty):
        """Says that a global value is of a type."""
        known = self._globals.get(id(value))
        if known is not None and isinstance(ty, types.Function) and isinstance(known[1], types.Function):
            # Templates of one function are asked one after the other.
            ty = types.Function(known[1].templates + ty.templates)
        self._globals[id(value)] = value, ty

    # Questions.

    def resolve_value_type(self, value):
        """The type of a global value."""
        known = self._globals.get(id(value))
        return known[1] if known is not None else types.typeof(value)

    resolve_argument_type = resolve_data_type = get_data_type = resolve_value_type

    def resolve_value_type_prefer_literal(self, value):
        """The same, with the value where types know it."""
        if isinstance(value, (bool, int, str)):
            return types.literal(value)
        return self.resolve_value_type(value)

    def resolve_function_type(self, func, args, kws):
        """The signature of a call of a function, or of a value of a type, with arguments of these types; None if there is none."""
        args, kws = tuple(args), dict(kws)
        if not isinstance(func, types.Type) and id(func) in self._globals:
            found = self.resolve_function_type(self._globals[id(func)][1], args, kws)
            if found is not None:
                return found
        known = self._functions.get(_identity(func)) or ()
        if isinstance(func, (types.Function, types.BoundFunction)):
            known = [*known, *(self._functions.get(_identity(func.typing_key)) or ())]
            found = func.get_call_type(self, args, kws)
            if found is not None:
                return found
        if known:
            found = types.functions.call_type(known, self, args, kws)
            if found is not None:
                return found
        return self._of_compiler(func, args, kws)

    def _of_compiler(self, func, args, kws):
        from . import compiler_questions

        return compiler_questions.call(func, args, kws)

    def resolve_method(self, typ, name, args, kws):
        """The signature of a call of a method of values of a type, as the compiler has it; None if there is none."""
        from . import compiler_questions

        return compiler_questions.method(typ, name, tuple(args), dict(kws))

    def resolve_getattr(self, typ, attr):
        """The type of an attribute of values of a type; None if there is none."""
        for template in self.get_templates_of(typ):
            found = template(self).resolve(typ, attr)
            if found is not None:
                return found
        from . import compiler_questions

        return compiler_questions.attribute(typ, attr)

    def find_matching_getattr_template(self, typ, attr, kind=None):
        """The template that knows an attribute, with the type that it gives: a dict, or None."""
        for template in self.get_templates_of(typ):
            found = template(self).resolve(typ, attr)
            if found is not None:
                return {"template": template(self), "return_type": found}
        return None

    def get_templates_of(self, typ):
        """The templates of attributes for a type: those for itself before those for its classes."""
        own = [one for one in self._attributes if one.key == typ]
        kinds = [one for kind in type(typ).__mro__ for one in self._attributes if one.key is kind]
        return own + kinds

    def resolve_setattr(self, target, attr, value):
        """The signature of an assignment to an attribute; None if there is no such attribute."""
        wanted = self.resolve_getattr(target, attr)
        return None if wanted is None else types.signature(types.void, target, wanted)

    def resolve_getitem(self, target, index):
        """The signature of taking an item."""
        import operator

        return self.resolve_function_type(operator.getitem, (target, index), {})

    resolve_static_getitem = resolve_getitem

    def resolve_setitem(self, target, index, value):
        """The signature of writing an item."""
        import operator

        return self.resolve_function_type(operator.setitem, (target, index, value), {})

    resolve_static_setitem = resolve_setitem

    def resolve_delitem(self, target, index):
        """The signature of removing an item."""
        import operator

        return self.resolve_function_type(operator.delitem, (target, index), {})

    def resolve_overload(self, key, cases, args, kws, allow_ambiguous=True, unsafe_casting=True, exact_match_required=False):
        """The signature of those listed that the arguments convert to best, or None."""
        if kws:
            return None
        from ..types import Conversion

        plain, best = tuple(map(unliteral, args)), []
        for number, case in enumerate(cases):
            if len(case.args) != len(plain):
                continue
            grades = [self.can_convert(given, wanted) for given, wanted in zip(plain, case.args)]
            if None in grades or not unsafe_casting and Conversion.unsafe in grades:
                continue
            if exact_match_required and any(grade != Conversion.exact for grade in grades):
                continue
            counts = [grades.count(kind) for kind in (Conversion.unsafe, Conversion.safe, Conversion.promote)]
            best.append((counts, number, case))
        best.sort(key=lambda one: one[:2])
        if len(best) > 1 and not allow_ambiguous and best[0][0] == best[1][0]:
            shown = "\n".join(str(case) for counts, _, case in best if counts == best[0][0])
            raise TypeError(f"Ambiguous overloading for {key} {args}:\n{shown}")
        return best[0][2] if best else None

    def can_convert(self, fromty, toty):
        """How a value of one type becomes one of the other, or None."""
        from .casting_rules import default_type_manager

        return default_type_manager.check_compatible(fromty, toty)

    def unify_types(self, *typelist):
        """The type that values of all these types fit in, or None."""
        from ..types.convert import unify

        return unify(*typelist)

    def unify_pairs(self, first, second):
        """The type that values of both types fit in, or None."""
        return self.unify_types(first, second)


class Context(BaseContext):
    """The context of a target whose code this processor runs."""


class CompilerContext(Context):
    """The context for which code is compiled: what is installed here, compiled functions see."""

    def install_registry(self, registry):
        """Lets compiled code see a registry, too, and what it gets later."""
        if registry not in self._registries:
            from ..extending import templates

            super().install_registry(registry)
            registry.install(templates.install_for_compiler)

    install = install_registry

    def init(self):
        from ..extending import templates

        self._registries[templates.builtin_registry] = True
        templates.builtin_registry.install(self._note)


def _identity(function):
    """What tells functions apart: names by their text."""
    return function if isinstance(function, (str, types.Type)) else id(function)
