//! Tells the sources which CPython they are built for, and test binaries where its library is.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    // Only binaries that embed Python need it: an extension finds the interpreter around it.
    if std::env::var_os("CARGO_FEATURE_EXTENSION_MODULE").is_none() {
        pyo3_build_config::add_libpython_rpath_link_args();
    }
}
