//! Start values as authors write them: one value for a scalar or for every element of an array, or the whole array.

/// `Self` is what stands behind `start =`, `T` the type of the field.
#[diagnostic::on_unimplemented(
    message = "a start value of type `{Self}` does not fit a variable of type `{T}`",
    label = "expected a value of type `{T}`, or of its elements"
)]
pub trait Start<T> {
    /// The value of the field.
    fn start(self) -> T;
}

impl<T> Start<T> for T {
    fn start(self) -> T {
        self
    }
}

impl<T: Clone, const N: usize> Start<[T; N]> for T {
    fn start(self) -> [T; N] {
        std::array::from_fn(|_| self.clone())
    }
}

impl<T: Clone, const N: usize, const M: usize> Start<[[T; N]; M]> for T {
    fn start(self) -> [[T; N]; M] {
        std::array::from_fn(|_| std::array::from_fn(|_| self.clone()))
    }
}

#[diagnostic::do_not_recommend]
impl Start<String> for &str {
    fn start(self) -> String {
        self.to_owned()
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> Start<[String; N]> for &str {
    fn start(self) -> [String; N] {
        std::array::from_fn(|_| self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> Start<[String; N]> for [&str; N] {
    fn start(self) -> [String; N] {
        self.map(str::to_owned)
    }
}
