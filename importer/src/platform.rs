//! Where an FMU keeps the library for a machine.

use std::env::consts;

/// The platform folders below `binaries/` for this machine, by the names of FMI 2.0 and of FMI 3.0, best first.
pub fn platform_folders() -> &'static [&'static str] {
    match (consts::OS, consts::ARCH) {
        ("linux", "x86_64") => &["linux64", "x86_64-linux"],
        ("linux", "x86") => &["linux32", "x86-linux"],
        // FMI 2.0 has no name for it; tools use the tuple of 3.0, and some this one.
        ("linux", "aarch64") => &["aarch64-linux", "linuxarm64"],
        ("windows", "x86_64") => &["win64", "x86_64-windows"],
        ("windows", "x86") => &["win32", "x86-windows"],
        ("windows", "aarch64") => &["aarch64-windows"],
        ("macos", "x86_64") => &["darwin64", "x86_64-darwin"],
        // A library in darwin64 may be for both processors.
        ("macos", "aarch64") => &["aarch64-darwin", "darwin64"],
        _ => &[],
    }
}

/// The file name of the library of a model identifier on this machine.
///
/// ```
/// if cfg!(target_os = "linux") {
///     assert_eq!(fmu_importer::library_name("BouncingBall"), "BouncingBall.so");
/// }
/// ```
pub fn library_name(model_identifier: &str) -> String {
    format!("{model_identifier}{}", consts::DLL_SUFFIX)
}
