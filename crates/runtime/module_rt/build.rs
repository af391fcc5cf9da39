//! Tells the sources which CPython they are built for, and the test binary where CPython's library is.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    pyo3_build_config::add_libpython_rpath_link_args();
}
