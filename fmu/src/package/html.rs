//! Text as HTML.

pub(crate) use fmu_results::markup::escape;

/// The paragraphs of a doc comment, which blank lines separate; text between backticks is code.
pub(crate) fn paragraphs(text: &str) -> String {
    let mut html = String::new();
    for paragraph in text
        .replace("\r\n", "\n")
        .split("\n\n")
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        html.push_str("<p>");
        let parts: Vec<&str> = paragraph.split('`').collect();
        for (position, part) in parts.iter().enumerate() {
            // A backtick without a partner is a backtick.
            let code = position % 2 == 1 && position + 1 < parts.len();
            match (code, position) {
                (true, _) => html.push_str(&format!("<code>{}</code>", escape(part))),
                (false, 0) => html.push_str(&escape(part)),
                (false, position) if position % 2 == 1 => html.push_str(&format!("`{}", escape(part))),
                (false, _) => html.push_str(&escape(part)),
            }
        }
        html.push_str("</p>\n");
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_are_escaped() {
        assert_eq!(escape("a < b && \"c\""), "a &lt; b &amp;&amp; &quot;c&quot;");
    }

    #[test]
    fn doc_comments_keep_paragraphs_and_code() {
        assert_eq!(
            paragraphs("One `x<y`\ntwo.\n\nThree"),
            "<p>One <code>x&lt;y</code>\ntwo.</p>\n<p>Three</p>\n"
        );
        assert_eq!(paragraphs("a ` b"), "<p>a ` b</p>\n");
        assert_eq!(paragraphs(""), "");
    }
}
