//! A whole frame: its body, checked once, with the places of its fields.

use bytes::Bytes;

use crate::{
    field_error::{FieldErrorCode, MalformedError, RefusalError},
    limits::FRAME_BYTES_MAX,
    message_type::{Direction, MessageType},
    skim::{FieldSpan, Skimmer},
    token::truncated,
};

/// A frame whose body is one valid map within its type's limit. Its fields are not read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    body: Bytes,
    fields: Vec<FieldSpan>,
    kind: Option<MessageType>,
}

impl Frame {
    /// Takes a whole body, without the four bytes of its length.
    pub fn parse(direction: Direction, body: Bytes) -> Result<Self, RefusalError> {
        Self::walk(direction, body).map_err(RefusalError::malformed)
    }

    fn walk(direction: Direction, body: Bytes) -> Result<Self, MalformedError> {
        if body.len() > FRAME_BYTES_MAX {
            let message = format!("{} bytes; at most {FRAME_BYTES_MAX}", body.len());
            return Err(MalformedError::new(FieldErrorCode::TooLarge, message));
        }
        let mut skimmer = Skimmer::new(direction, body.len());
        if !skimmer.advance(&body)? {
            return Err(truncated());
        }
        Ok(Self::skimmed(body, &mut skimmer))
    }

    /// Takes a body that a skimmer has walked over to its end.
    pub(crate) fn skimmed(body: Bytes, skimmer: &mut Skimmer) -> Self {
        let (fields, kind) = skimmer.finish();
        Self { body, fields, kind }
    }

    /// The body: one MessagePack map.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The message's type, where it is known.
    pub fn message_type(&self) -> Option<MessageType> {
        self.kind
    }

    /// Keys and values in their order, as bytes.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.fields.iter().filter_map(|field| {
            Some((self.body.get(field.key.clone())?, self.body.get(field.value.clone())?))
        })
    }
}
