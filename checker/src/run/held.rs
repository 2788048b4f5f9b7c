//! A file that the check keeps open in the process of an FMU. An FMU that closes files which it has not opened, by their
//! numbers, closes this one as well: it is then opened again.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// An open file that survives an FMU that closes it.
pub(super) struct Held {
    path: PathBuf,
    options: OpenOptions,
    file: Option<File>,
    identity: Option<Identity>,
}

/// Device and number of a file.
type Identity = (u64, u64);

impl Held {
    pub fn open(path: &Path, options: &OpenOptions) -> io::Result<Self> {
        let file = options.open(path)?;
        Ok(Self {
            path: path.into(),
            options: options.clone(),
            identity: identity(&file),
            file: Some(file),
        })
    }

    /// The file; `None` if it was closed and cannot be opened any more.
    pub fn get(&mut self) -> Option<&mut File> {
        self.renew();
        self.file.as_mut()
    }

    /// Opens the file again if it was closed; whether it was.
    pub fn renew(&mut self) -> bool {
        if self
            .file
            .as_ref()
            .is_some_and(|file| identity(file) == self.identity)
        {
            return false;
        }
        // The number may belong to another file by now, which must stay open.
        std::mem::forget(self.file.take());
        self.file = self.options.open(&self.path).ok().and_then(above_the_streams);
        true
    }
}

#[cfg(unix)]
fn identity(file: &File) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = file.metadata().ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere files are not closed by number.
#[cfg(not(unix))]
fn identity(_: &File) -> Option<Identity> {
    None
}

/// The file under a number that is not one of the standard streams, which an FMU may have closed and still write to.
#[cfg(unix)]
fn above_the_streams(file: File) -> Option<File> {
    use std::os::fd::{AsRawFd, FromRawFd};
    if file.as_raw_fd() > 2 {
        return Some(file);
    }
    // SAFETY: duplicates an open file; the answer is a new number or -1.
    let number = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3) };
    // SAFETY: the number is new, so nothing else closes it.
    (number >= 0).then(|| unsafe { File::from_raw_fd(number) })
}

#[cfg(not(unix))]
fn above_the_streams(file: File) -> Option<File> {
    Some(file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::{AsRawFd, IntoRawFd};

    #[test]
    fn a_file_that_was_closed_is_opened_again_and_no_other_is_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes");
        std::fs::write(&path, "").unwrap();
        let mut held = Held::open(&path, OpenOptions::new().append(true)).unwrap();
        held.get().unwrap().write_all(b"one ").unwrap();
        assert!(!held.renew());
        // Another file takes the number, as it does after `close`; a duplicate does both in one step, so that other tests
        // of this process do not get the number.
        let other = folder.path().join("other");
        let number = held.get().unwrap().as_raw_fd();
        let file = File::create(&other).unwrap().into_raw_fd();
        // SAFETY: both numbers are open; the first file is opened again below.
        assert_eq!(unsafe { libc::dup2(file, number) }, number);
        held.get().unwrap().write_all(b"two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one two");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "");
        assert_ne!(
            held.get().unwrap().as_raw_fd(),
            number,
            "the other file is still open"
        );
    }
}
