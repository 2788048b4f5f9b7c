//! Compiles the one C file: the variadic logger callback.

fn main() {
    println!("cargo::rerun-if-changed=src/shim/logger.c");
    cc::Build::new()
        .file("src/shim/logger.c")
        .warnings(true)
        .extra_warnings(true)
        .compile("fmu_importer_shim");
}
