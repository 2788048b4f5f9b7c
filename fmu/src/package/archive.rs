//! The archive: what is in it, written so that the same contents give the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

use super::Error;
use crate::whole::Whole;

/// The files of an FMU, by their paths in it.
#[derive(Debug, Default)]
pub struct Contents {
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug)]
enum Entry {
    Bytes(Vec<u8>),
    File(PathBuf),
}

impl Contents {
    /// An FMU without files.
    pub fn new() -> Contents {
        Contents::default()
    }

    /// Adds a file by its bytes.
    pub fn add(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), Error> {
        self.insert(path.to_owned(), Entry::Bytes(bytes.into()), Path::new(path))
    }

    /// Adds all files of a folder, and of the folders in it, below `path`; a link counts as what it leads to.
    pub fn add_folder(&mut self, path: &str, folder: &Path) -> Result<(), Error> {
        self.add_folder_within(path, folder, &mut Vec::new())
    }

    fn add_folder_within(
        &mut self,
        path: &str,
        folder: &Path,
        parents: &mut Vec<PathBuf>,
    ) -> Result<(), Error> {
        let real = folder.canonicalize().map_err(Error::file("read", folder))?;
        if parents.contains(&real) {
            return Err(entry_error(folder, "it is a link to a folder that contains it"));
        }
        parents.push(real);
        for item in fs::read_dir(folder).map_err(Error::file("read", folder))? {
            let item = item.map_err(Error::file("read", folder))?;
            let file = item.path();
            let name = item.file_name();
            let name = name
                .to_str()
                .ok_or_else(|| entry_error(&file, "its name is not valid Unicode"))?;
            let path = format!("{path}/{name}");
            if fs::metadata(&file).map_err(Error::file("read", &file))?.is_dir() {
                self.add_folder_within(&path, &file, parents)?;
            } else {
                self.insert(path, Entry::File(file.clone()), &file)?;
            }
        }
        parents.pop();
        Ok(())
    }

    fn insert(&mut self, path: String, entry: Entry, origin: &Path) -> Result<(), Error> {
        let legal = |part: &str| {
            !part.is_empty()
                && part != "."
                && part != ".."
                && !part.chars().any(|c| c == '\\' || c.is_control())
        };
        if !path.split('/').all(legal) {
            return Err(entry_error(
                origin,
                "its name has a backslash or a control character",
            ));
        }
        if self.entries.contains_key(&path) {
            return Err(entry_error(origin, &format!("there already is a file {path}")));
        }
        self.entries.insert(path, entry);
        Ok(())
    }

    /// The paths of all files, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Two files whose paths differ in case alone, which some systems cannot unpack side by side.
    pub fn case_duplicates(&self) -> Option<(&str, &str)> {
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        self.paths()
            .find_map(|path| Some((seen.insert(path.to_lowercase(), path)?, path)))
    }

    /// Writes the archive: sorted, compressed, without any date, readable by every tool since 1993.
    pub fn write<W: Write + Seek>(&self, destination: W) -> io::Result<W> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(DateTime::DEFAULT)
            .system(System::Unix);
        let mut writer = ZipWriter::new(Destination::new(destination));
        for (path, entry) in &self.entries {
            // Some tools restore permissions; the loader of some systems wants libraries executable.
            let mode = if path.starts_with("binaries/") {
                0o755
            } else {
                0o644
            };
            writer.start_file(path.as_str(), options.unix_permissions(mode))?;
            match entry {
                Entry::Bytes(bytes) => writer.write_all(bytes)?,
                Entry::File(file) => {
                    io::copy(&mut fs::File::open(file)?, &mut writer)?;
                }
            }
        }
        writer.finish().map_err(io::Error::from)?.end()
    }

    /// Reads an archive back and says what is not as it was put in.
    pub fn verify<R: Read + Seek>(&self, archive: R) -> Result<(), String> {
        let mut archive =
            ZipArchive::new(archive).map_err(|error| format!("cannot be read back: {error}"))?;
        let names: Result<BTreeSet<String>, _> =
            archive.file_names().map(|name| name.map(String::from)).collect();
        let names = names.map_err(|error| format!("has an unreadable name: {error}"))?;
        if !names.iter().map(String::as_str).eq(self.paths()) {
            return Err("does not contain the files that were put into it".to_owned());
        }
        for (path, entry) in &self.entries {
            let mut bytes = Vec::new();
            let mut file = archive
                .by_name(path)
                .map_err(|error| format!("has an unreadable {path}: {error}"))?;
            file.read_to_end(&mut bytes)
                .map_err(|error| format!("has a damaged {path}: {error}"))?;
            if let Entry::Bytes(original) = entry
                && bytes != *original
            {
                return Err(format!("has a {path} that differs from the original"));
            }
        }
        Ok(())
    }
}

fn entry_error(path: &Path, reason: &str) -> Error {
    Error::Entry {
        path: path.to_owned(),
        reason: reason.to_owned(),
    }
}

/// Where an archive goes. After the first failure it takes everything and keeps nothing: the writer of archives would print
/// a line of its own if it could not end the archive, too.
struct Destination<W> {
    inner: W,
    position: u64,
    failure: Option<io::Error>,
}

impl<W> Destination<W> {
    fn new(inner: W) -> Destination<W> {
        Destination {
            inner,
            position: 0,
            failure: None,
        }
    }

    /// What was written to, or the first failure.
    fn end(self) -> io::Result<W> {
        self.failure.map_or(Ok(self.inner), Err)
    }
}

impl<W: Write> Write for Destination<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = bytes.len();
        if self.failure.is_none() {
            match self.inner.write(bytes) {
                Ok(0) if !bytes.is_empty() => self.failure = Some(io::ErrorKind::WriteZero.into()),
                Ok(count) => written = count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => self.failure = Some(error),
            }
        }
        self.position += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.failure.is_none() {
            self.failure = self.inner.flush().err();
        }
        Ok(())
    }
}

impl<W: Seek> Seek for Destination<W> {
    fn seek(&mut self, to: io::SeekFrom) -> io::Result<u64> {
        if self.failure.is_none() {
            match self.inner.seek(to) {
                Ok(position) => {
                    self.position = position;
                    return Ok(position);
                }
                Err(error) => self.failure = Some(error),
            }
        }
        self.position = match to {
            io::SeekFrom::Start(position) => position,
            io::SeekFrom::Current(distance) => self.position.saturating_add_signed(distance),
            io::SeekFrom::End(_) => self.position,
        };
        Ok(self.position)
    }
}

/// An archive that was written beside its final place and is not there yet; dropping it leaves everything as it was.
pub(crate) struct Pending {
    whole: Whole,
    path: PathBuf,
}

impl Pending {
    /// Writes an archive next to `path` and reads it back.
    pub fn write(contents: &Contents, path: PathBuf) -> Result<Pending, Error> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(Error::file("create", folder))?;
        if path.is_dir() {
            return Err(Error::FolderInPlace { path });
        }
        let mut whole = Whole::begin(&path).map_err(Error::file("create", &path))?;
        let written = contents
            .write(io::BufWriter::new(whole.file_mut()))
            .and_then(|mut writer| writer.flush());
        written.map_err(Error::file("write", &path))?;
        let partial = whole.partial();
        let file = fs::File::open(partial).map_err(Error::file("read", partial))?;
        contents
            .verify(io::BufReader::new(file))
            .map_err(|problem| Error::Archive {
                path: path.clone(),
                problem,
            })?;
        Ok(Pending { whole, path })
    }

    /// The size in bytes.
    pub fn size(&self) -> u64 {
        self.whole.file().metadata().map_or(0, |metadata| metadata.len())
    }

    /// Where it is now.
    #[cfg(feature = "import")]
    pub fn partial(&self) -> &Path {
        self.whole.partial()
    }

    /// Where it will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the archive into its place, in one step.
    pub fn commit(self) -> Result<PathBuf, Error> {
        let Pending { whole, path } = self;
        whole.commit().map_err(Error::file("write", &path))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn example() -> Contents {
        let mut contents = Contents::new();
        contents
            .add("modelDescription.xml", "<fmiModelDescription/>")
            .unwrap();
        contents.add("binaries/linux64/Ball.so", vec![7; 5000]).unwrap();
        contents
            .add("documentation/index.html", "<!doctype html>")
            .unwrap();
        contents
    }

    fn bytes(contents: &Contents) -> Vec<u8> {
        contents.write(Cursor::new(Vec::new())).unwrap().into_inner()
    }

    #[test]
    fn the_same_contents_give_the_same_bytes_in_whatever_order_they_came() {
        let mut other = Contents::new();
        other.add("documentation/index.html", "<!doctype html>").unwrap();
        other.add("binaries/linux64/Ball.so", vec![7; 5000]).unwrap();
        other
            .add("modelDescription.xml", "<fmiModelDescription/>")
            .unwrap();
        assert_eq!(bytes(&example()), bytes(&other));
    }

    /// The fields of each central directory header: version made by, version needed, flags, method, time, date.
    fn central_headers(archive: &[u8]) -> Vec<[u16; 6]> {
        let starts = archive
            .windows(4)
            .enumerate()
            .filter(|(_, window)| *window == b"PK\x01\x02");
        let field = |at: usize| u16::from_le_bytes([archive[at], archive[at + 1]]);
        starts
            .map(|(at, _)| [4, 6, 8, 10, 12, 14].map(|offset| field(at + offset)))
            .collect()
    }

    #[test]
    fn every_tool_can_read_it_and_it_has_no_date() {
        let headers = central_headers(&bytes(&example()));
        assert_eq!(headers.len(), 3);
        for [made_by, needed, flags, method, time, date] in headers {
            assert_eq!(made_by >> 8, 3, "made by Unix, for the permissions");
            assert!(needed <= 20, "needs {needed}");
            assert_eq!(flags & 1, 0, "encrypted");
            assert_eq!(method, 8, "deflate");
            assert_eq!((time, date), (0, (1 << 5) | 1), "1980-01-01");
        }
    }

    #[test]
    fn what_was_put_in_is_read_back() {
        let mut contents = example();
        let archive = bytes(&contents);
        assert_eq!(contents.verify(Cursor::new(&archive)), Ok(()));
        contents.add("resources/more.txt", "later").unwrap();
        assert!(contents.verify(Cursor::new(&archive)).is_err());
        let mut damaged = archive.clone();
        damaged[60] ^= 0xff;
        assert!(example().verify(Cursor::new(&damaged)).is_err());
    }

    #[test]
    fn names_that_other_systems_cannot_have_are_refused() {
        for name in [
            "resources/a\\b",
            "resources/../x",
            "/etc/passwd",
            "resources//x",
            "resources/\n",
        ] {
            assert!(
                matches!(Contents::new().add(name, ""), Err(Error::Entry { .. })),
                "{name:?}"
            );
        }
        assert!(example().add("modelDescription.xml", "").is_err(), "twice");
        let mut contents = example();
        contents.add("documentation/Index.html", "").unwrap();
        assert_eq!(
            contents.case_duplicates(),
            Some(("documentation/Index.html", "documentation/index.html"))
        );
    }

    #[test]
    fn a_folder_is_added_with_all_it_contains() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("tables/deep")).unwrap();
        fs::write(folder.path().join("tables/deep/x.csv"), "1,2").unwrap();
        fs::write(folder.path().join("y.txt"), "y").unwrap();
        let mut contents = Contents::new();
        contents.add_folder("resources", folder.path()).unwrap();
        let paths: Vec<_> = contents.paths().collect();
        assert_eq!(paths, ["resources/tables/deep/x.csv", "resources/y.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_become_files_and_cycles_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("real.txt"), "text").unwrap();
        std::os::unix::fs::symlink("real.txt", folder.path().join("link.txt")).unwrap();
        let mut contents = Contents::new();
        contents.add_folder("resources", folder.path()).unwrap();
        let mut archive = ZipArchive::new(Cursor::new(bytes(&contents))).unwrap();
        let mut link = archive.by_name("resources/link.txt").unwrap();
        assert!(!link.is_symlink());
        let mut text = String::new();
        link.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");

        std::os::unix::fs::symlink(".", folder.path().join("again")).unwrap();
        let error = Contents::new()
            .add_folder("resources", folder.path())
            .unwrap_err();
        assert!(
            error.to_string().contains("a link to a folder that contains it"),
            "{error}"
        );
    }

    #[test]
    fn an_archive_appears_at_once_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Ball.fmu");
        fs::write(&path, "old").unwrap();
        drop(Pending::write(&example(), path.clone()).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing is left behind"
        );

        Pending::write(&example(), path.clone())
            .unwrap()
            .commit()
            .unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes(&example()));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
