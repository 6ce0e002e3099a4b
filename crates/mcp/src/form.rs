//! The form of a question: flat, of texts, numbers, yes or no, and choices, as the protocol has it. What is not that is no form.
//!
//! Its words are shown with everything hidden in them made visible and cut to their bounds; names and choices go back to the server
//! as they came, so a form in which one of them cannot be shown as it is goes no further. Values are secrets: they stand in no log,
//! no error and no event.

use std::{collections::BTreeSet, fmt};

use abide_domain::{text::shortened, visible, visible_line};
use serde_json::{Map, Number, Value, json};

use crate::limits::{
    CHOICE_BYTES_MAX, CHOICES_MAX, FIELD_NAME_BYTES_MAX, FIELD_TEXT_CHARS_MAX, FIELDS_MAX,
    SCHEMA_BYTES_MAX, VALUE_CHARS_MAX,
};

/// What a server wants to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// In the server's order.
    pub fields: Vec<FormField>,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormField {
    /// Its name, for the server.
    pub name: String,
    /// Its title, for people.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// Whether the server wants it in any case.
    pub is_required: bool,
    /// Whether it looks like one for a secret, whose value nobody should see over a shoulder.
    pub is_secret: bool,
    /// What may stand in it.
    pub kind: FieldKind,
    /// What the server suggests, where that fits the kind.
    pub default: Option<Value>,
}

/// What may stand in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A text.
    Text {
        /// `email`, `uri`, `date` or `date-time`.
        format: Option<&'static str>,
        /// Its fewest characters.
        length_min: Option<u64>,
        /// Its most characters.
        length_max: Option<u64>,
    },
    /// A number.
    Number {
        /// Whether it is whole.
        is_whole: bool,
        /// The least.
        min: Option<Number>,
        /// The most.
        max: Option<Number>,
    },
    /// Yes or no.
    Flag,
    /// One of several.
    Choice(Vec<FormChoice>),
    /// Some of several.
    Choices {
        /// What there is.
        choices: Vec<FormChoice>,
        /// The fewest.
        count_min: Option<u64>,
        /// The most.
        count_max: Option<u64>,
    },
}

/// One of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormChoice {
    /// What goes to the server.
    pub value: String,
    /// What people are shown; the value where it has no title.
    pub title: String,
}

/// Values that fit a form. What they are is nobody's but the server's.
#[derive(Clone, PartialEq)]
pub struct FormValues(Map<String, Value>);

/// Says why values do not fit a form. No value stands in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct FormValuesError {
    /// The field, by its name; empty for the form.
    pub field: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Debug for FormValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FormValues({} fields)", self.0.len())
    }
}

impl FormValues {
    pub(crate) fn into_value(self) -> Value {
        Value::Object(self.0)
    }
}

/// A format of a text, and how short and how long a text of it can be.
struct TextFormat {
    name: &'static str,
    chars_min: u64,
    chars_max: u64,
}

/// Keys of a form that change nothing about what fits it.
const FORM_KEYS: &[&str] =
    &["$schema", "type", "title", "description", "properties", "required", "additionalProperties"];
/// Keys that a field of any kind may have.
const FIELD_KEYS: &[&str] = &["type", "title", "description", "default", "writeOnly"];
/// Formats of a text that are checked.
const FORMATS: &[TextFormat] = &[
    TextFormat { name: "email", chars_min: 3, chars_max: VALUE_CHARS_MAX as u64 },
    TextFormat { name: "uri", chars_min: 2, chars_max: VALUE_CHARS_MAX as u64 },
    TextFormat { name: "date", chars_min: 10, chars_max: 10 },
    TextFormat { name: "date-time", chars_min: 20, chars_max: VALUE_CHARS_MAX as u64 },
];
/// Parts of names of fields that are for secrets.
const SECRET_WORDS: &[&str] = &[
    "password",
    "passphrase",
    "passcode",
    "passwd",
    "pwd",
    "secret",
    "token",
    "apikey",
    "pin",
    "otp",
    "cvv",
    "credential",
];

impl Form {
    /// Reads the schema of a server; the error says why it is no form.
    pub(crate) fn read(schema: &Value) -> Result<Self, String> {
        let object = schema.as_object().ok_or("the form has no schema")?;
        if schema["type"] != "object" {
            return Err("the schema of the form is not that of an object".to_owned());
        }
        if schema.to_string().len() > SCHEMA_BYTES_MAX {
            return Err(format!("the form has more than {SCHEMA_BYTES_MAX} bytes"));
        }
        only(object, &[FORM_KEYS], "the form")?;
        let none = Map::new();
        let properties = match object.get("properties") {
            None => &none,
            Some(properties) => properties.as_object().ok_or("the form has no fields")?,
        };
        if properties.len() > FIELDS_MAX {
            return Err(format!("the form has more than {FIELDS_MAX} fields"));
        }
        let required = texts(object.get("required"), "what the form requires")?;
        if let Some(missing) = required.iter().find(|name| !properties.contains_key(**name)) {
            let missing = shown(missing);
            return Err(format!("the form requires `{missing}`, which it does not have"));
        }
        let read = |(name, schema): (&String, &Value)| {
            FormField::read(name, schema, required.contains(&name.as_str()))
        };
        Ok(Self { fields: properties.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// The schema that values are held against: that of the server, with what is known here alone.
    pub fn schema(&self) -> Value {
        let properties: Map<_, _> =
            self.fields.iter().map(|field| (field.name.clone(), field.schema())).collect();
        let required: Vec<_> =
            self.fields.iter().filter(|field| field.is_required).map(|field| &field.name).collect();
        json!({
            "type": "object", "additionalProperties": false,
            "properties": properties, "required": required,
        })
    }

    /// Values, where they fit.
    pub fn check(&self, values: Map<String, Value>) -> Result<FormValues, FormValuesError> {
        let wrong = |field: &str, problem: String| FormValuesError { field: field.into(), problem };
        let is_long = |value: &Value| {
            value.as_str().is_some_and(|text| text.chars().count() > VALUE_CHARS_MAX)
        };
        let is_known = |name: &str| self.fields.iter().any(|field| field.name == name);
        if let Some(name) = values.keys().find(|name| !is_known(name)) {
            return Err(wrong("", format!("has no field `{}`", shown(name))));
        }
        if let Some((name, _)) = values.iter().find(|(_, value)| is_long(value)) {
            return Err(wrong(name, format!("has more than {VALUE_CHARS_MAX} characters")));
        }
        let checked = jsonschema::options()
            .should_validate_formats(true)
            .build(&self.schema())
            .map_err(|error| wrong("", format!("the form cannot be checked: {error}")))?;
        let values = Value::Object(values);
        if let Some(error) = checked.iter_errors(&values).next() {
            let path = error.instance_path().to_string();
            let field = path.split('/').nth(1).unwrap_or_default();
            return Err(wrong(field, error.masked_with("it").to_string()));
        }
        match values {
            Value::Object(values) => Ok(FormValues(values)),
            _ => Err(wrong("", "is no object".to_owned())),
        }
    }
}

impl FormField {
    fn read(name: &str, schema: &Value, is_required: bool) -> Result<Self, String> {
        let what = format!("the field `{}`", shown(name));
        if name.is_empty() || name.len() > FIELD_NAME_BYTES_MAX || visible_line(name) != name {
            return Err(format!("{what} has a name that cannot be shown as it is"));
        }
        let object = schema.as_object().ok_or_else(|| format!("{what} has no schema"))?;
        let kind = FieldKind::read(object, &what)?;
        let title = object.get("title").and_then(Value::as_str);
        let description = object.get("description").and_then(Value::as_str);
        let is_write_only = object.get("writeOnly") == Some(&Value::Bool(true));
        let field = Self {
            name: name.to_owned(),
            title: title.map(|title| shortened(&visible_line(title), FIELD_TEXT_CHARS_MAX)),
            description: description.map(|text| shortened(&visible(text), FIELD_TEXT_CHARS_MAX)),
            is_required,
            is_secret: is_write_only
                || object.get("format").and_then(Value::as_str) == Some("password")
                || sounds_secret(name)
                || title.is_some_and(sounds_secret),
            kind,
            default: None,
        };
        let default = object.get("default").filter(|default| field.fits(default));
        Ok(Self { default: default.cloned(), ..field })
    }

    fn fits(&self, default: &Value) -> bool {
        let text = default.as_str();
        let is_shown = text.is_none_or(|text| visible(text) == text);
        let values = Map::from_iter([(self.name.clone(), default.clone())]);
        is_shown && Form { fields: vec![self.clone()] }.check(values).is_ok()
    }

    fn schema(&self) -> Value {
        let mut schema = self.kind.schema();
        let words = [("title", &self.title), ("description", &self.description)];
        for (key, words) in words {
            if let Some(words) = words {
                schema.insert(key.to_owned(), json!(words));
            }
        }
        Value::Object(schema)
    }
}

impl FieldKind {
    fn read(object: &Map<String, Value>, what: &str) -> Result<Self, String> {
        let count = |key: &str| object.get(key).and_then(Value::as_u64);
        let number = |key: &str| object.get(key).and_then(Value::as_number).cloned();
        let name = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let (kind, keys): (_, &[&str]) = match name {
            "string" if object.contains_key("enum") || object.contains_key("oneOf") => {
                (Self::Choice(choices(object, what)?), &["enum", "enumNames", "oneOf"])
            }
            "string" => {
                let format = object.get("format").and_then(Value::as_str);
                let format =
                    FORMATS.iter().map(|known| known.name).find(|name| Some(*name) == format);
                let (length_min, length_max) = (count("minLength"), count("maxLength"));
                // A pattern is the server's to check: what it costs to evaluate is not bounded.
                let keys = &["format", "minLength", "maxLength", "pattern"];
                (Self::Text { format, length_min, length_max }, keys)
            }
            "number" | "integer" => {
                let (min, max) = (number("minimum"), number("maximum"));
                (Self::Number { is_whole: name == "integer", min, max }, &["minimum", "maximum"])
            }
            "boolean" => (Self::Flag, &[]),
            "array" => {
                let items = object.get("items").and_then(Value::as_object);
                let items = items.ok_or_else(|| format!("{what} is a list of anything"))?;
                only(items, &[&["type", "enum", "anyOf", "oneOf"]], what)?;
                let choices = choices(items, what)?;
                let (count_min, count_max) = (count("minItems"), count("maxItems"));
                let keys = &["items", "minItems", "maxItems", "uniqueItems"];
                (Self::Choices { choices, count_min, count_max }, keys)
            }
            _ => {
                return Err(format!("{what} is no text, number, yes or no, or choice"));
            }
        };
        only(object, &[FIELD_KEYS, keys], what)?;
        match kind.impossible() {
            Some(why) => Err(format!("{what} has no value that it takes: {why}")),
            None => Ok(kind),
        }
    }

    /// Why nothing can be filled in, where that is so: whoever asks for it is not asking anybody.
    fn impossible(&self) -> Option<String> {
        match self {
            Self::Text { format, length_min, length_max } => {
                let of_format = FORMATS.iter().find(|known| Some(known.name) == *format);
                let shortest = of_format.map_or(0, |known| known.chars_min);
                let longest = of_format.map_or(VALUE_CHARS_MAX as u64, |known| known.chars_max);
                let (least, most) = (
                    length_min.unwrap_or(0).max(shortest),
                    length_max.unwrap_or(longest).min(longest),
                );
                let why =
                    || format!("it would have at least {least} and at most {most} characters");
                (least > most).then(why)
            }
            Self::Number { is_whole, min: Some(min), max: Some(max) } => {
                let (least, most) = (min.as_f64()?, max.as_f64()?);
                let is_none = if *is_whole { least.ceil() > most.floor() } else { least > most };
                is_none.then(|| format!("it would be at least {min} and at most {max}"))
            }
            Self::Choices { choices, count_min: Some(least), count_max } => {
                let there_are = values(choices).into_iter().collect::<BTreeSet<_>>().len() as u64;
                let most = count_max.unwrap_or(there_are).min(there_are);
                (*least > most).then(|| format!("{least} would be chosen of at most {most}"))
            }
            Self::Number { .. } | Self::Flag | Self::Choice(_) | Self::Choices { .. } => None,
        }
    }

    fn schema(&self) -> Map<String, Value> {
        let schema = match self {
            Self::Text { format, length_min, length_max } => json!({
                "type": "string", "format": format, "minLength": length_min, "maxLength": length_max,
            }),
            Self::Number { is_whole, min, max } => {
                let name = if *is_whole { "integer" } else { "number" };
                json!({"type": name, "minimum": min, "maximum": max})
            }
            Self::Flag => json!({"type": "boolean"}),
            Self::Choice(choices) => json!({"type": "string", "enum": values(choices)}),
            Self::Choices { choices, count_min, count_max } => json!({
                "type": "array", "items": {"type": "string", "enum": values(choices)}, "uniqueItems": true,
                "minItems": count_min, "maxItems": count_max,
            }),
        };
        let Value::Object(schema) = schema else { return Map::new() };
        schema.into_iter().filter(|(_, value)| !value.is_null()).collect()
    }
}

fn values(choices: &[FormChoice]) -> Vec<&str> {
    choices.iter().map(|choice| &*choice.value).collect()
}

/// What there is to choose: `enum` with or without names, or constants with titles.
fn choices(object: &Map<String, Value>, what: &str) -> Result<Vec<FormChoice>, String> {
    let list = |key: &str| object.get(key).and_then(Value::as_array);
    let pairs: Vec<(&Value, Option<&Value>)> =
        if let Some(titled) = list("oneOf").or_else(|| list("anyOf")) {
            titled.iter().map(|one| (&one["const"], one.get("title"))).collect()
        } else {
            let name = |at: usize| list("enumNames").and_then(|names| names.get(at));
            let values = list("enum").into_iter().flatten().enumerate();
            values.map(|(at, value)| (value, name(at))).collect()
        };
    if !(1..=CHOICES_MAX).contains(&pairs.len()) {
        return Err(format!("{what} does not have 1 to {CHOICES_MAX} choices"));
    }
    let read = |(value, title): (&Value, Option<&Value>)| {
        let value = value
            .as_str()
            .filter(|value| value.len() <= CHOICE_BYTES_MAX && visible_line(value) == **value);
        let value =
            value.ok_or_else(|| format!("{what} has a choice that cannot be shown as it is"))?;
        let title = title.and_then(Value::as_str).unwrap_or(value);
        let title = shortened(&visible_line(title), FIELD_TEXT_CHARS_MAX);
        Ok(FormChoice { value: value.to_owned(), title })
    };
    pairs.into_iter().map(read).collect()
}

/// Refuses keys that are not known: what they ask for would not be held.
fn only(object: &Map<String, Value>, known: &[&[&str]], what: &str) -> Result<(), String> {
    let is_known = |key: &str| known.iter().any(|keys| keys.contains(&key));
    match object.keys().find(|key| !is_known(key)) {
        Some(key) => Err(format!("{what} has `{}`, which no question may have", shown(key))),
        None => Ok(()),
    }
}

fn texts<'a>(value: Option<&'a Value>, what: &str) -> Result<Vec<&'a str>, String> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    let texts = value.as_array().map(|all| all.iter().map(Value::as_str).collect::<Option<_>>());
    texts.flatten().ok_or_else(|| format!("{what} is no list of names"))
}

fn shown(name: &str) -> String {
    shortened(&visible_line(name), FIELD_NAME_BYTES_MAX)
}

/// Whether a name is one for a secret.
fn sounds_secret(name: &str) -> bool {
    let lowered = name.to_lowercase();
    let joined: String = lowered.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut words = lowered.split(|c: char| !c.is_alphanumeric());
    // `pin` is a part of many words.
    let long = SECRET_WORDS.iter().filter(|word| word.len() > 3);
    words.any(|word| SECRET_WORDS.contains(&word)) || { long }.any(|word| joined.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{FieldKind, Form};

    fn form(properties: &Value) -> Result<Form, String> {
        Form::read(&json!({"type": "object", "properties": properties}))
    }

    fn check(form: &Form, values: Value) -> Result<(), (String, String)> {
        let Value::Object(values) = values else { panic!("no object") };
        form.check(values).map(drop).map_err(|error| (error.field, error.problem))
    }

    #[test]
    fn fields_of_all_kinds_are_read_in_their_order() {
        let form = Form::read(&json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "required": ["mail", "plan"],
            "properties": {
                "mail": {"type": "string", "format": "email", "title": "Mail\u{200b}", "default": "no mail"},
                "api_key": {"type": "string", "minLength": 3},
                "age": {"type": "integer", "minimum": 1, "maximum": 150, "default": 7},
                "share": {"type": "boolean", "default": true},
                "plan": {"type": "string", "enum": ["a", "b"], "enumNames": ["Small", "Large"]},
                "days": {"type": "array", "maxItems": 2, "items": {"anyOf": [{"const": "mo", "title": "Monday"}, {"const": "tu"}]}},
            },
        }))
        .unwrap();
        let names: Vec<_> = form.fields.iter().map(|field| &*field.name).collect();
        assert_eq!(names.len(), 6);
        let field = |name: &str| form.fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!(field("mail").title.as_deref(), Some("Mail⟦U+200B⟧"));
        assert_eq!(field("mail").default, None, "a default that does not fit is none");
        assert_eq!(field("age").default, Some(json!(7)));
        assert!(field("mail").is_required && !field("age").is_required);
        assert!(field("api_key").is_secret && !field("mail").is_secret);
        let FieldKind::Choice(plans) = &field("plan").kind else { panic!("no choice") };
        assert_eq!((&*plans[1].value, &*plans[1].title), ("b", "Large"));
        let good = json!({"mail": "a@b.example", "plan": "a", "age": 7, "days": ["mo", "tu"]});
        assert_eq!(check(&form, good), Ok(()));
        assert_eq!(Form::read(&form.schema()).map(|again| again.schema()), Ok(form.schema()));
    }

    #[test]
    fn values_that_do_not_fit_are_refused_without_being_said() {
        let form = Form::read(&json!({
            "type": "object",
            "required": ["code"],
            "properties": {
                "code": {"type": "string", "minLength": 4},
                "mail": {"type": "string", "format": "email"},
                "size": {"type": "string", "enum": ["s", "m"]},
                "age": {"type": "integer", "minimum": 1},
            },
        }))
        .unwrap();
        let cases = [
            (json!({"code": "hush!", "age": "hush!"}), "age"),
            (json!({"code": "hush!", "age": 0.5}), "age"),
            (json!({"code": "hush!", "mail": "hush!"}), "mail"),
            (json!({"code": "hush!", "size": "hush!"}), "size"),
            (json!({"code": "hu"}), "code"),
            (json!({"code": "hush!".repeat(2_000)}), "code"),
            (json!({"age": 7}), ""),
            (json!({"code": "hush!", "more": "hush!"}), ""),
        ];
        for (values, field) in cases {
            let (named, problem) = check(&form, values).unwrap_err();
            assert_eq!(named, field, "{problem}");
            assert!(!problem.contains("hu\"") && !problem.contains("hush!"), "{problem}");
        }
        let odd = format!("\u{1b}[2J{}", "k".repeat(1_000_000));
        let (named, problem) = check(&form, json!({"code": "hush!", odd: "hush!"})).unwrap_err();
        assert!(named.is_empty() && problem.len() < 200, "an unknown name is cut: {problem}");
        assert!(problem.starts_with("has no field `⟦U+001B⟧[2Jkk"), "and printable: {problem}");
        let values = Map::from_iter([("code".to_owned(), json!("hush!"))]);
        assert!(!format!("{:?}", form.check(values)).contains("hush"));
    }

    #[test]
    fn what_is_no_flat_form_is_none_and_says_why() {
        let many: Map<_, _> =
            (0..40).map(|n| (format!("f{n}"), json!({"type": "string"}))).collect();
        let cases = [
            (json!({"a": {"type": "object", "properties": {}}}), "`a` is no text"),
            (json!({"a": {"type": "array", "items": {"type": "object"}}}), "choices"),
            (json!({"a": {"type": "string", "$ref": "#/x"}}), "`$ref`"),
            (json!({"a\u{202e}": {"type": "string"}}), "U+202E"),
            (json!({"a": {"type": "string", "enum": ["x\u{200b}"]}}), "cannot be shown"),
            (json!({"a": {"type": "string", "enum": []}}), "choices"),
            (Value::Object(many), "more than"),
            (json!({"a": {"type": "string", "title": "x".repeat(70_000)}}), "bytes"),
        ];
        for (properties, reason) in cases {
            let error = form(&properties).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert!(Form::read(&json!({"type": "array"})).is_err());
        let required = json!({"type": "object", "properties": {}, "required": ["x"]});
        assert!(Form::read(&required).unwrap_err().contains("`x`"));
        assert_eq!(Form::read(&json!({"type": "object"})), Ok(Form::default()), "a yes or no");
    }

    #[test]
    fn a_form_that_nobody_can_fill_in_is_none_and_says_why() {
        let days = json!({"type": "string", "enum": ["mo", "tu", "tu"]});
        let impossible = [
            (json!({"type": "string", "minLength": 5, "maxLength": 4}), "5 and at most 4"),
            (json!({"type": "string", "minLength": 5_000}), "at least 5000"),
            (json!({"type": "string", "format": "date", "minLength": 11}), "11 and at most 10"),
            (json!({"type": "string", "format": "date-time", "maxLength": 12}), "at most 12"),
            (json!({"type": "number", "minimum": 2.5, "maximum": 2.4}), "2.5 and at most 2.4"),
            (json!({"type": "integer", "minimum": 2.1, "maximum": 2.9}), "2.1 and at most 2.9"),
            (
                json!({"type": "array", "items": days, "minItems": 3}),
                "3 would be chosen of at most 2",
            ),
            (json!({"type": "array", "items": days, "minItems": 2, "maxItems": 1}), "of at most 1"),
        ];
        for (field, reason) in impossible {
            let error = form(&json!({"a": field})).unwrap_err();
            assert!(error.contains("`a`") && error.contains(reason), "{error}");
        }
        for possible in [
            json!({"type": "string", "minLength": 4, "maxLength": 4}),
            json!({"type": "string", "maxLength": 0}),
            json!({"type": "string", "format": "date", "minLength": 10, "maxLength": 10}),
            json!({"type": "integer", "minimum": 2.1, "maximum": 3}),
            json!({"type": "integer", "minimum": i64::MAX}),
            json!({"type": "array", "items": days, "minItems": 2}),
        ] {
            assert!(form(&json!({"a": possible})).is_ok(), "{possible}");
        }
    }
}
