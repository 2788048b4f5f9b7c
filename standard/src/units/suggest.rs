//! Known symbols that are similar to an unknown one.

use super::parse::resolve;
use super::symbols::{PREFIXES, SYMBOLS, WORDS};

/// A unit close to an unknown symbol: the symbol of a name (`millimetre`), two symbols run together (`kWh`),
/// another capitalization (`HZ`), or one letter off.
pub(super) fn suggest(symbol: &str) -> Option<String> {
    let lower = symbol.to_lowercase();
    word(&lower)
        .or_else(|| lower.strip_suffix('s').and_then(word))
        .or_else(|| run_together(symbol))
        .or_else(|| capitalization(&lower))
        .or_else(|| one_letter_off(symbol))
}

/// A name, perhaps after the name of a prefix.
fn word(name: &str) -> Option<String> {
    let symbol_of = |name: &str| {
        WORDS
            .iter()
            .find(|(word, _)| *word == name)
            .map(|&(_, symbol)| symbol)
    };
    if let Some(symbol) = symbol_of(name) {
        return Some(symbol.into());
    }
    PREFIXES.iter().find_map(|(prefix, _, _, prefix_name)| {
        let prefixed = format!("{prefix}{}", symbol_of(name.strip_prefix(prefix_name)?)?);
        resolve(&prefixed).is_some().then_some(prefixed)
    })
}

fn capitalization(lower: &str) -> Option<String> {
    let plain = SYMBOLS.iter().map(|symbol| symbol.name.to_string());
    let prefixed = SYMBOLS
        .iter()
        .filter(|symbol| symbol.prefixable)
        .flat_map(|symbol| {
            PREFIXES
                .iter()
                .map(move |(prefix, ..)| format!("{prefix}{}", symbol.name))
        });
    plain
        .chain(prefixed)
        .find(|candidate| candidate.to_lowercase() == lower)
}

fn run_together(symbol: &str) -> Option<String> {
    symbol
        .char_indices()
        .skip(1)
        .map(|(at, _)| symbol.split_at(at))
        .find_map(|(left, right)| {
            (resolve(left).is_some() && resolve(right).is_some()).then(|| format!("{left}.{right}"))
        })
}

/// Only for symbols of some length: every short text is one letter off from something.
fn one_letter_off(symbol: &str) -> Option<String> {
    let names = SYMBOLS
        .iter()
        .map(|s| (s.name, s.name))
        .chain(WORDS.iter().copied());
    let close =
        |name: &str| name.len() > 2 && differ_by_one_letter(&name.to_lowercase(), &symbol.to_lowercase());
    names
        .into_iter()
        .find(|(name, _)| close(name))
        .map(|(_, symbol)| symbol.into())
}

fn differ_by_one_letter(a: &str, b: &str) -> bool {
    let common = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let rest = |text: &str, skip: usize| text.chars().skip(skip).collect::<String>();
    let (a_tail, b_tail) = (rest(a, common), rest(b, common));
    // Changed, left out, added, or two neighbours swapped.
    rest(&a_tail, 1) == rest(&b_tail, 1)
        || rest(&a_tail, 1) == b_tail
        || a_tail == rest(&b_tail, 1)
        || (rest(&a_tail, 2) == rest(&b_tail, 2)
            && a_tail
                .chars()
                .take(2)
                .eq(b_tail.chars().take(2).collect::<Vec<_>>().into_iter().rev()))
}
