//! What a message answers, and whose words it carries on. Pure. What others wrote is set in with `> `, under the name of who
//! wrote it, so that it cannot pass for the sender's own words.

use abide_domain::{text::shortened, visible_line};
use serde_json::Value;

use super::update::{Message, User};

/// Longest text of others that is told beside a message, in Unicode scalar values; the message itself has 4,096 UTF-16 units.
const QUOTED_CHARS_MAX: usize = 1_500;
/// Longest name of somebody, in Unicode scalar values.
const NAME_CHARS_MAX: usize = 80;

/// What a message answers, and whose words it carries on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageOrigin {
    /// What it answers.
    pub quoted: Option<QuotedMessage>,
    /// Who wrote it first, where it was forwarded.
    pub forwarded_from: Option<String>,
}

/// A message that another answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedMessage {
    /// Who wrote it; `you` where the agent did.
    pub by: String,
    /// The words, or the part of them that is meant.
    pub text: String,
}

impl MessageOrigin {
    /// The words as the agent is told them.
    pub(super) fn content(&self, text: &str) -> String {
        let answered = self.quoted.as_ref().map(|QuotedMessage { by, text }| {
            format!("(In answer to what {by} wrote:)\n{}\n\n", set_in(text))
        });
        let own = self.forwarded_from.as_ref().map_or_else(
            || text.to_owned(),
            |by| format!("(Forwarded, written by {by}:)\n{}", set_in(text)),
        );
        answered.unwrap_or_default() + &own
    }
}

/// What a message answers; `bot` is the number of the bot itself.
pub(super) fn quoted(message: &Message, bot: i64) -> Option<QuotedMessage> {
    let chosen = message.quote.as_ref().and_then(|quote| quote.get("text")?.as_str());
    let (by, whole) = match (&message.reply_to, &message.external_reply) {
        (Some(replied), _) if replied.forum_topic_created.is_none() => {
            let by = replied.from.as_ref().map_or_else(unknown, |from| {
                if from.id == bot { "you".to_owned() } else { name_of(from) }
            });
            (by, replied.text.as_deref().or(replied.caption.as_deref()))
        }
        (_, Some(external)) => (origin_name(external.get("origin")), None),
        _ => return None,
    };
    let text = chosen.or(whole).filter(|text| !abide_domain::is_blank(text))?;
    Some(QuotedMessage { by, text: shortened(text, QUOTED_CHARS_MAX) })
}

/// Who wrote a forwarded message first.
pub(super) fn forwarded_from(message: &Message) -> Option<String> {
    message.forward_origin.as_ref().map(|origin| origin_name(Some(origin)))
}

/// The name in an origin: of a user, of one who hides, of a chat, of a channel.
fn origin_name(origin: Option<&Value>) -> String {
    let text = |path: &str| origin?.pointer(path)?.as_str().map(str::to_owned);
    let name = text("/sender_user/username")
        .map(|name| format!("@{name}"))
        .or_else(|| text("/sender_user/first_name"))
        .or_else(|| text("/sender_user_name"))
        .or_else(|| text("/sender_chat/title"))
        .or_else(|| text("/chat/title"));
    name.map_or_else(unknown, |name| shown(&name))
}

fn name_of(user: &User) -> String {
    let username = user.username.as_ref().map(|name| format!("@{name}"));
    username.or_else(|| user.first_name.clone()).map_or_else(unknown, |name| shown(&name))
}

/// The name that somebody gave themselves beside their username.
pub(super) fn display_name(user: &User) -> Option<String> {
    let names = [user.first_name.as_deref(), user.last_name.as_deref()];
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    let name = shown(&name.replace('"', " "));
    (!name.is_empty()).then_some(name)
}

/// A name on one line, without what would end the remark that it stands in.
fn shown(name: &str) -> String {
    let name = visible_line(name).replace([':', '(', ')', '[', ']'], " ");
    shortened(name.trim(), NAME_CHARS_MAX)
}

fn unknown() -> String {
    "somebody".to_owned()
}

/// A text with each of its lines set in.
fn set_in(text: &str) -> String {
    let lines = text.split(['\n', '\r', '\u{2028}', '\u{2029}']).map(|line| format!("> {line}"));
    lines.collect::<Vec<_>>().join("\n")
}
