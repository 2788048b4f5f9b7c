//! The grammar of unit strings, read from left to right.

use super::UnitError;
use super::symbols::{PREFIXES, SYMBOLS};

/// A parsed unit: value in base units = numerator / denominator * (value + shift / 100).
#[derive(Clone, Copy)]
pub(super) struct Quantity {
    pub exponents: [i32; 8],
    pub numerator: f64,
    pub denominator: f64,
    pub shift: f64,
}

impl Quantity {
    const ONE: Self = Self {
        exponents: [0; 8],
        numerator: 1.0,
        denominator: 1.0,
        shift: 0.0,
    };

    /// The product with another one; inside a product a temperature is a difference.
    fn times(mut self, other: Self) -> Self {
        for (exponent, add) in self.exponents.iter_mut().zip(other.exponents) {
            // Saturating: a thousand factors of exponent 99 are nonsense, but they must not panic.
            *exponent = exponent.saturating_add(add);
        }
        self.numerator *= other.numerator;
        self.denominator *= other.denominator;
        self.shift = 0.0;
        self
    }

    fn inverse(self) -> Self {
        Self {
            exponents: self.exponents.map(i32::saturating_neg),
            numerator: self.denominator,
            denominator: self.numerator,
            shift: 0.0,
        }
    }

    /// By multiplication: `powi` may round differently from platform to platform.
    fn power(self, exponent: i32) -> Self {
        if exponent == 1 {
            return self;
        }
        let base = if exponent < 0 { self.inverse() } else { self };
        (0..exponent.unsigned_abs()).fold(Self::ONE, |product, _| product.times(base))
    }
}

/// A larger exponent is a mistake.
const LARGEST_EXPONENT: u32 = 99;
/// So are deeper parentheses; it also bounds the recursion.
const DEEPEST: usize = 32;

pub(super) fn parse(unit: &str) -> Result<Quantity, UnitError> {
    let mut parser = Parser {
        unit,
        at: 0,
        depth: 0,
    };
    if unit.is_empty() {
        return Err(parser.problem("it is empty; the unit of a number is `1`"));
    }
    let quantity = parser.product()?;
    match parser.peek() {
        None if (quantity.numerator / quantity.denominator).is_normal() => Ok(quantity),
        None => Err(parser.problem("the factor to base units is beyond what a float holds")),
        Some(')') => Err(parser.problem("`)` without `(`")),
        Some(c) if c.is_whitespace() => {
            Err(parser.problem("no blanks in a unit; a product is written with `.`"))
        }
        Some(c) => Err(parser.problem(&format!(
            "`{c}` is not expected here; a product is written with `.`"
        ))),
    }
}

/// A symbol of the table, with or without a prefix.
pub(super) fn resolve(symbol: &str) -> Option<Quantity> {
    let find = |name: &str| SYMBOLS.iter().find(|s| s.name == name);
    let (symbol, numerator, denominator) = match find(symbol) {
        // Without a prefix first: `min` is a minute and `cd` a candela.
        Some(symbol) => (symbol, 1.0, 1.0),
        None => PREFIXES.iter().find_map(|&(prefix, numerator, denominator, _)| {
            let symbol = find(symbol.strip_prefix(prefix)?)?;
            symbol.prefixable.then_some((symbol, numerator, denominator))
        })?,
    };
    Some(Quantity {
        exponents: symbol.exponents,
        numerator: numerator * symbol.numerator,
        denominator: denominator * symbol.denominator,
        shift: symbol.shift,
    })
}

struct Parser<'a> {
    unit: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    /// factor { ("." | "*" | "/") factor }
    fn product(&mut self) -> Result<Quantity, UnitError> {
        let mut product = self.factor()?;
        let mut divided = false;
        while let Some(operator) = self.peek() {
            match operator {
                '.' | '*' | '\u{b7}' | '\u{22c5}' if divided => {
                    return Err(self.problem("a product after `/` needs parentheses, as in `W/(m.K)`"));
                }
                '.' | '*' | '\u{b7}' | '\u{22c5}' | '/' => self.at += operator.len_utf8(),
                _ => break,
            }
            let factor = self.factor()?;
            divided = operator == '/';
            product = product.times(if divided { factor.inverse() } else { factor });
        }
        Ok(product)
    }

    /// "(" product ")" | "1" | symbol [ exponent ]
    fn factor(&mut self) -> Result<Quantity, UnitError> {
        match self.peek() {
            Some('(') => {
                if self.depth == DEEPEST {
                    return Err(self.problem("too many parentheses"));
                }
                self.at += 1;
                self.depth += 1;
                let inside = self.product()?;
                self.depth -= 1;
                if self.peek() != Some(')') {
                    return Err(self.problem("`)` is missing"));
                }
                self.at += 1;
                Ok(inside)
            }
            Some('0'..='9') => {
                let begin = self.at;
                if self.digits() == "1" {
                    return Ok(Quantity::ONE);
                }
                self.at = begin;
                Err(self.problem("the only number in a unit is `1`; use a prefix for a power of ten"))
            }
            _ => self.symbol(),
        }
    }

    fn symbol(&mut self) -> Result<Quantity, UnitError> {
        let begin = self.at;
        let rest = &self.unit[begin..];
        let length = rest
            .find(|c: char| is_delimiter(c) || c.is_ascii_digit())
            .unwrap_or(rest.len());
        if length == 0 {
            return Err(match self.peek() {
                None => self.problem("a unit is missing at the end"),
                Some(c) if c.is_whitespace() => {
                    self.problem("no blanks in a unit; a product is written with `.`")
                }
                Some(c) => self.problem(&format!("a unit is expected before `{c}`")),
            });
        }
        let symbol = &rest[..length];
        let Some(quantity) = resolve(symbol) else {
            return Err(UnitError::Unknown {
                symbol: symbol.into(),
                position: begin,
            });
        };
        self.at += length;
        Ok(quantity.power(self.exponent()?))
    }

    /// [ "^" ] [ "+" | "-" ] digits, or a raised 2 or 3; 1 if there is none.
    fn exponent(&mut self) -> Result<i32, UnitError> {
        let begin = self.at;
        let raised = match self.peek() {
            Some('\u{b2}') => Some(2),
            Some('\u{b3}') => Some(3),
            _ => None,
        };
        if let Some(exponent) = raised {
            self.at += 2;
            return Ok(exponent);
        }
        if self.peek() == Some('^') {
            self.at += 1;
        }
        let negative = self.peek() == Some('-');
        if negative || self.peek() == Some('+') {
            self.at += 1;
        }
        let digits = self.digits();
        if digits.is_empty() {
            return if self.at == begin {
                Ok(1)
            } else {
                Err(self.problem("a whole exponent is expected"))
            };
        }
        match digits.parse::<u32>() {
            Ok(exponent) if exponent <= LARGEST_EXPONENT => Ok(if negative {
                -(exponent as i32)
            } else {
                exponent as i32
            }),
            _ => {
                self.at = begin;
                Err(self.problem("the exponent is too large"))
            }
        }
    }

    /// Takes all digits that follow.
    fn digits(&mut self) -> &str {
        let rest = &self.unit[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn peek(&self) -> Option<char> {
        self.unit[self.at..].chars().next()
    }

    fn problem(&self, problem: &str) -> UnitError {
        UnitError::Syntax {
            unit: self.unit.into(),
            position: self.at,
            problem: problem.into(),
        }
    }
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '.' | '*' | '/' | '(' | ')' | '^' | '+' | '-' | '\u{b7}' | '\u{22c5}' | '\u{b2}' | '\u{b3}'
        )
}
