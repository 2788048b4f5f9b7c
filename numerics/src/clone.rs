//! Clones that reuse the memory of the value that they replace.

/// Implements `Clone` for a struct field by field. Unlike the derived one, `clone_from` allocates nothing where vectors have their
/// lengths already.
#[doc(hidden)]
#[macro_export]
macro_rules! clone_in_place {
    ([$($generics:tt)*] $ty:ty => $name:ident { $($field:ident),+ $(,)? }) => {
        impl<$($generics)*> Clone for $ty {
            #[inline]
            fn clone(&self) -> Self {
                let $name { $($field),+ } = self;
                $name { $($field: Clone::clone($field)),+ }
            }
            #[inline]
            fn clone_from(&mut self, source: &Self) {
                let $name { $($field),+ } = source;
                $(Clone::clone_from(&mut self.$field, $field);)+
            }
        }
    };
}
