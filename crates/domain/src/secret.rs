//! A secret text, such as an API key or a token. Nothing shows it but [`Secret::expose`].

use std::fmt;

/// A shorter secret is a placeholder such as `none`, which also occurs in ordinary text: it is not redacted.
const REDACTED_BYTES_MIN: usize = 8;

/// A shorter beginning of a secret at the end of a text is taken for a part of an ordinary word.
const CUT_BYTES_MIN: usize = 4;
/// What stands in place of a secret.
const SHOWN: &str = "[secret]";

/// A secret: no `Display`, no serialised form, and a `Debug` that hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a secret that a person or a file gives. Space around it, such as a key file's last line end, is cut off.
    pub fn new(text: &str) -> Self {
        Self::verbatim(text.trim())
    }

    /// Takes a secret exactly as it is, as the agent wire carries it.
    pub fn verbatim(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself, to be compared or sent.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Replaces the secret wherever it occurs in a text, such as a provider's error that repeats the key; also the beginning
    /// of it with which a text ends that was cut there.
    pub fn redact(&self, text: &str) -> String {
        if self.0.len() < REDACTED_BYTES_MIN {
            return text.to_owned();
        }
        let mut redacted = text.replace(&self.0, SHOWN);
        let end = redacted.trim_end().len();
        let beginnings = (CUT_BYTES_MIN..self.0.len()).rev().filter_map(|len| self.0.get(..len));
        let body = redacted.get(..end).unwrap_or_default();
        let cut = beginnings.into_iter().find(|beginning| body.ends_with(beginning));
        if let Some(cut) = cut {
            redacted.truncate(end - cut.len());
            redacted.push_str(SHOWN);
        }
        redacted
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn a_secret_shows_itself_to_nobody() {
        let secret = Secret::new("sk-12345\n");
        assert_eq!(secret.expose(), "sk-12345");
        assert_eq!(format!("{secret:?}"), "Secret(hidden)");
        assert_eq!(
            secret.redact("Incorrect API key provided: sk-12345."),
            "Incorrect API key provided: [secret]."
        );
        assert_eq!(Secret::new("").redact("a"), "a");
        for cut in ["key: sk-1234", "key: sk-1", "key: sk-1234 \n"] {
            assert_eq!(secret.redact(cut), "key: [secret]", "{cut:?}: the text was cut in the key");
        }
        assert_eq!(secret.redact("sk-1 is no key"), "sk-1 is no key");
        assert_eq!(secret.redact("a desk-"), "a desk-");
        assert_eq!(Secret::new("none").redact("none was given"), "none was given");
    }
}
