//! OPML: lists of subscriptions that other readers write and read.

use std::borrow::Cow;

use quick_xml::{
    Reader,
    escape::{escape, unescape},
    events::{BytesStart, Event},
};

use crate::{
    foreign_text::{one_line, without_hidden},
    limits::{OPML_FEEDS_MAX, TITLE_CHARS_MAX, URL_BYTES_MAX},
};

/// A feed in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpmlFeed {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) site: Option<String>,
}

/// Reads the feeds of a list, in whatever folders they are.
pub(super) fn parse_opml(text: &str) -> Result<Vec<OpmlFeed>, String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}').trim_start());
    reader.config_mut().check_end_names = false;
    reader.config_mut().allow_dangling_amp = true;
    let (mut feeds, mut is_opml) = (Vec::new(), false);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Ok(Event::Start(start) | Event::Empty(start)) => {
                is_opml |= named(&start, "opml");
                if is_opml && named(&start, "outline") {
                    feeds.extend(feed_of(&start));
                }
            }
            Ok(_) => {}
            Err(error) => return Err(format!("it cannot be read as XML: {error}")),
        }
        if feeds.len() > OPML_FEEDS_MAX {
            return Err(format!("it has more than {OPML_FEEDS_MAX} feeds; split it"));
        }
    }
    if is_opml { Ok(feeds) } else { Err("it is no OPML document".into()) }
}

fn named(start: &BytesStart<'_>, name: &str) -> bool {
    let own = start.name();
    let own: &str = own.as_ref();
    own.eq_ignore_ascii_case(name)
}

fn feed_of(start: &BytesStart<'_>) -> Option<OpmlFeed> {
    let attribute = |name: &str| {
        let found = start.attributes().with_checks(false).flatten().find(|attribute| {
            let key: &str = attribute.key.as_ref();
            key.eq_ignore_ascii_case(name)
        })?;
        let value = unescape(&found.value).map(Cow::into_owned);
        Some(value.unwrap_or_else(|_| found.value.into_owned()))
    };
    let title = attribute("title").or_else(|| attribute("text")).unwrap_or_default();
    Some(OpmlFeed {
        url: attribute("xmlUrl")?,
        title: one_line(&title, TITLE_CHARS_MAX),
        site: attribute("htmlUrl").and_then(|site| site_of(&site)),
    })
}

/// The address of a feed's site, cleaned; one that is too long is left out, for a part of it would lead elsewhere.
fn site_of(text: &str) -> Option<String> {
    let site = without_hidden(text.trim());
    (site.starts_with("http") && site.len() <= URL_BYTES_MAX).then_some(site)
}

/// Writes a list.
pub(super) fn format_opml(feeds: &[OpmlFeed]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n  <head><title>Subscriptions</title></head>\n  <body>\n",
    );
    for feed in feeds {
        let title = if feed.title.is_empty() { &feed.url } else { &feed.title };
        let title = escape(title.as_str());
        let site = feed.site.as_deref().map(|site| format!(" htmlUrl=\"{}\"", escape(site)));
        let line = format!(
            "    <outline type=\"rss\" text=\"{title}\" title=\"{title}\" xmlUrl=\"{}\"{}/>\n",
            escape(feed.url.as_str()),
            site.unwrap_or_default()
        );
        text.push_str(&line);
    }
    text.push_str("  </body>\n</opml>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::{OpmlFeed, format_opml, parse_opml};

    #[test]
    fn a_list_comes_back_as_it_was_written() {
        let feed = |url: &str, title: &str, site: Option<&str>| OpmlFeed {
            url: url.into(),
            title: title.into(),
            site: site.map(str::to_owned),
        };
        let feeds = [
            feed("https://a.test/f?x=1&y=\"2\"", "A & <B>", Some("https://a.test/")),
            feed("https://b.test/f", "https://b.test/f", None),
        ];
        assert_eq!(parse_opml(&format_opml(&feeds)).unwrap(), feeds);
    }

    #[test]
    fn the_address_of_a_site_is_cleaned_and_bounded() {
        let site = |html_url: &str| {
            let text =
                format!("<opml><outline xmlUrl='https://a.test/' htmlUrl='{html_url}'/></opml>");
            parse_opml(&text).unwrap().remove(0).site
        };
        assert_eq!(site(" https://a.test/\u{202e}x").as_deref(), Some("https://a.test/x"));
        assert_eq!(site(&format!("https://a.test/{}", "x".repeat(40_000))), None);
    }

    #[test]
    fn lists_of_other_readers_are_read_with_their_folders() {
        let text = "<?xml version='1.0'?><opml version='1.0'><head/><body><outline text='News'>\
            <outline text='One' xmlurl='https://one.test/'/><outline text='no feed'/></outline>\
            <outline text='Two' title='' xmlUrl='https://two.test/' htmlUrl='javascript:x'/></body></opml>";
        let feeds = parse_opml(text).unwrap();
        let seen: Vec<_> =
            feeds.iter().map(|feed| (feed.url.as_str(), feed.site.as_deref())).collect();
        assert_eq!(seen, [("https://one.test/", None), ("https://two.test/", None)]);
        for bad in ["", "<html/>", "words", "<rss><outline xmlUrl='https://x.test/'/></rss>"] {
            assert!(parse_opml(bad).is_err(), "{bad}");
        }
    }
}
