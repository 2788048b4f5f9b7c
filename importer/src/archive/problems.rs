//! What is wrong with the entries of an archive, all of it.

use std::collections::{HashMap, HashSet};

use super::{Archive, ArchiveError, Entry, EntryProblem, Limits, Method};

impl<R> Archive<R> {
    /// Every problem of every entry, by position in [`Archive::entries`].
    pub fn problems(&self) -> Vec<(usize, EntryProblem)> {
        let mut problems = Vec::new();
        let mut paths: HashMap<String, usize> = HashMap::new();
        let mut without_case: HashMap<String, usize> = HashMap::new();
        for (position, entry) in self.entries.iter().enumerate() {
            problems.extend(own_problems(entry).into_iter().map(|problem| (position, problem)));
            let Ok(name) = entry.path() else {
                continue;
            };
            if name.path.is_empty() {
                continue;
            }
            let lower = name.path.to_lowercase();
            if let Some(first) = paths.get(&name.path) {
                problems.extend(self.repeated(*first, position).map(|problem| (position, problem)));
                continue;
            }
            paths.insert(name.path, position);
            if let Some(other) = without_case.insert(lower, position) {
                let other = self.entries[other].name.clone();
                problems.push((position, EntryProblem::CaseDuplicate(other)));
            }
        }
        let mut folders: HashSet<&usize> = HashSet::new();
        for path in paths.keys() {
            folders.extend(
                path.match_indices('/')
                    .filter_map(|(slash, _)| paths.get(&path[..slash])),
            );
        }
        for position in folders {
            if !self.entries[*position].path().is_ok_and(|name| name.folder) {
                problems.push((*position, EntryProblem::FileIsFolder));
            }
        }
        self.overlaps(&mut problems);
        problems.sort_by_key(|(position, _)| *position);
        problems
    }

    /// What is wrong with an entry that has the name of an earlier one; a folder may be listed any number of times.
    fn repeated(&self, first: usize, again: usize) -> Option<EntryProblem> {
        let (first, again) = (&self.entries[first], &self.entries[again]);
        let is_folder = |entry: &Entry| entry.path().is_ok_and(|name| name.folder);
        match (is_folder(first), is_folder(again)) {
            (true, true) => None,
            (false, false) if (first.crc32, first.size) == (again.crc32, again.size) => {
                Some(EntryProblem::Repeated)
            }
            _ => Some(EntryProblem::Duplicate),
        }
    }

    /// Entries whose bytes run into the next one's: a way to make a small file unpack to a large one.
    fn overlaps(&self, problems: &mut Vec<(usize, EntryProblem)>) {
        const LOCAL_HEADER: u64 = 30;
        let mut order: Vec<_> = (0..self.entries.len()).collect();
        order.sort_by_key(|position| self.entries[*position].offset);
        for (at, position) in order.iter().enumerate() {
            let entry = &self.entries[*position];
            let next = order
                .get(at + 1)
                .map_or(self.end, |next| self.entries[*next].offset);
            let least = LOCAL_HEADER + entry.name.len() as u64;
            let end = entry.offset.saturating_add(least).saturating_add(entry.packed);
            // A name that is not UTF-8 has become longer.
            if end > next && entry.name_is_utf8 {
                problems.push((*position, EntryProblem::Overlap));
            }
        }
    }

    /// Refuses the archive if it unpacks to more than the limits allow.
    pub fn check_size(&self, limits: &Limits) -> Result<(), ArchiveError> {
        let sum = |of: fn(&Entry) -> u64| self.entries.iter().map(of).fold(0, u64::saturating_add);
        ArchiveError::check_size(sum(|entry| entry.packed), sum(|entry| entry.size), limits)
    }

    /// Refuses the archive if a part of it must not be unpacked; otherwise returns what was tolerated.
    pub fn accept(&self, limits: &Limits) -> Result<Vec<String>, ArchiveError> {
        self.check_size(limits)?;
        let mut tolerated: Vec<(EntryProblem, &str, usize)> = Vec::new();
        for (position, problem) in self.problems() {
            let entry = &self.entries[position].name;
            if !problem.is_tolerated() {
                let entry = entry.clone();
                return Err(ArchiveError::Entry { entry, problem });
            }
            // One line per kind of problem: an archive with backslashes has them everywhere.
            let same =
                |other: &EntryProblem| std::mem::discriminant(other) == std::mem::discriminant(&problem);
            match tolerated.iter_mut().find(|(other, ..)| same(other)) {
                Some((.., count)) => *count += 1,
                None => tolerated.push((problem, entry, 1)),
            }
        }
        let line = |(problem, entry, count): (EntryProblem, &str, usize)| match count {
            1 => format!("entry `{entry}` {problem}"),
            more => format!("entry `{entry}` {problem} (and {} more)", more - 1),
        };
        Ok(tolerated.into_iter().map(line).collect())
    }
}

fn own_problems(entry: &Entry) -> Vec<EntryProblem> {
    let mut problems = Vec::new();
    match entry.path() {
        Ok(name) => {
            problems.extend(name.backslashes.then_some(EntryProblem::Backslashes));
            problems.extend(name.rooted.then_some(EntryProblem::Rooted));
        }
        Err(problem) => problems.push(EntryProblem::Name(problem)),
    }
    if !entry.name_is_utf8 {
        problems.push(EntryProblem::NotUtf8);
    }
    if entry.is_special() {
        problems.push(EntryProblem::Special);
    }
    if entry.is_encrypted() {
        problems.push(EntryProblem::Encrypted);
    }
    match entry.method {
        Method::Stored | Method::Deflated => {}
        Method::Bzip2 => problems.push(EntryProblem::Unusual("bzip2")),
        Method::Lzma => problems.push(EntryProblem::Unusual("LZMA")),
        Method::Other(method) => problems.push(EntryProblem::Method(method)),
    }
    if entry.version_needed > 20 {
        problems.push(EntryProblem::VersionNeeded(entry.version_needed));
    }
    problems
}
