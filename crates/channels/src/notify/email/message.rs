//! A notice as a message of RFC 5322. All attempts at one notice have one `Message-ID`, so that a mailbox can tell; what
//! is told of one stall refers to one name, so that its beginning and its end are one thread.
//!
//! The library (`lettre`) writes the message down; nothing here puts text into a header or a body by itself.

use std::time::{Duration, SystemTime};

use abide_watchdog::{Notice, NoticeKind};
use lettre::{
    Address, Message,
    message::{
        Mailbox,
        header::{ContentType, HeaderName, HeaderValue, MIME_VERSION_1_0},
    },
};

use super::{
    super::text::{characters, fit, line, plain},
    settings::EmailSettings,
};

const SUBJECT_CHARS_MAX: usize = 200;
const TEXT_CHARS_MAX: usize = 20_000;
/// Episodes that one message refers to.
const REFERENCES_MAX: usize = 50;
/// The longest address (RFC 5321, 4.5.3.1).
const ADDRESS_BYTES_MAX: usize = 254;

/// Whether a text is a plain address such as `ada@example.org`, without a display name or quotes, all ASCII.
pub fn is_mail_address(text: &str) -> bool {
    parse_address(text).is_some()
}

fn parse_address(text: &str) -> Option<Address> {
    let is_plain = text.len() <= ADDRESS_BYTES_MAX && text.bytes().all(|b| b.is_ascii_graphic());
    text.parse().ok().filter(|_| is_plain && !text.contains(['"', '<', '>', '[']))
}

/// The whole message; none where an address is not valid.
pub(super) fn build_message(notice: &Notice, settings: &EmailSettings) -> Option<Message> {
    let from = parse_address(&settings.from)?;
    let domain = from.domain().to_owned();
    let auto = HeaderName::new_from_ascii_str("Auto-Submitted");
    let at = Duration::from_micros(u64::try_from(notice.at.as_micros()).unwrap_or_default());
    let mut message = Message::builder()
        .from(Mailbox::new(Some("Abide".to_owned()), from))
        .subject(line(&subject(notice), SUBJECT_CHARS_MAX))
        .date(SystemTime::UNIX_EPOCH + at)
        .message_id(Some(format!("<{}@{domain}>", notice.id)))
        .raw_header(HeaderValue::new(auto, "auto-generated".to_owned()));
    for to in &settings.to {
        message = message.to(Mailbox::new(None, parse_address(to)?));
    }
    let episodes = notice.items.iter().take(REFERENCES_MAX);
    let names: Vec<_> =
        episodes.map(|item| format!("<episode.{}@{domain}>", item.episode)).collect();
    if let Some(first) = names.first() {
        message = message.in_reply_to(first.clone()).references(names.join(" "));
    }
    let message = message.header(MIME_VERSION_1_0).header(ContentType::TEXT_PLAIN);
    message.body(body(notice, settings)).ok()
}

/// What is told of one stall has one subject: some mailboxes thread by nothing else.
fn subject(notice: &Notice) -> String {
    match notice.kind {
        NoticeKind::Resolved | NoticeKind::Acknowledged { .. } => {
            let stalled = Notice { kind: NoticeKind::Stalled, ..notice.clone() };
            format!("Re: {}", stalled.title())
        }
        _ => notice.title(),
    }
}

fn body(notice: &Notice, settings: &EmailSettings) -> String {
    let link =
        settings.link.as_ref().map(|link| format!("\n\n{}", notice.link(link))).unwrap_or_default();
    let text = fit(&notice.text(), TEXT_CHARS_MAX, plain, characters) + &link;
    // The protocol ends the last line.
    text.lines().collect::<Vec<_>>().join("\r\n")
}

#[cfg(test)]
mod tests {
    use super::is_mail_address;

    #[test]
    fn an_address_holds_nothing_that_could_end_a_command() {
        for text in ["ada@example.org", "a+b.c@h", "\u{7e}x@a-b.c"] {
            assert!(is_mail_address(text), "{text}");
        }
        for text in [
            "",
            "ada",
            "@h",
            "a@",
            "a b@h",
            "\"a b\"@h",
            "a@h>",
            "a@h\r\nRCPT TO:<b@h>",
            "<a@h>",
            "ä@h",
            "a@h h",
            "Ada <ada@h>",
            "a@b@h",
        ] {
            assert!(!is_mail_address(text), "{text}");
        }
    }
}
