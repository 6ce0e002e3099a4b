//! Values of Scheme as JSON and back, within limits: a result that shares its parts can be larger than all memory when it
//! is written out. Maps come out in the order of their keys, so that equal results are equal texts.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Number, Value};
use steel::{SteelVal, rvals::IntoSteelVal as _};

use crate::{
    failure::{ScriptError, ScriptErrorKind},
    limits::{RESULT_BYTES_MAX, RESULT_NESTING_MAX, RESULT_VALUES_MAX},
};

/// Whole numbers, texts, booleans, lists and maps as the same; null is `void`. Numbers beyond the engine's become floats.
pub(super) fn to_scheme(value: &Value) -> SteelVal {
    match value {
        Value::Null => SteelVal::Void,
        Value::Bool(value) => SteelVal::BoolV(*value),
        Value::Number(number) => number_to_scheme(number),
        Value::String(text) => SteelVal::StringV(text.as_str().into()),
        Value::Array(items) => SteelVal::ListV(items.iter().map(to_scheme).collect()),
        Value::Object(fields) => {
            let fields: HashMap<String, SteelVal> =
                fields.iter().map(|(name, value)| (name.clone(), to_scheme(value))).collect();
            fields.into_steelval().unwrap_or(SteelVal::Void)
        }
    }
}

fn number_to_scheme(number: &Number) -> SteelVal {
    let whole = number.as_i64().and_then(|whole| isize::try_from(whole).ok());
    match whole {
        Some(whole) => SteelVal::IntV(whole),
        None => SteelVal::NumV(number.as_f64().unwrap_or(f64::MAX)),
    }
}

/// The JSON of a result. Texts, symbols and characters become texts; a procedure, or a number that is none, is refused.
pub(super) fn to_json(value: &SteelVal) -> Result<Value, ScriptError> {
    let mut room = Room { values: RESULT_VALUES_MAX, bytes: RESULT_BYTES_MAX };
    room.json(value, RESULT_NESTING_MAX)
}

/// A text of a result, as it is.
pub(super) fn to_text(value: &SteelVal, what: &str) -> Result<String, ScriptError> {
    let SteelVal::StringV(text) = value else {
        return Err(shape(format!("{what} must be a text")));
    };
    if text.len() > RESULT_BYTES_MAX {
        return Err(too_large());
    }
    Ok(text.as_str().to_owned())
}

/// What of a result's limits is left.
struct Room {
    values: usize,
    bytes: usize,
}

impl Room {
    fn json(&mut self, value: &SteelVal, levels: usize) -> Result<Value, ScriptError> {
        self.values = self.values.checked_sub(1).ok_or_else(too_large)?;
        let inner = levels.checked_sub(1);
        match value {
            SteelVal::Void => Ok(Value::Null),
            SteelVal::BoolV(value) => Ok(Value::Bool(*value)),
            SteelVal::IntV(value) => Ok((*value).into()),
            SteelVal::NumV(value) => {
                let number = Number::from_f64(*value);
                number
                    .map(Value::Number)
                    .ok_or_else(|| shape(format!("{value} is no number of JSON")))
            }
            // JSON has no fractions: the nearest number.
            SteelVal::Rational(value) => {
                let number = f64::from(*value.numer()) / f64::from(*value.denom());
                Number::from_f64(number)
                    .map(Value::Number)
                    .ok_or_else(|| shape(format!("{number} is no number of JSON")))
            }
            SteelVal::StringV(text) | SteelVal::SymbolV(text) => self.text(text).map(Value::String),
            SteelVal::CharV(c) => self.text(&c.to_string()).map(Value::String),
            SteelVal::ListV(items) => {
                let inner = inner.ok_or_else(too_large)?;
                items.iter().map(|item| self.json(item, inner)).collect()
            }
            SteelVal::VectorV(items) => {
                let inner = inner.ok_or_else(too_large)?;
                items.iter().map(|item| self.json(item, inner)).collect()
            }
            SteelVal::HashMapV(fields) => {
                let inner = inner.ok_or_else(too_large)?;
                let mut sorted = BTreeMap::new();
                for (name, value) in fields.iter() {
                    let (SteelVal::StringV(name) | SteelVal::SymbolV(name)) = name else {
                        return Err(shape("the keys of a map must be texts or symbols".to_owned()));
                    };
                    sorted.insert(self.text(name)?, self.json(value, inner)?);
                }
                Ok(Value::Object(Map::from_iter(sorted)))
            }
            _ => {
                Err(shape("a result may hold texts, numbers, booleans, lists and maps".to_owned()))
            }
        }
    }

    fn text(&mut self, text: &str) -> Result<String, ScriptError> {
        self.bytes = self.bytes.checked_sub(text.len()).ok_or_else(too_large)?;
        Ok(text.to_owned())
    }
}

pub(super) fn shape(message: String) -> ScriptError {
    ScriptError::new(ScriptErrorKind::Shape, message)
}

fn too_large() -> ScriptError {
    ScriptError::new(
        ScriptErrorKind::TooLarge,
        format!(
            "the result has more than {RESULT_BYTES_MAX} bytes of text, {RESULT_VALUES_MAX} values or \
             {RESULT_NESTING_MAX} levels"
        ),
    )
}
