//! Weights from the web, file by file. An interrupted download goes on at the byte where it was.

use std::time::Duration;

use abide_http::{Client, Request, RequestLimits, Response};
use http::{StatusCode, header::RANGE};

use super::{
    error::PullError,
    store::{PartialFile, ProgressCallback, WeightsStore},
    table::WeightFile,
};

/// Longest time of one file.
const TOTAL: Duration = Duration::from_hours(2);
/// Longest silence within a file.
const IDLE: Duration = Duration::from_mins(1);
/// Hubs redirect to where the bytes are.
const REDIRECTS_MAX: u32 = 5;

/// Downloads what is missing.
pub(super) async fn fetch(
    store: &WeightsStore,
    base: Option<&str>,
    http: &Client,
    progress: &mut ProgressCallback<'_>,
) -> Result<(), PullError> {
    let base = base.unwrap_or(store.weights.hub).trim_end_matches('/');
    for file in store.missing()? {
        let url = format!("{base}/{}", file.remote);
        download(http, PartialFile::resume(store, file)?, &url, progress).await?;
    }
    Ok(())
}

async fn download(
    http: &Client,
    mut part: PartialFile<'_>,
    url: &str,
    progress: &mut ProgressCallback<'_>,
) -> Result<(), PullError> {
    let file = part.file;
    if part.bytes < file.bytes {
        let mut response = http.send(request(url, part.bytes, file)).await?;
        if !continues(&response, part.bytes) {
            part.empty()?;
        }
        match response.status() {
            StatusCode::OK | StatusCode::PARTIAL_CONTENT => {}
            status => {
                let status = status.as_u16();
                return Err(PullError::Status { url: url.to_owned(), status });
            }
        }
        while let Some(piece) = response.chunk().await? {
            part.write(&piece)?;
            progress(file.name, part.bytes, file.bytes);
            if part.bytes > file.bytes {
                break;
            }
        }
    }
    part.finish(url)
}

fn request(url: &str, there: u64, file: &WeightFile) -> Request {
    let request = Request::get(url).limits(RequestLimits {
        total: TOTAL,
        first_byte: IDLE,
        idle: IDLE,
        // A longer file is a wrong one.
        body_bytes_max: file.bytes.saturating_add(1),
        redirects_max: REDIRECTS_MAX,
    });
    if there == 0 { request } else { request.header(RANGE, &format!("bytes={there}-")) }
}

/// Whether a response goes on where the partial file ends, as requested.
fn continues(response: &Response, there: u64) -> bool {
    let range = response.headers().get(http::header::CONTENT_RANGE);
    let range = range.and_then(|range| range.to_str().ok()).unwrap_or_default();
    response.status() == StatusCode::PARTIAL_CONTENT
        && range.starts_with(&format!("bytes {there}-"))
}
