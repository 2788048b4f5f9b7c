//! Bytes to text. The standard wants UTF-8; some tools write the Latin alphabets of old and say so, or UTF-16.

use std::borrow::Cow;

use super::{ReadError, ReadProblem};

/// What 0x80 to 0x9f mean in windows-1252; unassigned ones as in ISO 8859-1.
const WINDOWS_1252: &str = "\u{20ac}\u{81}\u{201a}\u{192}\u{201e}\u{2026}\u{2020}\u{2021}\u{2c6}\u{2030}\u{160}\u{2039}\
    \u{152}\u{8d}\u{17d}\u{8f}\u{90}\u{2018}\u{2019}\u{201c}\u{201d}\u{2022}\u{2013}\u{2014}\u{2dc}\u{2122}\u{161}\
    \u{203a}\u{153}\u{9d}\u{17e}\u{178}";

/// The text of a file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // A mark of the order of bytes, or the order by which the first letter shows.
    match bytes {
        [0xfe, 0xff, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0, b'<', ..] => return utf16(bytes, u16::from_be_bytes),
        [b'<', 0, ..] => return utf16(bytes, u16::from_le_bytes),
        _ => {}
    }
    match declared(bytes).to_ascii_lowercase().as_str() {
        "iso-8859-1" | "latin1" => Ok(bytes.iter().copied().map(char::from).collect()),
        "windows-1252" => {
            let letter = |byte: u8| match byte {
                0x80..=0x9f => WINDOWS_1252
                    .chars()
                    .nth(usize::from(byte - 0x80))
                    .unwrap_or('\u{fffd}'),
                _ => byte.into(),
            };
            Ok(bytes.iter().copied().map(letter).collect())
        }
        // Whatever else a file declares, it must be UTF-8; most that name another encoding are plain ASCII.
        _ => str::from_utf8(bytes).map(Cow::Borrowed).map_err(|error| {
            let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
            let problem = format!("byte {byte:#04x} is not UTF-8; a model description must be in UTF-8");
            ReadError::at(&valid, valid.len(), ReadProblem::Encoding(problem))
        }),
    }
}

/// The text of a file in UTF-16.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<Cow<'_, str>, ReadError> {
    let (pairs, left) = bytes.as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(pairs.iter().copied().map(unit)).collect();
    match text {
        Ok(text) if left.is_empty() => Ok(Cow::Owned(text)),
        _ => Err(ReadError {
            line: 1,
            column: 1,
            problem: ReadProblem::Encoding(
                "the file begins as UTF-16 but is not; a model description must be in UTF-8".into(),
            ),
        }),
    }
}

/// The `encoding` of the XML declaration; empty if there is none.
fn declared(bytes: &[u8]) -> &str {
    let declaration = bytes
        .strip_prefix(b"<?xml")
        .and_then(|rest| rest.split(|&b| b == b'>').next());
    let declaration = declaration
        .and_then(|bytes| str::from_utf8(bytes).ok())
        .unwrap_or_default();
    let value = declaration
        .split_once("encoding")
        .map(|(_, rest)| rest.trim_start_matches([' ', '=', '"', '\'']));
    value
        .and_then(|value| value.split(['"', '\'']).next())
        .unwrap_or_default()
}
