"""The Rust types of a schema compile, read the text of trees and write it again."""
import doctest
import importlib
import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from rumba import normalized, stages
from rumba.normalized.rust_source import rust_source
from rumba.stages import terms, type_terms

MAIN = """
mod tree;

fn main() {
    for line in std::io::stdin().lines().map_while(Result::ok) {
        match line.parse::<tree::%s>() {
            Ok(tree) => println!("{tree}"),
            Err(error) => println!("error: {error}"),
        }
    }
}
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """What reads trees of a type of a language line by line, by the two."""
    made = {}

    def program(language, type_name):
        if (language.name, type_name) not in made:
            folder = tmp_path_factory.mktemp(type_name)
            (folder / "tree.rs").write_text(rust_source(language))
            (folder / "main.rs").write_text(MAIN % type_name)
            rustc = shutil.which("rustc") or os.path.expanduser("~/.cargo/bin/rustc")
            subprocess.run([rustc, "--edition", "2024", "-A", "dead_code", "-D", "warnings", "-o", folder / "main", folder / "main.rs"],
                           check=True, capture_output=True, text=True)
            made[language.name, type_name] = folder / "main"
        return made[language.name, type_name]
    return program


def passed_through(program, lines):
    done = subprocess.run([program], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n").split("\n")


def test_normalized_ir_passes_through_rust(programs):
    tree = normalized.normalize(pathlib.Path(inspect.getfile(stages.Stage)).read_text())
    tree += normalized.normalize("x = 'it\\'s \"\\\\\" \\n é \\x7f', b'\\x00,)', 1e-300, -2.5j, (), frozenset, ...\ndef f(*a, b=1, **c): yield\n")
    texts = normalized.dumps_text(tree).rstrip("\n").split("\n")
    found = passed_through(programs(normalized.nodes.LANGUAGE, "Stmt"), texts)
    assert len(found) == len(tree)
    for one, text in zip(tree, found):
        assert normalized.is_same(normalized.loads_text(text), one), text


def test_terms_pass_through_rust(programs):
    modules = [stages.untyped(terms.from_text).terms(), stages.typed(lambda x: [x, x + 1], "(int64,)").terms(),
               stages.explicit(lambda x: x * 2.5, "(float64,)").terms()]
    found = passed_through(programs(terms.LANGUAGE, "Mod"), [repr(one) for one in modules])
    placeless = lambda module: stages.Stage("untyped", terms.to_text(module), None).without_places  # noqa: E731
    # Places in the source are attributes, which the text of a tree leaves out.
    assert [placeless(terms.loads_text(text)) for text in found] == [placeless(one) for one in modules]


def test_types_pass_through_rust(programs):
    from rumba import types

    kinds = [types.float64[:, ::1], types.Tuple((types.int8, types.Optional(types.float32))), types.literal("a,(b"), types.NPDatetime("ns")]
    found = passed_through(programs(type_terms.LANGUAGE, "Ty"), [repr(type_terms.from_type(one)) for one in kinds])
    assert [type_terms.to_type(type_terms.loads_text(text)) for text in found] == kinds


@pytest.mark.parametrize(("text", "says"), [
    ("", "error: byte 0: expected `(`"), ("Nothing()", "error: byte 8: expected a stmt"), ("Pass() Pass()", "error: byte 6: expected the end"),
    ("Global('x'", "error: byte 10: expected `)`"), ("Global(3)", "error: byte 7: expected a string"), ("Global('\\ud800')", "lone surrogate")])
def test_text_that_is_no_tree_is_an_error_with_its_place(programs, text, says):
    (found,) = passed_through(programs(normalized.nodes.LANGUAGE, "Stmt"), [text])
    assert says in found


def test_examples():
    assert doctest.testmod(importlib.import_module("rumba.normalized.rust_source")) == (0, 1)


def test_the_command_line_writes_the_types_of_a_schema():
    done = subprocess.run([sys.executable, "-m", "rumba.normalized.rust_source", "rumba.stages.terms"], capture_output=True, text=True, check=True)
    assert done.stdout == rust_source(terms.LANGUAGE)
