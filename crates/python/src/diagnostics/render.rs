//! The text of a diagnostic, with excerpts of the Python source.
//!
//! ```text
//! error[R0300]: Cannot unify float64 and unicode_type for 'x'
//!  --> example.py:6:9
//!   |
//! 6 |     x = "a"
//!   |         ^^^ 'x' is unicode_type here
//!   |
//!   = note: while compiling `f` for (int64)
//!   = help: Use a second name for the other type.
//!
//! Failed in nopython mode pipeline (step: nopython frontend)
//! ```

use annotate_snippets::{
    Annotation, AnnotationKind, Element, Level, Message, Origin as Header, Renderer, Snippet,
};
use diag::{Diagnostic, ErrorClass, Label, Origin, Span};
use driver::Revealed;
use std::ops::Range;

/// Whether text has colors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Look {
    /// No colors.
    Plain,
    /// Escape sequences of terminals.
    Colored,
}

/// The source files that messages quote.
pub(super) trait SourceFiles {
    /// The text of a file, if it is to be had.
    fn text(&self, file: &str) -> Option<String>;

    /// The name that users know a file by.
    fn display_name(&self, file: &str) -> String {
        file.to_owned()
    }
}

type Sources<'a> = &'a dyn SourceFiles;

/// A label, as rendering wants it: the place, the words, whether it is the place of the error.
type Mark<'a> = (Span, &'a str, AnnotationKind);

/// The whole text of an error.
pub(super) fn error(diagnostic: &Diagnostic, sources: Sources<'_>, look: Look) -> String {
    let text = report(Level::ERROR, diagnostic, sources, look);
    match pipeline_step(diagnostic.code.class) {
        Some(step) => format!("{text}\n\nFailed in nopython mode pipeline (step: {step})"),
        None => text,
    }
}

/// The text of what is no error.
pub(super) fn note(diagnostic: &Diagnostic, sources: Sources<'_>, look: Look) -> String {
    report(Level::NOTE, diagnostic, sources, look)
}

fn report(level: Level<'_>, diagnostic: &Diagnostic, sources: Sources<'_>, look: Look) -> String {
    let origin = diagnostic.origin.clone().unwrap_or_default();
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code.to_string());
    let mut group = title.elements(snippet(&origin, &marks(&diagnostic.labels), sources));
    group = group.elements(diagnostic.notes.iter().map(|note| Level::NOTE.message(note)));
    if !origin.function.is_empty() {
        group = group.element(Level::NOTE.message(format!("while compiling {}", called(&origin))));
    }
    if let Some(hint) = &diagnostic.hint {
        group = group.element(Level::HELP.message(hint));
    }
    let mut groups = vec![group];
    for call in &diagnostic.calls {
        let title = Level::NOTE.secondary_title(format!("called from {}", called(&call.caller)));
        let mark = (call.span, "", AnnotationKind::Primary);
        groups.push(title.elements(snippet(&call.caller, &[mark], sources)));
    }
    renderer(look).render(&groups)
}

/// What `reveal_type` tells.
pub(super) fn revealed(revealed: &[Revealed], sources: Sources<'_>, look: Look) -> String {
    let texts: Vec<String> = revealed
        .iter()
        .map(|Revealed { origin, span, ty }| {
            let title = Level::INFO.primary_title(format!("revealed type: {ty}"));
            let mark = (*span, "", AnnotationKind::Primary);
            renderer(look).render(&[title
                .elements(snippet(origin, &[mark], sources))
                .element(Level::NOTE.message(format!("while compiling {}", called(origin))))])
        })
        .collect();
    texts.join("\n")
}

fn renderer(look: Look) -> Renderer {
    match look {
        Look::Plain => Renderer::plain(),
        Look::Colored => Renderer::styled(),
    }
}

/// The part of the pipeline that fails, under the name that programs look for in messages.
fn pipeline_step(class: ErrorClass) -> Option<&'static str> {
    match class {
        ErrorClass::Typing
        | ErrorClass::Value
        | ErrorClass::Field
        | ErrorClass::Boxing
        | ErrorClass::Compiler => Some("nopython frontend"),
        ErrorClass::Unsupported | ErrorClass::Bytecode => Some("analyzing bytecode"),
        ErrorClass::Lowering => Some("native lowering"),
        ErrorClass::Signature | ErrorClass::Usage | ErrorClass::Internal => None,
    }
}

fn called(origin: &Origin) -> String {
    match &origin.arguments {
        Some(arguments) => format!("`{}` for ({arguments})", origin.function),
        None => format!("`{}`", origin.function),
    }
}

fn marks(labels: &[Label]) -> Vec<Mark<'_>> {
    let kinds = std::iter::once(AnnotationKind::Primary).chain(std::iter::repeat(AnnotationKind::Context));
    labels.iter().zip(kinds).map(|(label, kind)| (label.span, label.text.as_str(), kind)).collect()
}

/// The marked places as an excerpt, or in words where the source is not to be had.
fn snippet<'a>(origin: &Origin, marks: &[Mark<'a>], sources: Sources<'_>) -> Vec<Element<'a>> {
    let known: Vec<Mark<'a>> = marks.iter().copied().filter(|(span, ..)| span.is_known()).collect();
    let unknown = marks.iter().filter(|(span, text, _)| !span.is_known() && !text.is_empty());
    let name = sources.display_name(&origin.file);
    let excerpt = sources.text(&origin.file).and_then(|text| excerpt(&name, &known, &text));
    let mut elements = match excerpt {
        Some(snippet) => vec![snippet.into()],
        None => in_words(origin, name, &known),
    };
    elements.extend(unknown.map(|&(_, text, _)| Level::NOTE.message(text).into()));
    elements
}

/// The lines from the first mark to the last; none if a mark is not in the source.
fn excerpt<'a>(file: &str, marks: &[Mark<'a>], source: &str) -> Option<Snippet<'a, Annotation<'a>>> {
    let all: Vec<&str> = source.lines().collect();
    let marks: Vec<Mark<'a>> =
        marks.iter().map(|&(span, words, kind)| (narrowed(span, &all), words, kind)).collect();
    let first = marks.iter().map(|(span, ..)| span.line).min()?;
    let last = marks.iter().map(|(span, ..)| span.end_line.max(span.line)).max()?;
    let lines = all.get(first as usize - 1..last as usize)?;
    let mut starts = vec![0];
    for line in lines {
        starts.push(starts.last().copied().unwrap_or_default() + line.len() + 1);
    }
    let text = lines.join("\n");
    let annotations = marks.into_iter().map(|(span, words, kind)| {
        let annotation = kind.span(range(span, first, lines, &starts));
        if words.is_empty() { annotation } else { annotation.label(words) }
    });
    let snippet = Snippet::source(text.clone()).line_start(first as usize).path(file.to_owned());
    Some(snippet.annotations(annotations.collect::<Vec<_>>()))
}

/// Of a compound statement its first line; for a function's first line, which is that of its first
/// decorator, the line of the `def`.
fn narrowed(span: Span, lines: &[&str]) -> Span {
    let line = |number: u32| lines.get(number as usize - 1).map(|line| line.trim()).unwrap_or_default();
    if !span.has_columns() {
        let is_definition = |text: &str| text.starts_with("def ") || text.starts_with("async def ");
        let below = (span.line..=lines.len() as u32).find(|&number| is_definition(line(number)));
        return match below {
            Some(number) if line(span.line).starts_with('@') => Span::line(number),
            _ => span,
        };
    }
    let header = line(span.line);
    if span.end_line > span.line && header.ends_with(':') {
        let end_column = lines[span.line as usize - 1].trim_end().len() as u32;
        return Span { end_line: span.line, end_column, ..span };
    }
    span
}

/// Bytes of a span in the excerpt; the whole line without its indentation where columns are missing
/// or do not fit the text (the file may have changed since it was run).
fn range(span: Span, first: u32, lines: &[&str], starts: &[usize]) -> Range<usize> {
    let (from, to) = ((span.line - first) as usize, (span.end_line.max(span.line) - first) as usize);
    let (start, end) = (span.column as usize, span.end_column as usize);
    let fits = span.has_columns() && lines[from].is_char_boundary(start) && lines[to].is_char_boundary(end);
    if fits && (from, start) < (to, end) {
        return starts[from] + start..starts[to] + end;
    }
    let indentation = lines[from].len() - lines[from].trim_start().len();
    starts[from] + indentation..starts[from] + lines[from].trim_end().len().max(indentation)
}

/// File, line and columns without the source.
fn in_words<'a>(origin: &Origin, name: String, marks: &[Mark<'a>]) -> Vec<Element<'a>> {
    let header = Header::path(name);
    let Some(&(primary, ..)) = marks.first() else {
        let header = if origin.line == 0 { header } else { header.line(origin.line as usize) };
        return if origin.file.is_empty() { Vec::new() } else { vec![header.into()] };
    };
    let header = header.line(primary.line as usize);
    let header = if primary.has_columns() { header.char_column(primary.column as usize + 1) } else { header };
    let mut elements: Vec<Element<'a>> = vec![header.into()];
    elements.extend(marks.iter().filter(|(_, words, _)| !words.is_empty()).map(|&(span, words, _)| {
        let columns = match (span.column.saturating_add(1), span.end_column) {
            _ if !span.has_columns() || span.end_line != span.line => String::new(),
            (from, to) if from >= to => format!(", column {from}"),
            (from, to) => format!(", columns {from}-{to}"),
        };
        let message: Message<'a> = Level::NOTE.message(format!("line {}{columns}: {words}", span.line));
        message.into()
    }));
    elements
}

#[cfg(test)]
mod tests;
