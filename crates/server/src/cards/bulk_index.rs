//! The list of Scryfall's bulk data: which files there are, and when they were made. Read loosely.

use std::collections::BTreeMap;

use abide_domain::Timestamp;
use abide_http::RequestLimits;
use serde_json::Value;

use super::{
    error::CardPullError,
    limits::{INDEX_BYTES_MAX, INDEX_TIME_MAX},
    source::CardSource,
};

/// A file of bulk data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BulkFile {
    /// `default_cards`, `oracle_tags`.
    pub(super) kind: String,
    /// Where its lines are, in gzip.
    pub(super) url: String,
    /// When it was made; none where the list does not say.
    pub(super) updated_at: Option<Timestamp>,
    /// Bytes of the packed file, as the list says.
    pub(super) bytes: Option<u64>,
}

/// The files by their kind.
#[derive(Clone, Debug)]
pub(super) struct BulkIndex {
    url: String,
    files: BTreeMap<String, BulkFile>,
}

impl BulkIndex {
    /// Asks for the list.
    pub(super) async fn fetch(source: &CardSource) -> Result<Self, CardPullError> {
        let limits = RequestLimits {
            total: INDEX_TIME_MAX,
            first_byte: INDEX_TIME_MAX,
            body_bytes_max: INDEX_BYTES_MAX,
            ..RequestLimits::default()
        };
        let body = source.ask_index(limits).await?.bytes().await?;
        Self::parse(&body, source.index_url())
    }

    fn parse(body: &[u8], url: String) -> Result<Self, CardPullError> {
        let wrong =
            |problem: &str| CardPullError::Index { url: url.clone(), problem: problem.to_owned() };
        let list: Value = serde_json::from_slice(body).map_err(|_| wrong("it is no JSON"))?;
        let list = list.get("data").and_then(Value::as_array);
        let list = list.ok_or_else(|| wrong("it has no `data`"))?;
        let files = list.iter().filter_map(read_file);
        Ok(Self { files: files.map(|file| (file.kind.clone(), file)).collect(), url })
    }

    /// The file of a kind.
    pub(super) fn file(&self, kind: &str) -> Result<&BulkFile, CardPullError> {
        self.files.get(kind).ok_or_else(|| {
            let known: Vec<&str> = self.files.keys().map(String::as_str).collect();
            let problem = format!(
                "it names no `jsonl_download_uri` of `{kind}`, only of: {}",
                known.join(", ")
            );
            CardPullError::Index { url: self.url.clone(), problem }
        })
    }
}

fn read_file(entry: &Value) -> Option<BulkFile> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    Some(BulkFile {
        kind: text("type")?.to_owned(),
        url: text("jsonl_download_uri")?.to_owned(),
        updated_at: text("updated_at").and_then(|at| at.parse().ok()),
        bytes: entry.get("compressed_size").and_then(Value::as_u64),
    })
}

#[cfg(test)]
mod tests {
    use super::{BulkIndex, CardPullError};

    #[test]
    fn entries_without_lines_are_passed_over() {
        let list = r#"{"object":"list","has_more":false,"data":[
            {"type":"rulings","download_uri":"https://data.scryfall.io/r.json"},
            {"type":"oracle_cards","jsonl_download_uri":"https://data.scryfall.io/o.jsonl.gz","updated_at":"never","compressed_size":"x"},
            {"type":"default_cards","jsonl_download_uri":"https://data.scryfall.io/d.jsonl.gz","updated_at":"2026-11-28T09:06:12.345+00:00","compressed_size":77},
            7]}"#;
        let index = BulkIndex::parse(list.as_bytes(), "u".into()).unwrap();
        let file = index.file("default_cards").unwrap();
        assert_eq!(file.bytes, Some(77));
        assert_eq!(file.updated_at.unwrap().to_string(), "2026-11-28T09:06:12.345000Z");
        let file = index.file("oracle_cards").unwrap();
        assert_eq!((file.bytes, file.updated_at), (None, None));
        let error = index.file("rulings").unwrap_err().to_string();
        assert!(error.contains("only of: default_cards, oracle_cards"), "{error}");
        for wrong in ["", "[]", "{\"data\":{}}", "<html>"] {
            let error = BulkIndex::parse(wrong.as_bytes(), "u".into()).unwrap_err();
            assert!(matches!(error, CardPullError::Index { .. }), "{wrong}");
        }
    }
}
