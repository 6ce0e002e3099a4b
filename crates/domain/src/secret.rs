//! A secret text, such as an API key or a token. Nothing shows it but [`Secret::expose`].

use std::fmt;

/// A shorter secret is a placeholder such as `none`, which also occurs in ordinary text: it is not redacted.
const REDACTED_BYTES_MIN: usize = 8;

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

    /// Replaces the secret wherever it occurs in a text, such as a provider's error that repeats the key.
    pub fn redact(&self, text: &str) -> String {
        if self.0.len() < REDACTED_BYTES_MIN {
            return text.to_owned();
        }
        text.replace(&self.0, "[secret]")
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
        assert_eq!(Secret::new("none").redact("none was given"), "none was given");
    }
}
