//! One report for all mistakes of an item.

use proc_macro2::{Span, TokenStream};

/// Collects mistakes while parsing and checking goes on, so that all are reported together.
#[derive(Default)]
pub struct Errors(Vec<syn::Error>);

impl Errors {
    /// Notes a mistake at `span`.
    pub fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.0.push(syn::Error::new(span, message));
    }

    /// Notes a mistake that covers `tokens`.
    pub fn on(&mut self, tokens: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// Notes a syntax error.
    pub fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// How many mistakes were noted so far.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The mistakes as `compile_error!`s.
    pub fn into_tokens(self) -> TokenStream {
        self.0
            .into_iter()
            .map(|error| error.into_compile_error())
            .collect()
    }

    /// All mistakes as one error.
    pub fn into_result(self) -> syn::Result<()> {
        let combined = self.0.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        combined.map_or(Ok(()), Err)
    }

    /// The sentences, for tests.
    #[cfg(test)]
    pub fn messages(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

/// The candidate that `word` was most likely meant to be, if any is close.
pub fn closest<'a>(word: &str, candidates: &[&'a str]) -> Option<&'a str> {
    candidates
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate))
        // One letter is not a typo of another letter.
        .filter(|(distance, candidate)| {
            *distance
                <= (candidate.len() / 3)
                    .max(1)
                    .min(candidate.len().saturating_sub(1))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// `did you mean `x`?` or the list of what is possible.
pub fn suggestion(word: &str, candidates: &[&str]) -> String {
    match closest(word, candidates) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("expected one of: {}", candidates.join(", ")),
    }
}

/// Edits from one word to the other: letters inserted, left out, replaced, or swapped with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word() {
        assert_eq!(
            closest("paramter", &["parameter", "part", "output"]),
            Some("parameter")
        );
        assert_eq!(closest("strat", &["start", "unit"]), Some("start"));
        assert_eq!(closest("colour", &["start", "unit"]), None);
        assert_eq!(closest("arg", &["part"]), None);
        assert_eq!(closest("w", &["h", "v"]), None);
        assert_eq!(closest("h", &["h", "v"]), Some("h"));
    }

    #[test]
    fn without_a_near_word_all_are_listed() {
        assert_eq!(
            suggestion("colour", &["start", "unit"]),
            "expected one of: start, unit"
        );
    }
}
