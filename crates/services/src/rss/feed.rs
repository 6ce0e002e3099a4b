//! A feed in one form, whatever it was written in.

use std::sync::atomic::{AtomicBool, Ordering};

use abide_domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;

use super::{date::parse_date, json_feed::parse_json, raw_feed::RawFeed, xml_feed::parse_xml};
use crate::{
    document::{charset::decode, html::plain_text},
    foreign_text::without_hidden,
    limits::{FUTURE_MAX, SUMMARY_CHARS_MAX, TITLE_CHARS_MAX, URL_BYTES_MAX},
};

/// A feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ParsedFeed {
    pub(super) title: String,
    /// The site that it belongs to.
    pub(super) site: Option<String>,
    pub(super) entries: Vec<FeedEntry>,
    /// What is wrong with it.
    pub(super) problem: Option<String>,
}

/// An entry of a feed, cleaned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FeedEntry {
    /// What the feed calls it by; none where that is missing or blank.
    pub(super) guid: Option<String>,
    pub(super) title: String,
    pub(super) link: Option<String>,
    pub(super) summary: String,
    /// When it was published; none where that is not said, cannot be read, or lies in the future.
    pub(super) published: Option<Timestamp>,
}

/// Reads a feed from its bytes; stops between two entries where nobody waits for it any more. `url` makes its links whole.
pub(super) fn parse_feed(
    body: &[u8],
    content_type: &str,
    url: &Url,
    now: Timestamp,
    is_dropped: &AtomicBool,
) -> Result<ParsedFeed, String> {
    let decoded = decode(body, content_type);
    let text = decoded.text.trim_start();
    let mut raw = if text.starts_with('{') { parse_json(text)? } else { parse_xml(text)? };
    raw.problem = raw.problem.or(decoded.warning);
    Ok(clean(raw, url, now, is_dropped))
}

fn clean(raw: RawFeed, url: &Url, now: Timestamp, is_dropped: &AtomicBool) -> ParsedFeed {
    let link = |text: &str| {
        let text = text.trim();
        let whole = url.join(text).ok().filter(|_| !text.is_empty())?;
        let is_web = matches!(whole.scheme(), "http" | "https");
        (is_web && whole.as_str().len() <= URL_BYTES_MAX).then(|| without_hidden(whole.as_str()))
    };
    let wanted = raw.entries.into_iter().take_while(|_| !is_dropped.load(Ordering::Relaxed));
    let entries = wanted.map(|entry| {
        let guid = Some(entry.guid.trim().to_owned()).filter(|guid| !guid.is_empty());
        // An RSS entry without a link may have its address for a guid.
        let address = guid.as_deref().filter(|guid| guid.starts_with("http"));
        let date = parse_date(&entry.published).or_else(|| parse_date(&entry.updated));
        let summary = if entry.summary.trim().is_empty() { &entry.content } else { &entry.summary };
        FeedEntry {
            link: link(&entry.link).or_else(|| address.and_then(link)),
            title: plain_text(&entry.title, TITLE_CHARS_MAX),
            summary: plain_text(summary, SUMMARY_CHARS_MAX),
            published: date.filter(|date| *date <= now.plus(FUTURE_MAX)),
            guid,
        }
    });
    ParsedFeed {
        title: plain_text(&raw.title, TITLE_CHARS_MAX),
        site: link(&raw.site),
        entries: entries.collect(),
        problem: raw.problem,
    }
}

impl FeedEntry {
    /// The entry for a mind. One without a date is as old as its first sight.
    pub(super) fn to_json(&self, first_seen: Option<Timestamp>) -> Value {
        let mut value = json!({"title": self.title, "link": self.link});
        let Some(fields) = value.as_object_mut() else { return value };
        match (self.published, first_seen) {
            (Some(at), _) => fields.insert("published".into(), at.to_string().into()),
            (None, Some(at)) => fields.insert("first_seen".into(), at.to_string().into()),
            (None, None) => None,
        };
        if !self.summary.is_empty() {
            fields.insert("summary".into(), self.summary.as_str().into());
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use abide_domain::Timestamp;
    use url::Url;

    use super::{ParsedFeed, parse_feed};

    fn parse(body: &[u8]) -> Result<ParsedFeed, String> {
        let url = Url::parse("https://feeds.test/a/feed.xml").unwrap();
        let now: Timestamp = "2026-11-29T12:00:00Z".parse().unwrap();
        parse_feed(body, "", &url, now, &AtomicBool::new(false))
    }

    fn dates(feed: &ParsedFeed) -> Vec<Option<String>> {
        feed.entries.iter().map(|entry| entry.published.map(|at| at.to_string())).collect()
    }

    #[test]
    fn rss_is_read_with_its_odd_corners() {
        let feed = parse(
            b"\n<?xml version='1.0' encoding='iso-8859-1'?><!DOCTYPE rss [<!ENTITY x 'y'>]>\
            <rss xmlns:media='m' xmlns:atom='a' xmlns:content='c'><channel><title>Gr\xfc\xdfe &amp; mehr</title>\
            <image><title>Logo</title><link>https://logo.test</link></image><atom:link rel='self' href='/self'/>\
            <link>https://feeds.test/</link>\
            <item><title><![CDATA[<b>One</b>]]></title><link>../one</link><guid isPermaLink='false'> </guid>\
            <pubDate>Sat, 28 Nov 2026 10:00:00 +0100</pubDate><media:title>no</media:title>\
            <description>&lt;p&gt;First &amp;amp; best&lt;/p&gt;&lt;script&gt;bad()&lt;/script&gt;</description></item>\
            <item><title>Two &undefined; &#x1F980;</title><guid>https://feeds.test/two</guid>\
            <pubDate>Tue, 01 Jan 2041 00:00:00 GMT</pubDate><content:encoded><![CDATA[Body]]></content:encoded></item>\
            <item><title>Three</title><pubDate>yesterday</pubDate></item></channel></rss>",
        )
        .unwrap();
        assert_eq!(
            (feed.title.as_str(), feed.site.as_deref()),
            ("Grüße & mehr", Some("https://feeds.test/"))
        );
        let [one, two, three] = &feed.entries[..] else { panic!("{feed:?}") };
        assert_eq!(
            (one.title.as_str(), one.link.as_deref()),
            ("One", Some("https://feeds.test/one"))
        );
        assert_eq!((one.guid.as_deref(), one.summary.as_str()), (None, "First & best"));
        assert_eq!((two.title.as_str(), two.summary.as_str()), ("Two &undefined; 🦀", "Body"));
        assert_eq!(two.link.as_deref(), Some("https://feeds.test/two"));
        assert_eq!((three.link.as_deref(), three.title.as_str()), (None, "Three"));
        assert_eq!(dates(&feed), [Some("2026-11-28T09:00:00.000000Z".to_owned()), None, None]);
    }

    #[test]
    fn atom_is_read_with_markup_in_its_texts() {
        let feed = parse(
            b"<feed xmlns='http://www.w3.org/2005/Atom'><title type='html'>&lt;i&gt;News&lt;/i&gt;</title>\
            <link rel='self' href='https://feeds.test/self'/><link href='https://feeds.test/home'/>\
            <entry><id>tag:1</id><title>A</title><link rel='enclosure' href='/sound.mp3'/><link rel='alternate' href='/a'/>\
            <author><name>Not the title</name></author><updated>2026-11-01T00:00:00Z</updated>\
            <published>2026-10-01T12:00:00+02:00</published>\
            <content type='xhtml'><div><p>Hello <b>you</b></p></div></content></entry></feed>",
        )
        .unwrap();
        assert_eq!(
            (feed.title.as_str(), feed.site.as_deref()),
            ("News", Some("https://feeds.test/home"))
        );
        let entry = &feed.entries[0];
        assert_eq!((entry.guid.as_deref(), entry.title.as_str()), (Some("tag:1"), "A"));
        assert_eq!(entry.link.as_deref(), Some("https://feeds.test/a"));
        assert_eq!(entry.summary, "Hello you");
        assert_eq!(dates(&feed), [Some("2026-10-01T10:00:00.000000Z".to_owned())]);
    }

    #[test]
    fn rdf_and_json_feeds_are_read() {
        let rdf = parse(
            b"<rdf:RDF xmlns:rdf='r' xmlns:dc='d'><channel><title>Old</title><link>https://old.test/</link></channel>\
            <item><title>E</title><link>https://old.test/e</link><dc:date>2026-02-03</dc:date></item></rdf:RDF>",
        )
        .unwrap();
        assert_eq!((rdf.title.as_str(), rdf.entries[0].title.as_str()), ("Old", "E"));
        assert_eq!(dates(&rdf), [Some("2026-02-03T00:00:00.000000Z".to_owned())]);
        let json = parse(
            br#"{"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"https://j.test/",
            "items":[{"id":7,"url":"https://j.test/7","content_html":"<p>Text</p>","date_published":"2026-03-04T05:06:07Z"},
            {"id":"8","title":"T","content_text":"plain"},"odd"]}"#,
        )
        .unwrap();
        assert_eq!(json.entries.len(), 2);
        assert_eq!(json.entries[0].guid.as_deref(), Some("7"));
        assert_eq!(
            (json.entries[0].summary.as_str(), json.entries[1].summary.as_str()),
            ("Text", "plain")
        );
    }

    #[test]
    fn what_is_no_feed_is_an_error_and_a_cut_feed_gives_what_came() {
        for body in [
            &b"<html><body>hi</body></html>"[..],
            b"",
            b"{\"a\":1}",
            b"words",
            b"<opml/>",
            b"\xff\xff",
        ] {
            assert!(parse(body).is_err(), "{body:?}");
        }
        let cut =
            parse(b"<rss><channel><title>T</title><item><title>One</title></item><item><title>Tw")
                .unwrap();
        assert_eq!(cut.entries.len(), 1);
        let deep = [b"<rss><channel>".to_vec(), b"<a>".repeat(100_000)].concat();
        assert!(parse(&deep).is_err());
    }
}
