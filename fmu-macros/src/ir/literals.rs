//! Literals in options: of the right type, finite, in range. Other expressions are rustc's to check.

use super::types::Base;
use crate::errors::Errors;
use crate::parse::options;
use quote::ToTokens;
use syn::{Expr, Lit, UnOp};

/// The elements of an array expression, or the expression itself.
pub fn elements(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::Array(array) => array.elems.iter().flat_map(elements).collect(),
        Expr::Repeat(repeat) => elements(&repeat.expr),
        other => vec![other],
    }
}

/// `between 0 and 1`, `at least 0`, `at most 1`.
pub fn range(min: Option<f64>, max: Option<f64>) -> String {
    match (min, max) {
        (Some(min), Some(max)) => format!("between {min} and {max}"),
        (Some(min), None) => format!("at least {min}"),
        (None, Some(max)) => format!("at most {max}"),
        (None, None) => "anything".to_owned(),
    }
}

/// Whether the literals of an expression have the type of the field. One message for an array of the wrong kind.
pub fn match_literal(expression: &Expr, base: Base, key: &str, errors: &mut Errors) -> bool {
    elements(expression)
        .into_iter()
        .all(|element| match_one(element, base, key, errors))
}

fn match_one(expression: &Expr, base: Base, key: &str, errors: &mut Errors) -> bool {
    let Some(literal) = options::literal(expression) else {
        if base == Base::Real
            && let Some(name) = infinite_constant(expression)
        {
            errors.on(
                expression,
                format!("`{key}` must be finite, this is `{name}`: write a number such as `1.0`"),
            );
            return false;
        }
        return true;
    };
    let problem = match (literal, base) {
        (Lit::Float(literal), Base::Real) => {
            let finite = literal.base10_parse::<f64>().is_ok_and(f64::is_finite);
            (!finite).then(|| {
                format!("`{key}` must be finite, this is too large for an f64: write a smaller number")
            })
        }
        (Lit::Int(_), Base::Integer) => {
            let fits = options::number(expression)
                .is_some_and(|value| (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value));
            (!fits).then(|| format!("`{key}` must be an i32, this is too large: write a smaller number"))
        }
        (Lit::Bool(_), Base::Boolean) | (Lit::Str(_), Base::String) => None,
        _ => Some(format!(
            "`{key}` must be {}, this is {}: {}",
            base.described(),
            described(literal),
            instead(expression, literal, base)
        )),
    };
    match problem {
        Some(problem) => {
            errors.on(expression, problem);
            false
        }
        None => true,
    }
}

/// The constant of the standard library inside, without sign and parentheses, if its value is not finite.
fn infinite_constant(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Unary(negated) if matches!(negated.op, UnOp::Neg(_)) => infinite_constant(&negated.expr),
        Expr::Paren(inner) => infinite_constant(&inner.expr),
        Expr::Group(inner) => infinite_constant(&inner.expr),
        Expr::Path(path) => {
            let name = path.to_token_stream().to_string().replace(' ', "");
            let (module, constant) = name.rsplit_once("::")?;
            let is_f64 = module == "f64" || module.ends_with("::f64");
            (is_f64 && matches!(constant, "NAN" | "INFINITY" | "NEG_INFINITY")).then_some(name)
        }
        _ => None,
    }
}

fn described(literal: &Lit) -> &'static str {
    match literal {
        Lit::Float(_) => "a number with a fraction",
        Lit::Int(_) => "an integer",
        Lit::Bool(_) => "a truth value",
        Lit::Str(_) => "text",
        _ => "of another type",
    }
}

fn instead(expression: &Expr, literal: &Lit, base: Base) -> String {
    match (literal, base) {
        (Lit::Int(literal), Base::Real) if literal.suffix().is_empty() => {
            let digits = expression.to_token_stream().to_string().replace(' ', "");
            format!("write `{digits}.0`")
        }
        (_, Base::Real) => "write a number such as `1.0`".to_owned(),
        (_, Base::Integer) => "write an integer such as `1`".to_owned(),
        (_, Base::Boolean) => "write `true` or `false`".to_owned(),
        (_, Base::String) => "write text in quotes".to_owned(),
        (_, Base::Enumeration) => "write a variant such as `Mode::Off`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn message(expression: Expr, base: Base) -> Option<String> {
        let mut errors = Errors::default();
        match_literal(&expression, base, "start", &mut errors);
        let messages = errors.messages();
        assert!(messages.len() <= 1, "{messages:?}");
        messages.into_iter().next()
    }

    #[test]
    fn literals_of_the_right_type_pass() {
        for (expression, base) in [
            (parse_quote!(-1.5e3), Base::Real),
            (parse_quote!([[0.0, 1.0], [2.0, 3.0]]), Base::Real),
            (parse_quote!([0.0; 7]), Base::Real),
            (parse_quote!(2.0 * K), Base::Real),
            (parse_quote!(-2147483648), Base::Integer),
            (parse_quote!(true), Base::Boolean),
            (parse_quote!("north"), Base::String),
            (parse_quote!(Mode::Off), Base::Enumeration),
        ] {
            assert_eq!(message(expression, base), None);
        }
    }

    #[test]
    fn a_literal_of_another_type_is_an_error_that_shows_how_to_write_it() {
        for (expression, base, end) in [
            (parse_quote!(-9), Base::Real, "write `-9.0`"),
            (parse_quote!([1, 2, 3]), Base::Real, "write `1.0`"),
            (parse_quote!(1.5), Base::Integer, "write an integer such as `1`"),
            (parse_quote!(1), Base::Boolean, "write `true` or `false`"),
            (parse_quote!(1), Base::String, "write text in quotes"),
            (
                parse_quote!(1),
                Base::Enumeration,
                "write a variant such as `Mode::Off`",
            ),
        ] {
            let message = message(expression, base).unwrap();
            assert!(message.ends_with(end), "{message}");
        }
    }

    #[test]
    fn constants_must_be_finite() {
        for expression in [
            parse_quote!(f64::NAN),
            parse_quote!(-f64::INFINITY),
            parse_quote!([0.0, (core::f64::NEG_INFINITY)]),
            parse_quote!([::std::f64::NAN; 3]),
        ] {
            let message = message(expression, Base::Real).unwrap();
            assert!(
                message.starts_with("`start` must be finite, this is `"),
                "{message}"
            );
        }
        for expression in [
            parse_quote!(f64::MAX),
            parse_quote!(Limit::NAN),
            parse_quote!(NAN),
        ] {
            assert_eq!(message(expression, Base::Real), None);
        }
    }

    #[test]
    fn numbers_must_fit() {
        assert!(
            message(parse_quote!(1e400), Base::Real)
                .unwrap()
                .contains("finite")
        );
        assert!(
            message(parse_quote!(2147483648), Base::Integer)
                .unwrap()
                .contains("i32")
        );
    }
}
