//! Code that is not parsed as syntax is searched as tokens.

use super::usage::Usage;
use super::walk::Walk;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

impl Walk<'_> {
    /// Everything that stands in these tokens.
    pub fn mentioned(&self, tokens: TokenStream) -> Usage {
        let mut usage = Usage::default();
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Group(group) => {
                    usage.add(&self.mentioned(group.stream()));
                }
                TokenTree::Ident(ident) if ident == "self" => {
                    let dotted = |at: usize| match (tokens.get(at), tokens.get(at + 1)) {
                        (Some(TokenTree::Punct(dot)), Some(TokenTree::Ident(name)))
                            if dot.as_char() == '.' =>
                        {
                            Some(name.to_string())
                        }
                        _ => None,
                    };
                    let called = |at: usize| {
                        matches!(tokens.get(at), Some(TokenTree::Group(group))
                            if group.delimiter() == Delimiter::Parenthesis)
                    };
                    usage.add(&match dotted(i + 1) {
                        Some(method) if called(i + 3) => self.helper(&method),
                        Some(field) => match dotted(i + 3) {
                            Some(inner) if !called(i + 5) => self.part_field(&field, &inner),
                            _ => self.field(&field),
                        },
                        None => self.everything(),
                    });
                }
                TokenTree::Ident(ident) => {
                    if let Some(known) = self.variables.get(&ident.to_string()) {
                        usage.add(known);
                    }
                }
                // `{n}` in a text.
                TokenTree::Literal(literal) => {
                    let text = literal.to_string();
                    for (name, known) in &self.variables {
                        if text.contains(&format!("{{{name}")) {
                            usage.add(known);
                        }
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
        usage
    }
}

/// All lowercase names in these tokens: variables, and some that are none.
pub fn names(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => found.extend(names(group.stream())),
            TokenTree::Ident(ident) if ident != "self" => found.push(ident.to_string()),
            _ => {}
        }
    }
    found
}

pub fn contains(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => contains(&group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        _ => false,
    })
}

/// Whether what is made here may be used to change something else: a borrow, a closure.
pub fn may_lend(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => may_lend(&group.stream()),
        TokenTree::Punct(punct) => punct.as_char() == '|',
        TokenTree::Ident(ident) => ident == "mut" || ident.to_string().ends_with("_mut"),
        TokenTree::Literal(_) => false,
    })
}
