"""Objects that compiled code returns to Python and that need a Python class or function: closures, generators, named
tuples.

Absent: how they are boxed (the crate `python_rt`), boxing of libraries' types (`rumba.codegen.boxing`).
"""
