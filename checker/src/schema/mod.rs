//! Compares `modelDescription.xml` with the schema in one pass: finds every deviation, and records the lines of elements.

mod characters;
mod kind;
mod table;

use std::collections::HashSet;
use std::ops::Range;

use fmu_standard::lines::{LineCounter, line_and_column};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use kind::Kind;
pub(super) use kind::date_time;
use table::{Content, Element, ROOT};

use super::Place;

/// What the pass brought.
#[derive(Default)]
pub(super) struct Schema {
    pub problems: Vec<Problem>,
    pub lines: Lines,
    /// The text where attributes with impossible values are blank: what a reader can still make sense of.
    pub mended: Vec<u8>,
    /// The text is not XML; nothing after the problem was looked at.
    pub broken: bool,
}

/// Something that does not fit.
pub(super) struct Problem {
    /// The rule that it breaks.
    pub rule: &'static str,
    pub line: usize,
    pub element: String,
    pub problem: String,
}

impl Problem {
    pub fn place(&self) -> Place {
        let item = match self.element.as_str() {
            "" => String::new(),
            element => format!("element `{element}`"),
        };
        Place {
            file: "modelDescription.xml".into(),
            line: Some(self.line),
            item,
        }
    }
}

/// The lines of repeated elements, in the order of the file.
#[derive(Default)]
pub(super) struct Lines {
    pub variables: Vec<usize>,
    pub units: Vec<usize>,
    pub types: Vec<usize>,
    pub outputs: Vec<usize>,
    pub derivatives: Vec<usize>,
    pub initial_unknowns: Vec<usize>,
}

/// How many problems are kept; a file with more is not a model description.
const LIMIT: usize = 10_000;

/// How many characters that XML does not allow are listed.
const CHARACTERS: usize = 100;

/// Looks at a description, whose text is in UTF-8.
pub(super) fn validate(text: &str) -> Schema {
    let mut walk = Walk {
        text,
        reader: Reader::from_str(text),
        open: Vec::new(),
        lines: LineCounter::new(text),
        schema: Schema::default(),
        blanks: Vec::new(),
    };
    walk.reader.config_mut().expand_empty_elements = true;
    for (at, what) in characters::illegal(text) {
        walk.schema.problems.push(Problem {
            rule: "X14",
            line: line_and_column(text, at).0,
            element: String::new(),
            problem: what,
        });
        if walk.schema.problems.len() == CHARACTERS {
            break;
        }
    }
    if let Err(problem) = walk.document() {
        let at = walk.reader.error_position().max(walk.reader.buffer_position()) as usize;
        walk.schema.broken = true;
        walk.problem("X1", at, "", problem);
    }
    let mut mended = text.as_bytes().to_vec();
    for blank in walk.blanks {
        mended[blank].fill(b' ');
    }
    walk.schema.mended = mended;
    walk.schema
}

struct Walk<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    /// The elements around the current place.
    open: Vec<Open>,
    lines: LineCounter<'t>,
    schema: Schema,
    blanks: Vec<Range<usize>>,
}

struct Open {
    element: &'static Element,
    /// The slot of the sequence that was reached, and how often it was filled.
    slot: usize,
    filled: usize,
    line: usize,
}

impl<'t> Walk<'t> {
    fn document(&mut self) -> Result<(), String> {
        let mut seen = false;
        loop {
            let at = self.reader.buffer_position() as usize;
            match self.event()? {
                Event::Start(start) if !seen => {
                    seen = true;
                    if name(&start) != ROOT.name {
                        return Err(format!(
                            "the root element is `{}`, not `{}`",
                            name(&start),
                            ROOT.name
                        ));
                    }
                    self.enter(&ROOT, &start)?;
                }
                Event::Start(start) if self.open.is_empty() => {
                    return Err(format!("a second root element `{}`", name(&start)));
                }
                Event::Start(start) => self.child(&start)?,
                Event::End(_) => self.leave(),
                Event::Eof if self.open.is_empty() && seen => return Ok(()),
                Event::Eof => {
                    let open = self.open.last().map_or(ROOT.name, |open| open.element.name);
                    return Err(format!("`{open}` is not closed"));
                }
                Event::Text(text) if text.trim_ascii().is_empty() => {}
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => {
                    let element = self.open.last().map_or("", |open| open.element.name);
                    let free = self
                        .open
                        .last()
                        .is_some_and(|open| matches!(open.element.content, Content::Free));
                    if !free {
                        self.problem("X1", at, element, "text where only elements may be".into());
                    }
                }
                _ => {}
            }
        }
    }

    fn event(&mut self) -> Result<Event<'t>, String> {
        self.reader.read_event().map_err(|error| error.to_string())
    }

    fn child(&mut self, start: &BytesStart<'t>) -> Result<(), String> {
        let at = self.offset(start);
        let Some(parent) = self.open.last_mut() else {
            return Ok(());
        };
        let parent_name = parent.element.name;
        let slots = match parent.element.content {
            Content::Sequence(slots) => slots,
            Content::Anything => {
                parent.filled += 1;
                if parent.filled == 2 {
                    self.problem("X1", at, parent_name, "more than one element inside".into());
                }
                return self.skip(start);
            }
            Content::Free => return self.skip(start),
        };
        let found = slots.iter().enumerate().find_map(|(slot, place)| {
            let element = place.one_of.iter().find(|element| element.name == name(start))?;
            Some((slot, *element))
        });
        let Some((slot, element)) = found else {
            let problem = format!("`{}` is not an element of `{parent_name}`", name(start));
            self.problem("X1", at, parent_name, problem);
            return self.skip(start);
        };
        if slot < parent.slot {
            let problem = format!("`{}` stands too late: the schema has an order", name(start));
            self.problem("X1", at, parent_name, problem);
        } else {
            let parent_at = parent.slot..slot;
            if slot > parent.slot {
                let filled = std::mem::replace(&mut parent.filled, 0);
                parent.slot = slot;
                let mut missing = Vec::new();
                for (position, skipped) in slots[parent_at].iter().enumerate() {
                    if skipped.least > if position == 0 { filled } else { 0 } {
                        missing.push((skipped.rule, skipped.one_of));
                    }
                }
                parent.filled = 1;
                for (rule, one_of) in missing {
                    self.problem(rule, at, parent_name, lacks(one_of));
                }
            } else {
                parent.filled += 1;
                if parent.filled > slots[slot].most {
                    let problem = format!("a further `{}`, which may occur once", name(start));
                    self.problem("X1", at, parent_name, problem);
                }
            }
        }
        self.enter(element, start)
    }

    fn enter(&mut self, element: &'static Element, start: &BytesStart<'t>) -> Result<(), String> {
        let at = self.offset(start);
        let line = self.lines.line_of(at);
        self.note_line(element, line);
        self.open.push(Open {
            element,
            slot: 0,
            filled: 0,
            line,
        });
        self.attributes(element, start, at)
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let Content::Sequence(slots) = open.element.content else {
            return;
        };
        for (position, slot) in slots.iter().enumerate().skip(open.slot) {
            let filled = if position == open.slot { open.filled } else { 0 };
            if slot.least > filled {
                self.add(slot.rule, open.line, open.element.name, lacks(slot.one_of));
            }
        }
    }

    fn attributes(
        &mut self,
        element: &'static Element,
        start: &BytesStart<'t>,
        at: usize,
    ) -> Result<(), String> {
        let mut seen = 0_u32;
        // Whether a name occurs twice is looked at here: to compare each with each takes too long if there are many.
        let mut unknown = HashSet::new();
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| format!("in `{}`: {error}", element.name))?;
            let key = attribute.key.into_inner();
            if key.starts_with("xmlns") || key.starts_with("xsi:") {
                continue;
            }
            let Some(position) = element.attributes.iter().position(|known| known.name == key) else {
                self.problem(
                    "X1",
                    at,
                    element.name,
                    format!("`{key}` is not an attribute of `{}`", element.name),
                );
                if !unknown.insert(key) {
                    return Err(format!("`{key}` occurs twice in `{}`", element.name));
                }
                continue;
            };
            if seen >> position & 1 == 1 {
                return Err(format!("`{key}` occurs twice in `{}`", element.name));
            }
            seen |= 1 << position;
            let known = &element.attributes[position];
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|error| format!("attribute `{key}` of `{}`: {error}", element.name))?;
            if let Some(expected) = known.kind.expected(&value) {
                let problem = format!("`{key}` is \"{}\", expected {expected}", shortened(&value));
                self.problem(known.rule, at, element.name, problem);
                if !known.required {
                    self.blank(key, &attribute.value);
                }
            } else if known.kind.is_not_finite(&value) {
                self.problem("X9", at, element.name, format!("`{key}` is \"{value}\""));
                if !known.required {
                    self.blank(key, &attribute.value);
                }
            }
        }
        for (position, known) in element.attributes.iter().enumerate() {
            if known.required && seen >> position & 1 == 0 {
                self.problem(
                    known.rule,
                    at,
                    element.name,
                    format!("`{}` is missing", known.name),
                );
            }
        }
        Ok(())
    }

    /// Takes an attribute out of the mended text: from its name to its closing quotation mark.
    fn blank(&mut self, key: &str, value: &str) {
        let offset = |slice: &str| (slice.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let (Some(begin), Some(value_at)) = (offset(key), offset(value)) else {
            return;
        };
        let end = value_at + value.len() + 1;
        if begin < value_at && end <= self.text.len() {
            self.blanks.push(begin..end);
        }
    }

    fn skip(&mut self, start: &BytesStart<'t>) -> Result<(), String> {
        self.reader
            .read_to_end(start.name())
            .map(drop)
            .map_err(|error| error.to_string())
    }

    fn note_line(&mut self, element: &'static Element, line: usize) {
        let parent = self.open.last().map_or("", |open| open.element.name);
        let lines = &mut self.schema.lines;
        match (parent, element.name) {
            (_, "ScalarVariable") => lines.variables.push(line),
            (_, "Unit") => lines.units.push(line),
            (_, "SimpleType") => lines.types.push(line),
            ("Outputs", _) => lines.outputs.push(line),
            ("Derivatives", _) => lines.derivatives.push(line),
            ("InitialUnknowns", _) => lines.initial_unknowns.push(line),
            _ => {}
        }
    }

    /// Where a tag begins.
    fn offset(&self, start: &BytesStart<'t>) -> usize {
        let offset = (start.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        let here = self.reader.buffer_position() as usize;
        offset.filter(|offset| *offset <= self.text.len()).unwrap_or(here)
    }

    fn problem(&mut self, rule: &'static str, at: usize, element: &str, problem: String) {
        let line = self.lines.line_of(at);
        self.add(rule, line, element, problem);
    }

    fn add(&mut self, rule: &'static str, line: usize, element: &str, problem: String) {
        if self.schema.problems.len() < LIMIT {
            self.schema.problems.push(Problem {
                rule,
                line,
                element: element.into(),
                problem,
            });
        }
    }
}

fn name<'e>(start: &'e BytesStart) -> &'e str {
    start.name().into_inner()
}

fn lacks(one_of: &[&Element]) -> String {
    let names: Vec<_> = one_of
        .iter()
        .map(|element| format!("`{}`", element.name))
        .collect();
    match &names[..] {
        [one] => format!("{one} is missing"),
        several => format!("one of {} is missing", several.join(", ")),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}
