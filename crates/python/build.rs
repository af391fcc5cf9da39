//! Tells the sources which CPython they are built for and from which sources, and test binaries where
//! CPython's library is.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    // Only binaries that embed Python need it: an extension finds the interpreter around it.
    if env::var_os("CARGO_FEATURE_EXTENSION_MODULE").is_none() {
        pyo3_build_config::add_libpython_rpath_link_args();
    }
    println!("cargo::rustc-env=RUMBA_BUILD={:016x}", hash_sources());
}

/// A number that changes with every crate's sources, the same wherever they are built: what one build of
/// the compiler has compiled is of no use to another one.
fn hash_sources() -> u64 {
    let crates = Path::new("..");
    let mut hasher = DefaultHasher::new();
    let mut open: Vec<PathBuf> = vec![crates.to_owned(), Path::new("../../Cargo.lock").to_owned()];
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => open.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    for path in files {
        println!("cargo::rerun-if-changed={}", path.display());
        path.hash(&mut hasher);
        fs::read(&path).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
