//! The text of a PDF, page by page, until it is enough.

use std::sync::atomic::{AtomicBool, Ordering};

use abide_tools::{ToolError, ToolErrorKind};
use lopdf::{Document, LoadOptions};

use crate::limits::{
    DOCUMENT_CHARS_MAX, PDF_OBJECT_STREAM_BYTES_MAX, PDF_OBJECT_STREAMS_MAX, PDF_PAGES_MAX,
    PDF_STREAM_BYTES_MAX,
};

/// The text of a PDF.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PdfText {
    pub(crate) text: String,
    pub(crate) warnings: Vec<String>,
}

/// Takes the text out of a PDF; stops between two pages where nobody waits for it any more.
pub(crate) fn pdf_text(bytes: &[u8], is_dropped: &AtomicBool) -> Result<PdfText, ToolError> {
    let options = LoadOptions {
        max_decompressed_size: Some(PDF_OBJECT_STREAM_BYTES_MAX),
        ..LoadOptions::default()
    };
    let unreadable = |problem: String| ToolError::of(ToolErrorKind::Unreadable, problem);
    if object_streams(bytes) > PDF_OBJECT_STREAMS_MAX {
        return Err(unreadable(
            "the PDF is made of too many packed parts to be unpacked safely".into(),
        ));
    }
    let document = Document::load_mem_with_options(bytes, options)
        .map_err(|error| unreadable(format!("the PDF cannot be read: {error}")))?;
    if document.is_encrypted() && document.encryption_state.is_none() {
        return Err(unreadable(
            "the PDF is encrypted: it cannot be read without its password".into(),
        ));
    }
    let pages = document.get_pages();
    let (mut text, mut warnings) = (String::new(), Vec::new());
    let (mut failed, mut chars) = (0_usize, 0_usize);
    for &number in pages.keys().take(PDF_PAGES_MAX) {
        if is_dropped.load(Ordering::Relaxed) || chars > DOCUMENT_CHARS_MAX {
            break;
        }
        match document.extract_text_with_limit(&[number], PDF_STREAM_BYTES_MAX) {
            Ok(page) => {
                chars = chars.saturating_add(page.chars().count());
                text.push_str(page.trim());
                text.push_str("\n\n");
            }
            Err(_) => failed = failed.saturating_add(1),
        }
    }
    if pages.len() > PDF_PAGES_MAX {
        warnings.push(format!("only the first {PDF_PAGES_MAX} of {} pages were read", pages.len()));
    }
    if failed > 0 {
        warnings.push(format!("{failed} pages could not be read"));
    }
    if text.trim().is_empty() {
        warnings.push("the PDF holds no text: its pages may be pictures".into());
    }
    Ok(PdfText { text: text.trim().to_owned(), warnings })
}

/// How many streams of objects a PDF may have, judged from its bytes: a name may be written with escapes.
fn object_streams(bytes: &[u8]) -> usize {
    let slashes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    slashes.filter(|(at, _)| is_named(bytes.get(at + 1..).unwrap_or_default(), b"ObjStm")).count()
}

fn is_named(mut text: &[u8], name: &[u8]) -> bool {
    name.iter().all(|wanted| {
        let (found, after) = match text {
            [b'#', high, low, after @ ..] => (escaped(*high, *low), after),
            [byte, after @ ..] => (Some(*byte), after),
            [] => return false,
        };
        text = after;
        found == Some(*wanted)
    })
}

fn escaped(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use lopdf::{
        Document, Object, Stream,
        content::{Content, Operation},
        dictionary,
    };

    use super::pdf_text;

    /// A PDF of one page for each text.
    pub(crate) fn pdf(texts: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let tree = document.new_object_id();
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica"
        });
        let mut pages = Vec::new();
        for text in texts {
            let operations = vec![
                Operation::new("BT", vec![]),
                Operation::new("Tf", vec!["F1".into(), 12.into()]),
                Operation::new("Tj", vec![Object::string_literal(*text)]),
                Operation::new("ET", vec![]),
            ];
            let content = Content { operations }.encode().unwrap();
            let content = document.add_object(Stream::new(dictionary! {}, content));
            let page = dictionary! {
                "Type" => "Page", "Parent" => tree, "Contents" => content,
                "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
            };
            pages.push(document.add_object(page).into());
        }
        let count = i64::try_from(texts.len()).unwrap();
        let root = dictionary! { "Type" => "Pages", "Kids" => pages, "Count" => count };
        document.objects.insert(tree, Object::Dictionary(root));
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn the_text_of_all_pages_is_taken_out() {
        let found =
            pdf_text(&pdf(&["The first page", "The second"]), &AtomicBool::new(false)).unwrap();
        assert!(found.text.starts_with("The first page") && found.text.ends_with("The second"));
        assert_eq!(found.warnings, [""; 0]);
    }

    #[test]
    fn a_page_without_text_is_told_and_rubbish_is_an_error() {
        let empty = pdf_text(&pdf(&[""]), &AtomicBool::new(false)).unwrap();
        assert!(empty.warnings[0].contains("holds no text"), "{empty:?}");
        for rubbish in [&b"%PDF-1.7\n"[..], b"%PDF-1.7\n1 0 obj\n<<", &[0x25; 4_000]] {
            assert!(pdf_text(rubbish, &AtomicBool::new(false)).is_err());
        }
        let packed = b"%PDF-1.5 /ObjStm /O#62jStm".repeat(65);
        assert!(
            pdf_text(&packed, &AtomicBool::new(false)).unwrap_err().message.contains("too many")
        );
        let stopped = pdf_text(&pdf(&["a", "b"]), &AtomicBool::new(true)).unwrap();
        assert_eq!(stopped.text, "");
    }
}
