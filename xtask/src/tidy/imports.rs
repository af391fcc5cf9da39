//! Import cycles among the files of a crate or the modules of the Python package.
//!
//! An arrow is a `use` of another file of the crate, or a path that begins with `crate::` or `super::`; re-exports are
//! followed to where the name is defined. Small rings (a type and what is implemented for it) are fine; whoever opens a
//! file of a large one has to know all of it. In Python there is no ring at all of imports that run when a module is
//! imported; what a function needs from above it imports when it is called, and rings of these are small, too.
//!
//! Absent: arrows between crates (`layers`).

use super::source::{File, Finding, code_only, test_lines};
use std::collections::{BTreeMap, BTreeSet};

/// How many files of a crate may import each other in a ring.
const LIMIT: usize = 8;

/// The same of modules of the Python package while they are imported: none.
const PYTHON_LIMIT: usize = 1;

/// Which imports of Python count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// Those that run when the module is imported.
    AtImport,
    /// Those of functions, too.
    Ever,
}

/// A module's path from the crate's root, or from the package's folder.
type Module = Vec<String>;

/// The files of a crate or a package, by module.
type Sources<'f> = BTreeMap<Module, &'f File>;

/// Who imports whom.
type Arrows = BTreeMap<Module, BTreeSet<Module>>;

/// Checks every crate, and the Python package.
pub fn check(files: &[File]) -> Vec<Finding> {
    let mut crates: BTreeMap<&str, Sources<'_>> = BTreeMap::new();
    let mut package = Sources::new();
    for file in files {
        if file.is_rust() && file.is_library() {
            let Some((folder, rest)) = file.path.split_once("/src/") else { continue };
            crates.entry(folder).or_default().insert(module_of(rest, ".rs", &["lib", "mod"]), file);
        } else if let Some(rest) = file.path.strip_prefix("python/") {
            if rest.starts_with("rumba/") && rest.ends_with(".py") {
                package.insert(module_of(rest, ".py", &["__init__"]), file);
            }
        }
    }
    let rust = crates.values().flat_map(|sources| report(sources, &rust_arrows(sources), LIMIT));
    let at_import = report(&package, &python_arrows(&package, Runs::AtImport), PYTHON_LIMIT);
    let ever = report(&package, &python_arrows(&package, Runs::Ever), LIMIT);
    rust.chain(at_import).chain(ever).collect()
}

/// `a/b.rs` is `a::b`, `a/mod.rs` is `a`, `lib.rs` the root.
fn module_of(path: &str, ending: &str, roots: &[&str]) -> Module {
    let mut module: Module = path.trim_end_matches(ending).split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| roots.contains(&last.as_str())) {
        module.pop();
    }
    module
}

/// A finding for each ring that is too large.
fn report(sources: &Sources<'_>, arrows: &Arrows, limit: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ring in rings(sources, arrows).into_iter().filter(|ring| ring.len() > limit) {
        let names: Vec<&str> = ring.iter().map(|module| sources[module].path.as_str()).collect();
        let what = format!(
            "{} files import each other in a ring, at most {limit} may: move what they share into a file below \
             them ({})",
            names.len(),
            names.join(", ")
        );
        findings.push(sources[&ring[0]].error(1, what));
    }
    findings
}

/// The modules that reach each other: those that a module reaches and that reach it.
fn rings(sources: &Sources<'_>, arrows: &Arrows) -> Vec<Vec<Module>> {
    let mut reached: BTreeMap<&Module, BTreeSet<&Module>> = BTreeMap::new();
    for module in sources.keys() {
        let mut seen = BTreeSet::new();
        let mut open = vec![module];
        while let Some(at) = open.pop() {
            open.extend(arrows.get(at).into_iter().flatten().filter(|next| seen.insert(*next)));
        }
        reached.insert(module, seen);
    }
    let mut found: BTreeSet<Vec<Module>> = BTreeSet::new();
    for (module, seen) in &reached {
        let ring: Vec<Module> = seen
            .iter()
            .filter(|other| reached[**other].contains(*module))
            .map(|&other| other.clone())
            .collect();
        if ring.len() > 1 {
            found.insert(ring);
        }
    }
    found.into_iter().collect()
}

/// A path of a `use`, and whether others see the name through this file.
struct Use {
    path: Module,
    is_public: bool,
}

fn rust_arrows(sources: &Sources<'_>) -> Arrows {
    let uses: BTreeMap<&Module, Vec<Use>> =
        sources.iter().map(|(module, file)| (module, uses_of(sources, module, &plain(file)))).collect();
    let mut arrows = Arrows::new();
    for (&module, paths) in &uses {
        for one in paths {
            let Some(target) = resolve(sources, &uses, one.path.clone(), 0) else { continue };
            let hands_on = one.is_public && target.starts_with(module);
            if target != *module && !hands_on {
                arrows.entry(module.clone()).or_default().insert(target);
            }
        }
    }
    arrows
}

/// Code without comments, literals and tests.
fn plain(file: &File) -> String {
    let code = code_only(&file.text);
    let tests = test_lines(&code);
    let kept = code.lines().enumerate().filter(|(i, _)| !tests.iter().any(|range| range.contains(i)));
    kept.map(|(_, line)| line).collect::<Vec<_>>().join("\n")
}

/// The paths that a file names, from the crate's root.
fn uses_of(sources: &Sources<'_>, module: &Module, code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        let shown = trimmed.starts_with("pub");
        let statement = if shown {
            trimmed.split_once(" use ").map(|(_, tree)| tree)
        } else {
            trimmed.strip_prefix("use ")
        };
        let Some(tree) = statement.filter(|_| !trimmed.contains('(') || trimmed.starts_with("pub(")) else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut tree = tree.to_owned();
        while !tree.contains(';') {
            let Some(next) = lines.next() else { break };
            tree.push_str(next);
        }
        for path in leaves(tree.trim_end().trim_end_matches(';')) {
            found.extend(absolute(sources, module, path).map(|path| Use { path, is_public: shown }));
        }
    }
    for start in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(start) {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
            if rest[..at].chars().next_back().is_some_and(is_part) {
                continue;
            }
            let path: String = rest[at..].chars().take_while(|&c| is_part(c)).collect();
            let path = path.split("::").map(str::to_owned).collect();
            found.extend(absolute(sources, module, path).map(|path| Use { path, is_public: false }));
        }
    }
    found
}

/// The paths of a tree of `use`: `a::{b, c::d}` has two.
fn leaves(tree: &str) -> Vec<Module> {
    let tree = tree.trim();
    let names = |path: &str| -> Module {
        path.split("::").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or(tree);
        return vec![names(path)];
    };
    let inner = inner.rsplit_once('}').map_or(inner, |(inner, _)| inner);
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for c in inner.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match parts.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| leaves(part)).map(|leaf| names(head).into_iter().chain(leaf).collect()).collect()
}

/// The same path from the crate's root; nothing for one into another crate.
fn absolute(sources: &Sources<'_>, module: &Module, path: Module) -> Option<Module> {
    match path.first().map(String::as_str)? {
        "crate" => Some(path[1..].to_vec()),
        "self" => Some([module, &path[1..]].concat()),
        "super" => {
            let ups = path.iter().take_while(|name| *name == "super").count();
            Some([&module[..module.len().checked_sub(ups)?], &path[ups..]].concat())
        }
        first => {
            let child = [module, &[first.to_owned()][..]].concat();
            sources.contains_key(&child).then(|| [module, &path[..]].concat())
        }
    }
}

/// The file that defines what a path names: re-exports lead on.
fn resolve(
    sources: &Sources<'_>,
    uses: &BTreeMap<&Module, Vec<Use>>,
    path: Module,
    depth: usize,
) -> Option<Module> {
    let known = (0..=path.len()).rev().find(|&end| sources.contains_key(&path[..end]))?;
    let (module, rest) = (path[..known].to_vec(), &path[known..]);
    let Some(name) = rest.first().filter(|_| depth < 5) else { return Some(module) };
    let shown = uses[&module].iter().filter(|one| one.is_public);
    for one in shown {
        let Some((last, above)) = one.path.split_last() else { continue };
        if last == name {
            return resolve(sources, uses, [&one.path, &rest[1..]].concat(), depth + 1);
        }
        if last == "*" && sources.get(above).is_some_and(|file| defines(&file.text, name)) {
            return Some(above.to_vec());
        }
    }
    Some(module)
}

/// Whether a file has an item of this name.
fn defines(text: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "type", "const", "static"].iter().any(|kind| {
        let head = format!("{kind} {name}");
        let ends = |at: usize| {
            text[at + head.len()..].chars().next().is_none_or(|c| !c.is_alphanumeric() && c != '_')
        };
        text.match_indices(&head).any(|(at, _)| ends(at))
    })
}

fn python_arrows(sources: &Sources<'_>, runs: Runs) -> Arrows {
    let mut arrows = Arrows::new();
    for (module, file) in sources {
        let is_package = file.path.ends_with("/__init__.py");
        for statement in import_statements(&file.text, runs) {
            for target in imported(sources, module, is_package, &statement) {
                if target != *module {
                    arrows.entry(module.clone()).or_default().insert(target);
                }
            }
        }
    }
    arrows
}

/// The statements of a module that import something, each on one line.
fn import_statements(text: &str, runs: Runs) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_text = false;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let was_text = is_text;
        is_text ^= line.matches("\"\"\"").count() % 2 == 1;
        let shown = if runs == Runs::Ever { line.trim_start() } else { line };
        if was_text || !(shown.starts_with("import ") || shown.starts_with("from ")) {
            continue;
        }
        let mut statement = shown.split('#').next().unwrap_or_default().to_owned();
        while statement.contains('(') && !statement.contains(')') {
            let Some(next) = lines.next() else { break };
            statement.push_str(next.split('#').next().unwrap_or_default());
        }
        found.push(statement);
    }
    found
}

/// The modules of the package that a statement imports.
fn imported(sources: &Sources<'_>, module: &Module, is_package: bool, statement: &str) -> Vec<Module> {
    let dotted = |text: &str| -> Module {
        text.trim().split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect()
    };
    let without_as = |text: &str| text.trim().split(" as ").next().unwrap_or_default().to_owned();
    if let Some(names) = statement.strip_prefix("import ") {
        let all = names.split(',').map(|name| dotted(&without_as(name)));
        return all.filter(|name| sources.contains_key(name)).collect();
    }
    let Some((from, names)) = statement.trim_start_matches("from ").split_once(" import ") else {
        return Vec::new();
    };
    let dots = from.chars().take_while(|&c| c == '.').count();
    let above = dots.saturating_sub(usize::from(is_package)).min(module.len());
    let base = match dots {
        0 => dotted(from),
        _ => [&module[..module.len() - above], &dotted(&from[dots..])[..]].concat(),
    };
    let names = names.trim_matches(|c: char| c == '(' || c == ')' || c.is_whitespace());
    // The extension is no source.
    let each =
        names.split(',').map(without_as).filter(|name| !name.is_empty() && name != "_rumba").map(|name| {
            let inner = [&base[..], &[name][..]].concat();
            if sources.contains_key(&inner) { inner } else { base.clone() }
        });
    each.filter(|target| sources.contains_key(target)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files of a crate, each of which uses the next, and the last one the first.
    fn ring(count: usize) -> Vec<File> {
        let file = |at: usize| {
            let text = format!("use crate::m{}::{{Name, other}};\n", (at + 1) % count);
            File::new(&format!("crates/ir/ir/src/m{at}.rs"), text)
        };
        (0..count).map(file).collect()
    }

    #[test]
    fn large_rings_are_found() {
        assert!(check(&ring(LIMIT)).is_empty());
        let found = check(&ring(LIMIT + 1));
        assert_eq!(found.len(), 1);
        assert!(found[0].what.starts_with("9 files import each other in a ring"));
    }

    #[test]
    fn re_exports_lead_to_the_definition() {
        let mut files = ring(LIMIT);
        // The root hands the name on, which makes it no part of the ring.
        files.push(File::new("crates/ir/ir/src/lib.rs", "pub use m0::Name;\n"));
        files[0].text.push_str("use crate::Name;\n");
        assert!(check(&files).is_empty());
        // A file that asks the root for it is one.
        files[0].text = "use crate::beside::other;\n".to_owned();
        files.push(File::new("crates/ir/ir/src/beside.rs", "fn f() { crate::m1::other() }\n"));
        assert_eq!(check(&files).len(), 1);
    }

    #[test]
    fn tests_and_comments_are_no_arrows() {
        let mut files = ring(LIMIT + 1);
        files[0].text =
            "// use crate::m1::Name;\n#[cfg(test)]\nmod tests {\n    use crate::m1::Name;\n}\n".to_owned();
        assert!(check(&files).is_empty());
    }

    #[test]
    fn python_modules_make_no_ring() {
        let mut files = vec![
            File::new("python/rumba/a.py", "from . import (\n    b,\n)\n"),
            File::new("python/rumba/b.py", "from rumba.a import name\n"),
        ];
        assert_eq!(check(&files).len(), 1);
        files[1].text = "def f():\n    from rumba.a import name\n".to_owned();
        assert!(check(&files).is_empty());
    }

    #[test]
    fn rings_of_functions_of_python_are_small() {
        let ring = |count: usize| -> Vec<File> {
            let file = |at: usize| {
                let text = format!("def f():\n    from . import (\n        m{})\n", (at + 1) % count);
                File::new(&format!("python/rumba/m{at}.py"), text)
            };
            (0..count).map(file).collect()
        };
        assert!(check(&ring(LIMIT)).is_empty());
        let mut files = ring(LIMIT + 1);
        assert_eq!(check(&files).len(), 1);
        files[0].text =
            "def f():\n    \"\"\"\n    from . import m1\n    \"\"\"\n    from . import _rumba\n".to_owned();
        assert!(check(&files).is_empty());
    }

    #[test]
    fn trees_of_use_have_leaves() {
        let text = |tree: &str| leaves(tree).iter().map(|path| path.join("::")).collect::<Vec<_>>();
        assert_eq!(text("crate::{a::{B, c as d}, e}"), ["crate::a::B", "crate::a::c", "crate::e"]);
        assert_eq!(text("super::x::*"), ["super::x::*"]);
    }
}
