//! MessagePack, one token at a time: its type and length.
//!
//! Nothing here allocates, recurses or trusts a count. It is the only place that knows what the format's bytes mean.

use crate::field_error::{FieldErrorCode, MalformedError};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Nil,
    Bool(bool),
    FixInt(i8),
    Unsigned,
    Signed,
    Float,
    Text,
    Bin,
    Ext,
    Array,
    Map,
}

/// The beginning of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: Kind,
    /// Marker and length: what stands before the contents.
    pub(crate) size: usize,
    /// Bytes of a leaf's contents; items of an array; pairs of a map.
    pub(crate) length: usize,
}

impl Head {
    /// Where a leaf that begins at 0 ends, or a container's contents begin.
    pub(crate) fn end(self) -> usize {
        match self.kind {
            Kind::Array | Kind::Map => self.size,
            _ => self.size.saturating_add(self.length),
        }
    }

    /// Values inside: keys and values of a map both count.
    pub(crate) fn items(self) -> u64 {
        match self.kind {
            Kind::Array => self.length as u64,
            Kind::Map => self.length as u64 * 2,
            _ => 0,
        }
    }

    pub(crate) fn is_container(self) -> bool {
        matches!(self.kind, Kind::Array | Kind::Map)
    }
}

/// Why a head cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeadError {
    /// The bytes end too early.
    Short,
    /// 0xc1, which the format never uses.
    Reserved,
}

/// Reads the head at the beginning of some bytes.
#[inline]
pub(crate) fn head(bytes: &[u8]) -> Result<Head, HeadError> {
    let first = *bytes.first().ok_or(HeadError::Short)?;
    let fixed = |kind, length| Ok(Head { kind, size: 1, length });
    let low = |mask: u8| usize::from(first & mask);
    match first {
        0x00..=0x7f | 0xe0.. => fixed(Kind::FixInt(first.cast_signed()), 0),
        0x80..=0x8f => fixed(Kind::Map, low(0x0f)),
        0x90..=0x9f => fixed(Kind::Array, low(0x0f)),
        0xa0..=0xbf => fixed(Kind::Text, low(0x1f)),
        0xc0 => fixed(Kind::Nil, 0),
        0xc1 => Err(HeadError::Reserved),
        0xc2 => fixed(Kind::Bool(false), 0),
        0xc3 => fixed(Kind::Bool(true), 0),
        0xc4..=0xc6 => sized(Kind::Bin, bytes, first - 0xc4),
        0xc7..=0xc9 => {
            let head = sized(Kind::Ext, bytes, first - 0xc7)?;
            Ok(Head { size: head.size + 1, ..head })
        }
        0xca => fixed(Kind::Float, 4),
        0xcb => fixed(Kind::Float, 8),
        0xcc..=0xcf => fixed(Kind::Unsigned, 1 << (first - 0xcc)),
        0xd0..=0xd3 => fixed(Kind::Signed, 1 << (first - 0xd0)),
        0xd4..=0xd8 => Ok(Head { kind: Kind::Ext, size: 2, length: 1 << (first - 0xd4) }),
        0xd9..=0xdb => sized(Kind::Text, bytes, first - 0xd9),
        0xdc | 0xdd => sized(Kind::Array, bytes, first - 0xdc + 1),
        0xde | 0xdf => sized(Kind::Map, bytes, first - 0xde + 1),
    }
}

/// A head whose length follows its first byte, in 1, 2 or 4 bytes: 2 to the power of `width`.
fn sized(kind: Kind, bytes: &[u8], width: u8) -> Result<Head, HeadError> {
    let rest = bytes.get(1..).unwrap_or_default();
    let length = match width {
        0 => rest.first().map(|byte| usize::from(*byte)),
        1 => rest.first_chunk().map(|two| u16::from_be_bytes(*two).into()),
        _ => rest.first_chunk().and_then(|four| u32::from_be_bytes(*four).try_into().ok()),
    };
    Ok(Head { kind, size: 1 + (1 << width), length: length.ok_or(HeadError::Short)? })
}

/// The whole length of a leaf that its first byte alone tells; 0 for all others. Steps over most of a large body.
#[inline]
pub(crate) fn leaf_bytes(first: u8) -> usize {
    match first {
        0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0.. => 1,
        0xa0..=0xbf => usize::from(first & 0x1f) + 1,
        0xcc | 0xd0 => 2,
        0xcd | 0xd1 => 3,
        0xca | 0xce | 0xd2 => 5,
        0xcb | 0xcf | 0xd3 => 9,
        _ => 0,
    }
}

/// A token of a value. A container's items follow it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Nil,
    Bool(bool),
    /// Zero and above.
    Unsigned(u64),
    /// Below zero.
    Negative(i64),
    Float(f64),
    /// Not yet checked to be UTF-8.
    Text(&'a [u8]),
    Bin(&'a [u8]),
    Ext(i8, &'a [u8]),
    Array(usize),
    Map(usize),
}

impl Token<'_> {
    /// The token in the words of an error.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "a boolean",
            Self::Unsigned(_) | Self::Negative(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Text(_) => "text",
            Self::Bin(_) => "bin",
            Self::Ext(..) => "an extension",
            Self::Array(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// Walks over tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Reads the next token.
    #[inline]
    pub(crate) fn token(&mut self) -> Result<Token<'a>, MalformedError> {
        let head = head(self.rest).map_err(MalformedError::from)?;
        let (token, rest) = self.rest.split_at_checked(head.end()).ok_or_else(truncated)?;
        self.rest = rest;
        let contents = token.get(head.size..).unwrap_or_default();
        Ok(match head.kind {
            Kind::Nil => Token::Nil,
            Kind::Bool(value) => Token::Bool(value),
            Kind::FixInt(value) => integer(value.into()),
            Kind::Unsigned => Token::Unsigned(number(contents)),
            Kind::Signed => integer(signed(contents)),
            Kind::Float => Token::Float(float(contents)),
            Kind::Text => Token::Text(contents),
            Kind::Bin => Token::Bin(contents),
            Kind::Ext => {
                let class = head.size.checked_sub(1).and_then(|at| token.get(at));
                Token::Ext(class.copied().unwrap_or_default().cast_signed(), contents)
            }
            Kind::Array => Token::Array(head.length),
            Kind::Map => Token::Map(head.length),
        })
    }

    /// Steps over the next value with all that is in it, and gives its bytes.
    pub(crate) fn value(&mut self) -> Result<&'a [u8], MalformedError> {
        let begin = self.rest;
        let mut left = 1_u64;
        while left > 0 {
            let head = head(self.rest).map_err(MalformedError::from)?;
            self.rest = self.rest.get(head.end()..).ok_or_else(truncated)?;
            left = left.saturating_sub(1).saturating_add(head.items());
        }
        Ok(begin.get(..begin.len() - self.rest.len()).unwrap_or_default())
    }
}

fn integer(value: i64) -> Token<'static> {
    u64::try_from(value).map_or(Token::Negative(value), Token::Unsigned)
}

fn number(bytes: &[u8]) -> u64 {
    let read = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
    bytes.first_chunk().map_or_else(|| bytes.iter().fold(0, read), |wide| u64::from_be_bytes(*wide))
}

fn signed(bytes: &[u8]) -> i64 {
    match *bytes {
        [a] => i8::from_be_bytes([a]).into(),
        [a, b] => i16::from_be_bytes([a, b]).into(),
        [a, b, c, d] => i32::from_be_bytes([a, b, c, d]).into(),
        _ => number(bytes).cast_signed(),
    }
}

fn float(bytes: &[u8]) -> f64 {
    match *bytes {
        [a, b, c, d] => f32::from_be_bytes([a, b, c, d]).into(),
        _ => f64::from_bits(number(bytes)),
    }
}

pub(crate) fn truncated() -> MalformedError {
    MalformedError::new(FieldErrorCode::Truncated, "ends inside a value")
}

impl From<HeadError> for MalformedError {
    fn from(error: HeadError) -> Self {
        match error {
            HeadError::Short => truncated(),
            HeadError::Reserved => {
                Self::new(FieldErrorCode::Malformed, "the byte 0xc1 is not a MessagePack value")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, Token};

    #[test]
    fn every_form_of_a_number_is_read() {
        let cases: [(&[u8], Token<'_>); 10] = [
            (&[0x7f], Token::Unsigned(127)),
            (&[0xff], Token::Negative(-1)),
            (&[0xcc, 200], Token::Unsigned(200)),
            (&[0xcd, 1, 0], Token::Unsigned(256)),
            (&[0xcf, 255, 255, 255, 255, 255, 255, 255, 255], Token::Unsigned(u64::MAX)),
            (&[0xd0, 0x80], Token::Negative(-128)),
            (&[0xd0, 0x01], Token::Unsigned(1)),
            (&[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 0], Token::Negative(i64::MIN)),
            (&[0xca, 0x3f, 0x80, 0, 0], Token::Float(1.0)),
            (&[0xcb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0], Token::Float(1.0)),
        ];
        for (bytes, token) in cases {
            assert_eq!(Cursor::new(bytes).token(), Ok(token), "{bytes:?}");
        }
    }

    #[test]
    fn what_the_first_byte_tells_is_what_the_head_tells() {
        for first in 0..=u8::MAX {
            let bytes = [first, 0, 0, 0, 0, 0];
            let told = super::leaf_bytes(first);
            let head = super::head(&bytes).ok().filter(|head| !head.is_container());
            assert!(told == 0 || head.map(super::Head::end) == Some(told), "{first:#x}");
        }
    }

    #[test]
    fn extensions_keep_their_class() {
        assert_eq!(Cursor::new(&[0xd4, 0xff, 9]).token(), Ok(Token::Ext(-1, &[9])));
        assert_eq!(Cursor::new(&[0xc7, 2, 5, 8, 9]).token(), Ok(Token::Ext(5, &[8, 9])));
    }

    #[test]
    fn a_value_ends_where_its_last_item_ends() {
        let bytes = [0x82, 0xa1, b'a', 0x92, 1, 2, 0xa1, b'b', 0xc0, 7];
        let mut cursor = Cursor::new(&bytes);
        assert_eq!(cursor.value(), Ok(&bytes[..9]));
        assert_eq!(cursor.token(), Ok(Token::Unsigned(7)));
        assert!(cursor.token().is_err());
        assert!(Cursor::new(&[0x92, 1]).value().is_err());
        assert!(Cursor::new(&[0xdf, 255, 255, 255, 255, 0xc1]).value().is_err());
    }
}
