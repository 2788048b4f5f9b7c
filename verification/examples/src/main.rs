//! The `fmu` command for the tests: as in a workspace of a user, a `main` of three lines.

fn main() -> std::process::ExitCode {
    fmu::cli::main()
}
