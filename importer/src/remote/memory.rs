//! Memory that two processes share: a file that both map.

use std::fmt;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;

use memmap2::MmapRaw;

/// What can lie in shared memory.
///
/// # Safety
/// The type consists of atomics, or of arrays and `repr(C)` structs of them: another process may write at any time, every
/// pattern of bits is a value, and so is memory that is all zero.
pub unsafe trait Shareable: Sync + 'static {}

/// A value in memory that several processes map. Clones share the memory, which is unmapped with the last one.
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use fmu_importer::remote::{Shareable, SharedMemory};
///
/// #[repr(C)]
/// struct Counter(AtomicU32);
/// // SAFETY: it is an atomic.
/// unsafe impl Shareable for Counter {}
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("counter");
/// let one_end: SharedMemory<Counter> = SharedMemory::create(&path)?;
/// let other_end: SharedMemory<Counter> = SharedMemory::open(&path)?;
/// one_end.get().0.store(3, Ordering::Relaxed);
/// assert_eq!(other_end.get().0.load(Ordering::Relaxed), 3);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct SharedMemory<T> {
    map: Arc<MmapRaw>,
    value: PhantomData<fn() -> T>,
}

impl<T> Clone for SharedMemory<T> {
    fn clone(&self) -> Self {
        SharedMemory {
            map: self.map.clone(),
            value: PhantomData,
        }
    }
}

impl<T> fmt::Debug for SharedMemory<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedMemory").field(&self.map.as_ptr()).finish()
    }
}

impl<T: Shareable> SharedMemory<T> {
    /// Makes the file and maps it; all bytes are 0.
    ///
    /// # Errors
    /// As for files; also if the file exists or the disk is full.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        reserve(&file, size_of::<T>())?;
        Self::map(&file)
    }

    /// Maps a file that another process has made.
    ///
    /// # Errors
    /// As for files; also if the other process is of another build, which shows in the size.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != size_of::<T>() as u64 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the shared memory has another size: the two processes are of different builds",
            ));
        }
        Self::map(&file)
    }

    fn map(file: &File) -> io::Result<Self> {
        Ok(SharedMemory {
            map: Arc::new(MmapRaw::map_raw(file)?),
            value: PhantomData,
        })
    }

    /// The value.
    #[inline]
    pub fn get(&self) -> &T {
        // SAFETY: the map begins at a page, has the size of `T`, lives as long as `self`, and the bytes are a value of `T`
        // whatever another process writes.
        unsafe { &*self.map.as_ptr().cast::<T>() }
    }

    /// The value for as long as this process lives: the memory stays mapped.
    pub fn keep(&self) -> &'static T {
        let kept: &'static Self = Box::leak(Box::new(self.clone()));
        kept.get()
    }

    /// The address of a byte of the value, to copy from and to.
    #[inline]
    pub fn address(&self, offset: usize) -> *mut u8 {
        self.map.as_mut_ptr().wrapping_add(offset)
    }
}

/// Gives a file its size, with room on the disk for all of it: a page that is touched where there is none ends the
/// process.
fn reserve(file: &File, size: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: touches no memory; the descriptor is open.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, size as libc::off_t) } {
            0 => Ok(()),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        use std::io::Write;
        let mut file = file;
        io::copy(&mut io::Read::take(io::repeat(0), size as u64), &mut file)?;
        file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::{Shareable, SharedMemory};

    struct Number(#[allow(dead_code)] AtomicU64);
    // SAFETY: it is an atomic.
    unsafe impl Shareable for Number {}

    #[test]
    fn files_that_exist_or_have_another_size_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory");
        std::fs::write(&path, b"short").unwrap();
        assert!(SharedMemory::<Number>::open(&path).is_err());
        assert!(SharedMemory::<Number>::create(&path).is_err());
    }
}
