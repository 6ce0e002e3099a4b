//! What a server asks of a person in mid-call, and who answers.
//!
//! A request is data of another program: its text is shown with everything hidden made visible, an address is shown whole and never
//! opened here, and only `http` and `https` ones get that far.

use std::{fmt, time::Duration};

use abide_domain::{text::shortened, visible};
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::{
    form::{Form, FormValues},
    limits::{ADDRESS_BYTES_MAX, MESSAGE_CHARS_MAX},
    running_calls::CallOrigin,
};

/// What a server asks.
#[derive(Clone, Debug, PartialEq)]
pub struct ElicitationRequest {
    /// The server, by its name in the settings.
    pub server: String,
    /// The calls that run: it asks in one of them.
    pub calls: Vec<CallOrigin>,
    /// How long the last of them still has.
    pub left: Duration,
    /// Its words, with everything hidden in them made visible.
    pub message: String,
    /// What it wants.
    pub wish: ElicitationWish,
}

/// What a server wants of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElicitationWish {
    /// The values of a form.
    Form(Form),
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
        content: Option<FormValues>,
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

    /// Answers. It sets its own deadline; the call in which the server asks goes on meanwhile. Where that ends first, or the server no
    /// longer asks, the future is dropped.
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

/// What a server says in its request: its words and what it wants, or the reason why that goes no further.
pub(crate) fn read_wish(params: &Value) -> Result<(String, ElicitationWish), String> {
    let message = params["message"].as_str().ok_or("the server asks without a word")?;
    let wish = match params.get("mode").map_or(Some("form"), Value::as_str) {
        Some("form") => ElicitationWish::Form(Form::read(&params["requestedSchema"])?),
        Some("url") => {
            let url = read_address(params["url"].as_str().unwrap_or_default())?;
            ElicitationWish::Visit { url }
        }
        _ => return Err("the server asks in a way that is not known here".to_owned()),
    };
    if message.trim().is_empty() && wish == ElicitationWish::Form(Form::default()) {
        return Err("the server asks without a word, and for no value".to_owned());
    }
    Ok((shortened(&visible(message), MESSAGE_CHARS_MAX), wish))
}

/// Reads an address of a server: whole and visible, or the reason why it goes no further.
fn read_address(url: &str) -> Result<String, String> {
    let shown = visible(url).into_owned();
    let parsed = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    // With a name in it, an address looks as if it led to that; and where it leads must stand in it as it is read, so that no
    // number, letter of another script or escape passes for another host.
    let is_plain = parsed.is_some_and(|parsed| {
        let begin = format!("{}://{}", parsed.scheme(), parsed.host_str().unwrap_or_default());
        let follows = url.get(begin.len()..).map(|rest| rest.chars().next());
        url.is_ascii()
            && url.get(..begin.len()).is_some_and(|own| own.eq_ignore_ascii_case(&begin))
            && matches!(follows, Some(None | Some('/' | ':' | '?' | '#')))
            && parsed.username().is_empty()
            && parsed.password().is_none()
    });
    let is_shown = shown == url && !url.contains(char::is_whitespace) && !url.contains('\\');
    if !is_plain || !is_shown || url.len() > ADDRESS_BYTES_MAX {
        let shown = shortened(&shown, MESSAGE_CHARS_MAX);
        return Err(format!("`{shown}` is not a web address that can be shown to a person"));
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{read_address, read_wish};

    #[test]
    fn a_form_without_fields_is_a_yes_or_no_only_where_it_says_to_what() {
        let empty = json!({"type": "object", "properties": {}});
        let asked = |message| read_wish(&json!({"message": message, "requestedSchema": empty}));
        assert!(asked("Delete all of it?").is_ok());
        assert!(asked(" \n").unwrap_err().contains("no value"));
    }

    /// HB-20.
    #[test]
    fn only_web_addresses_without_hidden_characters_reach_a_person() {
        assert_eq!(
            read_address("https://a.example/?x=1#y").as_deref(),
            Ok("https://a.example/?x=1#y")
        );
        for good in ["HTTPS://A.example:8443", "http://[::1]:7000/login", "http://127.0.0.1/?a=b"] {
            assert_eq!(read_address(good).as_deref(), Ok(good));
        }
        let long = format!("https://a.example/{}", "x".repeat(5_000));
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "https://a.example/\u{202e}",
            "https://a.example/ b",
            "https://bank.example@a.example/",
            "https:\\\\a.example",
            "https:evil.example",
            "http:settings/x",
            "http:x/../?code=abc",
            "https://google.com\u{2215}login.evil.example/",
            "https://accounts.google.com%2eevil.example/",
            "https://ex\u{430}mple.com/",
            "http://2130706433/",
            "https://a.example/\u{2800}",
            "https://",
            "",
            &long,
        ] {
            assert!(read_address(bad).is_err(), "{bad}");
        }
    }
}
