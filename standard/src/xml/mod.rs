//! `modelDescription.xml` as text: what the readers and the writers of both versions share. The functions themselves are
//! [`fmi2::read()`](crate::fmi2::read()), [`fmi2::write()`], [`fmi3::read()`](crate::fmi3::read()) and [`fmi3::write()`]; reading is
//! behind the cargo feature `read`.
//!
//! [`fmi2::write()`]: crate::fmi2::write()
//! [`fmi3::write()`]: crate::fmi3::write()

#[cfg(feature = "read")]
pub(crate) mod common;
pub(crate) mod elements;
#[cfg(feature = "read")]
mod encoding;
#[cfg(feature = "read")]
mod error;
#[cfg(feature = "read")]
mod source;
mod text;

#[cfg(feature = "read")]
pub use crate::fmi2::read;
pub use crate::fmi2::write;
#[cfg(feature = "read")]
pub(crate) use encoding::decode;
#[cfg(feature = "read")]
pub use error::{ReadError, ReadProblem};
#[cfg(feature = "read")]
pub(crate) use source::{Element, Source, Value};
pub(crate) use text::Xml;

/// Writes a description as `modelDescription.xml` of the version that it declares.
///
/// ```
/// use fmu_standard::description::ModelDescription;
///
/// let description = ModelDescription { fmi_version: "3.0".into(), ..Default::default() };
/// assert!(fmu_standard::xml::write_any_version(&description).contains("instantiationToken"));
/// ```
pub fn write_any_version(description: &crate::description::ModelDescription) -> String {
    match description.fmi_version.starts_with("3.") {
        true => crate::fmi3::write(description),
        false => crate::fmi2::write(description),
    }
}

/// Reads a `modelDescription.xml` of FMI 2.0 or FMI 3.0, by the version that it declares.
///
/// ```
/// let text = r#"<fmiModelDescription fmiVersion="3.0" modelName="A" instantiationToken="{1}">
///   <CoSimulation modelIdentifier="A"/><ModelVariables/><ModelStructure/>
/// </fmiModelDescription>"#;
/// assert_eq!(fmu_standard::xml::read_any_version(text)?.fmi_version, "3.0");
/// # Ok::<(), fmu_standard::xml::ReadError>(())
/// ```
#[cfg(feature = "read")]
pub fn read_any_version(xml: impl AsRef<[u8]>) -> Result<crate::description::ModelDescription, ReadError> {
    let bytes = xml.as_ref();
    match crate::fmi3::read(bytes) {
        Err(ReadError {
            problem: ReadProblem::OtherVersion { .. },
            ..
        }) => crate::fmi2::read(bytes),
        other => other,
    }
}
