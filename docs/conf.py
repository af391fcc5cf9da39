"""How Sphinx builds the site: Markdown by MyST, the theme Furo, the API reference from docstrings."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

project = "Rumba"
copyright = "the authors of Rumba"
version = release = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "requirements.txt"]
myst_heading_anchors = 3
# Files of the repository that are not pages of the site are links to nowhere in it; the tests check them.
suppress_warnings = ["myst.xref_missing"]
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = "Rumba"
html_static_path = []


def mark_code(app, what, name, obj, options, lines):
    """Indented paragraphs of docstrings are code, which reStructuredText wants to be told."""
    for at in range(len(lines) - 1, 0, -1):
        if lines[at].startswith("    ") and not lines[at - 1] and not (at > 1 and lines[at - 2].startswith("    ")):
            lines[at - 1:at] = ["", "::", ""]


def setup(app):
    """What Sphinx asks of this file."""
    app.connect("autodoc-process-docstring", mark_code)
