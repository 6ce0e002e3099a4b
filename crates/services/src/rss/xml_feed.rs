//! RSS 0.9x, 1.0 and 2.0 and Atom, read as events: no tree, no recursion, no entities but those that XML and HTML know.

use quick_xml::{
    Reader,
    events::{BytesRef, BytesStart, Event},
};

use super::raw_feed::{RawEntry, RawFeed};
use crate::limits::{FEED_DEPTH_MAX, FEED_ENTRIES_MAX, FEED_FIELD_BYTES_MAX};

/// Prefixes whose elements are those of feeds; `media:title` is no title.
const PREFIXES: [&str; 5] = ["atom", "rdf", "rss", "dc", "content"];

/// Reads a feed. One that breaks off gives what came before.
pub(super) fn parse_xml(text: &str) -> Result<RawFeed, String> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    config.allow_dangling_amp = true;
    let mut walk = Walk::default();
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(event) => walk.take(event)?,
            Err(error) => {
                walk.feed.problem = Some(format!("the feed breaks off: {error}"));
                break;
            }
        }
        if walk.feed.entries.len() >= FEED_ENTRIES_MAX {
            break;
        }
    }
    if walk.has_root { Ok(walk.feed) } else { Err("it is neither RSS nor Atom".into()) }
}

/// The fields that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Guid,
    Title,
    Link,
    Summary,
    Content,
    Published,
    Updated,
}

/// Where the reading is.
#[derive(Debug, Default)]
struct Walk {
    feed: RawFeed,
    has_root: bool,
    /// Names of the open elements.
    open: Vec<String>,
    /// The open entry and its depth.
    entry: Option<(RawEntry, usize)>,
    /// The open field, its depth and its text so far.
    field: Option<(Field, usize, String)>,
}

impl Walk {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Start(start) => self.start(&start)?,
            Event::Empty(start) => {
                self.start(&start)?;
                self.end();
            }
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => self.text(&resolved(&reference)),
            _ => {}
        }
        Ok(())
    }

    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), String> {
        let name = name_of(start);
        if self.open.is_empty() && !self.has_root {
            self.has_root = matches!(name.as_str(), "rss" | "RDF" | "feed");
            if !self.has_root {
                return Err(format!(
                    "it begins with <{}>: it is neither RSS nor Atom",
                    crate::foreign_text::short(&name)
                ));
            }
        }
        if self.open.len() >= FEED_DEPTH_MAX {
            return Err(format!("its elements are nested deeper than {FEED_DEPTH_MAX}"));
        }
        let depth = self.open.len();
        if self.field.is_some() {
            // Markup within a text: its words stay apart.
            self.text(" ");
        } else if self.entry.is_none() && matches!(name.as_str(), "item" | "entry") {
            self.entry = Some((RawEntry::default(), depth));
        } else if let Some(field) = self.field_of(&name, depth) {
            if field == Field::Link {
                self.link_attribute(start);
            }
            self.field = Some((field, depth, String::new()));
        }
        self.open.push(name);
        Ok(())
    }

    /// The field that an element is: directly within an entry, or the title and the link of the feed.
    fn field_of(&self, name: &str, depth: usize) -> Option<Field> {
        let is_in_entry = match &self.entry {
            Some((_, entry)) if depth == entry.saturating_add(1) => true,
            Some(_) => return None,
            None => false,
        };
        let parent = self.open.last().map(String::as_str);
        let field = match name {
            "title" => Field::Title,
            "link" => Field::Link,
            "guid" | "id" => Field::Guid,
            "description" | "summary" => Field::Summary,
            "encoded" | "content" => Field::Content,
            "pubDate" | "published" | "date" | "issued" => Field::Published,
            "updated" | "modified" => Field::Updated,
            _ => return None,
        };
        let is_of_feed = matches!(parent, Some("channel" | "feed"))
            && matches!(field, Field::Title | Field::Link);
        (is_in_entry || is_of_feed).then_some(field)
    }

    /// The address in the attributes of an Atom link.
    fn link_attribute(&mut self, start: &BytesStart<'_>) {
        let rel = attribute(start, "rel");
        let Some(href) = attribute(start, "href") else { return };
        if rel.as_deref().is_none_or(|rel| rel == "alternate") {
            self.store(Field::Link, href);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, _, so_far)) = &mut self.field
            && so_far.len() + text.len() <= FEED_FIELD_BYTES_MAX
        {
            so_far.push_str(text);
        }
    }

    fn end(&mut self) {
        self.open.pop();
        let depth = self.open.len();
        if let Some((field, _, text)) = self.field.take_if(|(_, at, _)| *at >= depth) {
            self.store(field, text);
        } else if self.field.is_some() {
            self.text(" ");
        }
        if let Some((entry, _)) = self.entry.take_if(|(_, at)| *at >= depth) {
            self.feed.entries.push(entry);
        }
    }

    /// Stores a field; the first that says something counts.
    fn store(&mut self, field: Field, text: String) {
        let slot = match (&mut self.entry, field) {
            (Some((entry, _)), Field::Guid) => &mut entry.guid,
            (Some((entry, _)), Field::Title) => &mut entry.title,
            (Some((entry, _)), Field::Link) => &mut entry.link,
            (Some((entry, _)), Field::Summary) => &mut entry.summary,
            (Some((entry, _)), Field::Content) => &mut entry.content,
            (Some((entry, _)), Field::Published) => &mut entry.published,
            (Some((entry, _)), Field::Updated) => &mut entry.updated,
            (None, Field::Title) => &mut self.feed.title,
            (None, Field::Link) => &mut self.feed.site,
            (None, _) => return,
        };
        if slot.trim().is_empty() {
            *slot = text;
        }
    }
}

/// The name of an element without a prefix that feeds use; with any other prefix, whole.
fn name_of(start: &BytesStart<'_>) -> String {
    let name = start.name();
    let name: &str = name.as_ref();
    match name.split_once(':') {
        Some((prefix, local)) if PREFIXES.contains(&prefix) => local.to_owned(),
        _ => name.to_owned(),
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = start.try_get_attribute(name).ok()??;
    let value = quick_xml::escape::unescape(&attribute.value).map(std::borrow::Cow::into_owned);
    Some(value.unwrap_or_else(|_| attribute.value.into_owned()))
}

/// What a reference stands for; one that nobody knows stays as it was written.
fn resolved(reference: &BytesRef<'_>) -> String {
    if let Ok(Some(c)) = reference.resolve_char_ref() {
        return c.to_string();
    }
    let name = reference.xml10_content();
    let known = match &*name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        "nbsp" => "\u{a0}",
        _ => return format!("&{name};"),
    };
    known.to_owned()
}
