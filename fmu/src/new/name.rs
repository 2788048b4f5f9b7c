//! The name of a model crate, and of the model in it.

use super::Error;

/// A name that is fit for a crate and, in its other spelling, for a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    krate: String,
    model: String,
}

/// Names that cannot be the name of a model crate: those of Rust, and those of the published crates of this framework. A
/// workspace may depend on all of them, and two packages of one name cannot be distinguished by `--package`.
const RESERVED: [&str; 18] = [
    "alloc",
    "core",
    "std",
    "test",
    "proc-macro",
    "self",
    "super",
    "crate",
    "fmu",
    "fmu-checker",
    "fmu-importer",
    "fmu-macros",
    "fmu-master",
    "fmu-numerics",
    "fmu-results",
    "fmu-runtime",
    "fmu-solvers",
    "fmu-standard",
];

/// The words that Rust keeps for itself and that are spelled like a name; those with a hyphen cannot occur.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

impl ModelName {
    /// Accepts kebab-case: lower-case words of letters and digits, joined by hyphens.
    ///
    /// ```
    /// use fmu::new::ModelName;
    ///
    /// let name = ModelName::parse("heat-pump-2").unwrap();
    /// assert_eq!((name.krate(), name.model()), ("heat-pump-2", "HeatPump2"));
    /// let error = ModelName::parse("HeatPump").unwrap_err();
    /// assert!(error.to_string().ends_with("try `heat-pump`"));
    /// ```
    pub fn parse(text: &str) -> Result<ModelName, Error> {
        let refuse = |reason: String| {
            Err(Error::Name {
                name: text.to_owned(),
                reason,
            })
        };
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        };
        let begins_well = text.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins_well || !text.split('-').all(is_word) {
            let rule = "it must be lower-case words joined by hyphens, and begin with a letter";
            return match kebab_case(text) {
                Some(other) if is_device(&other) => refuse(format!("{rule}; try `{other}-model`")),
                Some(other) => refuse(format!("{rule}; try `{other}`")),
                None => refuse(format!("{rule}, such as `heat-pump`")),
            };
        }
        if KEYWORDS.contains(&text) || RESERVED.contains(&text) {
            return refuse(format!(
                "the name is taken by Rust or by this framework; try `{text}-model`"
            ));
        }
        if is_device(text) {
            return refuse(format!(
                "Windows keeps the name for a device, and cannot have a folder of that name; try `{text}-model`"
            ));
        }
        let model = text
            .split('-')
            .map(|word| word[..1].to_ascii_uppercase() + &word[1..])
            .collect();
        Ok(ModelName {
            krate: text.to_owned(),
            model,
        })
    }

    /// The name of the crate, in kebab-case.
    pub fn krate(&self) -> &str {
        &self.krate
    }

    /// The name of the model, in camel case.
    pub fn model(&self) -> &str {
        &self.model
    }
}

/// Whether Windows keeps a lower-case name for a device, in any folder.
fn is_device(name: &str) -> bool {
    let port = |prefix: &str| {
        let number = name.strip_prefix(prefix);
        number.is_some_and(|number| {
            number.len() == 1 && number.starts_with(|digit: char| digit.is_ascii_digit())
        })
    };
    matches!(name, "con" | "prn" | "aux" | "nul") || port("com") || port("lpt")
}

/// What a name was probably meant to be.
fn kebab_case(text: &str) -> Option<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for letter in text.chars() {
        let new_word = letter.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        if !letter.is_ascii_alphanumeric() || new_word {
            words.push(String::new());
        }
        if letter.is_ascii_alphanumeric() {
            words.last_mut()?.push(letter.to_ascii_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    let name = words.join("-");
    name.starts_with(|first: char| first.is_ascii_lowercase())
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_structs() {
        for (krate, model) in [
            ("tank", "Tank"),
            ("two-tanks", "TwoTanks"),
            ("r2d2", "R2d2"),
            ("x-1", "X1"),
            ("com", "Com"),
            ("lpt10", "Lpt10"),
            ("console", "Console"),
        ] {
            assert_eq!(ModelName::parse(krate).unwrap().model(), model);
        }
    }

    #[test]
    fn other_names_are_refused_with_a_proposal() {
        for (name, end) in [
            ("HeatPump", "try `heat-pump`"),
            ("heat_pump", "try `heat-pump`"),
            ("DCMotor", "try `dcmotor`"),
            ("heat--pump", "try `heat-pump`"),
            ("-pump", "try `pump`"),
            ("../pump", "try `pump`"),
            ("2pumps", "such as `heat-pump`"),
            ("", "such as `heat-pump`"),
            ("kühler", "try `k-hler`"),
            ("fn", "try `fn-model`"),
            ("fmu-runtime", "try `fmu-runtime-model`"),
            ("nul", "cannot have a folder of that name; try `nul-model`"),
            ("con", "try `con-model`"),
            ("com1", "try `com1-model`"),
            ("lpt9", "try `lpt9-model`"),
            ("NUL", "try `nul-model`"),
            ("Aux", "try `aux-model`"),
        ] {
            let error = ModelName::parse(name).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{name}` cannot be")), "{error}");
            assert!(error.ends_with(end), "{error}");
        }
    }

    #[test]
    fn names_of_published_crates_are_refused() {
        let metadata = cargo_metadata::MetadataCommand::new()
            .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
            .no_deps()
            .exec()
            .unwrap();
        let packages = metadata.packages.iter();
        let published: Vec<&str> = packages
            .filter(|package| package.publish.as_ref().is_none_or(|list| !list.is_empty()))
            .map(|package| package.name.as_str())
            .collect();
        assert!(published.contains(&"fmu-standard"), "{published:?}");
        for name in published {
            assert!(ModelName::parse(name).is_err(), "{name}");
        }
    }
}
