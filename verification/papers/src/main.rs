//! `cargo xtask papers`: the examples of the papers, coupled as real FMUs, with published figures beside ours.
//!
//! [`fmus`] packages the models, [`bench`] couples a system and keeps what it did, [`reference`] solves the same equations
//! without any coupling, [`rows`] hold the two against each other and against what was published, [`report`] writes it down.

mod bench;
mod fmus;
mod letters;
mod report;
mod rows;
mod table;

use test_support::{reference, segments};

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use bench::Bench;
use table::Table;

/// Reproduces the examples of the papers on real FMUs.
#[derive(Parser)]
#[command(bin_name = "cargo xtask papers")]
struct Arguments {
    /// The workspace.
    #[arg(long, value_name = "DIR", hide = true)]
    root: PathBuf,
    /// Where the FMUs and the report go.
    #[arg(long, value_name = "DIR", hide = true)]
    out: PathBuf,
    /// The command `fmu`, with what couples.
    #[arg(long, value_name = "FILE", hide = true)]
    command: Option<PathBuf>,
    /// Leaves out what takes long, and enforces no times: for machines that are busy.
    #[arg(long)]
    smoke: bool,
    /// Only groups of rows whose name contains one of these words.
    #[arg(value_name = "WORD")]
    words: Vec<String>,
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every row has passed.
fn run(arguments: Arguments) -> Result<bool, Box<dyn std::error::Error>> {
    let fmus = fmus::package(&arguments.root, &arguments.out.join("fmu"))?;
    let bench = Bench::new(&arguments.root, fmus, arguments.command, arguments.smoke);
    let mut table = Table::default();
    for (name, rows) in rows::ALL {
        let words = &arguments.words;
        if words.is_empty() || words.iter().any(|word| name.contains(word.as_str())) {
            table.group(name);
            if let Err(error) = rows(&bench, &mut table) {
                table.broken(name, &error.to_string());
            }
        }
    }
    let report = report::write(&table, &arguments.out)?;
    println!("\nreport: {}", report.display());
    println!("{} figures without a limit", table.figures());
    println!("{} passed, {} failed", table.passed(), table.failed());
    Ok(table.failed() == 0)
}
