"""The version of Numba whose interface this is."""
import collections

__version__ = "0.68.1"

version_info = collections.namedtuple("version_info", "major minor patch short full string tuple git_revision")(
    0, 68, 1, (0, 68), (0, 68, 1), __version__, ("0", "68", "1"), None)
