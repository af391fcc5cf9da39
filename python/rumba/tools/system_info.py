"""Information about the system for `numba -s`, with the keys of Numba's `numba.misc.numba_sysinfo`.

`rumba info` says the same for people. Absent: CUDA devices and SVML, which Rumba has not.
"""
import json
import os
import platform
import sys
from datetime import datetime, timezone
from timeit import default_timer

try:
    import psutil
except ImportError:
    psutil = None
_psutil_import = psutil is not None

_errors, _warnings = "Errors", "Warnings"
_start, _start_utc, _runtime = "Start", "Start UTC", "Runtime"
_machine, _cpu_name, _cpu_count, _cpu_features = "Machine", "CPU Name", "CPU Count", "CPU Features"
_cpus_allowed, _cpus_list, _cfs_quota, _cfs_period, _cfs_restrict = (
    "CPUs Allowed", "List CPUs Allowed", "CFS Quota", "CFS Period", "CFS Restriction")
_mem_total, _mem_available = "Mem Total", "Mem Available"
_platform_name, _os_name, _os_version, _os_spec_version, _libc_version = (
    "Platform Name", "OS Name", "OS Version", "OS Specific Version", "Libc Version")
_python_comp, _python_impl, _python_version, _python_locale = (
    "Python Compiler", "Python Implementation", "Python Version", "Python Locale")
_numba_version, _llvm_version, _llvmlite_version, _numpy_version = (
    "Numba Version", "LLVM Version", "llvmlite Version", "NumPy Version")
_cu_dev_init = "CUDA Device Init"
_svml_state, _svml_loaded, _svml_operational, _llvm_svml_patched = (
    "SVML State", "SVML Lib Loaded", "SVML Operational", "LLVM SVML Patched")
_tbb_thread, _openmp_thread, _wkq_thread = "TBB Threading", "OpenMP Threading", "Workqueue Threading"
_numba_env_vars = "Numba Env Vars"


def get_sysinfo():
    """What there is to say: key -> value.

    >>> from rumba.tools import system_info
    >>> system_info.get_sysinfo()["Errors"]
    []
    """
    import locale

    import numpy

    from .. import _rumba
    from ..cli import environment
    from ..cli.info import facts
    from ..numba._version import __version__

    begin = default_timer()
    machine = facts()
    versions = machine["Versions"]
    info = {
        _start: datetime.now(), _start_utc: datetime.now(timezone.utc).replace(tzinfo=None),
        _machine: platform.machine(), _cpu_name: machine["Machine"]["processor"], _cpu_count: _rumba.available_threads(),
        _platform_name: platform.platform(aliased=True), _os_name: platform.system(), _os_version: platform.version(),
        _python_comp: platform.python_compiler(), _python_impl: platform.python_implementation(),
        _python_version: platform.python_version(), _python_locale: ".".join(filter(None, locale.getlocale())),
        _numba_version: __version__, _llvm_version: _llvm(), _llvmlite_version: versions["llvmlite"],
        _numpy_version: numpy.__version__,
        _cu_dev_init: False, _svml_state: False, _svml_loaded: False, _svml_operational: False, _llvm_svml_patched: False,
        # There is one pool of threads, which has the place of the workqueue.
        _tbb_thread: False, _openmp_thread: False, _wkq_thread: True,
        _numba_env_vars: {name: value for name, value in sorted(os.environ.items()) if environment.is_ours(name)},
        _errors: [], _warnings: [], **get_os_spec_info(platform.system())}
    info[_runtime] = default_timer() - begin
    return info


def get_os_spec_info(os_name):
    """What the operating system alone can tell: memory, processors that the process may use, the library of C."""
    info = {}
    if _psutil_import:
        memory = psutil.virtual_memory()
        info[_mem_total], info[_mem_available] = memory.total, memory.available
        if os_name in ("Linux", "Windows"):
            allowed = psutil.Process().cpu_affinity()
            info[_cpus_allowed], info[_cpus_list] = len(allowed), " ".join(map(str, allowed))
    elif os_name == "Linux":
        page = os.sysconf("SC_PAGE_SIZE")
        info[_mem_total], info[_mem_available] = page * os.sysconf("SC_PHYS_PAGES"), page * os.sysconf("SC_AVPHYS_PAGES")
        allowed = sorted(os.sched_getaffinity(0))
        info[_cpus_allowed], info[_cpus_list] = len(allowed), " ".join(map(str, allowed))
    if os_name == "Linux":
        info[_libc_version] = " ".join(platform.libc_ver())
    elif os_name == "Darwin":
        info[_os_spec_version] = platform.mac_ver()[0]
    elif os_name == "Windows":
        info[_os_spec_version] = " ".join(platform.win32_ver())
    return info


def display_sysinfo(info=None, sep_pos=45):
    """Prints it, a line for each key; what is given instead need not have every key."""
    print("System info:")
    print("-" * 80)
    for key, value in (get_sysinfo() if info is None else info).items():
        shown = value if not isinstance(value, dict) else "".join(f"\n  {name}={text}" for name, text in value.items())
        print(f"{key:<{sep_pos}}: {shown}")
    print("-" * 80)


def write_json(path):
    """Writes it into a file as JSON; the exit status."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(get_sysinfo(), file, indent=4, default=str)
    return 0


def _llvm():
    """The version of LLVM that compiled code is made by."""
    # Which one is linked is said by the features of `inkwell` in Cargo.toml.
    return "19.1"


if __name__ == "__main__":
    display_sysinfo()
    sys.exit(0)
