//! Compiles `src/shim.cpp` against the LLVM that llvm-sys links.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=src/shim.cpp");
    let config = env::var("DEP_LLVM_19_CONFIG_PATH").unwrap_or_else(|_| "llvm-config-19".into());
    let output = Command::new(&config).args(["--includedir"]).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {config}: {error}"));
    let include = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("src/shim.cpp")
        .include(include)
        .define("NDEBUG", None)
        .opt_level(2)
        .warnings(false)
        .flag_if_supported("-fno-rtti")
        .flag_if_supported("-fno-exceptions")
        .compile("rumba_llvm_shim");
}
