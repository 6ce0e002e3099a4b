//! What a server asks of a person in mid-call, and who answers.
//!
//! A request is data of another program: its text is shown with everything hidden made visible, an address is shown whole and never
//! opened here, and only `http` and `https` ones get that far.

use std::fmt;

use abide_domain::visible;
use futures_util::future::BoxFuture;
use serde_json::Value;

/// What a server asks.
#[derive(Clone, Debug, PartialEq)]
pub struct ElicitationRequest {
    /// The server, by its name in the settings.
    pub server: String,
    /// Its words, with everything hidden in them made visible.
    pub message: String,
    /// What it wants.
    pub wish: ElicitationWish,
}

/// What a server wants of a person.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationWish {
    /// Values that fit a schema.
    Form {
        /// The schema.
        schema: Value,
    },
    /// That the person visits an address.
    Visit {
        /// The address, `http` or `https`, whole.
        url: String,
    },
}

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub enum ElicitationAnswer {
    /// The person agreed; with the values of the form, if it was one.
    Accept {
        /// The values.
        content: Option<Value>,
    },
    /// The person, or a rule, said no.
    Decline {
        /// Why, for the status.
        reason: String,
    },
    /// Nobody answered in time.
    Cancel {
        /// Why, for the status.
        reason: String,
    },
}

/// Answers what servers ask.
pub trait ElicitationHandler: Send + Sync + fmt::Debug {
    /// Whether anything is ever accepted: only then servers are told that they may ask.
    fn is_available(&self) -> bool;

    /// Answers. It sets its own deadline; the call in which the server asks goes on meanwhile.
    fn answer<'a>(&'a self, request: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer>;
}

/// Says no to everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeclineElicitations;

impl ElicitationHandler for DeclineElicitations {
    fn is_available(&self) -> bool {
        false
    }

    fn answer<'a>(&'a self, _: &'a ElicitationRequest) -> BoxFuture<'a, ElicitationAnswer> {
        let reason = "nobody answers questions of servers here".to_owned();
        Box::pin(std::future::ready(ElicitationAnswer::Decline { reason }))
    }
}

/// Reads an address of a server: whole and visible, or the reason why it goes no further.
pub(crate) fn read_address(url: &str) -> Result<String, String> {
    let lowered = url.to_ascii_lowercase();
    let is_web = lowered.starts_with("https://") || lowered.starts_with("http://");
    let shown = visible(url).into_owned();
    if !is_web || shown != url || url.contains(char::is_whitespace) {
        return Err(format!("`{shown}` is not a web address that can be shown to a person"));
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::read_address;

    #[test]
    fn only_web_addresses_without_hidden_characters_reach_a_person() {
        assert_eq!(
            read_address("https://a.example/?x=1#y").as_deref(),
            Ok("https://a.example/?x=1#y")
        );
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://a.example/\u{202e}",
            "https://a.example/ b",
            "",
        ] {
            assert!(read_address(bad).is_err(), "{bad}");
        }
    }
}
