//! Checks a body as its bytes come: structure, depth, the places of the fields, and the `type` as soon as it is there.
//!
//! Each byte is looked at once, however the bytes are cut, and a count in them never makes anything be allocated. Of
//! nested values nothing is kept: a checkpoint's hundred megabytes are stepped over, not read into a tree.

use std::ops::Range;

use crate::{
    field_error::{FieldErrorCode, MalformedError},
    limits::{DEPTH_MAX, FIELD_NAME_BYTES_MAX, FIELDS_MAX, MESSAGE_BYTES_MAX},
    message_type::{Direction, MessageType},
    token::{Head, HeadError, Kind, head, leaf_bytes, truncated},
};

/// Steps over the values of some bytes, of which not all need to be there yet.
#[derive(Clone, Debug)]
struct Walk {
    position: usize,
    total: usize,
    /// Values still to come, a level each.
    left: [u64; DEPTH_MAX],
    depth: usize,
    has_begun: bool,
}

impl Walk {
    fn new(total: usize) -> Self {
        Self { position: 0, total, left: [0; DEPTH_MAX], depth: 0, has_begun: false }
    }

    fn restart(&mut self, total: usize) {
        self.position = 0;
        self.total = total;
        self.depth = 0;
        self.has_begun = false;
    }

    fn is_done(&self) -> bool {
        self.has_begun && self.depth == 0
    }

    /// The head at the present position; `None` until its bytes are there.
    fn peek(&self, bytes: &[u8]) -> Result<Option<Head>, MalformedError> {
        let found = match head(bytes.get(self.position..).unwrap_or_default()) {
            Ok(found) => found,
            Err(HeadError::Short) if bytes.len() < self.total => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let left = self.total.saturating_sub(self.position);
        let is_whole = found.end() <= left && found.items() <= left as u64;
        if is_whole { Ok(Some(found)) } else { Err(truncated()) }
    }

    /// Steps over one leaf, or into one container.
    fn step(&mut self, head: Head) -> Result<(), MalformedError> {
        self.has_begun = true;
        self.position = self.position.saturating_add(head.end());
        if let Some(left) = self.depth.checked_sub(1).and_then(|level| self.left.get_mut(level)) {
            *left = left.saturating_sub(1);
        }
        if head.is_container() {
            let Some(left) = self.left.get_mut(self.depth) else {
                let message = format!("maps and lists are nested more than {DEPTH_MAX} deep");
                return Err(MalformedError::new(FieldErrorCode::Depth, message));
            };
            *left = head.items();
            self.depth += 1;
        }
        while self.level_left() == Some(0) {
            self.depth -= 1;
        }
        Ok(())
    }

    /// Steps over leaves whose first byte tells their length, as long as they stand in a row inside the message.
    fn leaves(&mut self, bytes: &[u8]) {
        let Some(left) = self.depth.checked_sub(1).and_then(|level| self.left.get_mut(level))
        else {
            return;
        };
        while let Some(first) = bytes.get(self.position).filter(|_| *left > 1) {
            let end = self.position + leaf_bytes(*first);
            if end == self.position || end > self.total {
                break;
            }
            self.position = end;
            *left -= 1;
        }
    }

    fn level_left(&self) -> Option<u64> {
        self.left.get(self.depth.checked_sub(1)?).copied()
    }

    /// Checks that nothing follows the value.
    fn end(&self) -> Result<(), MalformedError> {
        let extra = self.total.saturating_sub(self.position);
        if extra == 0 {
            return Ok(());
        }
        Err(MalformedError::new(
            FieldErrorCode::Trailing,
            format!("{extra} bytes follow the value"),
        ))
    }
}

/// Checks that some bytes are one whole value of the format, within the depth.
pub(crate) fn check_value(bytes: &[u8]) -> Result<(), MalformedError> {
    let mut walk = Walk::new(bytes.len());
    while !walk.is_done() {
        let head = walk.peek(bytes)?.ok_or_else(truncated)?;
        walk.step(head)?;
    }
    walk.end()
}

/// How deep maps and lists are nested, the value itself counted; an invalid value counts as nothing.
pub(crate) fn depth(bytes: &[u8]) -> usize {
    let mut walk = Walk::new(bytes.len());
    let mut deepest = 0;
    while !walk.is_done() {
        let Ok(Some(head)) = walk.peek(bytes) else { break };
        let level = walk.depth + usize::from(head.is_container());
        deepest = deepest.max(level);
        if walk.step(head).is_err() {
            break;
        }
    }
    deepest
}

/// The place of a field in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldSpan {
    pub(crate) key: Range<usize>,
    pub(crate) value: Range<usize>,
}

/// Finds the fields of a message while its body comes.
#[derive(Clone, Debug)]
pub(crate) struct Skimmer {
    direction: Direction,
    walk: Walk,
    fields: Vec<FieldSpan>,
    /// The contents of the key whose value comes next or is coming.
    key: Range<usize>,
    /// Where the value that is coming begins.
    value_begin: Option<usize>,
    kind: Option<MessageType>,
}

impl Skimmer {
    /// Begins with a body of `total` bytes.
    pub(crate) fn new(direction: Direction, total: usize) -> Self {
        let walk = Walk::new(total);
        Self { direction, walk, fields: Vec::new(), key: 0..0, value_begin: None, kind: None }
    }

    /// Checks what is there of the body. Gives whether it is complete.
    pub(crate) fn advance(&mut self, body: &[u8]) -> Result<bool, MalformedError> {
        while !self.walk.is_done() {
            if self.walk.depth > 1 {
                self.walk.leaves(body);
            }
            let Some(head) = self.walk.peek(body)? else { return Ok(false) };
            let is_ready = match (self.walk.depth, self.walk.level_left()) {
                (0, _) => self.root(head).map(|()| true)?,
                (1, Some(left)) if left % 2 == 0 => self.field_key(head, body)?,
                (1, _) => self.field_value(head, body)?,
                _ => true,
            };
            if !is_ready {
                return Ok(false);
            }
            self.walk.step(head)?;
            if self.walk.depth <= 1 {
                self.field_end();
            }
        }
        self.walk.end()?;
        Ok(body.len() >= self.walk.total)
    }

    /// Begins again with another body, in the same memory.
    pub(crate) fn restart(&mut self, total: usize) {
        self.walk.restart(total);
        self.fields.clear();
        self.value_begin = None;
        self.kind = None;
    }

    /// The fields in their order, and the type where it is known.
    pub(crate) fn finish(&mut self) -> (Vec<FieldSpan>, Option<MessageType>) {
        (std::mem::take(&mut self.fields), self.kind)
    }

    fn root(&mut self, head: Head) -> Result<(), MalformedError> {
        if head.kind != Kind::Map {
            return Err(MalformedError::new(FieldErrorCode::Type, "a message must be a map"));
        }
        if head.length > FIELDS_MAX {
            let message = format!("{} fields; at most {FIELDS_MAX}", head.length);
            return Err(MalformedError::new(FieldErrorCode::TooMany, message));
        }
        self.fields.reserve_exact(head.length);
        Ok(())
    }

    /// Takes a key, once it is there.
    fn field_key(&mut self, head: Head, body: &[u8]) -> Result<bool, MalformedError> {
        if head.kind != Kind::Text {
            return Err(MalformedError::new(
                FieldErrorCode::Key,
                "every key of a message must be text",
            ));
        }
        if head.length > FIELD_NAME_BYTES_MAX {
            let message = format!("a key of {} bytes; at most {FIELD_NAME_BYTES_MAX}", head.length);
            return Err(MalformedError::new(FieldErrorCode::Key, message));
        }
        let begin = self.walk.position + head.size;
        self.key = begin..begin + head.length;
        Ok(body.get(self.key.clone()).is_some())
    }

    /// Notes where a value begins; of the `type` it waits for the whole and applies the type's limit.
    fn field_value(&mut self, head: Head, body: &[u8]) -> Result<bool, MalformedError> {
        let is_type = body.get(self.key.clone()) == Some(b"type");
        if is_type && head.kind == Kind::Text && head.length <= FIELD_NAME_BYTES_MAX {
            let begin = self.walk.position + head.size;
            let Some(name) = body.get(begin..begin + head.length) else { return Ok(false) };
            let kind = std::str::from_utf8(name).ok().and_then(MessageType::from_name);
            self.kind = kind;
            self.check_limit()?;
        }
        self.value_begin = Some(self.walk.position);
        Ok(true)
    }

    fn field_end(&mut self) {
        if let Some(begin) = self.value_begin.take() {
            let value = begin..self.walk.position;
            self.fields.push(FieldSpan { key: self.key.clone(), value });
        }
    }

    fn check_limit(&self) -> Result<(), MalformedError> {
        let kind = self.kind.filter(|kind| kind.goes(self.direction));
        let bytes_max = kind.map_or(MESSAGE_BYTES_MAX, MessageType::bytes_max);
        if self.walk.total <= bytes_max {
            return Ok(());
        }
        let name = kind.map_or("message of unknown type", MessageType::name);
        let message = format!("{} bytes; a {name} has at most {bytes_max}", self.walk.total);
        Err(MalformedError::new(FieldErrorCode::TooLarge, message))
    }
}
