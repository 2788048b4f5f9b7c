//! Progress of packaging on the terminal.

use std::io::{IsTerminal, Write};

/// Receives reports of what is being done.
pub trait Progress {
    /// A step: a verb in the style of cargo, and what it is done to.
    fn step(&mut self, verb: &str, what: &str);
    /// Something that deserves attention but stops nothing.
    fn warning(&mut self, text: &str);
}

/// Progress on standard error, so that standard output has only the result.
#[derive(Debug)]
pub struct Console {
    color: bool,
}

impl Console {
    /// Coloured if a person is watching.
    pub fn new() -> Console {
        Console {
            color: std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        }
    }

    fn line(&self, color: &str, label: &str, text: &str) {
        let line = if self.color {
            format!("\x1b[1;{color}m{label}\x1b[0m {text}\n")
        } else {
            format!("{label} {text}\n")
        };
        // If standard error is closed, there is no way to report it.
        let _ = std::io::stderr().write_all(line.as_bytes());
    }
}

impl Default for Console {
    fn default() -> Console {
        Console::new()
    }
}

impl Progress for Console {
    fn step(&mut self, verb: &str, what: &str) {
        self.line("32", &format!("{verb:>12}"), what);
    }

    fn warning(&mut self, text: &str) {
        self.line("33", "warning:", text);
    }
}

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} bytes"),
        1000..1_000_000 => format!("{:.0} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// A number of things for people.
pub(crate) fn count(number: u64, noun: &str) -> String {
    match number {
        0 => format!("no {noun}s"),
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_read_well() {
        assert_eq!(
            [999, 1000, 404_900, 1_500_000].map(size),
            ["999 bytes", "1 KB", "405 KB", "1.5 MB"]
        );
    }
}
