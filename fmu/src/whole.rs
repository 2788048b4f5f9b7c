//! Files that appear at once or not at all: written beside their place under another name, synced, renamed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::cleanup::Unfinished;

/// How names of unfinished files end.
const PARTIAL: &str = ".partial";

/// A file that was begun beside its final place and is not there yet; dropping it leaves everything as it was.
pub(crate) struct Whole {
    /// Locked while this process lives, so that the next one can remove what a killed one has left.
    file: NamedTempFile,
    path: PathBuf,
    _unfinished: Unfinished,
}

impl Whole {
    /// Begins a file for a path. Its name cannot be guessed, and a link of that name would not be followed.
    pub fn begin(path: &Path) -> io::Result<Whole> {
        let folder = folder(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let prefix = format!(".{name}.");
        sweep(folder, &prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(PARTIAL).rand_bytes(12);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What a file gets that is simply created; the usual mask applies.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(folder)
            .map_err(|error| without_name(folder, error))?;
        let whole = Whole {
            _unfinished: Unfinished::new(file.path()),
            file,
            path: path.to_owned(),
        };
        // Where locks are not supported, what a killed process leaves stays.
        let _ = whole.file().try_lock();
        Ok(whole)
    }

    /// The unfinished file.
    pub fn file(&self) -> &File {
        self.file.as_file()
    }

    /// The unfinished file, to write to.
    pub fn file_mut(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Where the unfinished file is.
    pub fn partial(&self) -> &Path {
        self.file.path()
    }

    /// Puts the file into its place, in one step.
    pub fn commit(self) -> io::Result<()> {
        let Whole { file, path, .. } = self;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        // The name is on disk, too, once the folder is; not every system can do that.
        #[cfg(unix)]
        if let Ok(folder) = File::open(folder(&path)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

/// The error without the name of the unfinished file, which says nothing to a person.
fn without_name(folder: &Path, error: io::Error) -> io::Error {
    match fs::metadata(folder) {
        Err(missing) => missing,
        Ok(_) => error.kind().into(),
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Writes a whole file. Pipes and devices get the bytes as they are, and a link stays one: its target is replaced.
#[cfg(feature = "supervise")]
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(path, bytes);
    }
    let target = match old {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let mut whole = match Whole::begin(&target) {
        Ok(whole) => whole,
        // A file may be writable in a folder that is not.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return fs::write(path, bytes),
        Err(error) => return Err(error),
    };
    if let Some(old) = old {
        // A file without write permission is not replaced either.
        fs::OpenOptions::new().write(true).open(&target)?;
        let _ = whole.file().set_permissions(old.permissions());
    }
    whole.file_mut().write_all(bytes)?;
    whole.commit()
}

/// Removes unfinished files that killed processes have left in a folder.
fn sweep(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_partial = name
            .to_str()
            .is_some_and(|name| name.starts_with(prefix) && name.ends_with(PARTIAL));
        // The type of the entry itself: links are not followed.
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let is_abandoned = || File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_partial && is_file && is_abandoned() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(all(test, unix, feature = "supervise"))]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::{Whole, write};

    #[test]
    fn a_file_appears_at_once_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plot.svg");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        drop(Whole::begin(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        let link = folder.path().join("link.svg");
        symlink("plot.svg", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            2,
            "nothing is left behind"
        );
        write("/dev/null".as_ref(), b"anything").unwrap();
    }

    #[test]
    fn what_a_killed_process_left_is_swept_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.svg");
        let victim = folder.path().join("victim");
        fs::write(&victim, "mine").unwrap();
        fs::write(folder.path().join(".a.svg.left.partial"), "half").unwrap();
        symlink(&victim, folder.path().join(".a.svg.link.partial")).unwrap();
        write(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
        assert!(!folder.path().join(".a.svg.left.partial").exists());
    }
}
