//! Private temporary folders that are removed with their owner, or after it.
//!
//! A folder goes with the value. What a killed process leaves is swept by the next one: each folder has a file that
//! its owner keeps locked, and the operating system releases the lock when the owner dies, however it dies.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tempfile::TempDir;

/// How the names of our folders begin.
const PREFIX: &str = "fmu-";

/// The file that is locked while a folder is in use.
const LOCK: &str = ".in-use";

/// The folders of this process.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A folder that only this user may look into; it goes with the value.
#[derive(Debug)]
pub struct PrivateFolder {
    // The folder goes before the lock is released.
    folder: TempDir,
    _lock: File,
}

impl PrivateFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Makes a private folder for unpacked files. The first call in a process also removes the folders of processes that
/// were killed.
pub fn private_folder() -> io::Result<PrivateFolder> {
    static SWEEP: Once = Once::new();
    SWEEP.call_once(|| sweep(&std::env::temp_dir()));
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o700));
    }
    loop {
        let folder = builder.tempdir()?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        lock.lock()?;
        // Another process may have swept it before it was locked.
        if folder.path().join(LOCK).exists() {
            folders().push(folder.path().to_path_buf());
            return Ok(PrivateFolder { folder, _lock: lock });
        }
    }
}

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        folders().retain(|path| path != self.folder.path());
    }
}

/// Removes the folders of this process, for a program that is about to end because of a signal.
pub fn remove_private_folders() {
    for path in folders().drain(..) {
        let _ = fs::remove_dir_all(path);
    }
}

/// Removes the folders of processes that are no more. What cannot be removed, such as a folder of another user, stays.
pub fn sweep(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours = entry
            .file_name()
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX));
        // The type of the entry itself: links are not followed.
        if is_ours && entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_abandoned(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(folder: &Path) -> bool {
    // A folder without the file is not ours, or is just being made.
    File::open(folder.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::{LOCK, PREFIX, private_folder, sweep};
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
        fs::write(abandoned.join(LOCK), b"").unwrap();
        let used = folder(&format!("{PREFIX}used"));
        let lock = fs::File::create(used.join(LOCK)).unwrap();
        lock.lock().unwrap();
        let foreign = folder(&format!("{PREFIX}foreign"));
        let other = folder("other");
        fs::write(other.join(LOCK), b"").unwrap();
        sweep(place.path());
        assert!(!abandoned.exists());
        assert!(used.exists() && foreign.exists() && other.exists());
    }

    #[test]
    fn a_folder_goes_with_its_value() {
        let folder = private_folder().unwrap();
        let path = folder.path().to_path_buf();
        fs::write(path.join("file"), b"x").unwrap();
        drop(folder);
        assert!(!path.exists());
    }
}
