//! A whole frame: its body, walked over once, with the places of its fields.

use bytes::Bytes;

use crate::{
    limits::FRAME_BYTES_MAX,
    message_type::{Direction, MessageType},
    problem::{Malformed, ProblemCode, RefusalError},
    skim::{FieldSpan, Skimmer},
    token::truncated,
};

/// A frame whose body is one map of sound structure, within its type's limit. Its fields are not looked at yet.
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

    fn walk(direction: Direction, body: Bytes) -> Result<Self, Malformed> {
        if body.len() > FRAME_BYTES_MAX {
            let message = format!("{} bytes; at most {FRAME_BYTES_MAX}", body.len());
            return Err(Malformed::new(ProblemCode::TooLarge, message));
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

    /// The message's type, where it is one that there is.
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
