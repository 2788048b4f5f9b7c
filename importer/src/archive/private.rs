//! Private temporary folders that are removed with their owner, or after it.
//!
//! A folder goes with the value. What a killed process leaves is swept by the next one: beside each folder lies a file
//! that its owner keeps locked, and the operating system releases the lock when the owner dies, however it dies. The
//! file is there before the folder and goes after it, so a kill at any time leaves no folder that is not swept later.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tempfile::TempPath;

use crate::files::OpenFile;

/// How the names of our folders begin.
const PREFIX: &str = "fmu-";

/// What the name of the file has behind that of its folder.
const LOCK: &str = ".lock";

/// The folders of this process.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder that only this user may look into; it goes with the value.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    /// Goes after the folder.
    _lock: Lock,
}

/// The file beside a folder, which is locked as long as the value lives.
#[derive(Debug)]
struct Lock {
    _path: TempPath,
    _file: OpenFile,
}

impl PrivateFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Folders that only this user may enter. On Windows, the folder for temporary files belongs to the user already.
fn builder() -> fs::DirBuilder {
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        let mut builder = fs::DirBuilder::new();
        builder.mode(0o700);
        builder
    }
    #[cfg(not(unix))]
    fs::DirBuilder::new()
}

/// Makes a private folder for unpacked files. The first call in a process also removes the folders of processes that
/// were killed.
pub fn private_folder() -> io::Result<PrivateFolder> {
    static SWEEP: Once = Once::new();
    SWEEP.call_once(|| sweep(&std::env::temp_dir()));
    let maker = builder();
    loop {
        let lock = tempfile::Builder::new().prefix(PREFIX).suffix(LOCK).tempfile();
        let lock = lock.map_err(without_folder)?;
        lock.as_file().lock()?;
        // Another process may have swept it before it was locked.
        if !lock.path().exists() {
            continue;
        }
        let path = folder_of(lock.path());
        folders().push(path.clone());
        let (file, place) = lock.into_parts();
        let lock = Lock {
            _path: place,
            _file: OpenFile::new(file),
        };
        let folder = PrivateFolder { path, _lock: lock };
        match maker.create(&folder.path) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
    }
}

/// Says that the folder for temporary files is missing, where that is so.
fn without_folder(error: io::Error) -> io::Error {
    let place = std::env::temp_dir();
    if place.is_dir() {
        return error;
    }
    let what = if place.exists() {
        "is not a folder"
    } else {
        "does not exist"
    };
    let text = format!(
        "the folder for temporary files, {}, {what}: make it, or name another one with the environment variable TMPDIR",
        place.display()
    );
    io::Error::new(error.kind(), text)
}

/// The folder that a file belongs to.
fn folder_of(lock: &Path) -> PathBuf {
    lock.with_extension("")
}

/// The file of a folder.
fn lock_of(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(LOCK);
    name.into()
}

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        folders().retain(|path| *path != self.path);
    }
}

/// Removes the folders of this process, for a program that is about to end because of a signal.
pub fn remove_private_folders() {
    for path in folders().drain(..) {
        let _ = fs::remove_dir_all(&path);
        let _ = fs::remove_file(lock_of(&path));
    }
}

/// Removes the folders of processes that have ended. What cannot be removed, such as a folder of another user, stays.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(LOCK));
        // The type of the entry itself: links are not followed.
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let path = entry.path();
        if let Ok(lock) = File::open(&path)
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(folder_of(&path));
            if !folder_of(&path).exists() {
                let _ = fs::remove_file(&path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LOCK, PREFIX, lock_of, private_folder, sweep};
    use std::fs;

    #[test]
    fn abandoned_folders_are_swept_and_others_stay() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("model.so"), b"x").unwrap();
            folder
        };
        let abandoned = folder(&format!("{PREFIX}abandoned"));
        fs::write(lock_of(&abandoned), b"").unwrap();
        // Killed before the folder was made, or after it was removed.
        let alone = place.path().join(format!("{PREFIX}alone{LOCK}"));
        fs::write(&alone, b"").unwrap();
        let used = folder(&format!("{PREFIX}used"));
        let lock = fs::File::create(lock_of(&used)).unwrap();
        lock.lock().unwrap();
        let foreign = folder(&format!("{PREFIX}foreign"));
        let other = folder("other");
        fs::write(lock_of(&other), b"").unwrap();
        sweep(place.path());
        assert!(!abandoned.exists() && !lock_of(&abandoned).exists() && !alone.exists());
        assert!(used.exists() && lock_of(&used).exists());
        assert!(foreign.exists() && other.exists() && lock_of(&other).exists());
    }

    #[test]
    fn a_folder_goes_with_its_value() {
        let folder = private_folder().unwrap();
        let path = folder.path().to_path_buf();
        fs::write(path.join("file"), b"x").unwrap();
        assert!(lock_of(&path).exists());
        drop(folder);
        assert!(!path.exists() && !lock_of(&path).exists());
    }
}
