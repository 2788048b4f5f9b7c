//! The `fmu` command; everything it does is in the library.

fn main() -> std::process::ExitCode {
    fmu::cli::main()
}
