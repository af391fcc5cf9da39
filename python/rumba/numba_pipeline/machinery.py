"""Passes and the pass managers that run them in order, independent of single passes."""
import inspect
from collections import namedtuple

from ..errors import CompilerError
from ..numba_ir import Del, FunctionIR

pass_info = namedtuple("pass_info", "pass_inst mutates_CFG analysis_only")
pass_timings = namedtuple("pass_timings", "init run finalize")


class CompilerPass:
    """One step of a compilation: `run_pass(state)` does it, and says whether it changed something."""

    _name = None
    # Whether it puts `del`s in, which other passes take out again.
    inserts_dels = False
    # Whether the function is printed before and after the pass.
    _DEBUG = False
    # Numbers of passes, in the order of their registration.
    pass_id = None

    def __init__(self, *args, **kwargs):
        self.analysis = None

    @classmethod
    def name(cls):
        """The name under which it is registered."""
        return cls._name

    def run_initialization(self, state):
        """What is to be done before; True if it changed something."""
        return False

    def run_pass(self, state):
        """What the pass does; True if it changed something."""
        raise NotImplementedError(f"{type(self).__name__}.run_pass() is not there")

    def run_finalizer(self, state):
        """What is to be done behind; True if it changed something."""
        return False

    def get_analysis_usage(self, AU):
        """Tells which passes must have run: `AU.add_required(PassClass)`."""

    def get_analysis(self, pass_name):
        """What a required pass found."""
        return self.analysis[pass_name]


class SSACompliantMixin:
    """Marks passes that can work with variables that are assigned once."""


class FunctionPass(CompilerPass):
    """A pass that may change a function."""


class AnalysisPass(CompilerPass):
    """A pass that changes nothing."""


class LoweringPass(CompilerPass):
    """A pass that makes code."""


class AnalysisUsage:
    """What a pass needs to have run."""

    def __init__(self):
        self._required, self._preserved = set(), set()

    def get_required_set(self):
        """The passes that must have run."""
        return self._required

    def get_preserved_set(self):
        """The passes of which the findings stay true."""
        return self._preserved

    def add_required(self, pss):
        """One more pass that must have run."""
        self._required.add(pss)

    def add_preserved(self, pss):
        """One more pass of which the findings stay true."""
        self._preserved.add(pss)

    def __str__(self):
        return f"required: {self._required}"


class PassRegistry:
    """All passes, by their classes."""

    def __init__(self):
        self._registry = {}

    def register(self, mutates_CFG, analysis_only):
        """A decorator for classes of passes. A class that takes the name of another one takes its place under that
        name."""
        def do_register(pass_class):
            if not (inspect.isclass(pass_class) and issubclass(pass_class, CompilerPass)):
                raise TypeError(f"{pass_class!r} is not a class of passes")
            if not isinstance(pass_class._name, str):
                raise ValueError(f"{pass_class.__name__}._name is the name of the pass, a str, not {pass_class._name!r}")
            pass_class.pass_id = len(self._registry)
            self._registry[pass_class] = pass_info(pass_class, mutates_CFG, analysis_only)
            return pass_class

        return do_register

    def is_registered(self, clazz):
        """Whether a class is one of them."""
        return clazz in self._registry

    def get(self, clazz):
        """What was said of a class when it was registered."""
        return self._registry[clazz]

    def find_by_name(self, class_name):
        """The class of that name that was registered last; ValueError if there is none."""
        for known in reversed(self._registry):
            if known.name() == class_name:
                return self._registry[known]
        raise ValueError(f"No pass with name {class_name} is registered")

    def dump(self):
        """Prints all passes."""
        for known in self._registry.values():
            print(f"{known.pass_inst.name()}: {known}")


_pass_registry = PassRegistry()
register_pass = _pass_registry.register


def shows_changes():
    """Whether a pass is to be shown at work: then functions without a pipeline of their own go through Numba's passes, too."""
    return any(known._DEBUG for known in tuple(_pass_registry._registry))


class PassManager:
    """Passes in order, each with a word on what it does. `finalize()` ends the list, `run(state)` runs it."""

    def __init__(self, pipeline_name):
        self.pipeline_name, self.passes, self.exec_times = pipeline_name, [], {}
        self._finalized, self._analysis = False, {}

    def _checked(self, pass_cls):
        if isinstance(pass_cls, str):
            return _pass_registry.find_by_name(pass_cls).pass_inst
        if not (inspect.isclass(pass_cls) and issubclass(pass_cls, CompilerPass)):
            raise TypeError(
                f"a pass is named, or a subclass of CompilerPass (FunctionPass, AnalysisPass), not {pass_cls!r}")
        if not _pass_registry.is_registered(pass_cls):
            raise ValueError(
                f"Pass {pass_cls} is not registered: decorate the class with "
                "@register_pass(mutates_CFG=..., analysis_only=...)")
        return pass_cls

    def _open(self):
        if self._finalized:
            raise RuntimeError("the list of passes is finalized: add passes before finalize()")

    def add_pass(self, pss, description=""):
        """One more pass, at the end."""
        self._open()
        self.passes.append((self._checked(pss), description))

    def add_pass_after(self, pass_cls, location):
        """A pass behind another one."""
        self._open()
        pass_cls, location = self._checked(pass_cls), self._checked(location)
        for index, (known, _) in enumerate(self.passes):
            if known is location:
                self.passes.insert(index + 1, (pass_cls, str(pass_cls)))
                return
        raise ValueError(f"Could not find pass {location}")

    def finalize(self):
        """Completes the list; passes must come after those that they require."""
        self.dependency_analysis()
        self._finalized = True

    @property
    def finalized(self):
        """Whether the list has ended."""
        return self._finalized

    def dependency_analysis(self):
        """The passes that each one needs to have run; ValueError where one of them does not stand before it."""
        needed, seen = {}, set()
        for pass_cls, _ in self.passes:
            usage = AnalysisUsage()
            pass_cls().get_analysis_usage(usage)
            missing = usage.get_required_set() - seen
            if missing:
                names = ", ".join(sorted(known.__name__ for known in missing))
                raise ValueError(f"{pass_cls.__name__} needs {names} before it in the pipeline {self.pipeline_name!r}")
            needed[pass_cls] = usage.get_required_set()
            seen.add(pass_cls)
        return needed

    def run(self, state):
        """Runs all passes. An exception gets a note that names the pass."""
        if not self._finalized:
            raise RuntimeError("Cannot run non-finalised pipeline")
        from .debug_print import Shown

        for index, (pass_cls, description) in enumerate(self.passes):
            try:
                with Shown(self, index, pass_cls, state):
                    self._run_one(pass_cls(), state)
            except Exception as error:
                note = f"in the pass {description or pass_cls.name()!r} of the pipeline {self.pipeline_name!r}"
                if note not in getattr(error, "__notes__", ()):
                    error.add_note(note)
                raise

    def _run_one(self, pss, state):
        pss.analysis = self._analysis
        changed = False
        for part in (pss.run_initialization, pss.run_pass, pss.run_finalizer):
            answer = part(state)
            if answer not in (True, False):
                raise ValueError(
                    f"{type(pss).__name__}.{part.__name__}() returns True if it changed something and False if not, "
                    f"not {answer!r}")
            changed |= bool(answer)
        self._analysis[type(pss)] = pss.analysis
        func_ir = getattr(state, "func_ir", None)
        if isinstance(func_ir, FunctionIR):
            if changed:
                func_ir.definitions_anew()
            if isinstance(pss, FunctionPass):
                _check_dels(pss, func_ir)
        return changed


def _check_dels(pss, func_ir):
    """Dels are the business of the last pass alone."""
    if pss.inserts_dels:
        return
    for block in func_ir.blocks.values():
        found = [inst for inst in block.body if isinstance(inst, Del)]
        if found:
            raise CompilerError(
                f"Illegal IR, del found at: {', '.join(map(str, found))}. Dels are put in by IRLegalization, the last pass "
                f"before code is made; {type(pss).__name__} takes them out again with "
                "ir_utils.remove_dels(func_ir.blocks)", loc=found[0].loc)
