//! Remembers which checks passed with which inputs, so that the next run repeats only checks whose inputs have changed.
//!
//! Inputs are files: sources and FMUs count by their contents, programs by the time at which they were built. A result
//! is remembered only if everything in it passed.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chore::{Outcome, Place, Result, Tally, file, run_all_shown, run_quiet};

/// Everything that decides the result of a check.
#[derive(Clone, Debug)]
pub struct Inputs(DefaultHasher);

impl Inputs {
    /// Inputs that begin with a text, such as the name of a part.
    pub fn of(text: &str) -> Inputs {
        Inputs(DefaultHasher::new()).text(text)
    }

    /// Adds a text.
    pub fn text(mut self, text: &str) -> Inputs {
        text.hash(&mut self.0);
        self
    }

    /// Adds the contents of a file.
    pub fn contents(mut self, path: &Path) -> Result<Inputs> {
        let bytes = std::fs::read(path).map_err(file(path, "cannot be read"))?;
        (path, bytes).hash(&mut self.0);
        Ok(self)
    }

    /// Adds a program that was compiled here, which is large: its place, its size and the time at which it was built.
    pub fn program(mut self, path: &Path) -> Result<Inputs> {
        let about = std::fs::metadata(path).map_err(file(path, "cannot be read"))?;
        let built = about.modified().map_err(file(path, "has no time"))?;
        (path, about.len(), built).hash(&mut self.0);
        Ok(self)
    }

    fn value(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// The files of the repository that are committed or could be: everything that git does not ignore.
#[derive(Debug)]
pub struct Sources {
    files: Vec<PathBuf>,
    root: PathBuf,
}

impl Sources {
    /// Lists the files; `None` outside of a git repository, where nothing is remembered.
    pub fn list(place: &Place) -> Option<Sources> {
        let mut git = Command::new("git");
        git.current_dir(&place.root)
            .args(["ls-files", "--cached", "--others", "--exclude-standard"]);
        let listed = run_quiet("git ls-files", &mut git, "install git").ok()?;
        Some(Sources {
            files: listed.lines().map(PathBuf::from).collect(),
            root: place.root.clone(),
        })
    }

    /// Adds the contents of all files whose path, relative to the repository, is wanted.
    pub fn add(&self, mut inputs: Inputs, wanted: impl Fn(&Path) -> bool) -> Result<Inputs> {
        for path in self.files.iter().filter(|path| wanted(path)) {
            let full = self.root.join(path);
            // Links to folders, and files that are deleted but not committed.
            if full.is_file() {
                inputs = inputs.contents(&full)?;
            }
        }
        Ok(inputs)
    }
}

/// One program with its inputs.
#[derive(Debug)]
pub struct Check {
    /// Names the check among all checks.
    pub name: String,
    /// A line above its output; may be empty.
    pub title: String,
    /// What decides its result; `None`: it always runs.
    pub inputs: Option<Inputs>,
    /// The program.
    pub command: Command,
}

/// The results of earlier runs.
#[derive(Debug)]
pub struct Passed {
    folder: PathBuf,
    again: bool,
}

impl Passed {
    /// Opens the results; with `again`, everything is repeated.
    pub fn open(place: &Place, again: bool) -> Result<Passed> {
        Ok(Passed {
            folder: place.folder("passed")?,
            again,
        })
    }

    /// What passed earlier under this name with the same inputs.
    pub fn earlier(&self, name: &str, inputs: &Inputs) -> Option<Tally> {
        if self.again {
            return None;
        }
        let text = std::fs::read_to_string(self.file(name)).ok()?;
        let (value, passed) = text.trim_end().split_once(' ')?;
        (value == inputs.value()).then_some(Tally {
            passed: passed.parse().ok()?,
            failed: 0,
        })
    }

    /// Remembers a result, or forgets an earlier one where something failed.
    pub fn remember(&self, name: &str, inputs: &Inputs, tally: Tally) -> Result<()> {
        let path = self.file(name);
        if tally.failed == 0 {
            let text = format!("{} {}\n", inputs.value(), tally.passed);
            return std::fs::write(&path, text).map_err(file(&path, "cannot be written"));
        }
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(file(&path, "cannot be removed")(source))
            }
            _ => Ok(()),
        }
    }

    /// Runs those of the checks that have not passed with their inputs, side by side.
    pub fn run(
        &self,
        checks: Vec<Check>,
        remedy: &'static str,
        tally_of: impl Fn(&Outcome) -> Tally,
    ) -> Result<Tally> {
        let (mut sum, mut unchanged, all) = (Tally::default(), 0, checks.len());
        let (mut kept, mut commands) = (Vec::new(), Vec::new());
        for check in checks {
            let earlier = check
                .inputs
                .as_ref()
                .and_then(|inputs| self.earlier(&check.name, inputs));
            if let Some(tally) = earlier {
                sum = sum + tally;
                unchanged += 1;
                continue;
            }
            kept.push((check.name, check.inputs));
            commands.push((check.title, check.command));
        }
        // Each at once: a run that is interrupted is not in vain.
        run_all_shown(commands, remedy, |at, outcome| {
            let (name, inputs) = &kept[at];
            let tally = tally_of(&outcome);
            sum = sum + tally;
            match inputs {
                Some(inputs) => self.remember(name, inputs, tally),
                None => Ok(()),
            }
        })?;
        unchanged_note(unchanged, all, sum);
        Ok(sum)
    }

    /// A part that is one check: runs it unless it has passed with these inputs.
    pub fn once(
        &self,
        name: &str,
        inputs: Option<Inputs>,
        run: impl FnOnce() -> Result<Tally>,
    ) -> Result<Tally> {
        let Some(inputs) = inputs else { return run() };
        if let Some(tally) = self.earlier(name, &inputs) {
            unchanged_note(1, 1, tally);
            return Ok(tally);
        }
        let tally = run()?;
        self.remember(name, &inputs, tally)?;
        Ok(tally)
    }

    fn file(&self, name: &str) -> PathBuf {
        let plain = |letter: char| match letter.is_ascii_alphanumeric() || letter == '-' {
            true => letter,
            false => '_',
        };
        self.folder.join(name.chars().map(plain).collect::<String>())
    }
}

fn unchanged_note(unchanged: usize, all: usize, sum: Tally) {
    if unchanged > 0 {
        println!(
            "{unchanged} of {all} not repeated: they passed with the same inputs (--again repeats them); {sum} in all"
        );
    }
}

/// A program that ended badly without closing lines failed; see [`Tally::of`].
pub fn by_closing_lines((status, lines): &Outcome) -> Tally {
    Tally::of(lines, status.success())
}

/// One check per program, by its exit code.
pub fn by_exit_code((status, _): &Outcome) -> Tally {
    Tally::one(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Place) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = Place {
            root: folder.path().to_owned(),
            target: folder.path().to_owned(),
        };
        (folder, place)
    }

    fn passing() -> Tally {
        Tally { passed: 3, failed: 0 }
    }

    #[test]
    fn what_passed_is_not_repeated_until_an_input_changes() {
        let (folder, place) = place();
        let model = folder.path().join("model");
        let inputs = || Some(Inputs::of("part").contents(&model).expect("readable"));
        let passed = Passed::open(&place, false).expect("a folder");
        std::fs::write(&model, "one").expect("written");
        let first = passed.once("part", inputs(), || Ok(passing()));
        assert_eq!(first.expect("it runs"), passing());
        let second = passed.once("part", inputs(), || panic!("it runs again"));
        assert_eq!(second.expect("it is remembered"), passing());
        std::fs::write(&model, "two").expect("written");
        let mut runs = 0;
        let third = passed.once("part", inputs(), || {
            runs += 1;
            Ok(passing())
        });
        assert_eq!((third.expect("it runs"), runs), (passing(), 1));
    }

    #[test]
    fn failures_and_runs_that_repeat_everything_are_not_taken_from_memory() {
        let (_folder, place) = place();
        let inputs = Inputs::of("part");
        let passed = Passed::open(&place, false).expect("a folder");
        passed.remember("part", &inputs, passing()).expect("written");
        let again = Passed::open(&place, true).expect("a folder");
        assert_eq!(again.earlier("part", &inputs), None);
        assert_eq!(passed.earlier("part", &inputs), Some(passing()));
        let failed = Tally { passed: 2, failed: 1 };
        passed.remember("part", &inputs, failed).expect("forgotten");
        assert_eq!(passed.earlier("part", &inputs), None);
        // To forget what is not there is not an error.
        passed
            .remember("other", &inputs, failed)
            .expect("nothing to forget");
    }
}
