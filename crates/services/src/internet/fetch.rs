//! `internet.fetch {url, offset?, chars?}`: reads a page of an allowed host.
//!
//! Returns `{"url", "title", "published", "form", "notice", "warnings", "text", "total_chars", "next_offset"}`. Ethereal: the
//! note says what was read, the page itself is not kept.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_http::{AddressPolicy, ClientSettings};
use abide_tools::{Call, Output, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::page_client::PageClient;
use crate::{
    allow_list::AllowedHosts,
    document::read::{DocumentReader, DocumentText},
    foreign_text::{NOTICE, one_line, short},
    limits::{FETCH_CHARS_DEFAULT, FETCH_CHARS_MAX, URL_BYTES_MAX},
    service_client::client_for,
    tool_spec::{bounded, object_schema, optional_number, tool_spec},
};

/// The tool `internet.fetch`.
#[derive(Clone, Debug)]
pub struct FetchPage {
    spec: ToolSpec,
    pages: PageClient,
    reader: DocumentReader,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    url: String,
    offset: Option<u64>,
    chars: Option<u64>,
}

impl FetchPage {
    /// The tool for a list of hosts at addresses that a policy permits.
    pub fn new(
        allowed: Arc<AllowedHosts>,
        addresses: AddressPolicy,
        http: &ClientSettings,
    ) -> Self {
        let properties = json!({
            "url": {"type": "string", "description": "an http or https URL of an allowed host"},
            "offset": {
                "type": ["integer", "null"], "minimum": 0,
                "description": "where to go on in a long text, in characters: next_offset of the call before"
            },
            "chars": optional_number(&format!("characters, up to {FETCH_CHARS_MAX}; {FETCH_CHARS_DEFAULT} unless given"))
        });
        let description =
            "Reads a page, a PDF or a text of an allowed host and gives its article as Markdown.";
        let parameters = object_schema(&["url"], properties);
        let spec = tool_spec("internet.fetch", EffectClass::Read, description, parameters);
        let client = client_for(http, addresses, Vec::new());
        let pages = PageClient::new(client, allowed);
        Self { spec, pages, reader: DocumentReader::new() }
    }

    async fn fetch(&self, call: Call<'_>) -> Result<Output, ToolError> {
        let Arguments { url, offset, chars } = parse_arguments(call.arguments)?;
        let (url, answer) = self.pages.get(&url).await?;
        let document = self.reader.read(answer, url.to_string()).await?;
        let offset = usize::try_from(offset.unwrap_or(0)).unwrap_or(usize::MAX);
        let chars = bounded(chars, FETCH_CHARS_DEFAULT, FETCH_CHARS_MAX);
        Ok(output(url.as_str(), &document, offset, chars))
    }
}

impl Tool for FetchPage {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(self.fetch(call))
    }
}

fn output(url: &str, document: &DocumentText, offset: usize, chars: usize) -> Output {
    let total = document.text.chars().count();
    let text: String = document.text.chars().skip(offset).take(chars).collect();
    let url = one_line(url, URL_BYTES_MAX);
    let end = offset.saturating_add(chars);
    let mut content = Map::new();
    content.insert("url".into(), url.as_str().into());
    let named = [
        ("title", document.title.as_deref()),
        ("author", document.author.as_deref()),
        ("published", document.published.as_deref()),
        ("charset", document.charset),
    ];
    for (name, value) in named {
        content.extend(value.map(|value| (name.to_owned(), Value::from(value))));
    }
    content.insert("form".into(), document.form.into());
    content.insert("notice".into(), NOTICE.into());
    if !document.warnings.is_empty() {
        content.insert("warnings".into(), document.warnings.clone().into());
    }
    let note = format!(
        "{url}{}, {} bytes of text; not kept, fetch it again if it is needed",
        document.title.as_deref().map(|title| format!(" “{}”", short(title))).unwrap_or_default(),
        text.len()
    );
    content.insert("text".into(), text.into());
    content.insert("total_chars".into(), total.into());
    if end < total {
        content.insert("next_offset".into(), end.into());
    }
    Output { ethereal: Some(note), ..Output::json(&Value::Object(content)) }
}
