"""The Python side of compiled functions, apart from the call itself (`_rumba.Dispatcher`).

| file | what |
|---|---|
| `dispatcher` | methods and properties of compiled functions |
| `watching` | calls as profilers see them |
| `function_compiler`, `function_cache` | `dispatcher._compiler` and `dispatcher._cache`, for tools |
| `llvm_graph` | the control flow of LLVM's code |
| `fingerprints` | short byte strings that determine the type of a value |
| `argument_errors` | arguments of a call that do not fit |
| `auto_jit` | `auto=True` compiles plain callees |
| `unbound_methods` | methods of built-in classes that are passed on as functions |

Absent: the decorators (`rumba.decorators`), compilation in passes (`rumba.numba_pipeline`).
"""
