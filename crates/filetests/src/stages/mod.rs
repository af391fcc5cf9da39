//! One Python snippet through every stage of the compiler, in one Markdown file.
//!
//! A file has prose, the snippet in a block ```` ```python ````, then a section `## <stage>` for each
//! row of [`STAGES`]. A stage that depends on the CPython version has a block under
//! `### CPython 3.x` for each; any other has one block for all, and differing output is an error
//! that blessing does not cure. Where the difference is right, a first `### CPython` heading
//! written by hand under the stage says so: blocks are then grouped by equal output.
//! Prose between a stage's heading and its first block is kept. What is shown is the snippet's
//! last function at the top level.

mod document;
mod interpreters;

pub use interpreters::Interpreters;

use crate::commands::error_text;
use crate::{Result, diff};
use bytecode::{CodeSnapshot, Listing, PythonVersion};
use document::{Block, Document, Section};

/// What a stage starts from: each runs the stages before it by itself.
pub struct Input<'a> {
    /// The code object of the snippet's function.
    pub code: &'a CodeSnapshot,
}

/// A row of the table of stages.
pub struct Stage {
    /// The heading.
    pub name: &'static str,
    /// Whether the text naturally differs between versions of CPython.
    pub per_version: bool,
    /// The text of the stage. An error is shown in its place.
    pub run: fn(&Input) -> diag::Result<String>,
}

/// Every stage, in the order of compilation.
pub const STAGES: &[Stage] = &[Stage { name: "Bytecode", per_version: true, run: bytecode_listing }];

fn bytecode_listing(input: &Input) -> diag::Result<String> {
    let decoded = bytecode::decode(input.code)?;
    Ok(Listing { code: input.code, decoded: &decoded }.to_string())
}

/// Gives the code object of a function of a Python source, as a version compiles it; `None` if
/// that version is not at hand.
pub type Compile<'a> = dyn Fn(PythonVersion, &str, &str) -> Result<Option<CodeSnapshot>> + 'a;

/// The file as it should be. Versions that are not at hand keep their blocks.
pub fn rewrite(text: &str, stages: &[Stage], compile: &Compile) -> Result<String> {
    let mut document = Document::parse(text)?;
    let function = last_function(&document.source).ok_or("the snippet has no function at the top level")?;
    let mut codes = Vec::new();
    for version in PythonVersion::ALL {
        if let Some(code) = compile(version, &document.source, &function)? {
            codes.push((version, code));
        }
    }
    if codes.is_empty() {
        return Err("no CPython to compile the snippet with".into());
    }
    let old = std::mem::take(&mut document.sections);
    for stage in stages {
        let outputs: Vec<(PythonVersion, String)> =
            codes.iter().map(|(version, code)| (*version, output(stage, code))).collect();
        let section = old.iter().find(|section| section.name == stage.name);
        let section = section.cloned().unwrap_or_else(|| Section::new(stage.name));
        document.sections.push(fill(stage, section, outputs)?);
    }
    Ok(document.render())
}

fn output(stage: &Stage, code: &CodeSnapshot) -> String {
    let text = (stage.run)(&Input { code }).unwrap_or_else(|error| error_text(&error));
    text.trim_end().to_owned()
}

/// The section with the blocks that belong there.
fn fill(stage: &Stage, mut section: Section, found: Vec<(PythonVersion, String)>) -> Result<Section> {
    let may_differ = stage.per_version || section.blocks.iter().any(|block| !block.versions.is_empty());
    let (first, rest) = found.split_first().ok_or("no outputs")?;
    if !may_differ && let Some(other) = rest.iter().find(|other| other.1 != first.1) {
        let names = [first.0, other.0].map(|version| format!("CPython {version}"));
        let lines = diff(&names[0], &names[1], &format!("{}\n", first.1), &format!("{}\n", other.1));
        return Err(format!("`{}` differs between versions\n{lines}", stage.name));
    }
    let mut outputs = Vec::new();
    for version in PythonVersion::ALL {
        let now = found.iter().find(|(other, _)| *other == version).map(|(_, text)| text.clone());
        let text = now.or_else(|| section.text_of(version).map(str::to_owned));
        outputs.extend(text.map(|text| (version, text)));
    }
    section.blocks.clear();
    for (version, text) in outputs {
        let same = section.blocks.iter_mut().find(|block| !stage.per_version && block.text == text);
        match same {
            Some(block) => block.versions.push(version),
            None => section.blocks.push(Block { versions: vec![version], text }),
        }
    }
    if let [block] = &mut section.blocks[..]
        && !stage.per_version
    {
        block.versions.clear();
    }
    Ok(section)
}

/// The name of the last `def` that is not indented.
fn last_function(source: &str) -> Option<String> {
    let rest = source.lines().filter_map(|line| line.strip_prefix("def ")).next_back()?;
    Some(rest.split('(').next()?.trim().to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests;
