//! The types that attributes have in the schema.

/// A type of XML Schema, as far as `modelDescription.xml` needs it.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// `xs:string`.
    Text,
    /// `xs:normalizedString`.
    Line,
    /// `xs:boolean`.
    Boolean,
    /// `xs:double`.
    Double,
    /// `xs:int`.
    Int,
    /// `xs:unsignedInt`.
    Unsigned,
    /// A list of `xs:unsignedInt`.
    UnsignedList,
    /// `xs:dateTime`.
    DateTime,
    /// One of these.
    Word(&'static [&'static str]),
    /// A list of these.
    Words(&'static [&'static str]),
    /// This and nothing else.
    Fixed(&'static str),
}

impl Kind {
    /// What was expected, if a value is none of this type.
    pub fn expected(self, value: &str) -> Option<String> {
        // White space around a value does not count, except in texts.
        let trimmed = value.trim_ascii();
        let fits = match self {
            Self::Text | Self::Line => true,
            Self::Boolean => matches!(trimmed, "true" | "false" | "1" | "0"),
            Self::Double => is_double(trimmed),
            Self::Int => trimmed.parse::<i32>().is_ok(),
            Self::Unsigned => trimmed.parse::<u32>().is_ok(),
            Self::UnsignedList => {
                let mut items = value.split_ascii_whitespace();
                items.all(|item| item.parse::<u32>().is_ok())
            }
            Self::DateTime => date_time(trimmed).is_some(),
            Self::Word(words) => words.contains(&value),
            Self::Words(words) => value.split_ascii_whitespace().all(|item| words.contains(&item)),
            Self::Fixed(fixed) => value == fixed,
        };
        let expected = || match self {
            Self::Text | Self::Line => "a text".into(),
            Self::Boolean => "`true` or `false`".into(),
            Self::Double => "a number".into(),
            Self::Int => "a whole number of 32 bits".into(),
            Self::Unsigned => "a whole number of 32 bits that is not negative".into(),
            Self::UnsignedList => "indices, separated by blanks".into(),
            Self::DateTime => "a date and time such as 2024-05-31T12:00:00Z".into(),
            Self::Word(words) => format!("one of {}", words.join(", ")),
            Self::Words(words) => format!("words out of {}, separated by blanks", words.join(", ")),
            Self::Fixed(fixed) => format!("\"{fixed}\""),
        };
        (!fits).then(expected)
    }

    /// Whether a value that fits is a number that no simulator can use: NaN, infinite, or too large to be finite.
    pub fn is_not_finite(self, value: &str) -> bool {
        matches!(self, Self::Double) && !value.trim_ascii().parse::<f64>().is_ok_and(f64::is_finite)
    }
}

fn is_double(text: &str) -> bool {
    if matches!(text, "INF" | "-INF" | "NaN") {
        return true;
    }
    let plain = |b: u8| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    text.bytes().all(plain) && text.parse::<f64>().is_ok()
}

/// Whether a date and time is in UTC (`Z`); `None` if it is not a date and time.
pub(crate) fn date_time(text: &str) -> Option<bool> {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let (date, time) = rest.split_once('T')?;
    let mut date = date.split('-');
    let year = date.next().filter(|year| year.len() >= 4 && is_digits(year))?;
    let (month, day) = (two_digits(date.next()?)?, two_digits(date.next()?)?);
    let leap = year.len() < 9 && {
        let year: u32 = year.parse().ok()?;
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return None,
    };
    if date.next().is_some() || !(1..=days).contains(&day) {
        return None;
    }
    let (time, utc) = match time.strip_suffix('Z') {
        Some(time) => (time, true),
        None => (without_zone(time)?, false),
    };
    let mut parts = time.split(':');
    let (hour, minute) = (two_digits(parts.next()?)?, two_digits(parts.next()?)?);
    let second = parts.next()?;
    let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
    let valid = hour < 24 && minute < 60 && two_digits(second)? < 60;
    let midnight = hour == 24 && minute == 0 && second == "00" && fraction.bytes().all(|b| b == b'0');
    (parts.next().is_none() && is_digits(fraction) && (valid || midnight)).then_some(utc)
}

/// A time without its offset from UTC; `None` if the offset is none.
fn without_zone(time: &str) -> Option<&str> {
    let Some(at) = time.find(['+', '-']) else {
        return Some(time);
    };
    let (hours, minutes) = time[at + 1..].split_once(':')?;
    let (hours, minutes) = (two_digits(hours)?, two_digits(minutes)?);
    (hours * 60 + minutes <= 14 * 60 && minutes < 60).then_some(&time[..at])
}

fn two_digits(text: &str) -> Option<u32> {
    (text.len() == 2 && is_digits(text)).then(|| text.parse().ok())?
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times() {
        for (text, utc) in [
            ("2024-02-29T23:59:59Z", Some(true)),
            ("2023-02-29T23:59:59Z", None),
            ("2024-05-31T12:00:00.25+02:00", Some(false)),
            ("2024-05-31T12:00:00", Some(false)),
            ("2024-05-31T24:00:00Z", Some(true)),
            ("2024-05-31T24:00:01Z", None),
            ("2024-5-31T12:00:00Z", None),
            ("2024-05-31 12:00:00Z", None),
            ("2024-05-31T12:00:00+15:00", None),
            ("Tue Jan 2 2024", None),
        ] {
            assert_eq!(date_time(text), utc, "{text}");
        }
    }

    #[test]
    fn numbers() {
        for text in ["1", "-1.5e-3", "+.5", "5.", "INF", "-INF", "NaN", " 2 "] {
            assert_eq!(Kind::Double.expected(text), None, "{text}");
        }
        for text in ["", "1,5", "inf", "nan", "infinity", "0x10", "1 2"] {
            assert!(Kind::Double.expected(text).is_some(), "{text}");
        }
        assert!(Kind::Double.is_not_finite("1e999") && !Kind::Double.is_not_finite("1e300"));
        assert!(Kind::Unsigned.expected("-1").is_some() && Kind::Int.expected("2147483648").is_some());
    }
}
