//! The report: the table as Markdown, with the equations of systems of ours, the master's sentences and drawings.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};

use crate::table::Table;

/// Writes the report and its drawings into a folder; answers its path.
pub fn write(table: &Table, folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let mut text = String::from(
        "# The papers, reproduced\n\nEach system is a file of `examples/systems/`, coupled as FMUs by the library \
         `master`. References are closed forms, or the same equations without coupling, integrated with small steps of \
         the classical Runge-Kutta method; never the master itself.\n",
    );
    let mut groups: Vec<&str> = table.rows.iter().map(|row| row.group.as_str()).collect();
    groups.dedup();
    for group in groups {
        let _ = writeln!(text, "\n## {group}\n");
        let _ = writeln!(
            text,
            "| source | what | published | ours | limit | |\n|---|---|---|---|---|---|"
        );
        for row in table.rows.iter().filter(|row| row.group == group) {
            let verdict = if row.passed { "passed" } else { "**failed**" };
            let cells = [&row.source, &row.what, &row.published, &row.ours, &row.limit];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            let _ = writeln!(text, "| {} | {verdict} |", cells.join(" | "));
        }
        for note in table.notes.iter().filter(|note| note.group == group) {
            let _ = writeln!(text, "\n{}", note.text);
            if let Some((file, svg)) = &note.drawing {
                std::fs::write(folder.join(file), svg)?;
                let _ = writeln!(text, "\n![{}]({file})", note.text);
            }
        }
    }
    let _ = writeln!(text, "\n{} passed, {} failed", table.passed(), table.failed());
    let path = folder.join("report.md");
    std::fs::write(&path, text)?;
    Ok(path)
}
