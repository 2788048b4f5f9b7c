//! Names of variables: the structured naming convention (FMI 2.0.5, section 2.2.9) and C identifiers.
//!
//! ```
//! use fmu_standard::naming::{check_structured, der, element};
//!
//! assert_eq!(der(&element("pipe.T", &[3, 4])), "der(pipe.T[3,4])");
//! assert!(check_structured("der(pipe[3,4].T[14],2)").is_ok());
//! assert!(check_structured("robot.axis.'motor #234'").is_ok());
//! let error = check_structured("x(18)").unwrap_err();
//! assert_eq!(error.to_string(), "`x(18)` is not a structured name, at character 2: `(` is only allowed after `der`");
//! ```

use std::fmt;

/// Where and why a text is not a structured name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameError {
    /// The whole name.
    pub name: String,
    /// The first character that does not fit, in bytes; the length of the name if it ends too early.
    pub position: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = self
            .name
            .char_indices()
            .take_while(|(at, _)| *at < self.position)
            .count();
        write!(
            f,
            "`{}` is not a structured name, at character {}: {}",
            self.name,
            before + 1,
            self.expected
        )
    }
}

impl std::error::Error for NameError {}

/// Whether a text follows the grammar of `variableNamingConvention = "structured"`.
pub fn check_structured(name: &str) -> Result<(), NameError> {
    let mut scanner = Scanner {
        name: name.as_bytes(),
        at: 0,
    };
    scanner.name().map_err(|expected| NameError {
        name: name.into(),
        position: scanner.at,
        expected,
    })
}

/// Whether a text is an identifier of C (and so a legal `modelIdentifier`), keywords aside.
///
/// ```
/// assert!(fmu_standard::naming::is_c_identifier("BouncingBall_2"));
/// assert!(!fmu_standard::naming::is_c_identifier("2nd"));
/// ```
pub fn is_c_identifier(text: &str) -> bool {
    text.bytes().next().is_some_and(is_nondigit) && text.bytes().all(|b| is_nondigit(b) || b.is_ascii_digit())
}

/// The name of an array's element: `x[1]`, `x[1,2]`. The indices are as given; ours begin at 1.
pub fn element(array: &str, indices: &[usize]) -> String {
    let mut name = String::from(array);
    for (position, index) in indices.iter().enumerate() {
        name.push(if position == 0 { '[' } else { ',' });
        name.push_str(&index.to_string());
    }
    if !indices.is_empty() {
        name.push(']');
    }
    name
}

/// The names of all elements of an array, in the order of the standard: the last index runs fastest.
///
/// ```
/// let names: Vec<_> = fmu_standard::naming::elements("x", &[2, 2]).collect();
/// assert_eq!(names, ["x[1,1]", "x[1,2]", "x[2,1]", "x[2,2]"]);
/// ```
pub fn elements(array: &str, dimensions: &[usize]) -> impl Iterator<Item = String> {
    let count = dimensions.iter().product();
    (0..count).map(move |flat: usize| {
        let mut indices = vec![0; dimensions.len()];
        let mut rest = flat;
        for (index, dimension) in indices.iter_mut().zip(dimensions).rev() {
            *index = rest % dimension + 1;
            rest /= dimension;
        }
        element(array, &indices)
    })
}

/// The name of the derivative of a variable by time: `der(x)`; of a first derivative, `der(x,2)`, and so on.
///
/// ```
/// use fmu_standard::naming::der;
/// assert_eq!(der("x"), "der(x)");
/// assert_eq!(der("der(x)"), "der(x,2)");
/// assert_eq!(der("der(x,2)"), "der(x,3)");
/// ```
pub fn der(name: &str) -> String {
    let Some(inside) = name.strip_prefix("der(").and_then(|rest| rest.strip_suffix(')')) else {
        return format!("der({name})");
    };
    // The last comma may belong to an array index or to a quoted name; an order is digits alone.
    let order = inside
        .rsplit_once(',')
        .and_then(|(variable, order)| Some((variable, order.parse::<u32>().ok()?)));
    match order {
        Some((variable, order)) => format!("der({variable},{})", order.saturating_add(1)),
        None => format!("der({inside},2)"),
    }
}

/// The name as one part of a structured name: as it is where the grammar allows, in apostrophes otherwise.
///
/// ```
/// assert_eq!(fmu_standard::naming::quoted("speed"), "speed");
/// assert_eq!(fmu_standard::naming::quoted("motor #2"), "'motor #2'");
/// ```
pub fn quoted(part: &str) -> String {
    if is_c_identifier(part) {
        return part.into();
    }
    let mut name = String::from("'");
    for character in part.chars() {
        if matches!(character, '\'' | '"' | '\\') {
            name.push('\\');
        }
        name.push(character);
    }
    name.push('\'');
    name
}

fn is_nondigit(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphabetic()
}

/// Follows the productions of the grammar, which are named as in the standard.
struct Scanner<'a> {
    name: &'a [u8],
    at: usize,
}

type Scan = Result<(), &'static str>;

impl Scanner<'_> {
    fn name(&mut self) -> Scan {
        if self.name.starts_with(b"der(") {
            self.at = 4;
            self.identifier()?;
            if self.take(b',') {
                self.unsigned_integer()?;
            }
            if !self.take(b')') {
                return Err("`)` is expected to end the derivative");
            }
            return if self.at == self.name.len() {
                Ok(())
            } else {
                Err("nothing may follow the derivative")
            };
        }
        self.identifier()?;
        match self.peek() {
            None => Ok(()),
            Some(b'(') => Err("`(` is only allowed after `der`"),
            Some(b'[') => Err("an array element has one pair of brackets: `x[1,2]`"),
            Some(b' ') => Err("blanks are only allowed inside apostrophes"),
            Some(byte) if byte >= 0x80 => Err("only a-z, A-Z, 0-9 and `_` are letters of a name"),
            Some(_) => Err("expected a letter, a digit, `_`, `.` or `[`, or apostrophes around the name"),
        }
    }

    fn identifier(&mut self) -> Scan {
        loop {
            self.b_name()?;
            if self.peek() == Some(b'[') {
                self.array_indices()?;
            }
            if !self.take(b'.') {
                return Ok(());
            }
        }
    }

    fn b_name(&mut self) -> Scan {
        match self.peek() {
            Some(b'\'') => self.q_name(),
            Some(byte) if is_nondigit(byte) => {
                while self.peek().is_some_and(|b| is_nondigit(b) || b.is_ascii_digit()) {
                    self.at += 1;
                }
                Ok(())
            }
            Some(b'0'..=b'9') => Err("a name does not begin with a digit"),
            Some(byte) if byte >= 0x80 => Err("only a-z, A-Z, 0-9 and `_` are letters of a name"),
            Some(_) => Err("a name begins with a letter, `_` or an apostrophe"),
            None => Err("a name is missing"),
        }
    }

    fn q_name(&mut self) -> Scan {
        let begin = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'\'') if self.at == begin + 1 => {
                    return Err("there is nothing between the apostrophes");
                }
                Some(b'\'') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    match self.peek() {
                        Some(
                            b'\'' | b'"' | b'?' | b'\\' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v',
                        ) => {
                            self.at += 1;
                        }
                        _ => return Err("after `\\` one of ' \" ? \\ a b f n r t v is expected"),
                    }
                }
                Some(b'"') => return Err("a quotation mark inside apostrophes is written `\\\"`"),
                Some(b'`') | Some(0..=0x1f) | Some(0x7f..) => {
                    return Err("not a character that may stand between apostrophes");
                }
                Some(_) => self.at += 1,
                None => return Err("the closing apostrophe is missing"),
            }
        }
    }

    fn array_indices(&mut self) -> Scan {
        self.at += 1;
        loop {
            self.unsigned_integer()?;
            if self.take(b']') {
                return Ok(());
            }
            if !self.take(b',') {
                return Err("`,` or `]` is expected after an array index");
            }
        }
    }

    fn unsigned_integer(&mut self) -> Scan {
        let begin = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == begin {
            Err("a whole number is expected")
        } else {
            Ok(())
        }
    }

    fn peek(&self) -> Option<u8> {
        self.name.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }
}

/// The name that is most similar to a mistyped one, if any is similar.
///
/// ```
/// assert_eq!(fmu_standard::naming::nearest(["speed", "torque"], "spede"), Some("speed"));
/// assert_eq!(fmu_standard::naming::nearest(["speed", "torque"], "mass"), None);
/// ```
pub fn nearest<'n>(names: impl IntoIterator<Item = &'n str>, name: &str) -> Option<&'n str> {
    // Past this many the search would be slower than the mistake is worth.
    const LONG: usize = 200;
    if name.len() > LONG {
        return None;
    }
    let names = names.into_iter().take(10_000).filter(|other| other.len() <= LONG);
    let near = names.map(|other| (distance(name, other), other)).min()?;
    (near.0 <= 1 + name.chars().count() / 4).then_some(near.1)
}

/// Edits between two texts: inserted, left out or replaced characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
