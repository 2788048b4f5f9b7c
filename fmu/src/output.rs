//! Where commands write to: files and standard output, and what is said when that fails.

use std::error::Error;
use std::io;
use std::path::Path;

/// Whether a path stands for standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path that cannot be written. A closed pipe stays what it is: whoever reads has seen enough.
pub(crate) fn cannot_write(path: Option<&Path>, error: io::Error) -> Box<dyn Error> {
    match path.filter(|path| !is_standard(path)) {
        _ if error.kind() == io::ErrorKind::BrokenPipe => error.into(),
        Some(path) => format!("cannot write {}: {error}", path.display()).into(),
        None => format!("cannot write to standard output: {error}").into(),
    }
}

/// Refuses that two options name one file: the later one would overwrite the earlier one.
#[cfg(feature = "simulate")]
pub(crate) fn all_different(named: &[(&str, Option<&std::path::PathBuf>)]) -> Result<(), String> {
    let given: Vec<_> = named
        .iter()
        .filter_map(|(option, path)| Some((option, (*path)?)))
        .collect();
    for (at, (option, path)) in given.iter().enumerate() {
        let same = |other: &Path| match (other.canonicalize(), path.canonicalize()) {
            // Devices take everything.
            (Ok(one), Ok(two)) => one == two && !one.starts_with("/dev"),
            _ => other == path.as_path(),
        };
        if let Some((other, _)) = given[..at].iter().find(|(_, other)| same(other)) {
            return Err(format!(
                "{other} and {option} both want {}: give each a file of its own",
                if is_standard(path) {
                    "standard output".into()
                } else {
                    path.display().to_string()
                }
            ));
        }
    }
    Ok(())
}
