//! Listings of `fixtures/example.py` in every version, from checked-in snapshots: what people
//! see, and that no interpreter is needed. `BLESS=1` rewrites the listings, and the snapshots
//! of the versions that are installed.

use std::path::PathBuf;

use bytecode::{CodeSnapshot, Listing, PythonVersion, decode};

use crate::interpreters::{installed, repository};

const FOLDER: &str = "crates/ir/bytecode/tests/fixtures";

/// The snapshot of `fixtures/example.py` of a version.
pub fn example(version: PythonVersion) -> CodeSnapshot {
    CodeSnapshot::from_bytes(&std::fs::read(file(version, "snapshot")).unwrap()).unwrap()
}

fn file(version: PythonVersion, extension: &str) -> PathBuf {
    repository().join(format!("{FOLDER}/example.v3{}.{extension}", version.minor()))
}

fn listing(module: &CodeSnapshot) -> String {
    let mut text = String::new();
    module.for_each(&mut |code| {
        let decoded = decode(code).unwrap();
        text += &format!("{}\n", Listing { code, decoded: &decoded });
    });
    text
}

#[test]
fn listings_are_as_checked_in() {
    let bless = std::env::var_os("BLESS").is_some();
    for python in installed().into_iter().filter(|_| bless) {
        let source = repository().join(FOLDER).join("example.py");
        let code = "import sys, pathlib; sys.path.insert(0, sys.argv[1]); import snapshot; \
            sys.stdout.buffer.write(snapshot.record(snapshot.compile_file(pathlib.Path(sys.argv[2]), 'example.py')))";
        let tools = repository().join("tools");
        let output = std::process::Command::new(&python.program)
            .args(["-B", "-c", code])
            .args([tools, source])
            .output()
            .unwrap();
        std::fs::write(file(python.version, "snapshot"), output.stdout).unwrap();
    }
    for version in PythonVersion::ALL {
        let text = listing(&example(version));
        if bless {
            std::fs::write(file(version, "listing"), &text).unwrap();
        }
        let expected = std::fs::read_to_string(file(version, "listing")).unwrap();
        assert!(text == expected, "CPython {version}: listing differs (BLESS=1 rewrites it)\n{text}");
    }
}
