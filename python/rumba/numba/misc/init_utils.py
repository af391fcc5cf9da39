"""`numba.misc.init_utils`: versions taken apart."""
from .._missing import missing
from .. import _version

version_info = type(_version.version_info)


def generate_version_info(version):
    """The parts of a version in the form of PEP 440; parts that are no numbers are None.

    >>> generate_version_info("0.68.1").short
    (0, 68)
    """
    parts = tuple(version.split("."))
    numbers = [int(part) if part.isdigit() else None for part in parts[:3]]
    numbers += [None] * (3 - len(numbers))
    revision = next((part for part in parts if part.startswith("g") and "+" in version), None)
    return version_info(*numbers, tuple(numbers[:2]), tuple(numbers), version, parts, revision)


__getattr__ = missing(__name__)
