//! Values of `--set`.

/// Variables that are given several values, as sentences.
pub(crate) fn repeated(set: &[(String, String)]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (at, (name, value)) in set.iter().enumerate() {
        let is = |(other, _): &(String, String)| other == name;
        if set[..at].iter().any(is) && !set[at + 1..].iter().any(is) {
            sentences.push(format!(
                "--set {name} is given several times; the last value, {value}, counts"
            ));
        }
    }
    sentences
}
