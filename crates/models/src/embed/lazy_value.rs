//! A value that is made when it is first needed; a failure is not kept, so the next caller tries again.

use std::sync::{Mutex, OnceLock, PoisonError};

/// Such a value.
#[derive(Debug)]
pub(super) struct LazyValue<T> {
    value: OnceLock<T>,
    /// Held while the value is made, so that two who need it do not both make it.
    making: Mutex<()>,
}

impl<T> Default for LazyValue<T> {
    fn default() -> Self {
        Self { value: OnceLock::new(), making: Mutex::new(()) }
    }
}

impl<T> LazyValue<T> {
    /// The value, where it has been made.
    pub(super) fn get(&self) -> Option<&T> {
        self.value.get()
    }

    /// The value; makes it where it is not there. A failure is the caller's, and the next caller tries again.
    pub(super) fn get_or_try<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.value.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.value.get_or_init(|| value))
    }
}

#[cfg(test)]
mod tests {
    use super::LazyValue;

    #[test]
    fn a_failure_is_not_kept_and_a_value_is() {
        let once = LazyValue::default();
        assert_eq!(once.get_or_try(|| Err("not yet")), Err("not yet"));
        assert_eq!(once.get(), None);
        assert_eq!(once.get_or_try(|| Ok::<_, ()>(7)), Ok(&7));
        assert_eq!(once.get_or_try(|| Err("too late")), Ok(&7));
        assert_eq!(once.get(), Some(&7));
    }
}
