//! The elements of an XML text, each with its line. Names go without their namespace prefixes, which every tool chooses for
//! itself.

use std::path::Path;
use std::str::FromStr;

use fmu_standard::lines::LineCounter;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::super::{Place, SystemError};

/// An element with all that is in it, except for texts.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
    pub children: Vec<Element>,
    pub place: Place,
}

/// No system is nested as deep as this.
const DEPTH: usize = 100;

/// Reads a text, and expects this root element.
pub(super) fn parse(text: &str, path: &Path, root: &str) -> Result<Element, SystemError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::from_str(text);
    // `<a/>` and `<a></a>` mean the same.
    reader.config_mut().expand_empty_elements = true;
    let mut lines = LineCounter::new(text);
    let place = |line: usize| Place {
        file: Some(path.to_owned()),
        line,
    };
    let mut open: Vec<Element> = Vec::new();
    loop {
        let event = reader.read_event().map_err(|error| {
            let line = lines.line_of(reader.error_position() as usize);
            SystemError::wrong(&place(line), error.to_string())
        })?;
        match event {
            Event::Start(start) => {
                let place = place(lines.line_of(reader.buffer_position() as usize));
                if open.len() == DEPTH {
                    return Err(SystemError::wrong(&place, "elements are nested too deeply"));
                }
                open.push(element(&start, place)?);
            }
            Event::End(_) => {
                let Some(closed) = open.pop() else {
                    continue;
                };
                match open.last_mut() {
                    Some(parent) => parent.children.push(closed),
                    None if closed.name == root => return Ok(closed),
                    None => {
                        let problem = format!("this is <{}>, and should be <{root}>", closed.name);
                        return Err(SystemError::wrong(&closed.place, problem));
                    }
                }
            }
            Event::Eof => {
                let problem = match open.last() {
                    Some(last) => format!("<{}> is not closed", last.name),
                    None => "there is no element".to_owned(),
                };
                let place = open.last().map_or_else(|| place(1), |last| last.place.clone());
                return Err(SystemError::wrong(&place, problem));
            }
            _ => {}
        }
    }
}

fn element(start: &BytesStart<'_>, place: Place) -> Result<Element, SystemError> {
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let wrong = |problem: String| SystemError::wrong(&place, problem);
        let attribute = attribute.map_err(|error| wrong(error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        let value = value.map_err(|error| wrong(error.to_string()))?;
        attributes.push((local(attribute.key.into_inner()), value.into_owned()));
    }
    Ok(Element {
        name: local(start.name().into_inner()),
        attributes,
        children: Vec::new(),
        place,
    })
}

fn local(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

impl Element {
    pub fn wrong(&self, problem: impl Into<String>) -> SystemError {
        SystemError::wrong(&self.place, problem)
    }

    /// Something that is allowed, and not supported.
    pub fn unsupported(&self) -> SystemError {
        self.wrong(format!("<{}> is not supported", self.name))
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        attributes
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// An attribute that must be there.
    pub fn required(&self, name: &str) -> Result<&str, SystemError> {
        self.attribute(name)
            .ok_or_else(|| self.wrong(format!("<{}> has no attribute {name}", self.name)))
    }

    /// A number or a truth, if it is given.
    pub fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>, SystemError> {
        let Some(text) = self.attribute(name) else {
            return Ok(None);
        };
        let text = match text.trim() {
            // XML has two words for each truth.
            "1" if std::any::type_name::<T>() == "bool" => "true",
            "0" if std::any::type_name::<T>() == "bool" => "false",
            other => other,
        };
        let parsed = text.parse().map(Some);
        parsed.map_err(|_| self.wrong(format!("{name}=\"{text}\" of <{}> cannot be read", self.name)))
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The children of a child: `<Connectors>` has `<Connector>`s.
    pub fn inside<'e>(&'e self, list: &str) -> impl Iterator<Item = &'e Element> {
        let lists = self.child(list);
        let items = lists.into_iter().flat_map(|list| &list.children);
        items.filter(|item| item.name != "Annotations")
    }
}
