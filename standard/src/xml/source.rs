//! A walk through the elements of a text, with values that know where they stand.

use std::borrow::Cow;
use std::str::FromStr;

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::{ReadError, ReadProblem};
use crate::description::{FloatType, IntegerType, Reference, Start};

/// The text and how far it is read.
pub(crate) struct Source<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
}

/// A start tag that was met; its children come next.
pub(crate) struct Element<'a> {
    start: BytesStart<'a>,
    offset: usize,
}

impl Element<'_> {
    pub fn name(&self) -> &str {
        self.start.name().into_inner()
    }
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut reader = Reader::from_str(text);
        // `<a/>` and `<a></a>` mean the same.
        reader.config_mut().expand_empty_elements = true;
        Self { text, reader }
    }

    /// The root element.
    pub fn root(&mut self) -> Result<Element<'a>, ReadError> {
        match self.next_start()? {
            Some(root) => Ok(root),
            None => Err(self.error(0, ReadProblem::Syntax("there is no element".into()))),
        }
    }

    /// The root element, which must be that of a model description.
    pub fn description_root(&mut self) -> Result<Element<'a>, ReadError> {
        let root = self.root()?;
        if root.name() != "fmiModelDescription" {
            let found = root.name().into();
            return Err(self.error_in(&root, ReadProblem::Root { found }));
        }
        Ok(root)
    }

    /// The next child of an element whose earlier children are read; `None` at its end.
    pub fn child(&mut self, parent: &Element) -> Result<Option<Element<'a>>, ReadError> {
        loop {
            match self.event()? {
                Event::Start(start) => return Ok(Some(self.element(start))),
                Event::End(_) => return Ok(None),
                Event::Eof => return Err(self.unfinished(parent)),
                _ => {}
            }
        }
    }

    /// Leaves an element, whatever is in it.
    pub fn skip(&mut self, element: &Element) -> Result<(), ReadError> {
        self.inside(element).map(drop)
    }

    /// Leaves an element and returns the text inside, tags and all.
    pub fn inside(&mut self, element: &Element) -> Result<&'a str, ReadError> {
        let span = match self.reader.read_to_end(element.start.name()) {
            Ok(span) => span,
            Err(quick_xml::Error::IllFormed(_)) => return Err(self.unfinished(element)),
            Err(error) => return Err(self.syntax(error)),
        };
        Ok(self
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default())
    }

    /// All children of a list element that have this name; the others are left out.
    pub fn list<T>(
        &mut self,
        parent: &Element,
        name: &str,
        mut one: impl FnMut(&mut Self, &Element<'a>) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let mut items = Vec::new();
        while let Some(element) = self.child(parent)? {
            if element.name() == name {
                items.push(one(self, &element)?);
            } else {
                self.skip(&element)?;
            }
        }
        Ok(items)
    }

    /// All children of an element of which `one` makes something. It leaves each child, whatever it is.
    pub fn children<T>(
        &mut self,
        parent: &Element,
        mut one: impl FnMut(&mut Self, &Element<'a>) -> Result<Option<T>, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        let mut items = Vec::new();
        while let Some(element) = self.child(parent)? {
            items.extend(one(self, &element)?);
        }
        Ok(items)
    }

    /// Hands each attribute to `take`.
    pub fn attributes(
        &self,
        element: &Element,
        mut take: impl FnMut(&str, &Value) -> Result<(), ReadError>,
    ) -> Result<(), ReadError> {
        // Each name is compared with all before it; no element of the standard has more than a dozen.
        const MOST: usize = 200;
        for (count, attribute) in element.start.attributes().enumerate() {
            if count == MOST {
                let problem = format!("`{}` has more than {MOST} attributes", element.name());
                return Err(self.error(element.offset, ReadProblem::Syntax(problem)));
            }
            let attribute = attribute.map_err(|error| {
                self.error(
                    element.offset,
                    ReadProblem::Syntax(format!("in `{}`: {error}", element.name())),
                )
            })?;
            take(
                attribute.key.into_inner(),
                &Value {
                    source: self,
                    element,
                    attribute: &attribute,
                },
            )?;
        }
        Ok(())
    }

    /// The end of the document: nothing but comments may follow the root.
    pub fn end(&mut self) -> Result<(), ReadError> {
        match self.next_start()? {
            None => Ok(()),
            Some(element) => {
                let problem = format!("a second root element `{}`", element.name());
                Err(self.error(element.offset, ReadProblem::Syntax(problem)))
            }
        }
    }

    pub fn missing_attribute(&self, element: &Element, attribute: &'static str) -> ReadError {
        let problem = ReadProblem::MissingAttribute {
            element: element.name().into(),
            attribute,
        };
        self.error(element.offset, problem)
    }

    /// An error about an element as a whole.
    pub fn error_in(&self, element: &Element, problem: ReadProblem) -> ReadError {
        self.error(element.offset, problem)
    }

    /// The next start tag outside the root; text there is an error.
    fn next_start(&mut self) -> Result<Option<Element<'a>>, ReadError> {
        loop {
            let offset = self.position();
            match self.event()? {
                Event::Start(start) => return Ok(Some(self.element(start))),
                Event::Eof => return Ok(None),
                Event::Text(text) if !text.trim_ascii().is_empty() => {
                    let problem = "text outside the root element".into();
                    return Err(self.error(offset, ReadProblem::Syntax(problem)));
                }
                Event::CData(_) | Event::GeneralRef(_) => {
                    let problem = "text outside the root element".into();
                    return Err(self.error(offset, ReadProblem::Syntax(problem)));
                }
                _ => {}
            }
        }
    }

    fn event(&mut self) -> Result<Event<'a>, ReadError> {
        self.reader.read_event().map_err(|error| self.syntax(error))
    }

    fn element(&self, start: BytesStart<'a>) -> Element<'a> {
        // The tag is a slice of the text, after its `<`.
        let offset = self
            .offset_of(&start)
            .unwrap_or(self.position())
            .saturating_sub(1);
        Element { start, offset }
    }

    fn position(&self) -> usize {
        self.reader.buffer_position() as usize
    }

    /// Where a slice of the text begins; `None` for any other text.
    fn offset_of(&self, slice: &str) -> Option<usize> {
        let offset = (slice.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (offset <= self.text.len()).then_some(offset)
    }

    fn syntax(&self, error: quick_xml::Error) -> ReadError {
        self.error(
            self.reader.error_position() as usize,
            ReadProblem::Syntax(error.to_string()),
        )
    }

    fn unfinished(&self, element: &Element) -> ReadError {
        self.error(
            element.offset,
            ReadProblem::Syntax(format!("`{}` is not closed", element.name())),
        )
    }

    fn error(&self, offset: usize, problem: ReadProblem) -> ReadError {
        ReadError::at(self.text, offset, problem)
    }
}

/// The value of an attribute, as written.
pub(crate) struct Value<'v> {
    source: &'v Source<'v>,
    element: &'v Element<'v>,
    attribute: &'v Attribute<'v>,
}

impl Value<'_> {
    /// As text: references resolved, white space as XML has it.
    pub fn string(&self) -> Result<String, ReadError> {
        self.text().map(Cow::into_owned)
    }

    pub fn real(&self) -> Result<f64, ReadError> {
        self.parse("a number")
    }

    /// A number of a floating-point type, widened to 64 bits.
    pub fn float(&self, float: FloatType) -> Result<f64, ReadError> {
        match float {
            FloatType::Float64 => self.real(),
            FloatType::Float32 => self.parse::<f32>("a number").map(f64::from),
        }
    }

    /// A number of an integer type.
    pub fn integer(&self, integer: IntegerType) -> Result<i128, ReadError> {
        let number = |text: &str| integer_of(text, integer);
        self.understand(number, || WHOLE.into())
    }

    /// Numbers of a floating-point type, separated by blanks.
    pub fn floats(&self, float: FloatType) -> Result<Start<f64>, ReadError> {
        let number = |text: &str| match float {
            FloatType::Float64 => text.parse().ok(),
            FloatType::Float32 => text.parse::<f32>().ok().map(f64::from),
        };
        self.several(number, "numbers, separated by blanks")
    }

    /// Numbers of an integer type, separated by blanks.
    pub fn integers(&self, integer: IntegerType) -> Result<Start<i128>, ReadError> {
        let expected = "whole numbers in the range of their type, separated by blanks";
        self.several(|text| integer_of(text, integer), expected)
    }

    /// Flags, separated by blanks.
    pub fn flags(&self) -> Result<Start<bool>, ReadError> {
        self.several(flag, "`true` or `false`, separated by blanks")
    }

    fn several<T>(&self, one: impl Fn(&str) -> Option<T>, expected: &str) -> Result<Start<T>, ReadError> {
        let values = |text: &str| {
            let values: Option<Vec<T>> = text.split_ascii_whitespace().map(&one).collect();
            values.map(Start::from)
        };
        self.understand(values, || expected.into())
    }

    /// Bytes, each as two hexadecimal digits.
    pub fn bytes(&self) -> Result<Vec<u8>, ReadError> {
        let bytes = |text: &str| -> Option<Vec<u8>> {
            let pairs = text.as_bytes().chunks(2);
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let byte = |pair: &[u8]| match pair {
                [high, low] => Some((digit(*high)? * 16 + digit(*low)?) as u8),
                _ => None,
            };
            pairs.map(byte).collect()
        };
        self.understand(bytes, || "pairs of hexadecimal digits".into())
    }

    pub fn whole<T: FromStr>(&self) -> Result<T, ReadError> {
        self.parse(WHOLE)
    }

    pub fn flag(&self) -> Result<bool, ReadError> {
        self.understand(flag, || "`true` or `false`".into())
    }

    /// One of the words of an enumeration.
    pub fn word<T: std::fmt::Display>(
        &self,
        from_word: fn(&str) -> Option<T>,
        all: &[T],
    ) -> Result<T, ReadError> {
        self.understand(from_word, || format!("one of {}", list(all)))
    }

    /// Words, separated by blanks.
    pub fn words<T: std::fmt::Display>(
        &self,
        from_word: fn(&str) -> Option<T>,
        all: &[T],
    ) -> Result<Vec<T>, ReadError> {
        let words = |text: &str| text.split_ascii_whitespace().map(from_word).collect();
        self.understand(words, || format!("words out of {}", list(all)))
    }

    /// Numbers that refer to variables, separated by blanks.
    pub fn references(&self) -> Result<Vec<Reference>, ReadError> {
        let indices = |text: &str| {
            text.split_ascii_whitespace()
                .map(|number| number.parse().ok().map(Reference::Missing))
                .collect()
        };
        self.understand(indices, || "indices of variables, separated by blanks".into())
    }

    fn parse<T: FromStr>(&self, expected: &str) -> Result<T, ReadError> {
        self.text()?
            .trim_ascii()
            .parse()
            .map_err(|_| self.unexpected(expected.into()))
    }

    /// The value if `meaning` finds one: first in the text as written, which is nearly always plain, then with its
    /// references resolved.
    fn understand<T>(
        &self,
        meaning: impl Fn(&str) -> Option<T>,
        expected: impl FnOnce() -> String,
    ) -> Result<T, ReadError> {
        if let Some(value) = meaning(self.attribute.value.trim_ascii()) {
            return Ok(value);
        }
        meaning(self.text()?.trim_ascii()).ok_or_else(|| self.unexpected(expected()))
    }

    fn text(&self) -> Result<Cow<'_, str>, ReadError> {
        // Nearly every value is plain; without an early exit the compiler looks at many bytes at once.
        let special = |b: u8| matches!(b, b'&' | b'\t' | b'\n' | b'\r');
        if !self
            .attribute
            .value
            .bytes()
            .fold(false, |found, b| found | special(b))
        {
            return Ok(Cow::Borrowed(&self.attribute.value));
        }
        let text = self.attribute.normalized_value(XmlVersion::Implicit1_0);
        text.map_err(|error| self.error(ReadProblem::Syntax(error.to_string())))
    }

    fn unexpected(&self, expected: String) -> ReadError {
        self.error(ReadProblem::Value {
            element: self.element.name().into(),
            attribute: self.attribute.key.into_inner().into(),
            value: self.attribute.value.clone().into_owned(),
            expected,
        })
    }

    fn error(&self, problem: ReadProblem) -> ReadError {
        let offset = self
            .source
            .offset_of(&self.attribute.value)
            .unwrap_or(self.element.offset);
        self.source.error(offset, problem)
    }
}

const WHOLE: &str = "a whole number in the range of its type";

fn flag(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

fn integer_of(text: &str, integer: IntegerType) -> Option<i128> {
    // Most integers have 32 bits, and parsing 128 takes several times as long.
    match integer {
        IntegerType::Int32 => text.parse::<i32>().ok().map(i128::from),
        _ => text
            .parse()
            .ok()
            .filter(|number| integer.range().contains(number)),
    }
}

fn list<T: std::fmt::Display>(all: &[T]) -> String {
    let words: Vec<_> = all.iter().map(|word| format!("`{word}`")).collect();
    words.join(", ")
}
