//! The tokens of a tokenizer's file by their text, while it is read.

use std::collections::HashMap;

use serde_json::Value;

use crate::json::text;

/// Tokens by text.
#[derive(Debug)]
pub(super) struct Vocabulary<'a>(HashMap<&'a str, u32>);

impl<'a> Vocabulary<'a> {
    /// Reads `model.vocab` of a file whose model is of this type.
    pub(super) fn of_json(tokenizer: &'a Value, model_type: &str) -> Result<Self, String> {
        let found = text(tokenizer, "/model/type");
        if found != model_type {
            return Err(format!("its tokenizer is of type {found:?}, not {model_type:?}"));
        }
        let entries = tokenizer.pointer("/model/vocab").and_then(Value::as_object);
        let entries = entries.ok_or("it has no vocabulary")?.iter().map(|(text, id)| {
            let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
            id.map(|id| (text.as_str(), id)).ok_or_else(|| format!("{text:?} has no id"))
        });
        Ok(Self(entries.collect::<Result<_, _>>()?))
    }

    /// The token with this text.
    pub(super) fn id(&self, text: &str) -> Result<u32, String> {
        self.0.get(text).copied().ok_or_else(|| format!("its vocabulary has no {text:?}"))
    }

    /// All tokens.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, u32)> {
        self.0.iter().map(|(&text, &id)| (text, id))
    }
}
