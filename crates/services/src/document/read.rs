//! From the bytes of an answer to what is in them, beside the runtime's threads, a few at a time.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use abide_tools::{ToolError, ToolErrorKind};
use http::header::CONTENT_TYPE;
use tokio::{sync::Semaphore, time::timeout};

use super::{
    charset::{DecodedText, decode},
    html::html_text,
    kind::{DocumentKind, kind_of},
    pdf::pdf_text,
};
use crate::{
    answer::Answer,
    foreign_text::without_hidden,
    limits::{DOCUMENT_CHARS_MAX, PAGE_BYTES_MAX, READ_TIME_MAX, READERS_MAX},
};

/// The text of a document.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DocumentText {
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) published: Option<String>,
    /// `markdown`, `text` or `pdf`: what the text was made from.
    pub(crate) form: &'static str,
    pub(crate) charset: Option<&'static str>,
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// Reads documents, a few at a time. A cheap clone.
#[derive(Clone, Debug)]
pub(crate) struct DocumentReader {
    turns: Arc<Semaphore>,
}

impl DocumentReader {
    pub(crate) fn new() -> Self {
        Self { turns: Arc::new(Semaphore::new(READERS_MAX)) }
    }

    /// Reads the document that came from a URL.
    pub(crate) async fn read(
        &self,
        answer: Answer,
        url: String,
    ) -> Result<DocumentText, ToolError> {
        self.run(move |is_dropped| read_document(&answer, &url, is_dropped)).await
    }

    /// Does other work of that kind, which should end soon after nobody waits for it any more.
    pub(crate) async fn run<T, F>(&self, work: F) -> Result<T, ToolError>
    where
        T: Send + 'static,
        F: FnOnce(&AtomicBool) -> Result<T, ToolError> + Send + 'static,
    {
        let failed = |what: &str| ToolError::of(ToolErrorKind::Unreadable, what.to_owned());
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|_| failed("the reader of documents has ended"))?;
        let dropped = DropFlag::default();
        let is_dropped = Arc::clone(&dropped.0);
        let reading = tokio::task::spawn_blocking(move || {
            let read = work(&is_dropped);
            drop(turn);
            read
        });
        match timeout(READ_TIME_MAX, reading).await {
            Err(_) => Err(failed("the document takes too long to read")),
            Ok(Err(_)) => {
                Err(failed("the document is damaged in a way that its reader does not survive"))
            }
            Ok(Ok(read)) => read,
        }
    }
}

/// Set when nobody waits any more.
#[derive(Default)]
struct DropFlag(Arc<AtomicBool>);

impl Drop for DropFlag {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn read_document(
    answer: &Answer,
    url: &str,
    is_dropped: &AtomicBool,
) -> Result<DocumentText, ToolError> {
    let kind = kind_of(&answer.media_type(), &answer.body)?;
    if kind != DocumentKind::Pdf && answer.body.len() as u64 > PAGE_BYTES_MAX {
        let message = format!("the page is longer than {PAGE_BYTES_MAX} bytes");
        return Err(ToolError::of(ToolErrorKind::Unreadable, message));
    }
    let mut document = match kind {
        DocumentKind::Pdf => {
            let found = pdf_text(&answer.body, is_dropped)?;
            let text = without_hidden(&found.text);
            DocumentText { form: "pdf", text, warnings: found.warnings, ..DocumentText::default() }
        }
        DocumentKind::Html => read_page(answer, url, is_dropped)?,
        DocumentKind::Text => read_text(answer),
    };
    if let Some((at, _)) = document.text.char_indices().nth(DOCUMENT_CHARS_MAX) {
        document.text.truncate(at);
        document.warnings.push(format!("cut after {DOCUMENT_CHARS_MAX} characters"));
    }
    Ok(document)
}

fn read_page(
    answer: &Answer,
    url: &str,
    is_dropped: &AtomicBool,
) -> Result<DocumentText, ToolError> {
    let decoded = decode_body(answer);
    let page = html_text(&decoded.text, url, is_dropped)?;
    let mut warnings = page.warnings;
    warnings.extend(decoded.warning);
    Ok(DocumentText {
        title: page.title,
        author: page.author,
        published: page.published,
        form: "markdown",
        charset: Some(decoded.charset),
        text: page.markdown,
        warnings,
    })
}

fn read_text(answer: &Answer) -> DocumentText {
    let decoded = decode_body(answer);
    DocumentText {
        form: "text",
        charset: Some(decoded.charset),
        text: without_hidden(&decoded.text),
        warnings: decoded.warning.into_iter().collect(),
        ..DocumentText::default()
    }
}

fn decode_body(answer: &Answer) -> DecodedText {
    decode(&answer.body, answer.header(CONTENT_TYPE.as_str()).unwrap_or_default())
}
