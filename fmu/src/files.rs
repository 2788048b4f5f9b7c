//! Files that a command reads and writes: a result never overwrites an input or another result.

use std::path::{Path, PathBuf};

use crate::output::is_standard;

/// What belongs to an FMU in an unpacked folder.
const PARTS: [&str; 5] = [
    "modelDescription.xml",
    "binaries",
    "documentation",
    "resources",
    "sources",
];

/// Endings of drawings that the command does not write: such a file would contain SVG, and no program would open it.
const OTHER_DRAWINGS: [&str; 12] = [
    "bmp", "eps", "gif", "htm", "html", "jpeg", "jpg", "pdf", "png", "ps", "tiff", "webp",
];

/// Files by what they are for. Paths that are not given are left out.
#[derive(Default)]
pub(crate) struct Files {
    read: Vec<(String, PathBuf)>,
    written: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// A file or an unpacked FMU that is read; `what` is its part of a sentence, such as `the FMU`.
    pub fn reads<'p>(mut self, what: &str, path: impl Into<Option<&'p Path>>) -> Self {
        if let Some(path) = path.into() {
            self.read.push((what.into(), path.into()));
        }
        self
    }

    /// A file that an option writes; `-` is standard output.
    pub fn writes<'p>(mut self, option: &'static str, path: impl Into<Option<&'p Path>>) -> Self {
        if let Some(path) = path.into() {
            self.written.push((option, path.into()));
        }
        self
    }

    /// The drawing of a table of steps, which lies beside that of the results.
    pub fn writes_steps(self, trace: Option<&Path>, plot: Option<&Path>) -> Self {
        let drawn = crate::output::drawing_of_steps(trace, plot);
        self.writes("--trace with --plot", drawn.as_deref())
    }

    /// Refuses results that would overwrite something that is read, or each other.
    pub fn check(&self) -> Result<(), String> {
        for (at, (option, path)) in self.written.iter().enumerate() {
            let shown = match is_standard(path) {
                true => "standard output".into(),
                false => path.display().to_string(),
            };
            if let Some((other, _)) = self.written[..at].iter().find(|(_, other)| is_same(other, path)) {
                return Err(format!(
                    "{other} and {option} both want {shown}: give each a file of its own"
                ));
            }
            if is_standard(path) {
                continue;
            }
            let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
            let is_other = ending.is_some_and(|ending| OTHER_DRAWINGS.iter().any(|other| ending == *other));
            if is_other && matches!(*option, "--plot" | "--graph") {
                let svg = path.with_extension("svg");
                return Err(format!(
                    "{option} {shown}: drawings are SVG files; name it {}, or convert that one",
                    svg.display()
                ));
            }
            let overwritten = |(_, read): &&(String, PathBuf)| is_same(read, path) || is_part(path, read);
            if let Some((what, read)) = self.read.iter().find(overwritten) {
                let read = read.display();
                return Err(format!(
                    "{option} {shown} would overwrite {what} ({read}): name another file"
                ));
            }
        }
        Ok(())
    }
}

/// Whether two paths lead to one file, by links or by other spellings. Devices take everything.
fn is_same(one: &Path, two: &Path) -> bool {
    if is_standard(one) || is_standard(two) {
        return one == two;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        if let (Ok(one), Ok(two)) = (one.metadata(), two.metadata()) {
            return (one.is_file() || one.is_dir()) && (one.dev(), one.ino()) == (two.dev(), two.ino());
        }
    }
    whole(one) == whole(two)
}

/// The path without links, also of a file that is not there yet.
fn whole(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
        path.file_name()
            .map_or_else(|| path.into(), |name| folder.join(name))
    })
}

/// Whether a file belongs to an FMU that is an unpacked folder.
fn is_part(path: &Path, fmu: &Path) -> bool {
    let (path, fmu) = (whole(path), whole(fmu));
    let inside = path.strip_prefix(&fmu).ok();
    let first = inside.and_then(|inside| inside.iter().next());
    first.is_some_and(|first| PARTS.iter().any(|part| first == *part))
}
