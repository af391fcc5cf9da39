"""Tools around the compiler, which the compiler itself does not need.

| file | what |
|---|---|
| `tracing` | calls of functions written to a log |
| `first_line` | where the body of a function begins |
| `name_mangling` | names and types as a linker's symbol |
| `compiler_lock` | the lock that Numba holds while it compiles |
| `pass_timings` | how long LLVM took |
| `system_info` | what `numba -s` knows of the machine, by Numba's keys |
| `debugger` | breakpoints for gdb in the source |
| `debugger_info` | what `numba -g` knows of gdb |
| `find_library` | shared libraries of the environment |
| `inspector` | which functions of a module can be called in compiled code |

None of this is imported before it is used.
"""
