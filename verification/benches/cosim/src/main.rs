//! Runs what the first argument names, and prints its figures for `cargo xtask bench cosim`.

mod rod;
mod tables;

use test_support::segments;

const USAGE: &str = "usage: cosim-bench WHAT
  tables          what it costs a multistep method to go on where inputs jump
  rod N           the heat rod with N cells to a millionth, its Jacobian exact and sparse
  differences N   the same, its Jacobian dense and by finite differences";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["tables"] => {
            tables::print();
            Ok(())
        }
        ["rod", "100"] => rod::sparse::<100>(),
        ["rod", "1000"] => rod::sparse::<1000>(),
        ["rod", "2000"] => rod::sparse::<2000>(),
        ["rod", "5000"] => rod::sparse::<5000>(),
        ["rod", "10000"] => rod::sparse::<10_000>(),
        ["differences", "100"] => rod::differences::<100>(),
        ["differences", "1000"] => rod::differences::<1000>(),
        _ => Err(USAGE.into()),
    }
}
