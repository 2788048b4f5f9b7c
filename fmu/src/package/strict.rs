//! The rules of `fmu check --strict` on an FMU that is about to take its place.

use fmu_importer::archive::Limits;

use super::Error;
use super::archive::Pending;

/// Rules about what the packager has already warned of, because it is for the author to decide: what resources are called
/// (P3a), and what the libraries need (P8) and export (B4). The last one is about the name of the file, which it does not
/// have yet (P13).
const WARNED: [&str; 4] = ["P3a", "P8", "B4", "P13"];

/// Whether an FMU of FMI 2.0 keeps all rules; each finding is a line of the error.
pub fn check(fmu: &Pending) -> Result<(), Error> {
    // The limits protect from archives of others.
    let limits = Limits::default()
        .with_entries(u64::MAX)
        .with_bytes(u64::MAX)
        .with_ratio(u64::MAX)
        .with_description(u64::MAX);
    let report = fmu_checker::check(fmu.partial(), &limits).map_err(|error| Error::Archive {
        path: fmu.path().to_owned(),
        problem: format!("cannot be checked: {error}"),
    })?;
    let findings: Vec<String> = report
        .findings
        .iter()
        .filter(|finding| !WARNED.contains(&finding.rule.id))
        .map(|finding| {
            let (rule, place) = (finding.rule, finding.place.to_string());
            let colon = if place.is_empty() { "" } else { ": " };
            format!(
                "{} {}: {}\n    {place}{colon}{}",
                rule.severity, rule.id, rule.what, finding.problem
            )
        })
        .collect();
    match findings.is_empty() {
        true => Ok(()),
        false => Err(Error::Rules {
            path: fmu.path().to_owned(),
            findings,
        }),
    }
}
