//! A file of bulk data from the web into the folder of cards. What was fetched stays there when a download ends early, whatever
//! ended it, and the next one goes on at that byte, if the server says that it is still the same file.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use abide_domain::Timestamp;
use abide_http::{RequestLimits, Response};
use http::{HeaderMap, HeaderName, StatusCode, header};
use serde::{Deserialize, Serialize};

use super::{
    bulk_index::BulkFile,
    error::CardPullError,
    folder::CardFolder,
    limits::{
        BULK_BYTES_MAX, DOWNLOAD_IDLE_MAX, DOWNLOAD_TIME_MAX, DOWNLOAD_TRIES, MANIFEST_BYTES_MAX,
        REFUSAL_WAIT_MAX, TRY_PAUSE,
    },
    source::{CardSource, shown},
};
use crate::home::{LinkRule, open_regular, read_regular, write_atomically};

/// Is told how far a download is: what, the bytes that are there, all bytes as far as known.
pub(crate) type PullProgress<'a> = dyn FnMut(&str, u64, u64) + 'a;

/// The bounds of a download.
#[derive(Clone, Debug)]
pub(crate) struct DownloadLimits {
    /// Bytes of the packed file.
    pub(crate) bytes_max: u64,
    /// All tries together.
    pub(crate) total: Duration,
    /// Silence of the server.
    pub(crate) idle: Duration,
    /// How often it is tried.
    pub(crate) tries: u32,
    /// The pause before the second try; each one after it is twice as long.
    pub(crate) pause: Duration,
}

impl Default for DownloadLimits {
    fn default() -> Self {
        Self {
            bytes_max: BULK_BYTES_MAX,
            total: DOWNLOAD_TIME_MAX,
            idle: DOWNLOAD_IDLE_MAX,
            tries: DOWNLOAD_TRIES,
            pause: TRY_PAUSE,
        }
    }
}

/// Fetches files of bulk data.
pub(super) struct Downloader<'a, 'p> {
    pub(super) source: &'a CardSource,
    pub(super) folder: &'a CardFolder,
    pub(super) limits: &'a DownloadLimits,
    pub(super) progress: &'a mut PullProgress<'p>,
}

impl Downloader<'_, '_> {
    /// Fetches a file; gives its place in the folder. For whoever has the lock.
    pub(super) async fn fetch(&mut self, file: &BulkFile) -> Result<DownloadedFile, CardPullError> {
        let total = self.limits.total;
        let fetched = tokio::time::timeout(total, self.fetch_in_tries(file)).await;
        fetched.unwrap_or(Err(CardPullError::TooSlow { after: total }))
    }

    async fn fetch_in_tries(&mut self, file: &BulkFile) -> Result<DownloadedFile, CardPullError> {
        let mut part = PartialDownload::resume(self.folder, file)?;
        let mut pause = self.limits.pause;
        for _ in 1..self.limits.tries {
            let error = match self.fetch_once(&mut part, file).await {
                Ok(()) => return part.finish(),
                Err(error) if error.may_pass() => error,
                Err(error) => {
                    // What is too long or leads nowhere is nothing to go on with.
                    if matches!(error, CardPullError::Http(_)) {
                        part.forget()?;
                    }
                    return Err(error);
                }
            };
            let wait = match &error {
                CardPullError::RateLimited { wait, .. } => *wait,
                _ => pause,
            };
            if wait > REFUSAL_WAIT_MAX {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            pause = pause.saturating_mul(2);
        }
        self.fetch_once(&mut part, file).await?;
        part.finish()
    }

    async fn fetch_once(
        &mut self,
        part: &mut PartialDownload,
        file: &BulkFile,
    ) -> Result<(), CardPullError> {
        if part.is_whole() {
            return Ok(());
        }
        let limits = RequestLimits {
            total: self.limits.total,
            first_byte: self.limits.idle,
            idle: self.limits.idle,
            body_bytes_max: self.limits.bytes_max,
            redirects_max: 0,
        };
        let headers = part.headers();
        let mut response = self.source.ask_file(&file.url, &headers, &limits).await?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if part.is_continued_by(&response) => {}
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                part.forget()?;
                return Err(CardPullError::Changed { url: shown(&file.url) });
            }
            _ => part.begin(&response)?,
        }
        let expected = part.note.total.or(file.bytes);
        while let Some(piece) = response.chunk().await? {
            part.write(&piece)?;
            if part.bytes > self.limits.bytes_max {
                part.forget()?;
                let bytes_max = self.limits.bytes_max;
                let host = response.host().to_owned();
                return Err(abide_http::Error::TooLarge { host, bytes_max }.into());
            }
            (self.progress)(&file.kind, part.bytes, expected.unwrap_or(part.bytes));
        }
        part.require_length(expected)
    }
}

/// A file that was fetched whole.
#[derive(Debug)]
pub(super) struct DownloadedFile {
    /// Its place.
    pub(super) path: PathBuf,
    note: PathBuf,
}

impl DownloadedFile {
    /// Removes it: it was used, or is of no use.
    pub(super) fn remove(self) {
        drop(fs::remove_file(self.path));
        drop(fs::remove_file(self.note));
    }
}

/// What lies beside a download: which file it is, and how to ask whether it still is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct DownloadNote {
    url: String,
    updated_at: Option<Timestamp>,
    /// A strong `ETag`, else `Last-Modified`; none where the server has neither, so that nothing can be gone on with.
    validator: Option<String>,
    /// All bytes of the file, as the server says.
    total: Option<u64>,
}

/// A file as far as it was fetched.
#[derive(Debug)]
struct PartialDownload {
    path: PathBuf,
    note_path: PathBuf,
    out: File,
    bytes: u64,
    note: DownloadNote,
}

impl PartialDownload {
    /// With what an earlier download of the same file fetched.
    fn resume(folder: &CardFolder, file: &BulkFile) -> Result<Self, CardPullError> {
        let path = folder.path().join(format!(".{}.part", file.kind));
        let note_path = folder.path().join(format!(".{}.part.json", file.kind));
        let mut options = OpenOptions::new();
        let out = open_regular(options.create(true).append(true), &path, LinkRule::Refuse);
        let out = out.map_err(|source| CardPullError::disk(&path, source))?;
        let bytes = out.metadata().map_err(|source| CardPullError::disk(&path, source))?.len();
        let new = DownloadNote {
            url: file.url.clone(),
            updated_at: file.updated_at,
            validator: None,
            total: None,
        };
        // A note that cannot be read is none: the download begins anew.
        let found = read_regular(&note_path, LinkRule::Refuse, MANIFEST_BYTES_MAX).ok().flatten();
        let found = found.and_then(|text| serde_json::from_str::<DownloadNote>(&text).ok());
        let same = found.filter(|found| found.url == new.url && found.updated_at == new.updated_at);
        let is_new = same.as_ref().is_none_or(|note| note.validator.is_none());
        let mut part = Self { path, note_path, out, bytes, note: same.unwrap_or(new) };
        if is_new || part.note.total.is_some_and(|total| part.bytes > total) {
            part.forget()?;
        }
        Ok(part)
    }

    /// Whether all that the server said is there.
    fn is_whole(&self) -> bool {
        self.bytes > 0 && self.note.total == Some(self.bytes)
    }

    /// What asks for the rest of the same file, and for all of another.
    fn headers(&self) -> Vec<(HeaderName, String)> {
        // Else a server on the way may unpack it.
        let mut headers = vec![(header::ACCEPT_ENCODING, "gzip".to_owned())];
        if let (Some(validator), 1..) = (&self.note.validator, self.bytes) {
            headers.push((header::RANGE, format!("bytes={}-", self.bytes)));
            headers.push((header::IF_RANGE, validator.clone()));
        }
        headers
    }

    /// Whether an answer goes on where this ends, and is of the same file.
    fn is_continued_by(&self, response: &Response) -> bool {
        let range = text_of(response.headers(), &header::CONTENT_RANGE).unwrap_or_default();
        let rest = range.strip_prefix(&format!("bytes {}-", self.bytes));
        let total = rest.and_then(|rest| rest.split_once('/')?.1.parse::<u64>().ok());
        let validator = validator_of(response.headers());
        rest.is_some()
            && (total.is_none() || self.note.total.is_none() || total == self.note.total)
            && (validator.is_none() || validator == self.note.validator)
    }

    /// Begins anew with the file of an answer.
    fn begin(&mut self, response: &Response) -> Result<(), CardPullError> {
        self.forget()?;
        let length = text_of(response.headers(), &header::CONTENT_LENGTH);
        self.note.total = length.and_then(|length| length.parse().ok());
        self.note.validator = validator_of(response.headers());
        let text = serde_json::to_vec(&self.note).unwrap_or_default();
        write_atomically(&self.note_path, &text)
            .map_err(|source| CardPullError::disk(&self.note_path, source))
    }

    /// Throws away what is there.
    fn forget(&mut self) -> Result<(), CardPullError> {
        self.out.set_len(0).map_err(|source| CardPullError::disk(&self.path, source))?;
        drop(fs::remove_file(&self.note_path));
        self.bytes = 0;
        (self.note.validator, self.note.total) = (None, None);
        Ok(())
    }

    fn write(&mut self, piece: &[u8]) -> Result<(), CardPullError> {
        self.out.write_all(piece).map_err(|source| CardPullError::disk(&self.path, source))?;
        self.bytes = self.bytes.saturating_add(piece.len() as u64);
        Ok(())
    }

    /// That all bytes came. What is too long is thrown away; what is too short is gone on with.
    fn require_length(&mut self, expected: Option<u64>) -> Result<(), CardPullError> {
        let Some(wanted) = expected.filter(|wanted| *wanted != self.bytes) else { return Ok(()) };
        let (url, found) = (shown(&self.note.url), self.bytes);
        if found > wanted || self.note.total.is_none() {
            self.forget()?;
        }
        Err(CardPullError::Size { url, wanted, found })
    }

    fn finish(self) -> Result<DownloadedFile, CardPullError> {
        self.out.sync_all().map_err(|source| CardPullError::disk(&self.path, source))?;
        Ok(DownloadedFile { path: self.path, note: self.note_path })
    }
}

/// What says that a file is still the same: a weak `ETag` does not.
fn validator_of(headers: &HeaderMap) -> Option<String> {
    let etag = text_of(headers, &header::ETAG).filter(|etag| etag.starts_with('"'));
    etag.or_else(|| text_of(headers, &header::LAST_MODIFIED)).map(str::to_owned)
}

fn text_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Opens a file that was fetched, or one that a person named.
pub(super) fn open_packed(path: &Path) -> Result<File, CardPullError> {
    let opened = open_regular(OpenOptions::new().read(true), path, LinkRule::Follow);
    opened.map_err(|source| CardPullError::disk(path, source))
}
