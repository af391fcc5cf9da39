//! Code objects of snippets, created by the CPython versions installed on this machine.

use crate::Result;
use bytecode::{CodeSnapshot, PythonVersion};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreters to compile snippets with.
pub struct Interpreters {
    /// Folders with versions beside each other, as pyenv has them.
    versions: Option<PathBuf>,
    snapshot_tool: PathBuf,
    scratch: PathBuf,
}

impl Interpreters {
    /// Looks for interpreters below `home` (pyenv's folder) and, by their names, where the system
    /// looks for programs. `snapshot_tool` is tools/snapshot.py; `scratch` a folder to write into.
    pub fn new(home: Option<&Path>, snapshot_tool: &Path, scratch: &Path) -> Self {
        Interpreters {
            versions: home.map(|home| home.join(".pyenv/versions")),
            snapshot_tool: snapshot_tool.to_owned(),
            scratch: scratch.to_owned(),
        }
    }

    /// The code object of a function of `source`; `None` if the version is not installed.
    pub fn compile(
        &self,
        version: PythonVersion,
        source: &str,
        function: &str,
    ) -> Result<Option<CodeSnapshot>> {
        let Some(program) = self.program(version) else { return Ok(None) };
        // The name of the file stands in the code object: it is the same everywhere.
        fs::write(self.scratch.join("snippet.py"), source).map_err(|error| error.to_string())?;
        let output = Command::new(&program)
            .current_dir(&self.scratch)
            .arg(&self.snapshot_tool)
            .args(["snippet.py", "--function", function])
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let code = CodeSnapshot::read(&mut output.stdout.as_slice()).map_err(|error| error.to_string())?;
        code.map(Some).ok_or_else(|| format!("CPython {version} wrote no code object"))
    }

    /// A program that says that it is this version.
    fn program(&self, version: PythonVersion) -> Option<PathBuf> {
        let prefix = format!("{version}.");
        let entries = self.versions.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let mut installed: Vec<PathBuf> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
            .map(|path| path.join("bin/python"))
            .collect();
        installed.sort();
        installed.push(format!("python{version}").into());
        installed.into_iter().find(|program| {
            let output = Command::new(program).arg("--version").output();
            output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(&format!(" {prefix}")))
        })
    }
}
