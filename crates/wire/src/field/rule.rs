//! What a field must hold beyond its type. A rule gets the value, its path, and the place for errors.

use serde_json::Value;

use super::ReadContext;
use crate::{
    field_error::{FieldErrorCode, Path},
    limits::LABEL_BYTES_MAX,
    message_type::Version,
    raw::Raw,
};

/// Rule: 1 to [`LABEL_BYTES_MAX`] bytes.
pub(crate) fn label(text: &str, path: &Path<'_>, reading: &mut ReadContext) {
    if text.is_empty() || text.len() > LABEL_BYTES_MAX {
        let message = format!("must be 1 to {LABEL_BYTES_MAX} bytes, not {}", text.len());
        reading.problems.add(path, FieldErrorCode::Value, message);
    }
}

/// Rule: at most [`LABEL_BYTES_MAX`] bytes.
pub(crate) fn short(text: &str, path: &Path<'_>, reading: &mut ReadContext) {
    if text.len() > LABEL_BYTES_MAX {
        let message = format!("{} bytes; at most {LABEL_BYTES_MAX}", text.len());
        reading.problems.add(path, FieldErrorCode::Value, message);
    }
}

/// Rule: required in version 3.
#[expect(clippy::ref_option, reason = "rules get a reference to the field")]
pub(crate) fn in_v3<T>(value: &Option<T>, path: &Path<'_>, reading: &mut ReadContext) {
    if value.is_none() && reading.version >= Version::V3 {
        reading.problems.add(path, FieldErrorCode::Required, "is missing; version 3 needs it");
    }
}

/// Rule: a map.
pub(crate) fn a_map(value: &Raw, path: &Path<'_>, reading: &mut ReadContext) {
    if !value.is_map() {
        reading.problems.add(path, FieldErrorCode::Type, "must be a map");
    }
}

/// Rule: a JSON object.
pub(crate) fn an_object(value: &Value, path: &Path<'_>, reading: &mut ReadContext) {
    if !value.is_object() {
        reading.problems.add(path, FieldErrorCode::Type, "must be a map");
    }
}
