//! Every golden file of the repository. `BLESS=1` rewrites them; `FILETEST=text` checks only those
//! whose path contains the text.

use filetests::commands::COMMANDS;
use filetests::stages::{self, Interpreters, STAGES};
use filetests::{check, check_tree, files, testfile};
use ir::{Op, Phase};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    root.canonicalize().expect("the tests are part of the repository")
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

fn bless() -> bool {
    !matches!(variable("BLESS").as_str(), "" | "0")
}

#[test]
fn files_of_the_text_form() {
    let rewrite = |_: &Path, text: &str| testfile::rewrite(text, COMMANDS);
    let checked = check_tree(&root().join("files"), "test", &variable("FILETEST"), bless(), &rewrite);
    if let Err(report) = checked {
        panic!("\n{report}");
    }
}

/// Fails if an op of these phases stands in no file of the folder.
fn assert_covered(folder: &str, phases: &[Phase]) {
    let paths = files(&root().join("files").join(folder), "test").expect("the folder exists");
    let texts: Vec<String> =
        paths.iter().map(|path| std::fs::read_to_string(path).expect("it is a text file")).collect();
    let text = texts.join("\n");
    let words: entity::HashSet<&str> =
        text.lines().map(str::trim).flat_map(|line| line.split(" = ").last()?.split(' ').next()).collect();
    let missing: Vec<&str> = Op::ALL
        .iter()
        .map(|op| op.info())
        .filter(|info| info.phases.iter().any(|phase| phases.contains(phase)) && !words.contains(info.name))
        .map(|info| info.name)
        .collect();
    assert!(missing.is_empty(), "tests/files/{folder} has no {missing:?}");
}

#[test]
fn every_op_stands_in_a_parse_file() {
    assert_covered("parse", &[Phase::Untyped, Phase::Typed, Phase::Explicit]);
}

#[test]
fn every_op_of_the_explicit_phase_stands_in_an_interp_file() {
    assert_covered("interp", &[Phase::Explicit]);
}

#[test]
fn snippets_through_all_stages() {
    let tool =
        root().join("../tools/snapshot.py").canonicalize().expect("the tool is part of the repository");
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let interpreters = Interpreters::new(home.as_deref(), &tool, scratch);
    let compile = |version, source: &str, function: &str| interpreters.compile(version, source, function);
    let rewrite = |_: &Path, text: &str| stages::rewrite(text, STAGES, &compile);
    if let Err(report) = check_tree(&root().join("stages"), "md", &variable("FILETEST"), bless(), &rewrite) {
        panic!("\n{report}");
    }
}

#[test]
fn a_wrong_expectation_is_a_diff_until_it_is_blessed() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wrong.test");
    let text = "; test: interp\n\nfunction explicit \"f\" file \"f.py\" line 1 () -> i8 {\nblock0 @0:\n    \
        %0: i8 = iconst i8, 3\n    return %0\n}\n; run: f() == 4\n";
    std::fs::write(&path, text).expect("the folder for temporary files exists");
    let rewrite = |_: &Path, text: &str| testfile::rewrite(text, COMMANDS);
    let report = check(&path, false, &rewrite).expect_err("the file is wrong");
    assert!(report.contains("-; run: f() == 4\n+; run: f() == 3\n"), "{report}");
    assert_eq!(check(&path, true, &rewrite), Ok(()));
    assert_eq!(check(&path, false, &rewrite), Ok(()));
}
