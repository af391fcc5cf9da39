//! Characters and words of the text form.

use super::Parser;
use diag::{Diagnostic, Result, Span, codes};
use std::borrow::Cow;
use types::Type;

impl<'a> Parser<'a> {
    /// The type of this printed name.
    pub(super) fn type_named(&self, name: &str) -> Result<Type> {
        let known = self.known.get(name).copied().or_else(|| self.types.parse(name));
        known.ok_or_else(|| self.error(format!("`{name}` is no type")))
    }

    pub(super) fn error(&self, what: impl std::fmt::Display) -> Box<Diagnostic> {
        let line = self.text[..self.at.min(self.text.len())].matches('\n').count() + 1;
        Diagnostic::new(codes::INTERNAL, format!("malformed text of the IR, line {line}: {what}"))
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips blanks, line ends and comments (`;` to the end of the line).
    pub(super) fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    pub(super) fn eat(&mut self, what: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    /// Like `eat`, for a whole word.
    pub(super) fn eat_word(&mut self, what: &str) -> bool {
        self.skip();
        let start = self.at;
        if self.word() == what {
            return true;
        }
        self.at = start;
        false
    }

    pub(super) fn expect(&mut self, what: &str) -> Result<()> {
        if self.eat(what) { Ok(()) } else { Err(self.error(format!("expected `{what}`"))) }
    }

    pub(super) fn while_char(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    pub(super) fn word(&mut self) -> &'a str {
        self.while_char(|c| c.is_alphanumeric() || c == '_')
    }

    pub(super) fn int<T: std::str::FromStr>(&mut self) -> Result<T> {
        let word = self.while_char(|c| c.is_ascii_digit() || c == '-');
        word.parse().map_err(|_| self.error(format!("expected a number, found `{word}`")))
    }

    pub(super) fn float(&mut self) -> Result<u64> {
        let word = self.while_char(|c| c.is_ascii_alphanumeric() || "+-.:".contains(c));
        let bits = match word.strip_prefix("nan:") {
            Some(bits) => u64::from_str_radix(bits, 16).ok(),
            None => word.parse::<f64>().ok().map(f64::to_bits),
        };
        bits.ok_or_else(|| self.error(format!("expected a float, found `{word}`")))
    }

    /// A quoted string in Rust's notation.
    pub(super) fn string(&mut self) -> Result<String> {
        self.expect("\"")?;
        let mut out = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 1;
                    return Ok(out);
                }
                '\\' => match chars.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('t') => out.push('\t'),
                    Some('r') => out.push('\r'),
                    Some('0') => out.push('\0'),
                    Some('u') => {
                        let hex: String =
                            chars.by_ref().map(|(_, c)| c).skip(1).take_while(|&c| c != '}').collect();
                        let c = u32::from_str_radix(&hex, 16).ok().and_then(char::from_u32);
                        out.push(c.ok_or_else(|| self.error("bad escape"))?);
                    }
                    Some(c) => out.push(c),
                    None => break,
                },
                c => out.push(c),
            }
        }
        Err(self.error("unfinished string"))
    }

    /// A name: a word or a quoted string.
    pub(super) fn name(&mut self) -> Result<String> {
        self.skip();
        if self.rest().starts_with('"') {
            return self.string();
        }
        match self.word() {
            "" => Err(self.error("expected a name")),
            word => Ok(word.to_owned()),
        }
    }

    /// The name of a type, which is in quotes where its end would not be found.
    pub(super) fn type_text(&mut self) -> Result<Cow<'a, str>> {
        self.skip();
        if self.rest().starts_with('"') {
            self.string().map(Cow::Owned)
        } else {
            Ok(Cow::Borrowed(self.balanced()))
        }
    }

    /// Text up to a comma, a closing bracket or `=` outside brackets, or the end of the line.
    pub(super) fn balanced(&mut self) -> &'a str {
        self.skip();
        let rest = self.rest();
        let mut depth = 0i32;
        let end = rest.find(|c| {
            match c {
                '(' | '[' | '<' => depth += 1,
                ')' | ']' | '>' => depth -= 1,
                _ => {}
            }
            depth < 0 || depth == 0 && matches!(c, ',' | '=' | '\n')
        });
        let end = end.unwrap_or(rest.len());
        self.at += end;
        rest[..end].trim()
    }

    pub(super) fn span(&mut self) -> Result<Span> {
        let word = self.while_char(|c| c.is_ascii_digit() || ":-?".contains(c));
        parse_span(word).ok_or_else(|| self.error(format!("bad span `{word}`")))
    }
}

/// Reads what `Span`'s Display prints: `?`, `3`, `3:4-9` or `3:4-5:2`.
fn parse_span(text: &str) -> Option<Span> {
    if text == "?" {
        return Some(Span::UNKNOWN);
    }
    let Some((start, end)) = text.split_once('-') else { return Some(Span::line(text.parse().ok()?)) };
    let (line, column) = start.split_once(':')?;
    let line = line.parse().ok()?;
    let (end_line, end_column) = match end.split_once(':') {
        Some((end_line, end_column)) => (end_line.parse().ok()?, end_column),
        None => (line, end),
    };
    Some(Span { line, end_line, column: column.parse().ok()?, end_column: end_column.parse().ok()? })
}
