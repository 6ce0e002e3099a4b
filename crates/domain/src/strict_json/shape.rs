//! A body's JSON as a known shape, strictly: an object is no list, and what does not fit is said with its path, in plain
//! words.
//!
//! serde's derived readers also take a list of values for an object, and their words name types of the program. This reader
//! goes through a value that is already there and hands each of its parts on.

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, Expected,
    IntoDeserializer as _, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
    value::StringDeserializer,
};
use serde_json::{Value, map};

use crate::text::excerpt;

/// Says what does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", format_path(path))]
pub struct ShapeError {
    /// The path, such as `alerts[0].labels`; empty for the body itself. Of each key the beginning, with everything hidden in it made
    /// visible.
    pub path: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// Whether a list stands where an object is meant, or the whole is none: then it is no body of this kind at all.
    pub is_no_object: bool,
    is_placed: bool,
}

/// A path before a message.
fn format_path(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

/// Reads a value as a shape.
pub fn read_shape<T: DeserializeOwned>(value: Value) -> Result<T, ShapeError> {
    T::deserialize(Part { value, path: String::new() })
}

impl ShapeError {
    fn new(message: impl Into<String>) -> Self {
        let (path, is_no_object, is_placed) = (String::new(), false, false);
        Self { path, message: message.into(), is_no_object, is_placed }
    }

    /// The same at a path, unless it already has one: the innermost part says where.
    fn at(mut self, path: &str) -> Self {
        if !self.is_placed {
            self.is_placed = true;
            self.path = join(path, &self.path);
        }
        self
    }

    fn of_field(field: &str, message: impl Into<String>) -> Self {
        Self { path: excerpt(field), ..Self::new(message) }
    }
}

/// The path of a field of an object.
pub(super) fn join(path: &str, field: &str) -> String {
    match (path.is_empty(), field.is_empty()) {
        (true, _) => field.to_owned(),
        (_, true) => path.to_owned(),
        _ => format!("{path}.{field}"),
    }
}

fn one_of(expected: &[&str]) -> String {
    expected.join(", ")
}

/// What a reader expects, in words of JSON.
fn in_plain_words(expected: &dyn Expected) -> String {
    let expected = expected.to_string();
    match expected.as_str() {
        "a string" | "a borrowed string" | "a character" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "an object".to_owned(),
        "unit" => "null".to_owned(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, zero or more".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        _ if expected.starts_with("struct ") => "an object".to_owned(),
        _ if expected.contains("enum ") || expected.contains("variant") => {
            "one of the known words".to_owned()
        }
        _ => expected,
    }
}

impl Error for ShapeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(_unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("must be {}", in_plain_words(expected)))
    }

    fn invalid_value(_unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("must be {}", in_plain_words(expected)))
    }

    fn invalid_length(_length: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("must be {}", in_plain_words(expected)))
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("must be one of {}", one_of(expected)))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let known = match expected {
            [] => "there are no fields here".to_owned(),
            _ => format!("the fields are {}", one_of(expected)),
        };
        Self::of_field(field, format!("is an unknown field; {known}"))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::of_field(field, "is missing")
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::of_field(field, "stands there twice")
    }
}

/// A part of the value, and where it is.
struct Part {
    value: Value,
    path: String,
}

impl Part {
    fn object<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ShapeError> {
        let Self { value, path } = self;
        match value {
            Value::Object(object) => visitor
                .visit_map(Fields { rest: object.into_iter(), next: None, path: path.clone() })
                .map_err(|error| error.at(&path)),
            other => {
                let is_no_object = other.is_array() || path.is_empty();
                Err(ShapeError { is_no_object, ..ShapeError::new("must be an object") }.at(&path))
            }
        }
    }
}

impl<'de> Deserializer<'de> for Part {
    type Error = ShapeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ShapeError> {
        let Self { value, path } = self;
        let read = match value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(flag) => visitor.visit_bool(flag),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (_, Some(number), _) => visitor.visit_i64(number),
                (_, _, Some(number)) => visitor.visit_f64(number),
                _ => Err(ShapeError::new("is a number that cannot be read")),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => {
                visitor.visit_seq(Items { rest: items.into_iter(), index: 0, path: path.clone() })
            }
            Value::Object(_) => return Self { value, path }.object(visitor),
        };
        read.map_err(|error| error.at(&path))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ShapeError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ShapeError> {
        self.object(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ShapeError> {
        self.object(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ShapeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ShapeError> {
        let Self { value, path } = self;
        let read = match value {
            Value::String(word) => visitor.visit_enum(UnitWord(word)),
            _ => Err(ShapeError::new(format!("must be one of {}", one_of(variants)))),
        };
        read.map_err(|error| error.at(&path))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct identifier ignored_any
    }
}

/// A word for one of an enum's variants; none of them carries anything.
struct UnitWord(String);

impl<'de> EnumAccess<'de> for UnitWord {
    type Error = ShapeError;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), ShapeError> {
        let word: StringDeserializer<ShapeError> = self.0.clone().into_deserializer();
        Ok((seed.deserialize(word)?, self))
    }
}

impl<'de> VariantAccess<'de> for UnitWord {
    type Error = ShapeError;

    fn unit_variant(self) -> Result<(), ShapeError> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, _: S) -> Result<S::Value, ShapeError> {
        Err(ShapeError::new("must be an object"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, ShapeError> {
        Err(ShapeError::new("must be a list"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, ShapeError> {
        Err(ShapeError::new("must be an object"))
    }
}

struct Fields {
    rest: map::IntoIter,
    next: Option<Part>,
    path: String,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = ShapeError;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ShapeError> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.next = Some(Part { value, path: join(&self.path, &excerpt(&key)) });
        let key: StringDeserializer<ShapeError> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, ShapeError> {
        let part = self.next.take().ok_or_else(|| ShapeError::new("a value is missing"))?;
        let path = part.path.clone();
        seed.deserialize(part).map_err(|error| error.at(&path))
    }
}

struct Items {
    rest: std::vec::IntoIter<Value>,
    index: usize,
    path: String,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = ShapeError;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, ShapeError> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        let path = format!("{}[{}]", self.path, self.index);
        self.index = self.index.saturating_add(1);
        seed.deserialize(Part { value, path: path.clone() })
            .map(Some)
            .map_err(|error| error.at(&path))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::read_shape;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        name: String,
        #[serde(default)]
        flag: bool,
        count: Option<u64>,
        word: Option<Word>,
        #[serde(default)]
        inner: Vec<Inner>,
        #[serde(default)]
        map: BTreeMap<String, String>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Word {
        Yes,
        No,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        id: String,
    }

    #[test]
    fn what_fits_is_read() {
        let value = json!({"name": "a", "flag": true, "count": 3, "word": "no", "inner": [{"id": "x"}], "map": {"k": "v"}});
        let outer: Outer = read_shape(value).unwrap();
        assert_eq!((outer.name.as_str(), outer.count, outer.word), ("a", Some(3), Some(Word::No)));
        assert_eq!((outer.inner[0].id.as_str(), outer.map["k"].as_str()), ("x", "v"));
        let least: Outer = read_shape(json!({"name": "", "count": null})).unwrap();
        assert!(!least.flag && least.count.is_none());
    }

    #[test]
    fn what_does_not_fit_is_said_with_its_path_in_plain_words() {
        let cases: [(Value, &str); 14] = [
            (json!(["a", true]), "must be an object"),
            (json!("a"), "must be an object"),
            (json!({}), "name: is missing"),
            (json!({"name": 1}), "name: must be a text"),
            (json!({"name": "a", "flag": "yes"}), "flag: must be true or false"),
            (json!({"name": "a", "count": -1}), "count: must be a whole number, zero or more"),
            (json!({"name": "a", "count": 1.5}), "count: must be a whole number, zero or more"),
            (json!({"name": "a", "word": "maybe"}), "word: must be one of yes, no"),
            (json!({"name": "a", "word": {"yes": 1}}), "word: must be one of yes, no"),
            (json!({"name": "a", "inner": {}}), "inner: must be a list"),
            (json!({"name": "a", "inner": [{"id": "x"}, ["x"]]}), "inner[1]: must be an object"),
            (json!({"name": "a", "inner": [{}]}), "inner[0].id: is missing"),
            (json!({"name": "a", "map": {"k": 1}}), "map.k: must be a text"),
            (
                json!({"name": "a", "nmae": 1}),
                "nmae: is an unknown field; the fields are name, flag, count, word, inner, map",
            ),
        ];
        for (value, said) in cases {
            let error = read_shape::<Outer>(value.clone()).unwrap_err();
            assert_eq!(error.to_string(), said, "{value}");
            assert_eq!(error.is_no_object, said.ends_with("must be an object"), "{value}");
        }
    }

    #[test]
    fn a_key_is_repeated_by_its_beginning_and_printably() {
        let key = format!("\u{1b}[2J\u{202e}{}", "k".repeat(1_000_000));
        let outer = |value: Value| read_shape::<Outer>(value).unwrap_err();
        let unknown = outer(json!({"name": "a", &key: 1}));
        let known = outer(json!({"name": "a", "map": {&key: 1}}));
        for path in [&unknown.path, &known.path] {
            assert!(path.contains("⟦U+001B⟧[2J⟦U+202E⟧kk") && path.ends_with('…'), "{path}");
            assert!(path.chars().count() < 100, "{path}");
        }
        assert!(unknown.message.starts_with("is an unknown field"), "{unknown}");
    }
}
