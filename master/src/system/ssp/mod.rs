//! Systems of other tools: SSP 1.0 archives and system structure descriptions.

use std::path::Path;
use std::sync::Arc;

use importer::archive::Limits;
use tempfile::TempDir;

use super::{System, SystemError};

/// The folder that an archive was unpacked to; it goes with the last system that needs it.
#[derive(Clone, Debug)]
pub struct Unpacked(Arc<TempDir>);

impl PartialEq for Unpacked {
    fn eq(&self, other: &Unpacked) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

pub(super) fn open_archive(path: &Path, limits: &Limits) -> Result<System, SystemError> {
    let _ = (path, limits);
    Ok(System::default())
}

pub(super) fn open_description(path: &Path) -> Result<System, SystemError> {
    let _ = path;
    Ok(System::default())
}
