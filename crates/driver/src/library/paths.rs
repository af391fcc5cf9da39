//! Paths and stamps of the library's files.

use cache::{Fault, File, Hasher, Stamp, Store};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// Where the library is.
pub struct Paths {
    /// The folder of the package.
    pub package: PathBuf,
    /// The image.
    pub image: PathBuf,
    /// The user's store; there may be none.
    pub store: Option<PathBuf>,
    /// A number for this build of the compiler under this version of Python.
    pub build: u64,
    /// Where warnings go.
    pub warn: Box<dyn Fn(&str) + Send + Sync>,
}

/// How many bytes a user's store may take.
const MAX_STORED: u64 = 64 << 20;

impl Paths {
    /// The folder of the library's sources.
    pub(crate) fn sources(&self) -> PathBuf {
        self.package.join("library")
    }

    pub(crate) fn open_store(&self, stamp: Stamp) -> Option<Store> {
        Some(Store::new(self.store.as_ref()?, stamp, &llvm::host_name(), MAX_STORED))
    }

    /// How messages and instances call a source file: the same on every machine. What other instances brought along is called so.
    pub(crate) fn short_name(&self, file: &str) -> String {
        let path = Path::new(file);
        if path.is_relative() {
            return file.to_owned();
        }
        let parent = self.package.parent();
        let inside = parent.and_then(|parent| path.strip_prefix(parent).ok());
        let name = inside.or_else(|| path.file_name().map(Path::new)).unwrap_or(path);
        name.to_string_lossy().into_owned()
    }
}

/// What was read of the paths.
#[derive(Default)]
pub(crate) struct Files {
    /// Modules of the library by the functions that they implement, and the facts of these functions as text.
    pub modules: BTreeMap<String, (String, String)>,
    stamp: OnceLock<Stamp>,
    pub image: OnceLock<Result<File, Fault>>,
    pub store: OnceLock<Option<Store>>,
    /// Whether the image was complained about.
    pub warned: AtomicBool,
}

impl Files {
    pub fn read(paths: &Paths) -> Files {
        let folder = paths.sources();
        // Without an index the library is empty.
        let index = fs::read_to_string(folder.join("index.txt")).unwrap_or_default();
        let rows = index.lines().filter(|line| !line.starts_with('#'));
        let rows = rows.filter_map(|line| line.split_once(' '));
        let modules = rows.map(|(name, row)| {
            let (module, facts) = row.trim().split_once(' ').unwrap_or((row.trim(), "reads"));
            (name.to_owned(), (module.to_owned(), facts.trim().to_owned()))
        });
        let modules = modules.collect();
        Files { modules, ..Files::default() }
    }

    /// What image and store must have been made by and from.
    pub fn stamp(&self, paths: &Paths) -> Stamp {
        let make = || Stamp { build: paths.build, sources: sources(&paths.sources()) };
        *self.stamp.get_or_init(make)
    }
}

/// The hash of the library's sources, of its packages too.
fn sources(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(open) = folders.pop() {
        for path in fs::read_dir(open).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.extension() {
                Some(ending) if ending == "py" || ending == "txt" => paths.push(path),
                None if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    paths.sort();
    let mut hasher = Hasher::default();
    for path in paths {
        hasher.add_text(&path.strip_prefix(folder).unwrap_or(&path).to_string_lossy());
        let content = fs::read(&path).unwrap_or_default();
        hasher.add(&content);
        hasher.add(&(content.len() as u64).to_le_bytes());
    }
    hasher.finish()
}
