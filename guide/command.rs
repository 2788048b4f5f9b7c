//! The `fmu` command, which the tests of the guide run.

fn main() -> std::process::ExitCode {
    fmu::cli::main()
}
