"""Objects that compiled code hands to Python and that need a class or a function in Python: closures, generators, named tuples.

Absent: how they are boxed (the crate `python_rt`), boxing of libraries' types (`rumba.codegen.boxing`).
"""
