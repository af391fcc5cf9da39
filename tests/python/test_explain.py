"""What became of a function, by line: the data, the page, and that its script shows what is chosen."""
import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import numpy as np
import pytest
import rumba
from rumba import njit
from rumba.explain import page, sampling

SOURCE = '''\
import numpy as np
from rumba import njit

@njit
def mixed(a, b, n):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    c = np.sqrt(a) + a * 2
    out = []
    for x in a:
        out.append(x)
    return total, c, out, b[n]

@njit
def scale(b):
    for i in range(len(b)):
        b[i] = b[i] * 2 + 1

@njit
def weigh(weights):
    weight = 0.0
    for w in range(len(weights)):
        weight += weights[w]
    return weight

if __name__ == "__main__":
    mixed(np.ones(8), np.arange(8), 3)
    scale(np.arange(8))
    weigh(np.ones(8))
'''
VOID = {"meta"}


class Tree(html.parser.HTMLParser):
    """Sees that every element ends where it must, and collects attributes."""

    def __init__(self, text):
        super().__init__()
        self.open, self.found = [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explained")
    (folder / "mixed.py").write_text(SOURCE)
    command = [sys.executable, "-m", "rumba", "explain", "mixed.py"]
    done = [subprocess.run([*command, *more], capture_output=True, text=True, cwd=folder) for more in (["--run", "--json"], [])]
    assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * 2
    assert done[1].stdout == "mixed.html: 3 functions\n"
    return json.loads(done[0].stdout), (folder / "mixed.html").read_text()


def line_of(data, text):
    return next(line for one in data["functions"] for line in one["lines"] if text in line["text"])


def kinds(line):
    return {note["kind"] for note in line["notes"]}


def test_loops_checks_and_allocations_stand_at_their_lines(explained):
    data, _ = explained
    assert data["functions"][0]["arguments"] == [["a", "array(float64, 1d, C)"], ["b", "array(int64, 1d, C)"], ["n", "int64"]]
    assert "not vectorized" in kinds(line_of(data, "weight += weights")), "a sum of floats keeps its order"
    assert "vectorized" in kinds(line_of(data, "in range(len(b))"))
    assert "unchecked" in kinds(line_of(data, "total += a[i]"))
    assert "check" in kinds(line_of(data, "return total"))
    assert {"fused", "allocation"} <= kinds(line_of(data, "c = np.sqrt"))
    assert "allocation" in kinds(line_of(data, "out = []"))


def test_types_stand_at_their_columns(explained):
    data, _ = explained
    line = line_of(data, "total += a[i]")
    found = {line["text"][one["start"]:one["end"]]: one["type"] for one in line["types"]}
    assert found["a[i]"] == found["total"] == "float64" and found["a"] == "array(float64, 1d, C)" and found["i"] == "int64"


def test_stages_tell_their_lines(explained):
    data, _ = explained
    stages, number = data["functions"][1]["stages"], line_of(data, "b[i] * 2")["number"]
    of_line = {name: [text for at, text in lines if at == number] for name, lines in stages.items()}
    assert set(of_line) == {"untyped", "typed", "explicit", "llvm", "optimized", "assembly"}
    assert any("setitem" in text for text in of_line["typed"]) and any("store" in text for text in of_line["explicit"])
    assert any("x i64>" in text for text in of_line["optimized"]), "the loop has vector instructions"
    assert len(of_line["assembly"]) == line_of(data, "b[i] * 2")["instructions"] > 0
    assert not any("dbg" in text or "cfi" in text for lines in of_line.values() for text in lines)


def test_the_page_is_whole_and_needs_nothing_else(explained):
    data, text = explained
    tree = Tree(text)
    rows = [attrs["data-line"] for tag, attrs in tree.found if "data-line" in attrs]
    assert rows == [str(line["number"]) for one in data["functions"] for line in one["lines"]]
    assert {attrs["data-kind"] for _, attrs in tree.found if "data-kind" in attrs} >= {"vectorized", "check", "allocation", "fused"}
    assert not [attrs for _, attrs in tree.found if {"src", "href"} & set(attrs)]
    assert "prefers-color-scheme: dark" in text and 'data-type="float64"' in text


CHROMIUM = shutil.which("chromium")
OPTIONS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
           "--disable-component-update --disable-sync --dump-dom").split()

# CI's machine has no browser: what the page holds is tested above, `make test-pages` opens it.
if CHROMIUM and os.environ.get("RUMBA_TEST_PAGES"):
    def test_the_script_shows_the_chosen_line(explained, tmp_path):
        data, text = explained
        (tmp_path / "page.html").write_text(text)
        number = line_of(data, "c = np.sqrt")["number"]
        command = [CHROMIUM, *OPTIONS, f"--user-data-dir={tmp_path}/profile", f"file://{tmp_path}/page.html#{number}"]
        dom = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
        assert f'<tr data-line="{number}" tabindex="0" class="chosen">' in dom
        assert dom.count('class="pane only"') == 3 and 'data-stage="assembly"' in dom and "arrayexpr" in dom


def test_functions_explain_themselves():
    @njit
    def f(x):
        return x + 1
    assert f._repr_html_() is None and "not compiled yet" in page(f.explain(format="dict"))
    f(1)
    f(2.5)
    assert [one["result"] for one in f.explain(format="dict")["functions"]] == ["int64", "float64"]
    shown = f.explain(f.signatures[0])
    assert json.loads(f.explain(f.signatures[0], "json"))["functions"][0]["result"] == "int64" and len(shown.data["functions"]) == 1
    assert shown._repr_html_().startswith("<iframe") and "srcdoc" in f._repr_html_()
    assert str(f.inspect_types(pretty=True)).count("return x + 1") == 2 and f.inspect_types(pretty=True)._repr_html_()
    with pytest.raises(ValueError, match="format is 'page', 'dict' or 'json', not 'html'"):
        f.explain(format="html")


def test_control_flow_is_a_picture():
    @njit
    def f(n):
        total = 0
        while n > 0:
            total += n if n % 3 else 1
            n -= 2
        return total
    f(9)
    graph = f.inspect_cfg(f.signatures[0])
    picture = xml.etree.ElementTree.fromstring(graph._repr_svg_())
    tags = [one.tag.rpartition("}")[2] for one in picture.iter()]
    assert tags.count("rect") == graph.dot.count("[label=") and tags.count("path") == graph.dot.count(" -> ") + 1
    assert 'class="back"' in graph._repr_svg_(), "the loop goes back"


def test_parallel_loops_and_object_mode():
    @njit(parallel=True)
    def sums(a):
        total = 0.0
        for i in rumba.prange(len(a)):
            total += a[i]
        return total
    sums(np.ones(4))
    line = next(line for line in sums.explain(format="dict")["functions"][0]["lines"] if "prange" in line["text"])
    assert "parallel" in kinds(line)

    @rumba.jit(forceobj=True)
    def objects(x):
        return [x, str]
    objects(1)
    found = objects.explain(format="dict")["functions"][0]
    assert found["objectmode"] and all("objects" in kinds(line) for line in found["lines"]) and "iframe" in objects._repr_html_()


def test_lines_that_run_on_objects():
    @njit("pyobject(int64, pyobject)")
    def f(n, o):
        total = 0
        for i in range(n):
            total += i
        return o.x + total

    found = f.explain(format="dict")["functions"][0]
    marked = [line["text"].strip() for line in found["lines"] if "objects" in kinds(line)]
    assert marked == ["return o.x + total"] and not found["objectmode"]


@pytest.mark.parametrize("arguments, text", [
    (["nothing.py"], "there is no file 'nothing.py'"), (["mixed.py", "--function", "mixd"], "did you mean mixed?")])
def test_wrong_files_and_functions(tmp_path, arguments, text, capsys, monkeypatch):
    from rumba.cli.main import main

    pathlib.Path(tmp_path / "mixed.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RUMBA_REMARKS", "0")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["explain", *arguments]) == 2 and text in capsys.readouterr().err


HOT = '''\
from rumba import njit

@njit
def work(n):
    total = 0
    for i in range(n):
        total = (total * 31 + i) % 1000003
    return total

@njit
def idle(x):
    return x + 1

if __name__ == "__main__":
    work(60_000_000)
    idle(1)
'''


def test_lines_tell_their_share_of_the_time(tmp_path):
    (tmp_path / "hot.py").write_text(HOT)
    command = [sys.executable, "-m", "rumba", "explain", "hot.py", "--profile"]
    done = [subprocess.run([*command, *more], capture_output=True, text=True, cwd=tmp_path) for more in (["--json"], [])]
    assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * 2
    data = json.loads(done[0].stdout)
    work, idle = data["functions"]
    samples = {line["text"].strip(): line["samples"] for line in work["lines"]}
    in_loop = samples["total = (total * 31 + i) % 1000003"] + samples["for i in range(n):"]
    assert in_loop >= 10, "the loop takes some tenths of a second"
    assert in_loop >= 0.9 * data["samples"]["compiled"] and data["samples"]["compiled"] <= data["samples"]["total"]
    assert not any(line["samples"] for line in idle["lines"])
    text = (tmp_path / "hot.html").read_text()
    assert [attrs for _, attrs in Tree(text).found if attrs.get("class") == "count heat"] and " samples were taken in " in text


def test_samples_are_taken_once_at_a_time():
    with sampling() as samples:
        with pytest.raises(OSError, match="samples are being taken already"), sampling():
            pass
    assert samples.total >= samples.compiled == 0 and repr(samples).endswith(" 0 of them in compiled code>")
