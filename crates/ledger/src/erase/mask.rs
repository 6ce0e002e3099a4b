//! One line without its words: every text in its data becomes [`ERASED`], and what says where it belongs stays.
//!
//! What may not be replaced is found by trying: the event must still be read. So an id, a time or a word of a fixed list
//! stays, and a field of an event to come is erased without anybody thinking of it. Names of people, tools and files in
//! fields of their own stay: they say who and what, not what was said. Pure.

use abide_domain::event::Event;
use serde_json::{Map, Value};

use crate::line::Layout;

/// What stands in place of words that were erased.
pub const ERASED: &str = "[erased]";

/// Fields that say where something belongs.
const KEPT: &[&str] = &[
    "agent",
    "asked_by",
    "author",
    "by",
    "call_id",
    "category",
    "channel",
    "citizen",
    "distiller",
    "edge",
    "effect",
    "emotion",
    "entity",
    "epoch",
    "epochs",
    "fact_id",
    "facts",
    "filename",
    "from",
    "id",
    "key",
    "kind",
    "mind",
    "model",
    "name",
    "namespace",
    "node_id",
    "outcome",
    "previous_chain",
    "proposal_id",
    "sender",
    "server",
    "session_id",
    "sleep_id",
    "slots",
    "source",
    "sources",
    "status",
    "subject",
    "supersedes",
    "to",
    "told_by",
    "tool",
    "trigger",
    "type",
    "unit",
];
/// Fields whose content has no fixed form: there numbers and names of fields are words too.
const FREE: &[&str] = &[
    "arguments",
    "params",
    "result",
    "body",
    "payload",
    "data",
    "value",
    "details",
    "schema",
    "hints",
];
/// A value that a tool keeps for an agent.
const KEPT_VALUE: &str = "tool.kept";
/// What kinds of lines about decks begin with. Which cards are meant is no word: without that, a deck would be gone with the words.
const DECK_KINDS: &str = "deck.";
/// Their fields that are words.
const DECK_WORDS: &[&str] = &["text", "tags", "label"];
/// What kinds of lines about music begin with. A list may be thousands of tracks long, too many to try each of its texts.
const MEDIA_KINDS: &str = "media.";
/// The one of them whose reason is words.
const MEDIA_FAILURE: &str = "media.entry_failed";
/// Their fields that are words: what files say of tracks, and what people call lists.
const MEDIA_WORDS: &[&str] = &["title", "artists"];
/// Digits of a digest; one of a short text can be guessed.
const DIGEST_CHARS: usize = 64;

/// The data of a line without its words, as one line of JSON. The same of a line that has none any more is the same again.
pub(super) fn mask(layout: &Layout, line: &[u8]) -> Result<String, String> {
    let text = |bytes| std::str::from_utf8(bytes).map_err(|error| error.to_string());
    let (kind, data) = (text(layout.kind.of(line))?, text(layout.data.of(line))?);
    mask_data(kind, layout.version, data)
}

fn mask_data(kind: &str, version: u32, data: &str) -> Result<String, String> {
    let value: Value = serde_json::from_str(data).map_err(|error| error.to_string())?;
    let reads = |value: &Value| {
        let json = value.to_string();
        Event::decode(kind, version, &json).is_ok().then_some(json)
    };
    let mut all = value.clone();
    if kind.starts_with(DECK_KINDS) {
        mask_deck(&mut all);
    } else if kind.starts_with(MEDIA_KINDS) {
        mask_media(&mut all, kind);
    } else {
        mask_value(&mut all, "", Form::Fixed);
    }
    if kind == KEPT_VALUE {
        mask_kept_key(&mut all);
    }
    if let Some(json) = reads(&all) {
        return Ok(json);
    }
    if reads(&value).is_none() {
        return Err(format!("this version of abide does not know {kind} {version}"));
    }
    // Some text is no word: try them one by one. Where no form is fixed, all of it goes at once: there names are words too.
    let mut kept = value;
    let mut free = kept.clone();
    for key in FREE {
        if let (Some(old), Some(new)) = (free.get_mut(*key), all.get(*key)) {
            old.clone_from(new);
        }
    }
    if reads(&free).is_some() {
        kept = free;
    }
    let mut paths = Vec::new();
    texts(&kept, &mut String::new(), &mut |path, _| paths.push(path.to_owned()));
    for path in paths {
        let (Some(old), Some(new)) = (kept.pointer(&path).cloned(), all.pointer(&path).cloned())
        else {
            continue;
        };
        if let Some(place) = kept.pointer_mut(&path) {
            *place = new;
        }
        if reads(&kept).is_none()
            && let Some(place) = kept.pointer_mut(&path)
        {
            *place = old;
        }
    }
    reads(&kept).ok_or_else(|| "the event could not be read without them".to_owned())
}

/// Whether a value has a form that the event fixes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Fixed,
    Free,
}

fn mask_value(value: &mut Value, key: &str, form: Form) {
    match value {
        Value::String(text) if form == Form::Free || !KEPT.contains(&key) => {
            *text = masked_text(text, key);
        }
        Value::Number(number) if form == Form::Free => *number = 0.into(),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, key, form)),
        Value::Object(fields) => {
            let masked: Map<String, Value> = std::mem::take(fields)
                .into_iter()
                .enumerate()
                .map(|(index, (name, mut value))| {
                    let is_free = form == Form::Free || FREE.contains(&name.as_str());
                    mask_value(&mut value, &name, if is_free { Form::Free } else { Form::Fixed });
                    let is_word = form == Form::Free && !is_field_name(&name);
                    (if is_word { format!("erased_{index}") } else { name }, value)
                })
                .collect();
            *fields = masked;
        }
        _ => {}
    }
}

/// Of a line about a deck the reason goes, and what people filed cards under or wrote that was never read.
fn mask_deck(data: &mut Value) {
    if let Some(reason) = data.get_mut("reason") {
        *reason = ERASED.into();
    }
    mask_words(data, "", DECK_WORDS);
}

/// Of a line about music the names of lists go and what is said of tracks; the digests of their audio stay.
fn mask_media(data: &mut Value, kind: &str) {
    if let Some(reason) = data.get_mut("reason").filter(|_| kind == MEDIA_FAILURE) {
        *reason = ERASED.into();
    }
    mask_words(data, "", MEDIA_WORDS);
}

fn mask_words(value: &mut Value, key: &str, words: &[&str]) {
    match value {
        Value::String(text) if words.contains(&key) => *text = masked_text(text, key),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_words(item, key, words)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, value)| mask_words(value, name, words));
        }
        _ => {}
    }
}

/// The key of a value that is kept may be words, such as an address with a token in it: it goes with its value. That of one that
/// is dropped stays, or the value would be there again.
fn mask_kept_key(data: &mut Value) {
    let holds_value = data.get("value").is_some_and(|value| !value.is_null());
    if let Some(key) = data.get_mut("key").filter(|_| holds_value) {
        *key = ERASED.into();
    }
}

fn masked_text(text: &str, key: &str) -> String {
    let is_digest = text.len() == DIGEST_CHARS && text.bytes().all(|b| b.is_ascii_hexdigit());
    if is_digest && (key.contains("sha256") || key.contains("digest")) {
        return "0".repeat(DIGEST_CHARS);
    }
    if text.is_empty() { String::new() } else { ERASED.to_owned() }
}

fn is_field_name(name: &str) -> bool {
    name.len() <= 32 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

/// Walks over all texts that are not kept, with the pointer to each.
fn texts(value: &Value, path: &mut String, visit: &mut dyn FnMut(&str, &str)) {
    let length = path.len();
    match value {
        Value::String(text) => {
            let key = path.rsplit('/').find(|part| part.parse::<usize>().is_err());
            if !KEPT.contains(&key.unwrap_or_default()) {
                visit(path, text);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push('/');
                path.push_str(&index.to_string());
                texts(item, path, visit);
                path.truncate(length);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push('/');
                path.push_str(&name.replace('~', "~0").replace('/', "~1"));
                texts(field, path, visit);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// The texts in a line's data that an erasure would remove, to find copies of them elsewhere.
pub fn erasable_texts(data: &str) -> Vec<String> {
    let Ok(value) = serde_json::from_str::<Value>(data) else { return Vec::new() };
    let mut found = Vec::new();
    texts(&value, &mut String::new(), &mut |_, text| found.push(text.to_owned()));
    found
}

#[cfg(test)]
mod tests {
    use super::{ERASED, mask_data};

    #[test]
    fn words_go_and_what_says_where_they_belong_stays() {
        let data = r#"{"fact_id":"00000000-0000-0000-0000-000000000001","content":"the code is 4711","category":"user","tags":["home"],"confidence":0.5,"told_by":"@ann","valid_from":"2026-11-27T22:10:03.123456Z"}"#;
        let masked = mask_data("memory.fact_remembered", 2, data).unwrap();
        assert!(!masked.contains("4711") && !masked.contains("home\""), "{masked}");
        for kept in [
            "00000000-0000-0000-0000-000000000001",
            "@ann",
            "\"user\"",
            "2026-11-27T22:10:03",
            ERASED,
        ] {
            assert!(masked.contains(kept), "{kept}: {masked}");
        }
        assert_eq!(mask_data("memory.fact_remembered", 2, &masked).as_deref(), Ok(&*masked));
    }

    #[test]
    fn a_key_goes_with_its_value_and_stays_where_the_value_is_dropped() {
        let mask = |data| mask_data("tool.kept", 1, data);
        let kept = r#"{"namespace":"rss","key":"https://example.org/feed?token=4711","value":{"title":"news"}}"#;
        let masked = r#"{"key":"[erased]","namespace":"rss","value":{"title":"[erased]"}}"#;
        let sorted = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        assert_eq!(sorted(&mask(kept).unwrap()), sorted(masked));
        assert_eq!(sorted(&mask(masked).unwrap()), sorted(masked), "again it changes nothing");
        let dropped = r#"{"namespace":"rss","key":"https://example.org/feed"}"#;
        assert_eq!(sorted(&mask(dropped).unwrap()), sorted(dropped));
    }

    #[test]
    fn of_what_a_tool_said_about_itself_only_whose_it_was_stays() {
        let data = r#"{"server":"files","tool":"read","description":"Ann's notes","schema":{"properties":{"Ann's":{"name":"Ann"}}}}"#;
        let masked = mask_data("mcp.tool_accepted", 1, data).unwrap();
        let kept: serde_json::Value = serde_json::from_str(&masked).unwrap();
        assert_eq!((&kept["server"], &kept["description"]), (&"files".into(), &"[erased]".into()));
        assert!(!masked.to_lowercase().contains("ann"), "{masked}");
    }

    #[test]
    fn what_was_set_about_a_tool_is_no_word() {
        let data = r#"{"tool":"stdout","agent":"felix","policy":"ask","before":null}"#;
        let masked = mask_data("tools.policy_changed", 1, data).unwrap();
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(read(&masked), read(data));
    }

    #[test]
    fn of_a_deck_the_words_go_and_the_cards_stay() {
        let data = r#"{"deck_id":"d1","proposal_id":"p1","by":{"who":"agent","name":"felix"},"deck_rev":1,"reason":"Ann asked","ops":[{"op":"set_tags","entry":{"card":{"id":"o1","name":"Sol Ring"},"zone":"main"},"tags":["Ann's"]}]}"#;
        let masked = mask_data("deck.proposed", 1, data).unwrap();
        assert!(!masked.contains("Ann"), "{masked}");
        for kept in ["d1", "p1", "felix", "set_tags", "o1", "Sol Ring", "main"] {
            assert!(masked.contains(kept), "{kept}: {masked}");
        }
        assert_eq!(mask_data("deck.proposed", 1, &masked).unwrap(), masked);
    }

    #[test]
    fn of_music_the_words_go_and_what_is_played_stays() {
        let key = "00112233445566778899aabbccddeeff";
        let by = r#""by":{"who":"agent","name":"felix"}"#;
        let entry = format!(
            r#"{{"id":3,"key":"{key}","title":"For Ann","artists":["Ann"],"duration_ms":1}}"#
        );
        let lines = [
            (
                "media.queue_added",
                format!(r#"{{{by},"entries":[{entry}],"before":2,"play_next":true}}"#),
            ),
            ("media.playlist_added", format!(r#"{{{by},"playlist":1,"entries":[{entry}]}}"#)),
            ("media.playlist_created", format!(r#"{{{by},"playlist":1,"title":"Ann's"}}"#)),
            ("media.entry_failed", format!(r#"{{{by},"entry":3,"reason":"Ann.mp3 is gone"}}"#)),
        ];
        for (kind, data) in lines {
            let masked = mask_data(kind, 1, &data).unwrap();
            assert!(!masked.contains("Ann") && masked.contains("felix"), "{masked}");
            assert_eq!(masked.contains(key), data.contains(key), "{masked}");
            assert_eq!(mask_data(kind, 1, &masked).unwrap(), masked);
        }
        let stopped = format!(r#"{{{by},"reason":"end_of_queue"}}"#);
        assert!(mask_data("media.stopped", 1, &stopped).unwrap().contains("end_of_queue"));
    }

    #[test]
    fn of_what_a_server_asked_its_words_go() {
        let data = r#"{"question_id":"00000000-0000-0000-0000-000000000001","server":"files","agent":"felix","call_id":"call_1_1","message":"Ann, who?","schema":{"type":"object","properties":{"Ann's dog":{"title":"Ann"}}},"until":"2026-11-30T10:00:00Z"}"#;
        let masked = mask_data("mcp.question_asked", 1, data).unwrap();
        assert!(!masked.contains("Ann"), "{masked}");
        for kept in ["00000000-0000-0000-0000-000000000001", "files", "felix", "call_1_1"] {
            assert!(masked.contains(kept), "{kept}: {masked}");
        }
    }

    #[test]
    fn in_arguments_numbers_and_names_are_words_too() {
        let data = r#"{"turn":1,"attempt":1,"voice":{"thought":"hm","emotive_state":"calm","tool_calls":[{"call_id":"1.1","name":"mail.send","arguments":{"to":"ann","0612345678":612345678}}],"final_response":null},"usage":{"input_tokens":7,"output_tokens":9}}"#;
        let masked = mask_data("turn.completed", 1, data).unwrap();
        assert!(!masked.contains("612345678") && !masked.contains("ann"), "{masked}");
        assert!(masked.contains("mail.send") && masked.contains("1.1"), "{masked}");
    }
}
