//! Internal fields as bytes, where their types can be written.

use crate::stored::{Damaged, Reader, Stored, Writer};

/// An internal field in generated code: with [`ByBytes`] and [`ByNothing`] in scope, a method of `&Keep<T>` is the one of
/// the former if `T` is [`Stored`], else the one of the latter.
pub struct Keep<T>(std::marker::PhantomData<T>);

impl<T> Keep<T> {
    /// For a field of this type.
    pub fn of(_: &T) -> Keep<T> {
        Keep(std::marker::PhantomData)
    }
}

/// See [`Keep`].
pub trait ByBytes<T> {
    /// Whether the field can be written at all.
    fn is_stored(&self) -> bool;
    /// Writes the field.
    fn store(&self, field: &T, out: &mut Writer<'_>);
    /// Reads the field.
    fn load(&self, field: &mut T, from: &mut Reader<'_>) -> Result<(), Damaged>;
}

impl<T: Stored> ByBytes<T> for Keep<T> {
    fn is_stored(&self) -> bool {
        true
    }
    fn store(&self, field: &T, out: &mut Writer<'_>) {
        field.store(out);
    }
    fn load(&self, field: &mut T, from: &mut Reader<'_>) -> Result<(), Damaged> {
        *field = T::load(from)?;
        Ok(())
    }
}

/// See [`Keep`].
pub trait ByNothing<T> {
    /// Whether the field can be written at all.
    fn is_stored(&self) -> bool;
    /// Writes nothing.
    fn store(&self, field: &T, out: &mut Writer<'_>);
    /// Reads nothing.
    fn load(&self, field: &mut T, from: &mut Reader<'_>) -> Result<(), Damaged>;
}

impl<T> ByNothing<T> for &Keep<T> {
    fn is_stored(&self) -> bool {
        false
    }
    fn store(&self, _: &T, _: &mut Writer<'_>) {}
    fn load(&self, _: &mut T, _: &mut Reader<'_>) -> Result<(), Damaged> {
        Ok(())
    }
}
