//! What may become an identity (bug case BC-07: a client's empty or cut document wipes an agent).
//!
//! Too large or blank is refused always; short or without a heading only unless it is forced. Held wherever a document
//! comes in: API, file, sleep.

use abide_domain::limits::{IDENTITY_BYTES_MAX, IDENTITY_CHARS_MIN};

/// How strictly a document is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdentityRule {
    /// It must look like an identity.
    Strict,
    /// A person insists: only what cannot be an identity at all is refused.
    Forced,
}

/// Why a text cannot be an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// The text is empty or white space.
    #[error("an identity must not be blank")]
    Blank,
    /// It has more than [`IDENTITY_BYTES_MAX`] bytes.
    #[error(
        "an identity may have at most {IDENTITY_BYTES_MAX} bytes, this one has {bytes}; shorten it"
    )]
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
    },
    /// Too short to be one.
    #[error(
        "an identity must have at least {IDENTITY_CHARS_MIN} characters, this one has {chars}; use `force` to store it anyway"
    )]
    TooShort {
        /// Its length in characters.
        chars: usize,
    },
    /// It has no Markdown heading.
    #[error(
        "an identity must have a Markdown heading (`# …`), this one has none; use `force` to store it anyway"
    )]
    NoHeading,
}

/// Whether a document may become the identity.
pub fn check_identity(content: &str, rule: IdentityRule) -> Result<(), IdentityError> {
    if content.len() > IDENTITY_BYTES_MAX {
        return Err(IdentityError::TooLarge { bytes: content.len() });
    }
    let text = content.trim();
    if text.is_empty() {
        return Err(IdentityError::Blank);
    }
    if rule == IdentityRule::Forced {
        return Ok(());
    }
    let chars = text.chars().count();
    if chars < IDENTITY_CHARS_MIN {
        return Err(IdentityError::TooShort { chars });
    }
    if text.lines().any(is_heading) { Ok(()) } else { Err(IdentityError::NoHeading) }
}

pub(super) fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (1..=6).contains(&level) && title.starts_with([' ', '\t']) && !title.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::{IdentityError, IdentityRule, check_identity};

    #[test]
    fn short_blank_large_and_heading_less_documents_are_refused() {
        let long = "I am Felix and I keep the records of the company in order.";
        let cases = [
            ("", Some(IdentityError::Blank), Some(IdentityError::Blank)),
            (" \n\t", Some(IdentityError::Blank), Some(IdentityError::Blank)),
            ("# I", Some(IdentityError::TooShort { chars: 3 }), None),
            (long, Some(IdentityError::NoHeading), None),
            (&format!("#{long}"), Some(IdentityError::NoHeading), None),
            (&format!("{long}\n# \n"), Some(IdentityError::NoHeading), None),
            (&format!("# Felix\n\n{long}"), None, None),
        ];
        for (text, strict, forced) in cases {
            assert_eq!(check_identity(text, IdentityRule::Strict).err(), strict, "{text}");
            assert_eq!(check_identity(text, IdentityRule::Forced).err(), forced, "{text}");
        }
        let large = "# ".repeat(40_000);
        let refused = Err(IdentityError::TooLarge { bytes: 80_000 });
        assert_eq!(check_identity(&large, IdentityRule::Forced), refused);
    }
}
