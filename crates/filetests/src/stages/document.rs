//! The Markdown form of a stage file.

use crate::Result;
use bytecode::PythonVersion;

const FENCE: &str = "```";
const PYTHON: &str = "```python";
const SECTION: &str = "## ";
const VERSIONS: &str = "### CPython ";

/// A stage file taken apart.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// All up to the fence that ends the snippet.
    head: String,
    /// The snippet.
    pub source: String,
    pub sections: Vec<Section>,
}

/// What a file shows of a stage.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    /// Text for display between the heading and the first block.
    prose: String,
    pub blocks: Vec<Block>,
}

/// A block, for some versions or (none named) for all.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub versions: Vec<PythonVersion>,
    pub text: String,
}

impl Document {
    pub fn parse(text: &str) -> Result<Document> {
        let start = format!("{PYTHON}\n");
        let begin = text.find(&start).ok_or_else(|| format!("has no block {PYTHON}"))? + start.len();
        let end = text[begin..].find("\n```").ok_or("the snippet does not end")? + begin + 1;
        let behind = end + FENCE.len();
        let mut document = Document {
            head: text[..behind].to_owned(),
            source: text[begin..end].to_owned(),
            sections: Vec::new(),
        };
        document.read_sections(&text[behind..])?;
        Ok(document)
    }

    /// What follows `args:` above the snippet.
    pub fn args(&self) -> Option<&str> {
        let prose = self.head.split(PYTHON).next().unwrap_or_default();
        prose.lines().find_map(|line| line.strip_prefix("args:")).map(str::trim)
    }

    fn read_sections(&mut self, text: &str) -> Result<()> {
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(name) = line.strip_prefix(SECTION) {
                self.sections.push(Section::new(name.trim()));
                continue;
            }
            let Some(section) = self.sections.last_mut() else {
                match line.trim() {
                    "" => continue,
                    _ => return Err(format!("text between snippet and first stage: `{line}`")),
                }
            };
            if let Some(versions) = line.strip_prefix(VERSIONS) {
                section.blocks.push(Block { versions: read_versions(versions)?, text: String::new() });
            } else if line.starts_with(FENCE) {
                let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != FENCE).collect();
                let text = inside.join("\n");
                match section.blocks.last_mut() {
                    Some(block) if block.text.is_empty() => block.text = text,
                    _ => section.blocks.push(Block { versions: Vec::new(), text }),
                }
            } else if section.blocks.is_empty() {
                section.prose += &format!("{line}\n");
            }
        }
        Ok(())
    }

    pub fn render(&self) -> String {
        let mut out = format!("{}\n", self.head);
        for section in &self.sections {
            out += &format!("\n{SECTION}{}\n", section.name);
            if !section.prose.trim().is_empty() {
                out += &format!("\n{}\n", section.prose.trim());
            }
            for block in &section.blocks {
                let versions: Vec<String> = block.versions.iter().map(PythonVersion::to_string).collect();
                if !versions.is_empty() {
                    out += &format!("\n{VERSIONS}{}\n", versions.join(", "));
                }
                out += &format!("\n{FENCE}text\n{}\n{FENCE}\n", block.text);
            }
        }
        out
    }
}

impl Section {
    /// A section that shows nothing yet.
    pub fn new(name: &str) -> Section {
        Section { name: name.into(), prose: String::new(), blocks: Vec::new() }
    }

    /// What stands for a version.
    pub fn text_of(&self, version: PythonVersion) -> Option<&str> {
        let block =
            self.blocks.iter().find(|block| block.versions.is_empty() || block.versions.contains(&version));
        block.map(|block| block.text.as_str())
    }
}

/// Reads `3.11, 3.12`.
fn read_versions(text: &str) -> Result<Vec<PythonVersion>> {
    let read = |word: &str| {
        let minor = word.trim().strip_prefix("3.").and_then(|minor| minor.parse().ok());
        minor.and_then(PythonVersion::from_minor).ok_or_else(|| format!("`{word}` is no known CPython"))
    };
    text.split(',').map(read).collect()
}
