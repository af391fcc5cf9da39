"""Calls of compiled functions as profilers see them: the function that stands for a dispatcher with `_enable_sysmon`."""


def stand_in(dispatcher):
    """A function of the name and the place of the decorated one, which calls the compiled one."""
    call = dispatcher._call_unwatched

    def watched(*args, **keywords):
        return call(*args, **keywords)

    code = dispatcher.py_func.__code__
    watched.__code__ = watched.__code__.replace(
        co_name=code.co_name, co_qualname=code.co_qualname, co_filename=code.co_filename,
        co_firstlineno=code.co_firstlineno)
    return watched
