//! What is wrong with the entries of an archive, all of it.

use std::collections::{HashMap, HashSet};

use super::{Archive, ArchiveError, Entry, EntryProblem, Limits, Method, Name};

impl<R> Archive<R> {
    /// Every problem of every entry, by position in [`Archive::entries`].
    pub fn problems(&self) -> Vec<(usize, EntryProblem)> {
        let mut problems = Vec::new();
        let mut paths: HashMap<String, usize> = HashMap::new();
        let mut without_case: HashMap<String, usize> = HashMap::new();
        for (position, entry) in self.entries.iter().enumerate() {
            problems.extend(own_problems(entry).into_iter().map(|problem| (position, problem)));
            let Ok(name) = Name::new(&entry.name) else {
                continue;
            };
            let lower = name.path.to_lowercase();
            if paths.insert(name.path, position).is_some() {
                problems.push((position, EntryProblem::Duplicate));
            } else if let Some(other) = without_case.insert(lower, position) {
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
            if !self.entries[*position].name.ends_with(['/', '\\']) {
                problems.push((*position, EntryProblem::FileIsFolder));
            }
        }
        self.overlaps(&mut problems);
        problems.sort_by_key(|(position, _)| *position);
        problems
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
            // A name that is no UTF-8 has become longer.
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

    /// Refuses the archive if anything about it is not to be unpacked; else tells what was tolerated.
    pub fn accept(&self, limits: &Limits) -> Result<Vec<String>, ArchiveError> {
        self.check_size(limits)?;
        let mut tolerated: Vec<(EntryProblem, &str, usize)> = Vec::new();
        for (position, problem) in self.problems() {
            let entry = &self.entries[position].name;
            if !problem.is_tolerated() {
                let entry = entry.clone();
                return Err(ArchiveError::Entry { entry, problem });
            }
            // One line a kind of problem: an archive with backslashes has them everywhere.
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
    match Name::new(&entry.name) {
        Ok(name) if name.backslashes => problems.push(EntryProblem::Backslashes),
        Ok(_) => {}
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
    if let Method::Other(method) = entry.method {
        problems.push(EntryProblem::Method(method));
    }
    if entry.version_needed > 20 {
        problems.push(EntryProblem::VersionNeeded(entry.version_needed));
    }
    problems
}
