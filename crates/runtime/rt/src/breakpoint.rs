//! Where `gdb_breakpoint()` stops.

/// Does nothing: gdb has a breakpoint here, if one was attached by `gdb()` or `gdb_init()`. The name is Numba's.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn numba_gdb_breakpoint() {
    std::hint::black_box(());
}
