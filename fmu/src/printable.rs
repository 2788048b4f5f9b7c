//! Text of an FMU as a terminal may get it: without control characters.
//!
//! Escape sequences in names, messages and whatever else an FMU brings along could otherwise move the cursor, change
//! titles or rewrite what was printed before.

#[cfg(feature = "import")]
use std::io::{self, Write};

/// Whether a terminal would do something else than show it.
fn is_harmful(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Marks that reverse the direction of text can make a line read as another one.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        character => character.is_control(),
    }
}

/// Text with escapes in the place of control characters.
pub(crate) fn printable(text: &str) -> String {
    let shown = |character: char| match is_harmful(character) {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    text.chars().map(shown).collect()
}

/// A writer of lines that may hold text of an FMU.
#[cfg(feature = "import")]
pub(crate) struct Printable<W: Write> {
    out: W,
    line: Vec<u8>,
}

#[cfg(feature = "import")]
impl<W: Write> Printable<W> {
    pub fn new(out: W) -> Self {
        Self {
            out,
            line: Vec::new(),
        }
    }
}

#[cfg(feature = "import")]
impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        // A character may come in pieces, a line break may not.
        if let Some(end) = self.line.iter().rposition(|byte| *byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let lines = std::mem::replace(&mut self.line, rest);
            self.out
                .write_all(printable(&String::from_utf8_lossy(&lines)).as_bytes())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.out
            .write_all(printable(&String::from_utf8_lossy(&line)).as_bytes())?;
        self.out.flush()
    }
}

#[cfg(all(test, feature = "import"))]
mod tests {
    use std::io::Write;

    use super::{Printable, printable};

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let nasty = "a\u{1b}]0;title\u{7}\u{9b}31m\r\u{7f}\u{202e}gnp\tb\nä";
        let shown = printable(nasty);
        assert_eq!(
            shown,
            "a\\u{1b}]0;title\\u{7}\\u{9b}31m\\r\\u{7f}\\u{202e}gnp\tb\nä"
        );
        let mut out = Vec::new();
        let mut writer = Printable::new(&mut out);
        // Byte by byte, so that characters come in pieces.
        for byte in nasty.as_bytes() {
            writer.write_all(&[*byte]).unwrap();
        }
        writer.flush().unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), shown);
    }
}
