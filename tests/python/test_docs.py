"""The documentation: its examples run, its links lead somewhere, its dumps are what the compiler prints."""
import importlib.util
import linecache
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
# Pages whose examples fail on purpose, are steps of a recipe, or run in a process of their own (test_rewrites.py).
NOT_RUN = {"errors.md", "errors-compared.md", "compiler.md", "rewrites.md"} | {page.name for page in DOCS.glob("recipes/*.md")}
BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
# Examples may use these without an import, as readers know them by then.
BEGINNING = "import numpy as np\nfrom rumba import njit\n"


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name not in NOT_RUN and BLOCK.search(page.read_text())], ids=name_of)
def test_examples_run(page):
    namespace = {"__name__": "__main__"}
    exec(BEGINNING, namespace)
    for number, source in enumerate(BLOCK.findall(page.read_text())):
        file = f"<{page.name} {number}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        exec(compile(source, file, "exec"), namespace)


def anchors(page):
    """The names of the headings of a page, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    headings = [line.lstrip("#").strip() for line in text.splitlines() if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    for link in LINK.findall(text):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_every_page_is_in_the_contents():
    contents = re.findall(r"^```\{toctree\}\n(.*?)^```", (DOCS / "index.md").read_text(), re.M | re.S)
    listed = {line for block in contents for line in block.splitlines() if line and not line.startswith(":")}
    assert listed == {str(page.relative_to(DOCS))[:-3] for page in DOCS.rglob("*.md")} - {"index"}


def module_of(path):
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The page shows the bytecode of 3.11.
if sys.version_info[:2] == (3, 11):
    def test_the_compiler_guide_shows_what_the_stages_are():
        guide = module_of(ROOT / "tools" / "compiler_guide.py")
        page = guide.PAGE.read_text()
        for stage, section in guide.sections().items():
            if stage not in ("LLVM", "OPTIMIZED", "ASSEMBLY"):
                assert section in page, f"run tools/compiler_guide.py: {stage}"


def test_plots_show_the_tables():
    plots = module_of(ROOT / "benches" / "plots.py")
    page = plots.PAGE.read_text()
    drawn = list(plots.plots(page))
    assert len(drawn) >= 5
    for heading, name, content in drawn:
        assert (DOCS / "benchmarks" / name).read_text() == content, f"run benches/plots.py: {name}"
        assert plots.with_references(page, heading, name) == page


def test_sections_are_kept():
    sections = module_of(ROOT / "benches" / "sections.py")
    page = "# A\n\n## B\n\nb\n\n## C\n\nc\n"
    assert sections.body(page, "B") == "b" and sections.body(page, "C") == "c" and sections.body(page, "D") is None
    more = sections.with_body(page, "D", "d", "C")
    assert more == "# A\n\n## B\n\nb\n\n## D\n\nd\n\n## C\n\nc\n"
    assert sections.with_body(more, "D", "e", "C") == more.replace("d\n", "e\n")


RECIPES = sorted((DOCS / "recipes").glob("*.md"))
FOLDERS = ("crates/", "python/", "tests/", "tools/", "docs/", "xtask/", "benches/")


def defined_items():
    """The names of functions, types, modules, fields, variants and macros of all crates."""
    text = "\n".join(path.read_text() for path in (ROOT / "crates").rglob("*.rs"))
    names = set(re.findall(r"\b(?:fn|struct|enum|mod|const|static|type|trait|macro_rules!) (\w+)", text))
    return names | set(re.findall(r"^ +(?:pub(?:\(\w+\))? )?(\w+)[,:({ ]", text, re.M)) | {
        folder.parent.name for folder in (ROOT / "crates").rglob("Cargo.toml")}


@pytest.mark.parametrize("page", RECIPES, ids=name_of)
def test_recipes_name_what_there_is(page):
    """The files that a recipe names, and the items of crates that stand in its sentences."""
    text = page.read_text()
    named = re.findall(r"[\w./{},-]+", text)
    paths = {one.rstrip(".,") for one in named if one.startswith(FOLDERS) and "{" not in one}
    missing = [path for path in sorted(paths) if not (ROOT / path).exists()]
    code = re.compile(r"^ *```.*?^ *```", re.M | re.S)
    items = {one for one in re.findall(r"`(\w+(?:::\w+)+)", code.sub("", text))}
    # What the recipe adds stands in its code.
    known = defined_items() | set(re.findall(r"\w+", "".join(code.findall(text))))
    missing += [item for item in sorted(items) if item.rpartition("::")[2] not in known]
    assert not missing


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_all_recipes_can_be_found(page):
    text = (ROOT / page).read_text()
    assert [recipe.name for recipe in RECIPES if f"docs/recipes/{recipe.name}" not in text] == []
