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

    /// The mistakes as `compile_error!`s.
    pub fn into_tokens(self) -> TokenStream {
        self.0
            .into_iter()
            .map(|error| error.into_compile_error())
            .collect()
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
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
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

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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
    }
}
