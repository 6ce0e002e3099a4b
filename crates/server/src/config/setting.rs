//! One value of one key, checked as that of the file is: for changes that are tried before they stand in the file.

use serde_json::Value as Json;
use toml::Value;

use super::{sections::leaf, value};

/// A key of the configuration with a value that fits it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// `section.key`.
    pub(crate) key: String,
    /// The value.
    pub(crate) value: Value,
}

impl Setting {
    /// Reads a value from JSON, where a text may stand for what is none. Errors say what the key may be.
    pub(crate) fn read(key: &str, json: &Json) -> Result<Self, String> {
        let (_, shape) = leaf(key).ok_or_else(|| format!("there is no key {key:?}"))?;
        let wrong = |message: String| format!("{key} {message}");
        let value = match json {
            Json::String(text) => value::parse(shape, text).map_err(wrong)?,
            Json::Bool(flag) => Value::Boolean(*flag),
            Json::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(whole), _) => Value::Integer(whole),
                (None, Some(number)) => Value::Float(number),
                (None, None) => return Err(wrong("is no number that is taken".into())),
            },
            _ => return Err(wrong("must be one value".into())),
        };
        value::check(shape, &value).map_err(wrong)?;
        Ok(Self { key: key.to_owned(), value })
    }

    /// Its text; none of a number.
    pub(crate) fn text(&self) -> Option<&str> {
        self.value.as_str()
    }

    /// Its whole number; none of a text.
    pub(crate) fn count(&self) -> Option<u64> {
        self.value.as_integer().and_then(|count| u64::try_from(count).ok())
    }
}
