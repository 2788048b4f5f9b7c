//! Text inside XML, SVG and HTML.

/// Text with the characters that markup reserves replaced. It can be used between tags and inside quoted attributes.
///
/// Characters that XML 1.0 does not allow, such as most control characters, become U+FFFD, the replacement character:
/// names that other tools chose must not make a document unreadable.
///
/// ```
/// use fmu_results::markup::escape;
///
/// assert_eq!(escape("a < b && \"c\""), "a &lt; b &amp;&amp; &quot;c&quot;");
/// assert_eq!(escape("bell \u{7}"), "bell \u{fffd}");
/// ```
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(character),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
