//! Writes MessagePack in its shortest forms: maps by name, integers as integers.

use rmp::encode;

use crate::message_type::Version;

/// Appends values to a buffer.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    /// The version that is written: newer fields are left out.
    pub(crate) version: Version,
    /// Whether a float came that no reader takes.
    pub(crate) has_bad_float: bool,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out, version: Version::V3, has_bad_float: false }
    }

    pub(crate) fn nil(&mut self) {
        done(encode::write_nil(self.out));
    }

    pub(crate) fn boolean(&mut self, value: bool) {
        done(encode::write_bool(self.out, value));
    }

    pub(crate) fn unsigned(&mut self, value: u64) {
        done(encode::write_uint(self.out, value));
    }

    pub(crate) fn signed(&mut self, value: i64) {
        done(encode::write_sint(self.out, value));
    }

    pub(crate) fn float(&mut self, value: f64) {
        self.has_bad_float |= !value.is_finite();
        done(encode::write_f64(self.out, value));
    }

    pub(crate) fn float32(&mut self, value: f32) {
        self.has_bad_float |= !value.is_finite();
        done(encode::write_f32(self.out, value));
    }

    pub(crate) fn text(&mut self, value: &str) {
        done(encode::write_str_len(self.out, length(value.len())));
        self.out.extend_from_slice(value.as_bytes());
    }

    pub(crate) fn bin(&mut self, value: &[u8]) {
        done(encode::write_bin_len(self.out, length(value.len())));
        self.out.extend_from_slice(value);
    }

    pub(crate) fn ext(&mut self, class: i8, value: &[u8]) {
        done(encode::write_ext_meta(self.out, length(value.len()), class));
        self.out.extend_from_slice(value);
    }

    pub(crate) fn list(&mut self, count: usize) {
        done(encode::write_array_len(self.out, length(count)));
    }

    pub(crate) fn map(&mut self, pairs: usize) {
        done(encode::write_map_len(self.out, length(pairs)));
    }

    /// Appends a value that is packed already.
    pub(crate) fn packed(&mut self, value: &[u8]) {
        self.out.extend_from_slice(value);
    }
}

/// What does not fit in 32 bits is far above every frame's limit, which is looked at when the frame is whole.
fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// A vector takes every byte: there is nothing to fail.
fn done<T, E>(written: Result<T, E>) {
    drop(written);
}
