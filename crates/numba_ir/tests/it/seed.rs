//! The two functions that the documentation of the stages shows, on every installed CPython.

use crate::interpreters::installed;
use crate::{describe, squeezed};
use bytecode::CodeSnapshot;

const SOURCE: &str = "\
def add(a, b):
    return a + b

def doloops(n):
    acc = 0
    for i in range(n):
        acc += 1
        if n == 10:
            break
    return acc
";

/// The text of a function, by version.
fn texts(function: &str) -> Vec<(u8, String)> {
    let path = format!("{}/{function}.py", env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(&path, SOURCE).unwrap();
    let text = |python: crate::interpreters::Interpreter| {
        let bytes = python.run("tools/snapshot.py", &[&path, "--function", function]);
        let code = CodeSnapshot::read(&mut bytes.as_slice()).unwrap().unwrap();
        let decoded = bytecode::decode(&code).unwrap();
        let func = frontend::build(&code, &decoded).unwrap();
        (python.version.minor(), numba_ir::numba_text(&func, &describe))
    };
    installed().into_iter().map(text).collect()
}

#[test]
fn add_is_what_the_documentation_shows() {
    for (_, text) in texts("add") {
        assert_eq!(
            squeezed(&text),
            "label 0:\n\
             a = arg(0, name=a) ['a']\n\
             b = arg(1, name=b) ['b']\n\
             $0.3 = a + b ['$0.3', 'a', 'b']\n\
             del b []\n\
             del a []\n\
             $0.4 = cast(value=$0.3) ['$0.3', '$0.4']\n\
             del $0.3 []\n\
             return $0.4 ['$0.4']"
        );
    }
}

/// The statements in the order of labels, temporaries as `$`, without jumps and lists of variables.
const DOLOOPS: &[&str] = &[
    "n = arg(0, name=n)",
    "acc = const(int, 0)",
    "$ = global(range: <class 'range'>)",
    "$ = call $(n, func=$, args=[Var(n, doloops.py:4)], kws=(), vararg=None, varkwarg=None, target=None)",
    "$ = getiter(value=$)",
    "acc.1 = acc",
    "$ = iternext(value=$)",
    "i = pair_first(value=$)",
    "$ = pair_second(value=$)",
    "branch $",
    "$ = const(int, 1)",
    "acc.2 = inplace_binop(fn=<built-in function iadd>, immutable_fn=<built-in function add>, lhs=acc.1, \
     rhs=$, static_lhs=Undefined, static_rhs=Undefined)",
    "$ = const(int, 10)",
    "$ = n == $",
    "$ = global(bool: <class 'bool'>)",
    "$ = call $($, func=$, args=(Var($, doloops.py:8),), kws=(), vararg=None, varkwarg=None, target=None)",
    "branch $",
];

/// Statements as in [`DOLOOPS`], without the copies that some versions need.
fn statements(text: &str) -> Vec<String> {
    let words = |line: &str| {
        let line = line.trim();
        let line = line.rsplit_once(" [").map_or(line, |(statement, _)| statement);
        let line = line.split(", ").take(if line.starts_with("branch") { 1 } else { usize::MAX });
        let line = line.collect::<Vec<_>>().join(", ");
        let mut masked = String::new();
        let mut in_temporary = false;
        for c in line.chars() {
            in_temporary = c == '$' || in_temporary && (c.is_alphanumeric() || c == '.');
            if c == '$' || !in_temporary {
                masked.push(c);
            }
        }
        masked
    };
    let aside = ["label", "jump", "del", "acc.1 = acc.2", "acc.3 = acc"];
    let all = text.lines().filter(|line| !aside.iter().any(|start| line.starts_with(start)));
    all.map(words).collect()
}

#[test]
fn a_loop_has_the_statements_of_its_bytecode() {
    for (version, text) in texts("doloops") {
        let text = squeezed(&text);
        let found = statements(&text);
        let (body, ends) = found.split_at(DOLOOPS.len());
        assert_eq!(body, DOLOOPS, "CPython 3.{version}\n{text}");
        // One way out of the function, or one after `break` and one after the loop.
        assert!(matches!(ends.len(), 2 | 4), "{text}");
        for end in ends.chunks(2) {
            assert!(end[0].starts_with("$ = cast(value=acc.") && end[1] == "return $", "{text}");
        }
        assert!(text.contains("acc.1 = acc.2 ['acc.1', 'acc.2']\ndel acc.2 []\njump"), "{text}");
        assert!(text.contains("del i []"), "{text}");
        let labels: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("label ")).collect();
        assert!(labels.len() >= 4 && labels[0] == "0:", "{text}");
    }
}

#[test]
fn labels_are_bytecode_offsets_and_every_jump_has_one() {
    for (_, text) in texts("doloops") {
        let text = squeezed(&text);
        let goals = text.lines().filter(|line| line.starts_with("jump") || line.starts_with("branch"));
        for line in goals {
            let statement = line.split(" [").next().unwrap();
            let numbers = statement.split([' ', ',']).filter_map(|word| word.parse::<u32>().ok());
            for number in numbers {
                assert!(text.contains(&format!("label {number}:")), "{line}\n{text}");
                assert_eq!(number % 2, 0, "{text}");
            }
        }
    }
}
