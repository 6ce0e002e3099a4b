//! The short digest of a file: what an agent shows to have seen it before it replaces it.

use sha2::{Digest as _, Sha256};

/// Characters of a digest: 64 bits, ample where nobody is paid to find a second file.
const DIGEST_CHARS: usize = 16;

/// The digest of a file's bytes, in hexadecimal.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let mut text = hex::encode(Sha256::digest(bytes));
    text.truncate(DIGEST_CHARS);
    text
}
