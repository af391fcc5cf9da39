//! The form of a `.test` file.
//!
//! ```text
//! ; test: verify
//! ; What the file is about.
//!
//! ;; case a title
//! function untyped ... {
//! }
//! ;; expect
//! OK
//! ```
//!
//! The first lines name one or more commands. A file of a single case needs no `;; case`. The
//! expectation is a section of its own or stands within the body; that is up to the command.

use crate::Result;
use crate::commands::{Command, Outcome};

const COMMAND: &str = "; test:";
const CASE: &str = ";; case ";
const EXPECT: &str = ";; expect";

/// A file taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestFile {
    /// Comments and the line of the commands, before the first case.
    pub preamble: String,
    /// The cases; the only one of a file may go without a title.
    pub cases: Vec<Case>,
}

/// An input and what is expected of it.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Case {
    /// What follows `;; case`.
    pub title: Option<String>,
    /// The input.
    pub body: String,
    /// What stands below `;; expect`, if there is such a line.
    pub expect: Option<String>,
}

impl TestFile {
    /// Takes a file apart. Every text is one.
    pub fn parse(text: &str) -> TestFile {
        let mut file = TestFile { preamble: String::new(), cases: Vec::new() };
        for line in text.lines() {
            let marker = line.starts_with(CASE) || line == EXPECT;
            if let Some(title) = line.strip_prefix(CASE) {
                file.cases.push(Case { title: Some(title.trim().into()), ..Case::default() });
            } else if file.cases.is_empty() && !marker && (line.is_empty() || line.starts_with(';')) {
                push_line(&mut file.preamble, line);
            } else {
                if file.cases.is_empty() {
                    file.cases.push(Case::default());
                }
                let case = file.cases.last_mut().expect("one was pushed");
                match &mut case.expect {
                    None if line == EXPECT => case.expect = Some(String::new()),
                    Some(expect) => push_line(expect, line),
                    None => push_line(&mut case.body, line),
                }
            }
        }
        file
    }

    /// Puts the file together, with one blank line between its parts.
    pub fn render(&self) -> String {
        let mut out = format!("{}\n", self.preamble.trim());
        for case in &self.cases {
            out.push('\n');
            if let Some(title) = &case.title {
                out += &format!("{CASE}{title}\n");
            }
            out += &format!("{}\n", case.body.trim());
            if let Some(expect) = &case.expect {
                out += &format!("{EXPECT}\n{}\n", expect.trim());
            }
        }
        out
    }

    /// The commands that the file names.
    fn commands(&self, table: &'static [Command]) -> Result<Vec<&'static Command>> {
        let line = self.preamble.lines().find_map(|line| line.strip_prefix(COMMAND));
        let names = line.ok_or_else(|| format!("has no line `{COMMAND} <command>` at its head"))?;
        let find = |name: &str| {
            let found = table.iter().find(|command| command.name == name);
            found.ok_or_else(|| format!("`{name}` is no command"))
        };
        names.split_whitespace().map(find).collect()
    }
}

/// The file as it should be: every command run on every case.
pub fn rewrite(text: &str, table: &'static [Command]) -> Result<String> {
    let mut file = TestFile::parse(text);
    let commands = file.commands(table)?;
    for case in &mut file.cases {
        let title = case.title.clone().unwrap_or_else(|| "the only case".into());
        let mut expect = None;
        for command in &commands {
            match (command.run)(case).map_err(|error| format!("{title}: {}: {error}", command.name))? {
                Outcome::Within(body) => case.body = body,
                Outcome::Below(_) if expect.is_some() => {
                    return Err(format!("{title}: two commands want the lines below `{EXPECT}`"));
                }
                Outcome::Below(found) => expect = Some(found),
            }
        }
        case.expect = expect;
    }
    if file.cases.is_empty() {
        return Err("has no case".into());
    }
    Ok(file.render())
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
