"""Which form code generators write: LLVM's with llvmlite, or Rumba's own.

Absent: both builders (`rumba.codegen.target_context`, `rumba.codegen.explicit`).
"""


def explicit(codegen):
    """Marks a code generator that writes Rumba's own form, and not LLVM's with llvmlite.

        @intrinsic
        def add_one(typingctx, x):
            @explicit
            def codegen(b, signature, args):
                return b.iadd(args[0], b.iconst("i64", 1))

            return types.int64(types.int64), codegen

    `b` is a `rumba.codegen.explicit.Builder`: each op of the Explicit phase is a method. `intrinsic`, `lower_builtin`, `lower_getattr`,
    `box` and `unbox` take such functions; they get the builder in the place of `context` and `builder`.
    """
    codegen._writes_explicit = True
    return codegen


def is_explicit(codegen):
    """Whether a code generator writes Rumba's own form (`explicit`)."""
    return getattr(codegen, "_writes_explicit", False)


def in_form_of(written, wrapper):
    """A code generator around another one, in whose form it writes: it passes the builders, which come first, on."""
    return explicit(wrapper) if is_explicit(written) else wrapper
