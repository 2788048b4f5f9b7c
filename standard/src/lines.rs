//! Lines of a text, for messages that name a place.

/// Counts lines while it goes through a text. Places are looked up in the order of the text, so that each byte is seen once.
///
/// ```
/// use fmu_standard::lines::LineCounter;
///
/// let mut lines = LineCounter::new("a\nb\nc");
/// assert_eq!(lines.line_of(0), 1);
/// assert_eq!(lines.line_of(4), 3);
/// ```
#[derive(Clone, Debug)]
pub struct LineCounter<'t> {
    text: &'t str,
    counted: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    /// Begins at the start of a text.
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            counted: 0,
            line: 1,
        }
    }

    /// The line of a byte, from 1. A place before the last one has the line of the last one.
    pub fn line_of(&mut self, at: usize) -> usize {
        let at = at.min(self.text.len());
        if at > self.counted {
            self.line += line_breaks(&self.text.as_bytes()[self.counted..at]);
            self.counted = at;
        }
        self.line
    }
}

/// Line and column of a byte, both from 1; a column is a character.
///
/// ```
/// assert_eq!(fmu_standard::lines::line_and_column("ä\nöü", 5), (2, 2));
/// ```
pub fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (
        line_breaks(before.as_bytes()) + 1,
        before[line_start..].chars().count() + 1,
    )
}

fn line_breaks(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}
