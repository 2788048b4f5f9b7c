//! Elements and attributes as text.

use std::fmt::Write as _;

use crate::description::FloatType;

/// The text so far, and how deep the next element lies.
pub(crate) struct Xml {
    pub text: String,
    pub depth: usize,
}

impl Xml {
    /// `<element`, indented; attributes may follow, then [`content`](Self::content) or
    /// [`close_empty`](Self::close_empty).
    pub fn open(&mut self, element: &str) {
        self.indent();
        self.text.push('<');
        self.text.push_str(element);
        self.depth += 1;
    }

    /// Ends a start tag whose element has children.
    pub fn content(&mut self) {
        self.text.push_str(">\n");
    }

    /// Ends an element without children.
    pub fn close_empty(&mut self) {
        self.text.push_str("/>\n");
        self.depth -= 1;
    }

    pub fn close(&mut self, element: &str) {
        self.depth -= 1;
        self.indent();
        self.text.push_str("</");
        self.text.push_str(element);
        self.text.push_str(">\n");
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }

    /// A list element, which the schema wants absent when it would be empty.
    pub fn list<T>(&mut self, element: &str, items: &[T], one: impl Fn(&mut Self, &T)) {
        if items.is_empty() {
            return;
        }
        self.open(element);
        self.content();
        for item in items {
            one(self, item);
        }
        self.close(element);
    }

    pub fn string(&mut self, name: &str, value: &str) {
        self.begin(name);
        escape(&mut self.text, value);
        self.text.push('"');
    }

    /// Up to the opening quotation mark of an attribute.
    fn begin(&mut self, name: &str) {
        self.text.push(' ');
        self.text.push_str(name);
        self.text.push_str("=\"");
    }

    pub fn optional_string(&mut self, name: &str, value: &Option<String>) {
        if let Some(value) = value {
            self.string(name, value);
        }
    }

    pub fn optional_unsigned(&mut self, name: &str, value: Option<impl Into<u64>>) {
        if let Some(value) = value {
            self.begin(name);
            self.digits(value.into());
            self.text.push('"');
        }
    }

    pub fn optional_integer(&mut self, name: &str, value: Option<impl Into<i128>>) {
        if let Some(value) = value {
            self.begin(name);
            self.integer(value.into());
            self.text.push('"');
        }
    }

    pub fn integer(&mut self, value: i128) {
        if value < 0 {
            self.text.push('-');
        }
        // No type of the standard has more than 64 bits.
        self.digits(value.unsigned_abs() as u64);
    }

    /// By hand: a description is mostly made of small numbers, and `write!` takes several times as long.
    pub fn digits(&mut self, mut value: u64) {
        let mut digits = [b'0'; 20];
        let mut at = digits.len() - 1;
        while value > 9 {
            digits[at] += (value % 10) as u8;
            value /= 10;
            at -= 1;
        }
        digits[at] += value as u8;
        self.text
            .push_str(str::from_utf8(&digits[at..]).unwrap_or_default());
    }

    pub fn optional_real(&mut self, name: &str, value: Option<f64>) {
        let Some(value) = value else { return };
        self.begin(name);
        self.real(value, FloatType::Float64);
        self.text.push('"');
    }

    /// A number, in the shortest form that reads back to the same bits of its type.
    pub fn real(&mut self, value: f64, float: FloatType) {
        // The spellings of xs:double; the standard allows none of them, and the checker reports them.
        if value.is_nan() {
            self.text.push_str("NaN");
        } else if value.is_infinite() {
            self.text.push_str(if value > 0.0 { "INF" } else { "-INF" });
        } else {
            let _ = match float {
                FloatType::Float64 => write!(self.text, "{value:?}"),
                FloatType::Float32 => write!(self.text, "{:?}", value as f32),
            };
        }
    }

    /// An attribute with a list of values, separated by blanks.
    pub fn attribute<T>(&mut self, name: &str, values: &[T], one: impl Fn(&mut Self, &T)) {
        self.begin(name);
        for (position, value) in values.iter().enumerate() {
            if position > 0 {
                self.text.push(' ');
            }
            one(self, value);
        }
        self.text.push('"');
    }

    /// A flag whose default is `false`.
    pub fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.string(name, "true");
        }
    }

    pub fn optional_flag(&mut self, name: &str, value: Option<bool>) {
        if let Some(value) = value {
            self.string(name, if value { "true" } else { "false" });
        }
    }
}

/// Appends the value of an attribute. White space other than blanks goes in as character references, because a
/// reader turns it into blanks otherwise.
fn escape(text: &mut String, value: &str) {
    // Nearly every value is plain. Without an early exit the compiler looks at many bytes at once; 0xef begins
    // U+FFFE, U+FFFF and much else.
    let special = |b: u8| b < b' ' || matches!(b, b'&' | b'<' | b'>' | b'"' | 0xef);
    if !value.bytes().fold(false, |found, b| found | special(b)) {
        text.push_str(value);
        return;
    }
    let mut plain_from = 0;
    for (at, character) in value.char_indices() {
        let replacement = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\t' => "&#9;",
            '\n' => "&#10;",
            '\r' => "&#13;",
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
            _ => continue,
        };
        text.push_str(&value[plain_from..at]);
        text.push_str(replacement);
        plain_from = at + character.len_utf8();
    }
    text.push_str(&value[plain_from..]);
}
