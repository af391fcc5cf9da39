//! Finds the CPython interpreters of the supported versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use bytecode::PythonVersion;

/// An interpreter that answers with its version.
pub struct Interpreter {
    pub version: PythonVersion,
    pub program: PathBuf,
}

impl Interpreter {
    /// Standard output of a script of this repository.
    pub fn run(&self, script: &str, arguments: &[&str]) -> Vec<u8> {
        let script = repository().join(script);
        let output = Command::new(&self.program).arg("-B").arg(script).args(arguments).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// Standard output of a line of Python.
    #[allow(dead_code, reason = "not every crate that shares this file asks")]
    pub fn evaluate(&self, code: &str) -> String {
        answer(&self.program, code).unwrap()
    }
}

/// The root of the repository. Crates that share this file lie at different depths.
pub fn repository() -> PathBuf {
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders.find(|folder| folder.join("Cargo.lock").exists()).unwrap().to_owned()
}

/// All that are installed; says which are not, and fails if there is none.
pub fn installed() -> Vec<Interpreter> {
    let mut found = Vec::new();
    for version in PythonVersion::ALL {
        match find(version) {
            Some(program) => found.push(Interpreter { version, program }),
            None => eprintln!("CPython {version} is not installed: not compared with it"),
        }
    }
    assert!(!found.is_empty(), "no CPython of a supported version is installed");
    found
}

fn find(version: PythonVersion) -> Option<PathBuf> {
    let mut candidates = vec![PathBuf::from(format!("python{version}"))];
    let versions = Path::new(&std::env::var_os("HOME")?).join(".pyenv/versions");
    let prefix = format!("{version}.");
    for entry in std::fs::read_dir(versions).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            candidates.push(entry.path().join("bin/python"));
        }
    }
    let expected = format!("cpython {}", version.minor());
    let question = "import sys; print(sys.implementation.name, sys.version_info[1])";
    candidates.into_iter().find(|program| answer(program, question).as_deref() == Some(&expected))
}

fn answer(program: &Path, code: &str) -> Option<String> {
    let output = Command::new(program).args(["-c", code]).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}
