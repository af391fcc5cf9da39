//! One Python snippet through every stage of the compiler, in one Markdown file.
//!
//! A file has prose, the snippet in a block ```` ```python ````, then a section `## <stage>` for each
//! row of [`STAGES`]. A stage that depends on the CPython version has a block under
//! `### CPython 3.x` for each output that differs; any other has one block for all, and differing
//! output is an error that blessing does not cure. Where the difference is right, a first
//! `### CPython` heading written by hand under the stage says so. Types of the parameters stand
//! above the snippet in a line `args: int64, float64`; without it the stages end with Untyped SSA.
//! Prose between a stage's heading and its first block is kept. What is shown is the snippet's
//! last function at the top level.

mod document;
mod interpreters;

pub use interpreters::Interpreters;

use crate::{Result, diff, passes};
use bytecode::{CodeSnapshot, Listing, PythonVersion};
use document::{Block, Document, Section};
use ir::Function;
use numba_ir::Outside;
use types::TypeTable;

/// What a stage starts from: each runs the stages before it by itself.
pub struct Input<'a> {
    /// The code object of the snippet's function.
    pub code: &'a CodeSnapshot,
    /// Types of its parameters, as the line `args:` names them, if there is one.
    pub args: Option<&'a str>,
}

/// A row of the table of stages.
pub struct Stage {
    /// The heading.
    pub name: &'static str,
    /// Whether the text naturally differs between versions of CPython.
    pub per_version: bool,
    /// Whether the stage is left out of files without a line `args:`.
    pub needs_args: bool,
    /// The text of the stage. An error is shown in its place.
    pub run: fn(&Input) -> diag::Result<String>,
}

/// Every stage, in the order of compilation.
pub const STAGES: &[Stage] = &[
    Stage { name: "Bytecode", per_version: true, needs_args: false, run: bytecode_listing },
    Stage { name: "Control flow", per_version: true, needs_args: false, run: control_flow },
    Stage { name: "Numba-shaped IR", per_version: true, needs_args: false, run: numba_text },
    Stage { name: "Untyped SSA", per_version: true, needs_args: false, run: untyped_ssa },
    Stage { name: "Typed SSA", per_version: true, needs_args: true, run: typed_ssa },
    Stage { name: "Explicit", per_version: true, needs_args: true, run: explicit },
];

fn bytecode_listing(input: &Input) -> diag::Result<String> {
    let decoded = bytecode::decode(input.code)?;
    Ok(Listing { code: input.code, decoded: &decoded }.to_string())
}

fn control_flow(input: &Input) -> diag::Result<String> {
    let decoded = bytecode::decode(input.code)?;
    let regions = frontend::control_flow(input.code, &decoded)?;
    let cfg = flow::Cfg::compute(&regions);
    Ok(flow::report::CfgReport::new(&cfg, |region| regions.label(region)).to_string())
}

fn untyped(input: &Input) -> diag::Result<Function> {
    let decoded = bytecode::decode(input.code)?;
    let func = frontend::build(input.code, &decoded)?;
    ir::verify(&func)?;
    Ok(func)
}

fn numba_text(input: &Input) -> diag::Result<String> {
    let describe = |outside: Outside<'_>| match outside {
        Outside::Global(name) => Some(format!("<{name}>")),
        Outside::Freevar(_) => None,
    };
    Ok(numba_ir::numba_text(&untyped(input)?, &describe))
}

fn untyped_ssa(input: &Input) -> diag::Result<String> {
    Ok(passes::print(&untyped(input)?, &TypeTable::default()))
}

fn typed(input: &Input, types: &TypeTable) -> diag::Result<Function> {
    let args = passes::read_types(input.args.unwrap_or_default(), types);
    let args = args.map_err(|error| diag::Diagnostic::internal("the line `args:`", error))?;
    passes::infer(untyped(input)?, &args, types).map(|typed| typed.func)
}

fn typed_ssa(input: &Input) -> diag::Result<String> {
    let types = TypeTable::default();
    Ok(passes::print(&typed(input, &types)?, &types))
}

fn explicit(input: &Input) -> diag::Result<String> {
    let types = TypeTable::default();
    Ok(passes::print(&passes::lower(&typed(input, &types)?, &types)?, &types))
}

/// Gives the code object of a function of a Python source, as a version compiles it; `None` if
/// that version is not installed.
pub type Compile<'a> = dyn Fn(PythonVersion, &str, &str) -> Result<Option<CodeSnapshot>> + 'a;

/// The file as it should be. Versions that are not installed keep their blocks.
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
    let args = document.args().map(str::to_owned);
    for stage in stages.iter().filter(|stage| args.is_some() || !stage.needs_args) {
        let output = |code| output(stage, &Input { code, args: args.as_deref() });
        let outputs: Vec<(PythonVersion, String)> =
            codes.iter().map(|(version, code)| (*version, output(code))).collect();
        let section = old.iter().find(|section| section.name == stage.name);
        let section = section.cloned().unwrap_or_else(|| Section::new(stage.name));
        document.sections.push(fill(stage, section, outputs)?);
    }
    Ok(document.render())
}

fn output(stage: &Stage, input: &Input) -> String {
    let text = (stage.run)(input).unwrap_or_else(|error| passes::diagnostic_text(&error));
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
        let same = section.blocks.iter_mut().find(|block| block.text == text);
        match same {
            Some(block) => block.versions.push(version),
            None => section.blocks.push(Block { versions: vec![version], text }),
        }
    }
    if let [block] = &mut section.blocks[..]
        && (!stage.per_version || block.versions.len() == PythonVersion::ALL.len())
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
