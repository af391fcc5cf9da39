"""The registry of overloads, and overload resolution among implementations.

The compiler asks `resolve` where none of its own rules takes the arguments of a call. An *overload
function* gets the types of the arguments and returns a plain Python function, the *implementation*,
or None. Overload functions for the target 'cpu' are asked before generic ones, those for one target in the order of
their registration; the first implementation wins. All of it is plain data behind one lock that is never held while a library's code runs.

Absent: what inference does with the answer (the extension), the decorators (`rumba.extending`).
"""
import inspect
import sys
import threading
import traceback

from .. import errors, fork_locks
from ..types import Literal, LiteralList, LiteralStrKeyDict, NumberClass, Type, TypeRef, unliteral

_lock = fork_locks.lock()
# Name of a function, as the compiler knows it -> overloads in the order of their registration.
_functions = {}
# Functions that only libraries know: id -> (name, function). They stay alive, so that ids stay theirs.
_names = {}
# ("method" or "attribute", name) -> (type or class of types, overload), in the order of registration.
_members = {}
# ("function", name) and members for which there is something for one target in particular.
_targeted = set()
# What gives candidates for attributes and methods of any name: (type or class of types, provider), in the order of registration.
_providers = []
# Counts registrations.
epoch = 0
# Questions to which there was no answer -> (epoch, why each candidate was rejected).
_failures = {}
# The overloads that each thread is asking.
_thread = threading.local()


class Candidate:
    """A candidate implementation: it has the `function` that was registered, and `implementation(args, keywords)`."""

    # Whether it belongs to Rumba's own library, which is asked last.
    library = False
    # Whether nobody else implements the function: what it raises is reported as it is.
    only = False
    # Whether literal types are tried first.
    prefer_literal = False
    # Whether it stands in where nothing was registered for an extension type.
    is_fallback = False
    # How many parameters of the function are no arguments of the call.
    skipped = 0
    # What it does to arguments (`rumba.extending.effects.Effects`), None if nobody says.
    effects = None


class Overload(Candidate):
    """One overload function with its options."""

    def __init__(self, function, jit_options, strict, inline, prefer_literal, library=False, target="generic",
                 effects=None, only=False):
        self.library, self.only, self.target, self.effects = library, only, target, effects
        if effects is not None and not library:
            effects.text(function)
        self.function, self.strict, self.prefer_literal = function, strict, prefer_literal
        self.jit_options = dict(jit_options)
        if callable(inline):
            from ..compat.inline_cost_model import OfOverload

            inline = OfOverload(inline)
        if inline != "never":
            self.jit_options["inline"] = inline
        # Types of arguments -> compiled function, the same for all callers; or None.
        self._made = {}

    def implementation(self, args, keywords):
        """The compiled function for arguments of these types, or None.

        Raises what the overload function raises, and TypingError where it does not fit the call.
        """
        check_target(self.target)
        # What the library says of other libraries' types follows from what they have registered.
        asks = self.library and any(is_extension_type(ty) for ty in args)
        key = args, tuple(keywords.items()), epoch if asks else None
        with _lock:
            if key in self._made:
                return self._made[key]
        try:
            inspect.signature(self.function).bind(*args, **keywords)
        except TypeError as error:
            raise errors.TypingError(str(error)) from None
        found = self.function(*args, **keywords)
        made = None if found is None else self._compiled(found, args)
        with _lock:
            return self._made.setdefault(key, made)

    def _compiled(self, found, args):
        from .._rumba import Dispatcher
        from ..decorators import always_njit

        if isinstance(found, tuple):
            found = self._with_signature(found, args)
        if isinstance(found, Dispatcher):
            return found
        if not inspect.isfunction(found):
            raise errors.TypingError(
                f"the overload function returned {found!r}: it has to return a function, or None")
        if self.strict:
            check_signatures(self.function, found)
        return always_njit(found, **self.jit_options)

    def _with_signature(self, found, args):
        signature, function = found
        if tuple(signature.args) != tuple(args):
            raise errors.TypingError(f"mismatching signature: it is for {signature.args}, the arguments are {args}")
        return function

    def place(self):
        """The name of the overload function in messages."""
        code = getattr(inspect.unwrap(self.function), "__code__", None)
        name = getattr(self.function, "__name__", repr(self.function))
        return f"'{name}'" if code is None else f"'{name}' ({code.co_filename}:{code.co_firstlineno})"


def check_signatures(overload, implementation):
    """Raises InternalError unless the implementation has the parameters of the overload function."""
    written, given = inspect.signature(overload), inspect.signature(implementation)
    wanted, has = _Parameters(written), _Parameters(given)
    both = f"Typing signature:         {written}\nImplementation signature: {given}"
    plain, own = wanted.plain, has.plain
    if wanted.star and not has.star:
        raise errors.InternalError(
            "VAR_POSITIONAL (e.g. *args) argument kind (offending argument name is "
            f"'{wanted.star}') found in the typing function signature, but is not in the implementing function "
            f"signature.\n{both}")
    if has.star and not wanted.star:
        # The implementation's *args takes whatever parameters are left.
        own = own[:own.index(has.star)]
        if own and own[-1] not in plain:
            raise errors.InternalError(
                f"{_DIFFER} argument names.\n{both}\nFirst difference: '{own[-1]}'")
        plain = plain[:plain.index(own[-1]) + 1] if own else []
    _compare("argument names", plain, own, both)
    _compare("keyword argument names", wanted.keywords, has.keywords, both, key=lambda one: one.name)
    _compare("keyword argument default values", wanted.keywords, has.keywords, both, key=lambda one: one.default)


_DIFFER = "Typing and implementation arguments differ in"


class _Parameters:
    """The parameters of a function, by what matters between overload and implementation."""

    def __init__(self, signature):
        self.plain, self.keywords, self.star = [], [], None
        for one in signature.parameters.values():
            if one.kind is one.VAR_KEYWORD:
                raise errors.InternalError(
                    f"The use of VAR_KEYWORD (e.g. **kwargs) is unsupported. (offending argument name is '{one}')")
            (self.plain if one.default is one.empty else self.keywords).append(one)
            if one.kind is one.VAR_POSITIONAL:
                self.star = one


def _compare(what, wanted, has, both, key=lambda one: one):
    if list(map(key, wanted)) != list(map(key, has)):
        difference = [one for one in wanted if one not in has] + [one for one in has if one not in wanted]
        listed = ", ".join(map(repr, difference))
        raise errors.InternalError(f"{_DIFFER} {what}.\n{both}\nDifference: {{{listed}}}")


# Targets.

# Name of a target -> the names of all that serves it, from the most special one on.
lineages = {
    "generic": ("generic",), "cpu": ("cpu", "generic"), "gpu": ("gpu", "generic"), "cuda": ("cuda", "gpu", "generic"),
    "npyufunc": ("npyufunc",)}


def is_extension_type(ty):
    """Whether a type is one that another library defines.

    >>> from rumba import types
    >>> is_extension_type(types.int64), is_extension_type(type("Own", (types.Type,), {"__module__": "own"})("own"))
    (False, True)
    """
    return type(ty).__module__.partition(".")[0] != "rumba"


def target_named(name):
    """The target of an overload, by its name; NonexistentTargetError if there is none."""
    if name not in lineages:
        raise errors.NonexistentTargetError(f"No target is registered against '{name}', known targets: {', '.join(lineages)}")
    return name


def current_target():
    """The name of this thread's compilation target."""
    return _thread.__dict__.get("target", "cpu")


def set_target(name):
    """Sets this thread's compilation target."""
    _thread.target = name


def check_target(target):
    """Rejects targets for other machines."""
    current = current_target()
    if target not in lineages[current]:
        raise errors.TypingError(f"it is for the target '{target}', and this code is for '{current}'")


def _serves(overload):
    """Whether something is for the target that functions compile for, or for a family it is of."""
    return getattr(overload, "target", "generic") in lineages[current_target()]


def _of_other_targets(candidates, name):
    """Why candidates are rejected none of which is for the target that functions compile for."""
    current, targets = current_target(), sorted({f"'{one.target}'" for one in candidates})
    registered = sys.modules.get("rumba.compat.target_registry")
    shown = current
    if registered is not None:
        cls = registered.target_registry[current]
        shown = f"{cls.__module__}.{cls.__qualname__}"
    function = next((known for other, known in tuple(_names.values()) if other == name), None)
    what = name if function is None else getattr(function, "__qualname__", "") if inspect.isfunction(function) else str(function)
    return (f"Function resolution cannot find any matches for function {what!r} for the current target: '{shown}'. It is there for the "
            f"target {', '.join(targets)}, and this code is for '{current}'.")


def _generality(overload):
    """0 of what is for just this target, more of what is for others, too."""
    lineage, target = lineages[current_target()], getattr(overload, "target", "generic")
    return lineage.index(target) if target in lineage else len(lineage)


# Registration.

def add_function(function, overload):
    """Registers an overload of a function, an operator or a class."""
    name = _name_of(function)
    with _lock:
        _functions.setdefault(name, []).append(overload)
        _note_target("function", name, overload)
        _count()


def add_member(kind, owner, name, overload):
    """Registers a method or an attribute of a type, or of all types of a class."""
    if not (isinstance(owner, Type) or isinstance(owner, type) and issubclass(owner, Type)):
        raise TypeError(f"a type or a class of types is extended, not {owner!r}")
    with _lock:
        _members.setdefault((kind, name), []).append((owner, overload))
        _note_target(kind, name, overload)
        _count()


def _note_target(kind, name, overload):
    if getattr(overload, "target", "generic") != "generic":
        _targeted.add((kind, name))


def add_provider(owner, provider):
    """Registers a provider of attributes and methods of a type, or of all types of a class: `provider.candidate(kind,
    type, name)` returns a candidate, or None."""
    with _lock:
        _providers.append((owner, provider))
        _count()


def may_be_member(ty, name):
    """Whether an attribute or method of this name may be registered for a type."""
    return any((kind, name) in _members for kind in ("attribute", "method")) or any(_is_of(ty, owner) for owner, _ in _providers)


def has_member(kind, ty, name):
    """Whether a method or an attribute of this name is registered for a type."""
    return any(_is_of(ty, owner) for owner, _ in _members.get((kind, name), ()))


def changed():
    """Invalidates remembered failures of lookups."""
    with _lock:
        _count()


def _count():
    global epoch
    epoch += 1
    _failures.clear()


def _name_of(function):
    """The name under which the compiler looks for overloads of a function; Rumba's own library may give that itself."""
    if isinstance(function, str):
        return function
    from .._rumba import session

    known = session.function_name(function)
    if known is not None:
        # A call of these is a statement, for which overloads are asked under their own name.
        return {"rumba.setitem": "operator.setitem", "rumba.delitem": "operator.delitem"}.get(known, known)
    shown = getattr(function, "__name__", type(function).__name__)
    with _lock:
        found = _names.get(id(function))
        if found is None:
            found = _names[id(function)] = f"python.{len(_names)}.{shown}", function
    return found[0]


def add_alias(function, other):
    """Calls of a function are those of another one: what is registered for that implements them."""
    name = _name_of(other)
    with _lock:
        _names[id(function)] = name, function
        _count()


def name_of_key(function):
    """The name under which the compiler looks up implementations of a function; a name is returned unchanged."""
    return _name_of(function)


def known_name(function):
    """The same name, if there is one, without registering anything."""
    from .._rumba import session

    return session.function_name(function) or name_of(function)


def name_of(value):
    """The name of a function that only libraries implement; None for any other value. Called by the compiler."""
    found = _names.get(id(value))
    if found is None and hasattr(type(value), "_as_called"):
        # It says itself what calls of it are.
        add_function(value, value._as_called())
        found = _names.get(id(value))
    return found[0] if found else None


# Choice.

class Snapshot:
    """One compilation's view of the registry: for each function and member, what was registered when the compilation
    first looked it up. Later registrations do not affect it."""

    def __init__(self):
        self.epoch = epoch
        self._seen = {}
        self._providers = tuple(_providers)
        # Names for which there is something for one target in particular.
        self.targeted = frozenset(_targeted)

    def registered(self, kind, name):
        """Overloads of a function; owners and overloads of a member."""
        found = self._seen.get((kind, name))
        if found is None:
            if kind == "function":
                # Rumba's own library is asked last.
                known = sorted(_functions.get(name, ()), key=lambda one: (one.library, _generality(one)))
                conversions = sys.modules.get("rumba.extending.implicit_conversion")
                if conversions is not None:
                    known = [*conversions.first(name), *known, *conversions.last(name)]
            else:
                known = sorted(_members.get((kind, name), ()), key=lambda member: _generality(member[1]))
            found = self._seen[kind, name] = tuple(known)
        return found

    def candidates(self, kind, subject, name):
        """The overloads that may implement a call, in registration order."""
        found = self.registered(kind, name)
        if kind == "function":
            # What the compiler itself knows does not become unknown by what others register for other targets.
            return found if name.startswith("python.") else tuple(filter(_serves, found))
        of_type = [overload for owner, overload in found if _is_of(subject, owner) and _serves(overload)]
        for owner, provider in self._providers:
            more = provider.candidate(kind, subject, name) if _is_of(subject, owner) else None
            if more is not None:
                of_type.append(more)
        return of_type


def is_known(snapshot, kind, subject, name):
    """Whether anything is registered: for the function `name`, or for that member of the type."""
    return bool(snapshot.candidates(kind, subject, name))


def is_targeted(snapshot, kind, subject, name):
    """Whether something serves the target that is compiled for more closely than what serves every target. Called by the
    compiler."""
    if (kind, name) not in snapshot.targeted:
        return False
    specific = lineages[current_target()][:-1]
    return any(getattr(one, "target", "generic") in specific for one in snapshot.candidates(kind, subject, name))


def effects_of(snapshot, kind, subject, name):
    """The effects that libraries state for a function or member, one text per implementation, empty if it states
    none. Called by the compiler."""
    texts = []
    for overload in snapshot.candidates(kind, subject, name):
        if not overload.library and not overload.is_fallback:
            effects = overload.effects
            texts.append("" if effects is None else effects.text(overload.function, overload.skipped))
    return texts


def registered(name):
    """The overloads registered for a function, by its name."""
    return tuple(_functions.get(name, ()))


def is_overridden(name):
    """Whether another library also implements a function of Rumba's own library."""
    return any(not overload.library for overload in _functions.get(name, ()))


def _is_of(ty, owner):
    """Whether a type is what members were registered for."""
    if isinstance(owner, type):
        return isinstance(ty, owner) or isinstance(unliteral(ty), owner)
    if isinstance(owner, TypeRef) and isinstance(owner.instance_type, type) and isinstance(ty, NumberClass):
        return isinstance(ty.instance_type, owner.instance_type)
    return owner in (ty, unliteral(ty))


def resolve(snapshot, kind, subject, name, args, names, skip, only_library=False, prefer_literal=False):
    """The implementation for a call: (compiled function or None, whether it wants literal types, why
    others were rejected, places of arguments of which it wants to know the value and does not). The
    first `skip` ones that fit are passed over. With `only_library`, Rumba's own library alone is asked; with
    `prefer_literal`, each overload is asked for the literal types first.

    That there is none is remembered until something is registered.
    """
    question = kind, subject, name, args, names, skip, only_library, current_target()
    failed = _failures.get(question)
    if failed and failed[0] == epoch == snapshot.epoch:
        return None, False, list(failed[1]), []
    candidates = snapshot.candidates(kind, subject, name)
    if only_library:
        candidates = [overload for overload in candidates if overload.library]
    stated = [overload for overload in candidates if not overload.is_fallback]
    if stated and not any(map(_serves, stated)):
        answer = None, False, [_of_other_targets(stated, name)], []
    else:
        answer = _resolve(list(filter(_serves, candidates)), args, names, skip, prefer_literal)
    found, _, rejected, places = answer
    if found is None and not places and snapshot.epoch == epoch:
        _failures[question] = epoch, tuple(rejected)
    return answer


def _resolve(candidates, args, names, skip, prefer_literal):
    by_position = len(args) - len(names)
    rejected = []
    for overload in candidates:
        before = len(rejected)
        for literal in (True, False) if prefer_literal or overload.prefer_literal else (False, True):
            given = args if literal else tuple(map(unliteral if overload.library else _plain, args))
            if literal and given == tuple(map(unliteral, args)):
                continue
            keywords = dict(zip(names, given[by_position:]))
            try:
                found, why = _ask(overload, given[:by_position], keywords, rejected)
            except errors.ForceLiteralArg as request:
                places = _places(overload, request, by_position, names)
                if not literal and all(isinstance(args[at], Literal) for at in places):
                    continue
                return None, False, rejected, places
            if found is None and overload.is_fallback and why in (_NOT_FOR_THESE, _NO_MATCH):
                # It is for few, and no reason for anybody else.
                continue
            if why and not any(why == known.partition("\n")[2] for known in rejected[before:]):
                asked = _of_library(overload) if overload.library else _asked(overload, given[:by_position], keywords)
                rejected.append(f"{asked}:\n{why}")
            if found is not None:
                if skip == 0:
                    _finish(overload, found, given)
                    return found, literal, rejected, []
                skip -= 1
    # That it is not for these types says less than any other reason.
    telling = [why for why in rejected if not why.endswith(_NOT_FOR_THESE)]
    return None, False, telling or rejected, []


def _plain(ty):
    """The type without the knowledge of its value. Containers that never change keep what they know of their items, as users'
    overloads read that of their types."""
    return ty if isinstance(ty, (LiteralList, LiteralStrKeyDict)) else unliteral(ty)


_NOT_FOR_THESE, _NO_MATCH = "not for these types", "It returned None: no match."


def _finish(overload, found, args):
    """Lets an intrinsic write its code: what goes wrong there is no matter of types."""
    build = getattr(found, "build", None)
    if build is None:
        return
    try:
        build()
    except Exception as error:
        error.add_note(f"Raised by the code generator of the {_asked(overload, args, {})}.")
        raise


def _places(overload, request, by_position, names):
    """Which arguments of the call the parameters are that a request names."""
    parameters = list(inspect.signature(overload.function).parameters)
    return [
        at if at < by_position else by_position + list(names).index(parameters[at])
        for at in sorted(request.requested_args)]


def _asked(overload, args, keywords):
    shown = ", ".join([*map(str, args), *(f"{name}={ty}" for name, ty in keywords.items())])
    return f"overload {overload.place()} with argument(s) ({shown})"


def _of_library(overload):
    """What a function of Rumba's own library takes; where it stands is nobody's concern."""
    parameters = [
        parameter.replace(annotation=parameter.empty, default=_Default(parameter.default))
        if isinstance(parameter.default, type) and parameter.default is not parameter.empty
        else parameter.replace(annotation=parameter.empty)
        for parameter in inspect.signature(overload.function).parameters.values()]
    return f"in compiled code it is called with {inspect.Signature(parameters)}"


class _Default:
    """A class that is the default of a parameter, shown by its name."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return self.value.__name__


def _ask(overload, args, keywords, rejected):
    """The implementation of one overload, and the reason where there is none."""
    asking = _thread.__dict__.setdefault("asking", [])
    question = overload, args, tuple(keywords.items())
    if question in asking:
        return None, (
            "Rejected as it is being asked already: it compiles a function that calls what it implements for the "
            "same types, which has no end.")
    asking.append(question)
    try:
        found = overload.implementation(args, keywords)
    except errors.ForceLiteralArg:
        raise
    except errors.NumbaError as error:
        if overload.only:
            raise
        if overload.library:
            return None, str(error)
        return None, f"Rejected as it raised an error:\n  {_told(error)}"
    except Exception as error:
        error.add_note(f"Raised by the {_asked(overload, args, keywords)} while a call was compiled.")
        for why in rejected:
            error.add_note(f"Asked before it: {why}")
        raise
    finally:
        asking.pop()
    return found, "" if found else _NOT_FOR_THESE if overload.library else _NO_MATCH


def _told(error):
    """An exception with the line that raised it, indented."""
    text = f"{type(error).__name__}: {error}".replace("\n", "\n  ")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    if not frames:
        return text
    last = frames[-1]
    line = f": {last.line}" if last.line else ""
    return f"{text}\n  raised from {last.filename}:{last.lineno}{line}"
