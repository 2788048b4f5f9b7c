//! Messages that repeat themselves: the first ten are logged, then the 100th, the 1000th and so on.

use std::collections::HashMap;

/// How many of the same message are logged before the gaps begin.
const SHOWN: u64 = 10;

/// As many different messages are counted. When there are more, those without gaps are forgotten; a message that is
/// not counted is always logged.
const COUNTED: usize = 1000;

/// How often each message of an instance has come.
#[derive(Default)]
pub struct Repeats {
    /// By function, category and text without numbers.
    counts: HashMap<(&'static str, usize, String), Count>,
}

struct Count {
    number: u64,
    /// Up to which number a summary has accounted for it.
    accounted: u64,
    /// The text as it was logged first.
    first: String,
}

/// A message that was not logged every time.
#[non_exhaustive]
pub struct Summary {
    pub category: usize,
    pub number: u64,
    pub hidden: u64,
    pub first: String,
}

impl Repeats {
    /// Counts a message. `None` if it is not to be logged, else how often it has come.
    pub fn count(&mut self, function: &'static str, category: usize, text: &str) -> Option<u64> {
        let key = (function, category, without_numbers(text));
        if let Some(count) = self.counts.get_mut(&key) {
            count.number += 1;
            return is_logged(count.number).then_some(count.number);
        }
        if self.counts.len() >= COUNTED {
            self.counts.retain(|_, count| count.number > SHOWN);
        }
        if self.counts.len() < COUNTED {
            let first = text.to_owned();
            self.counts.insert(
                key,
                Count {
                    number: 1,
                    accounted: 0,
                    first,
                },
            );
        }
        Some(1)
    }

    /// The messages of which some were not logged since the last summary, in a fixed order.
    pub fn summaries(&mut self) -> Vec<Summary> {
        let mut summaries = Vec::new();
        for ((_, category, _), count) in &mut self.counts {
            let hidden = hidden(count.number) - hidden(count.accounted);
            count.accounted = count.number;
            if hidden > 0 {
                summaries.push(Summary {
                    category: *category,
                    number: count.number,
                    hidden,
                    first: count.first.clone(),
                });
            }
        }
        summaries.sort_by(|a, b| (b.number, &a.first).cmp(&(a.number, &b.first)));
        summaries
    }
}

fn is_logged(number: u64) -> bool {
    number <= SHOWN || 10u64.pow(number.ilog10()) == number
}

/// How many of so many messages are not logged.
fn hidden(number: u64) -> u64 {
    match number {
        0..=SHOWN => 0,
        _ => number - SHOWN - u64::from(number.ilog10() - 1),
    }
}

/// The text with every number left out. Digits of a name (`x1`) are part of the name.
fn without_numbers(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::with_capacity(text.len());
    let mut in_name = false;
    while let Some(letter) = rest.chars().next() {
        let length = match in_name {
            true => 0,
            false => length_of_number(rest),
        };
        if length > 0 {
            rest = &rest[length..];
            // A sign before a number belongs to it.
            if kept.ends_with('-') {
                kept.pop();
            }
            continue;
        }
        in_name = letter.is_alphanumeric() || letter == '_';
        kept.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    kept
}

/// The length of the number that the text begins with, or 0.
fn length_of_number(text: &str) -> usize {
    let word = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let word = &text[..word.unwrap_or(text.len())];
    if matches!(word, "inf" | "NaN") {
        return word.len();
    }
    let digits = |text: &str| {
        text.len()
            - text
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len()
    };
    let mut length = digits(text);
    if length == 0 {
        return 0;
    }
    if text[length..].starts_with('.') {
        let fraction = digits(&text[length + 1..]);
        length += if fraction > 0 { 1 + fraction } else { 0 };
    }
    if let Some(exponent) = text[length..].strip_prefix(['e', 'E']) {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let count = digits(unsigned);
        length += if count > 0 {
            1 + exponent.len() - unsigned.len() + count
        } else {
            0
        };
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_left_out_and_names_are_not() {
        let same = |a: &str, b: &str| assert_eq!(without_numbers(a), without_numbers(b));
        same("t = 0.5: 3 events", "t = 1e-12: 17 events");
        same("x[1] is -4.25e+3.", "x[20] is NaN.");
        same("limit inf", "limit -inf");
        let different = |a: &str, b: &str| assert_ne!(without_numbers(a), without_numbers(b));
        different("x1 fails", "x2 fails");
        different("a_1 fails", "a_2 fails");
        different("infinite", "NaNs");
        assert_eq!(without_numbers("T1 = 5 K, 80% of é2"), "T1 =  K, % of é2");
    }

    #[test]
    fn ten_are_logged_then_powers_of_ten_and_the_rest_is_accounted_for() {
        let mut repeats = Repeats::default();
        let logged: Vec<u64> = (1..=12_345u64)
            .filter_map(|number| repeats.count("", 0, &format!("the level is {number} m")))
            .collect();
        assert_eq!(logged[..10], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(logged[10..], [100, 1000, 10_000]);
        let summaries = repeats.summaries();
        assert_eq!((summaries.len(), summaries[0].number), (1, 12_345));
        assert_eq!(summaries[0].hidden, 12_345 - logged.len() as u64);
        assert_eq!(summaries[0].first, "the level is 1 m");
        assert!(repeats.summaries().is_empty(), "said once");
    }

    #[test]
    fn a_new_message_is_always_logged_however_many_there_were() {
        let mut repeats = Repeats::default();
        for number in 0..50 {
            repeats.count("GetReal", 0, &format!("{number}"));
        }
        let letters = |number: usize| -> String {
            let letter = |place: u32| char::from(b'a' + (number / 26usize.pow(place) % 26) as u8);
            (0..4).map(letter).collect()
        };
        for number in 0..20_000 {
            assert_eq!(repeats.count("", 0, &letters(number)), Some(1), "{number}");
        }
        assert!(repeats.counts.len() <= COUNTED);
        assert_eq!(repeats.count("GetReal", 1, "7"), Some(1), "another category");
        assert_eq!(repeats.count("SetReal", 0, "7"), Some(1), "another function");
        assert_eq!(
            repeats.summaries()[0].number,
            50,
            "a count with gaps is never forgotten"
        );
    }
}
