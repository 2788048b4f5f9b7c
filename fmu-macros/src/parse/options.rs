//! `key`, `key = value` and `key(...)` inside an attribute.

use crate::errors::Errors;
use proc_macro2::{Span, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, ExprUnary, Ident, Lit, Token, UnOp};

/// One option.
pub struct OptionItem {
    pub key: Ident,
    pub value: OptionValue,
}

/// The value of the key.
pub enum OptionValue {
    /// Nothing: a flag.
    Flag,
    /// `= expression`.
    Expression(Expr),
    /// `( ... )`.
    List(TokenStream),
}

impl Parse for OptionItem {
    fn parse(input: ParseStream) -> syn::Result<OptionItem> {
        // `type`, `const` and the like are words that people try; they get the message with the list of options.
        let key = input.call(syn::ext::IdentExt::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            OptionValue::Expression(input.parse()?)
        } else if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            OptionValue::List(content.parse()?)
        } else {
            OptionValue::Flag
        };
        Ok(OptionItem { key, value })
    }
}

/// Parses the tokens of an attribute as options; a second option of the same name is a mistake and left out.
pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Vec<OptionItem> {
    let mut options: Vec<OptionItem> = Vec::new();
    match Punctuated::<OptionItem, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(items) => {
            for item in items {
                if options.iter().any(|known| known.key == item.key) {
                    errors.at(item.span(), format!("`{}` is given twice: keep one", item.key));
                } else {
                    options.push(item);
                }
            }
        }
        Err(error) => errors.push(error),
    }
    options
}

impl OptionItem {
    /// The name of the option.
    pub fn name(&self) -> String {
        self.key.to_string()
    }

    pub fn span(&self) -> Span {
        self.key.span()
    }

    /// True for a flag; anything behind it is a mistake.
    pub fn flag(&self, errors: &mut Errors) -> bool {
        match &self.value {
            OptionValue::Flag => true,
            OptionValue::Expression(Expr::Lit(ExprLit {
                lit: Lit::Bool(value),
                ..
            })) => value.value,
            OptionValue::Expression(_) | OptionValue::List(_) => {
                errors.at(
                    self.span(),
                    format!(
                        "`{0}` is a flag: write `{0}` alone, with nothing behind it",
                        self.key
                    ),
                );
                true
            }
        }
    }

    /// The expression behind `=`; its absence is a mistake.
    pub fn expression(&self, example: &str, errors: &mut Errors) -> Option<Expr> {
        match &self.value {
            OptionValue::Expression(expression) => Some(expression.clone()),
            _ => {
                errors.at(
                    self.span(),
                    format!("`{}` needs a value: write `{} = {example}`", self.key, self.key),
                );
                None
            }
        }
    }

    /// The string literal behind `=`; anything else is a mistake.
    pub fn text(&self, example: &str, errors: &mut Errors) -> Option<(String, Span)> {
        let expression = self.expression(&format!("\"{example}\""), errors)?;
        match &expression {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some((text.value(), text.span())),
            other => {
                errors.on(
                    other,
                    format!(
                        "`{}` takes text in quotes: write `{} = \"{example}\"`",
                        self.key, self.key
                    ),
                );
                None
            }
        }
    }
}

/// The value of a number literal, with its sign.
pub fn number(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Lit(ExprLit {
            lit: Lit::Float(literal),
            ..
        }) => literal.base10_parse().ok(),
        Expr::Lit(ExprLit {
            lit: Lit::Int(literal),
            ..
        }) => literal.base10_parse().ok(),
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => number(expr).map(|value| -value),
        Expr::Paren(inner) => number(&inner.expr),
        Expr::Group(inner) => number(&inner.expr),
        _ => None,
    }
}

/// The literal inside, without sign and parentheses.
pub fn literal(expression: &Expr) -> Option<&Lit> {
    match expression {
        Expr::Lit(literal) => Some(&literal.lit),
        Expr::Unary(ExprUnary {
            op: UnOp::Neg(_),
            expr,
            ..
        }) => literal(expr),
        Expr::Paren(inner) => literal(&inner.expr),
        Expr::Group(inner) => literal(&inner.expr),
        _ => None,
    }
}
