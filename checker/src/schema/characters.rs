//! Characters that XML 1.0 does not allow, as they are or as references.

use std::ops::RangeInclusive;

const ALLOWED: [RangeInclusive<u32>; 5] = [
    0x9..=0xa,
    0xd..=0xd,
    0x20..=0xd7ff,
    0xe000..=0xfffd,
    0x10000..=0x10ffff,
];

fn is_allowed(code: u32) -> bool {
    ALLOWED.iter().any(|range| range.contains(&code))
}

/// The offset of each one, with what stands there.
pub(super) fn illegal(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, character) in text.char_indices() {
        if !is_allowed(character.into()) {
            found.push((at, format!("the character U+{:04X}", u32::from(character))));
        }
    }
    let mut from = 0;
    // References do not count in comments and in character data.
    while let Some(at) = text[from..].find(['&', '<']).map(|at| from + at) {
        let rest = &text[at..];
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>")]
            .iter()
            .find(|(begin, _)| rest.starts_with(begin))
            .map(|(begin, end)| {
                rest[begin.len()..]
                    .find(end)
                    .map_or(rest.len(), |end| begin.len() + end)
            });
        from = at + skipped.unwrap_or(1);
        if let Some(reference) = reference(rest)
            && !code(reference).is_some_and(is_allowed)
        {
            found.push((at, format!("the reference &#{reference};")));
        }
    }
    found.sort();
    found
}

/// What stands between `&#` and `;`.
fn reference(text: &str) -> Option<&str> {
    let (inside, _) = text.strip_prefix("&#")?.split_once(';')?;
    (inside.len() <= 10).then_some(inside)
}

fn code(reference: &str) -> Option<u32> {
    match reference.strip_prefix('x') {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => reference.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::illegal;

    #[test]
    fn characters_and_references_are_found_but_not_in_comments() {
        let found = |text: &str| illegal(text).into_iter().map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(found("a\tä\r\n&#9;&#x1F600;&amp;"), [0; 0]);
        assert_eq!(
            found("\u{1b}&#27;&#x1b;&#0;&#xd800;\u{ffff}"),
            [0, 1, 6, 12, 16, 24]
        );
        assert_eq!(found("<!-- &#27; --><a b='&#27;'/>"), [20]);
        assert_eq!(found("<![CDATA[&#27;]]>"), [0; 0]);
    }
}
