//! Files in memory, findings, and as much of Rust's lexical grammar as the checks need: the positions of comments,
//! literals and test code. Not a parser.

use std::fmt;
use std::ops::Range;

/// A text file of the repository.
pub struct File {
    /// Path from the root, with `/`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

impl File {
    /// A file with a text.
    pub fn new(path: &str, text: impl Into<String>) -> Self {
        File { path: path.to_owned(), text: text.into() }
    }

    /// Whether this is Rust source.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// The name of the crate that the file belongs to: the folder that holds the manifest.
    pub fn crate_name(&self) -> Option<&str> {
        self.in_crate().map(|(name, _)| name)
    }

    /// Whether the file is library code: under `src` of a crate and no out-of-line test module.
    pub fn is_library(&self) -> bool {
        let in_src = self.in_crate().is_some_and(|(_, rest)| rest.starts_with("src/"));
        in_src && !self.path.ends_with("/tests.rs") && !self.path.contains("/tests/")
    }

    /// The crate's folder and the path within it. Crates stand in folders by stage, so the crate's own
    /// folder is the one above the first of those that Cargo knows.
    fn in_crate(&self) -> Option<(&str, &str)> {
        const INSIDE: [&str; 6] = ["/src/", "/tests/", "/examples/", "/benches/", "/Cargo.toml", "/build.rs"];
        let path = self.path.strip_prefix("crates/")?;
        let at = INSIDE.iter().filter_map(|part| path.find(part)).min()?;
        Some((path[..at].rsplit('/').next()?, &path[at + 1..]))
    }

    /// An error at a line, counted from 1.
    pub fn error(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: self.path.clone(), line, what: what.into(), is_warning: false }
    }

    /// A warning at a line, counted from 1.
    pub fn warning(&self, line: usize, what: impl Into<String>) -> Finding {
        Finding { is_warning: true, ..self.error(line, what) }
    }
}

/// What a check has to say about a line.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Path from the root.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
    /// What is wrong, and what to do.
    pub what: String,
    /// Shown, but does not fail the run.
    pub is_warning: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_warning { "warning: " } else { "" };
        write!(f, "{}:{}: {kind}{}", self.path, self.line, self.what)
    }
}

/// Rust source with the inside comments and literals blanked: same lines, same columns.
pub fn code_only(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let end = at + blank_length(&bytes[at..], at.checked_sub(1).map(|i| bytes[i]));
        if end == at {
            result.push(bytes[at]);
            at += 1;
            continue;
        }
        let blank = |byte: &u8| if *byte == b'\n' { b'\n' } else { b' ' };
        result.extend(bytes[at..end].iter().map(blank));
        at = end;
    }
    String::from_utf8_lossy(&result).into_owned()
}

/// How long the comment or literal at the start of `rest` is; 0 if there is none.
fn blank_length(rest: &[u8], before: Option<u8>) -> usize {
    let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match rest {
        [b'/', b'/', ..] => find(rest, b"\n").unwrap_or(rest.len()),
        [b'/', b'*', ..] => block_comment(rest),
        [b'"', ..] => quoted(rest, b'"'),
        [b'\'', b'\\', ..] => quoted(rest, b'\''),
        [b'\'', ..] => character(rest),
        [b'r', b'"' | b'#', ..] if !in_word => raw_string(rest),
        [b'b' | b'c', b'r', b'"' | b'#', ..] if !in_word => match raw_string(&rest[1..]) {
            0 => 0,
            length => length + 1,
        },
        _ => 0,
    }
}

fn find(rest: &[u8], what: &[u8]) -> Option<usize> {
    rest.windows(what.len()).position(|window| window == what)
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// A character literal without an escape; 0 for a lifetime.
fn character(rest: &[u8]) -> usize {
    let text = String::from_utf8_lossy(&rest[1..rest.len().min(6)]);
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(inside), Some('\'')) => inside.len_utf8() + 2,
        _ => 0,
    }
}

fn raw_string(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(hashes + 1) != Some(&b'"') {
        return 0; // A raw identifier.
    }
    let close = [b"\"".as_slice(), &rest[1..=hashes]].concat();
    let start = hashes + 2;
    find(&rest[start..], &close).map_or(rest.len(), |end| start + end + close.len())
}

/// The lines, counted from 0, of every item under `#[cfg(test)]`. Takes the result of
/// [`code_only`].
pub fn test_lines(code: &str) -> Vec<Range<usize>> {
    const MARK: &str = "#[cfg(test)]";
    let line_of = |at: usize| code[..at].matches('\n').count();
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find(MARK).map(|at| from + at) {
        let end = item_end(code, at + MARK.len());
        ranges.push(line_of(at)..line_of(end) + 1);
        from = end;
    }
    ranges
}

/// Where the item that starts at `from` ends: its `;` or the brace that closes its body.
fn item_end(code: &str, from: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && byte == b'}' {
                    return at;
                }
            }
            b';' if depth == 0 => return at,
            _ => {}
        }
    }
    code.len()
}

/// Whether `word` occurs in `line` as a whole identifier (`word` may end in punctuation).
pub fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_part);
        let after = line[at + word.len()..].chars().next().is_some_and(is_part);
        !(before || after && word.ends_with(is_part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_in_place() {
        let text = "a /* b /* c */ d */ e // f\n\"g\\\"h\" 'i' '\\'' r#\"j\"k\"# l<'m> b\"n\" r#o";
        let code = code_only(text);
        assert_eq!(code.len(), text.len());
        let words: Vec<&str> = code.split_whitespace().collect();
        assert_eq!(words, ["a", "e", "l<'m>", "b", "r#o"]);
        assert_eq!(code.lines().count(), 2);
    }

    #[test]
    #[allow(clippy::single_range_in_vec_init)] // one range of lines is meant
    fn test_items_are_found_with_their_attributes() {
        let code = "fn a() {}\n#[cfg(test)]\n#[allow(x)]\nmod tests {\n  fn b() {}\n}\nfn c() {}\n";
        assert_eq!(test_lines(code), vec![1..6]);
        assert_eq!(test_lines("#[cfg(test)]\nmod tests;\nfn c() {}\n"), vec![0..2]);
    }

    #[test]
    fn words_have_borders() {
        assert!(has_word("use pyo3::prelude", "pyo3"));
        assert!(!has_word("use pyo3x", "pyo3"));
        assert!(has_word("std::env::var", "env::"));
        assert!(!has_word("myenv::var", "env::"));
    }
}
