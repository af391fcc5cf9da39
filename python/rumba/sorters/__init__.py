"""Configurable sorting algorithms: custom comparisons, argsort, keys with values.

Each factory makes a named tuple of functions, compiled (`make_jit_...`) or plain (`make_py_...`). What `sort` and
`sorted` do in compiled code is not here: see `rumba.library.numpy.sort` and `rumba.library.builtins.list`.
"""
