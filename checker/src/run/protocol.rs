//! What a child reports to its parent: lines in a file. Standard output belongs to the FMU.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use super::held::Held;

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A step begins: its number, the rule that a crash would break, where, and the group that a crash would spoil.
    At {
        step: usize,
        rule: String,
        place: String,
        group: String,
    },
    /// A rule is broken.
    Found {
        rule: String,
        place: String,
        problem: String,
    },
    /// Something was not tried.
    Skipped(String),
    /// All steps are done.
    Done,
    /// Go on in another process.
    Replace,
    /// Do not go on.
    GiveUp,
    /// From the keeper: the process of the FMU has ended.
    Ended { success: bool, how: String },
    /// From the keeper: processes that the FMU left behind.
    Left(String),
    /// From the keeper: the processes of the FMU were ended because they used this many bytes of memory.
    Memory(u64),
}

impl Line {
    fn write(&self) -> String {
        let fields: &[&str] = match self {
            Self::At {
                step,
                rule,
                place,
                group,
            } => &["at", &step.to_string(), rule, place, group],
            Self::Found { rule, place, problem } => &["found", rule, place, problem],
            Self::Skipped(reason) => &["skipped", reason],
            Self::Done => &["done"],
            Self::Replace => &["replace"],
            Self::GiveUp => &["give up"],
            Self::Ended { success, how } => &["ended", if *success { "well" } else { "badly" }, how],
            Self::Left(names) => &["left", names],
            Self::Memory(bytes) => &["memory", &bytes.to_string()],
        };
        let mut line = String::new();
        for field in fields {
            for character in field.chars() {
                match character {
                    '\\' => line += "\\\\",
                    '\t' => line += "\\t",
                    '\n' => line += "\\n",
                    other => line.push(other),
                }
            }
            line.push('\t');
        }
        line.push('\n');
        line
    }

    fn read(line: &str) -> Option<Self> {
        let fields: Vec<String> = line.strip_suffix('\t')?.split('\t').map(unescape).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        Some(match fields[..] {
            ["at", step, rule, place, group] => Self::At {
                step: step.parse().ok()?,
                rule: rule.into(),
                place: place.into(),
                group: group.into(),
            },
            ["found", rule, place, problem] => Self::Found {
                rule: rule.into(),
                place: place.into(),
                problem: problem.into(),
            },
            ["skipped", reason] => Self::Skipped(reason.into()),
            ["done"] => Self::Done,
            ["replace"] => Self::Replace,
            ["give up"] => Self::GiveUp,
            ["ended", success, how] => Self::Ended {
                success: success == "well",
                how: how.into(),
            },
            ["left", names] => Self::Left(names.into()),
            ["memory", bytes] => Self::Memory(bytes.parse().ok()?),
            _ => return None,
        })
    }
}

fn unescape(field: &str) -> String {
    let mut text = String::new();
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                other => other.unwrap_or('\\'),
            },
            other => other,
        });
    }
    text
}

/// The child's end.
pub(super) struct Writer {
    file: Held,
    /// An FMU may fork: the copy of this process must not write.
    #[cfg(unix)]
    process: u32,
}

impl Writer {
    pub fn open(path: &Path) -> std::io::Result<Self> {
        Ok(Self {
            file: Held::open(path, OpenOptions::new().append(true))?,
            #[cfg(unix)]
            process: std::process::id(),
        })
    }

    /// Written through at once: the next call may be the last.
    pub fn write(&mut self, line: &Line) {
        #[cfg(unix)]
        if std::process::id() != self.process {
            // SAFETY: ends the copy at once; nothing that was registered for the end of the original runs.
            unsafe { libc::_exit(0) };
        }
        if let Some(file) = self.file.get() {
            let _ = file.write_all(line.write().as_bytes());
        }
    }

    /// Whether the FMU has closed the file since the last line; it is open again.
    pub fn was_closed(&mut self) -> bool {
        self.file.renew()
    }
}

/// The parent's end.
pub(super) struct Reader {
    file: Option<File>,
    unread: Vec<u8>,
    size: u64,
    lines: Vec<Line>,
    at: Option<Line>,
    end: Option<Line>,
    ended: Option<Line>,
    is_too_large: bool,
}

/// An FMU that finds the file and fills it gets no further than this.
const LIMIT: u64 = 16 << 20;

impl Reader {
    pub fn new(path: &Path) -> Self {
        Self {
            file: File::open(path).ok(),
            unread: Vec::new(),
            size: 0,
            lines: Vec::new(),
            at: None,
            end: None,
            ended: None,
            is_too_large: false,
        }
    }

    /// Reads what is new; returns how much there is in all.
    pub fn read(&mut self) -> u64 {
        let Some(file) = &mut self.file else { return 0 };
        let read = file
            .take(LIMIT - self.size)
            .read_to_end(&mut self.unread)
            .unwrap_or(0);
        self.size += read as u64;
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let bytes: Vec<u8> = self.unread.drain(..=end).collect();
            let text = String::from_utf8_lossy(&bytes[..end]);
            match Line::read(&text) {
                Some(at @ Line::At { .. }) => self.at = Some(at),
                Some(end @ (Line::Done | Line::Replace | Line::GiveUp)) => self.end = Some(end),
                Some(ended @ Line::Ended { .. }) => self.ended = Some(ended),
                Some(line) => {
                    self.is_too_large |= matches!(line, Line::Memory(_));
                    self.lines.push(line);
                }
                None => {}
            }
        }
        self.size
    }

    pub fn take(&mut self) -> Vec<Line> {
        self.read();
        std::mem::take(&mut self.lines)
    }

    pub fn end(&self) -> Option<&Line> {
        self.end.as_ref()
    }

    /// How the process of the FMU ended, as the keeper says: whether well, and in words.
    pub fn ended(&self) -> Option<(bool, &str)> {
        match &self.ended {
            Some(Line::Ended { success, how }) => Some((*success, how)),
            _ => None,
        }
    }

    /// Whether the keeper ended the process because of its memory.
    pub fn is_too_large(&self) -> bool {
        self.is_too_large
    }

    pub fn last_step(&self) -> Option<usize> {
        match &self.at {
            Some(Line::At { step, .. }) => Some(*step),
            _ => None,
        }
    }

    /// The rule and the place of the last step.
    pub fn at(&self) -> Option<(&str, &str)> {
        match &self.at {
            Some(Line::At { rule, place, .. }) => Some((rule, place)),
            _ => None,
        }
    }

    /// The group that the last step belongs to, if it spoils one.
    pub fn group(&self) -> Option<&str> {
        match (&self.at, &self.end) {
            (Some(Line::At { group, .. }), None) if !group.is_empty() => Some(group),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_survive_the_way() {
        for line in [
            Line::At {
                step: 7,
                rule: "R4".into(),
                place: "a\tb\\".into(),
                group: String::new(),
            },
            Line::Found {
                rule: "R6".into(),
                place: "ä".into(),
                problem: "line 1\nline 2".into(),
            },
            Line::Skipped(String::new()),
            Line::Done,
            Line::Ended {
                success: false,
                how: "killed".into(),
            },
            Line::Left("sleep (7)".into()),
            Line::Memory(1 << 32),
        ] {
            assert_eq!(Line::read(line.write().trim_end_matches('\n')), Some(line));
        }
        assert_eq!(Line::read("garbage"), None);
    }
}
