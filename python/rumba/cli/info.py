"""The command `rumba info`: information about the system, for bug reports."""
import os
import platform


def facts():
    """Heading -> {what: its value}."""
    import numpy
    from rumba import __version__
    from rumba._rumba import allocation_counts, available_threads, library

    from . import environment

    set_here = {name: value for name, value in sorted(os.environ.items()) if environment.is_ours(name)}
    return {
        "Versions": {
            "Rumba": __version__,
            "Numba API": _api_version(),
            "Python": f"{platform.python_version()} ({platform.python_implementation()})",
            "NumPy": numpy.__version__,
            "llvmlite": _version_of("llvmlite"),
            "SciPy": _version_of("scipy"),
        },
        "Machine": {
            "platform": platform.platform(),
            "processor": _processor(),
            "processors available": available_threads(),
        },
        "Folders": {
            "package": os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
            "cache": library.objects or "none",
        },
        "Memory": {"blocks allocated and freed": "{:,} and {:,}".format(*allocation_counts())},
        "Environment": set_here or {"": "no variable of Rumba or Numba is set"},
    }


def info():
    """Prints the facts; the exit status."""
    print("System info")
    for heading, rows in facts().items():
        print(heading)
        width = max(map(len, rows))
        for name, value in rows.items():
            print(f"  {name:{width}}  {value}" if name else f"  {value}")
    return 0


def _api_version():
    from rumba.numba._version import __version__

    return __version__


def _version_of(distribution):
    from importlib import metadata

    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"


def _processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()
