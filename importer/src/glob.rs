//! Patterns for names of variables.

/// A pattern: `*` stands for any text, `?` for any character, everything else for itself (brackets too: they are part
/// of names).
///
/// ```
/// let pattern = fmu_importer::Glob::new("pipe.T[*]");
/// assert!(pattern.matches("pipe.T[14]"));
/// assert!(!pattern.matches("pipe.p[14]"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    pattern: Vec<char>,
}

impl std::fmt::Display for Glob {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.pattern
            .iter()
            .try_for_each(|character| write!(f, "{character}"))
    }
}

impl Glob {
    /// Every text is a pattern.
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.chars().collect(),
        }
    }

    /// Whether a name fits, as a whole.
    pub fn matches(&self, name: &str) -> bool {
        let (pattern, name): (&[char], Vec<char>) = (&self.pattern, name.chars().collect());
        let (mut p, mut n) = (0, 0);
        // The last `*`, and how much of the name it has taken.
        let mut star = None;
        while n < name.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p, n));
                    p += 1;
                }
                Some('?') => (p, n) = (p + 1, n + 1),
                Some(character) if *character == name[n] => (p, n) = (p + 1, n + 1),
                _ => match star {
                    Some((at, taken)) => {
                        star = Some((at, taken + 1));
                        (p, n) = (at + 1, taken + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|character| *character == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, fits) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "abc", true),
            ("a*c", "abbc", true),
            ("a*c", "abbcd", false),
            ("a*b*c", "a__b__b__c", true),
            ("?", "ä", true),
            ("?", "", false),
            ("der(*)", "der(x)", true),
            ("x[?]", "x[1]", true),
            ("**a**", "bab", true),
        ] {
            assert_eq!(Glob::new(pattern).matches(name), fits, "{pattern} {name}");
        }
    }
}
