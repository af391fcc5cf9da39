"""The implementations of `rumba.upcalls`. A module is loaded on first use.

The package imports this one; no other module does.
"""
from .upcalls import answer


@answer
def address_of(value):
    """The address of the function of C that an object stands for."""
    from .c_interop.callbacks import address_of

    return address_of(value)


@answer
def array_type(dtype, ndim, layout):
    """The type of arrays of a type."""
    from .types.arrays import Array

    return Array(dtype=dtype, ndim=ndim, layout=layout)


@answer
def cast_code(written, source, target):
    """Symbol and text of the function that converts values, which a library's function writes."""
    from .codegen import border_code

    return border_code.conversion(written, source, target)


@answer
def compile_result_class():
    """The class of compiled functions as function values."""
    from .c_interop.callbacks import CompileResultWAP

    return CompileResultWAP


@answer
def explained(dispatcher, signature, text="", samples=None):
    """What became of a compiled function, as a page; with the text that it shows as where there are no pages."""
    from .explain import Page, explain

    return Page(explain(dispatcher, signature, samples), text)


@answer
def normalized(function, passes):
    """The function that passes over its Normalized IR make of a function."""
    from .normalized import transform

    return transform(function, passes)


@answer
def passes_of_stages(stages):
    """The passes over stages that an option gives, checked, as lists by the name of the stage."""
    from .stages.passes import checked

    return checked(stages)


@answer
def picture_of(dot):
    """The picture of a graph in DOT's language, as SVG."""
    from .explain.control_flow import svg

    return svg(dot)


@answer
def function_type(value):
    """The type of an object as a function value; None if it is none."""
    from .c_interop.callbacks import function_type

    return function_type(value)


@answer
def load_implicit_conversions():
    """Loads what stands in for values of libraries' types in calls."""
    from .extending import implicit_conversion  # noqa: F401


@answer
def provide_array_class(typeclass):
    """Lets values of a class of types that is derived from `types.Array` be used as arrays."""
    from .extending.array_subclasses import provide

    provide(typeclass)


@answer
def model_parts(ty):
    """The description of a library type that is passed to the compiler; None if it has no model."""
    from .extending.typeof_box import parts

    return parts(ty)


@answer
def opaque_parts(ty):
    """The description of a library type without a model that is passed to the compiler."""
    from .extending.typeof_box import opaque

    return opaque(ty)


@answer
def pipeline_for(settings):
    """The class of pipelines that shows what settings ask for, or None."""
    from .numba_pipeline import plain

    return plain.pipeline_for(settings)


@answer
def python_api(context, builder):
    """Calls of Python's own functions, for code generators."""
    from .codegen.pythonapi import PythonAPI

    return PythonAPI(context, builder)


@answer
def context_for_target(can_fail):
    """The context of code generators for the target that functions compile for."""
    from .codegen.device_context import context_for_target

    return context_for_target(can_fail)


@answer
def method_template(owner, name):
    """What implements a method of values of a type."""
    from .extending.templates import method_template

    return method_template(owner, name)


@answer
def explicit_function(symbol, params, result, codegen, *given):
    """The text of a function that a code generator writes in the Explicit phase."""
    from .codegen.explicit import function_text

    return function_text(symbol, params, result, codegen, *given)


@answer
def signature(return_type, *args):
    """The signature of functions that return a type."""
    from .types.signature import signature

    return signature(return_type, *args)


@answer
def special_ops_changed():
    """Tells the compiler that rewrites may make other operations now."""
    from .rewriting import rewrite_registry

    rewrite_registry.changed()


@answer
def symbol_template(function, symbol, sig):
    """What the compiler asks for calls of a function of C by its symbol."""
    from .extending.lower_builtin import of_symbol

    return of_symbol(function, symbol, sig)


@answer
def type_of_plain_object(value):
    """The type of an object of a dataclass or the like; None if it is none."""
    from .classes.plain_classes import typeof

    return typeof(value)


@answer
def typeof(value):
    """The type of a value."""
    from .types.typeof import typeof

    return typeof(value)


@answer
def typing_context():
    """What answers questions about types."""
    from .compat.typing_context import CompilerContext

    return CompilerContext()


@answer
def array_structs():
    """The module of arrays as structs."""
    from .codegen import arrayobj

    return arrayobj
