//! A client for one service: its own addresses and paces, one time-out, one cap, answers as JSON, which is read beside the
//! runtime's threads.

use std::{num::NonZeroU32, time::Duration};

use abide_domain::Timestamp;
use abide_http::{AddressPolicy, Client, ClientSettings, Request, RequestLimits, RequestPace};
use abide_tools::{ToolError, ToolErrorKind};
use serde_json::Value;
use url::Url;

use crate::{
    answer::{Answer, receive},
    limits::{SERVICE_BYTES_MAX, SERVICE_TIME_MAX},
};

/// A client with settings of its own. A proxy resolves names itself, so that it is used only where any address may be reached.
pub(crate) fn client_for(
    http: &ClientSettings,
    addresses: AddressPolicy,
    paces: Vec<RequestPace>,
) -> Client {
    let proxy = http.proxy.clone().filter(|_| addresses == AddressPolicy::Any);
    Client::new(ClientSettings { addresses, proxy, paces, ..http.clone() })
}

/// The pace of the host of a URL: one request at a time, this far apart.
pub(crate) fn pace_of(url: &str, interval: Duration) -> Vec<RequestPace> {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    vec![RequestPace { host, interval, burst: NonZeroU32::MIN }]
}

/// One service.
#[derive(Clone, Debug)]
pub(crate) struct ServiceClient {
    /// Its name in errors.
    pub(crate) name: &'static str,
    pub(crate) client: Client,
}

impl ServiceClient {
    /// Sends a request; an error status is an answer.
    pub(crate) async fn send(&self, request: Request) -> Result<Answer, ToolError> {
        let limits = RequestLimits {
            total: SERVICE_TIME_MAX,
            first_byte: SERVICE_TIME_MAX,
            body_bytes_max: SERVICE_BYTES_MAX,
            ..RequestLimits::default()
        };
        receive(&self.client, request.limits(limits), SERVICE_BYTES_MAX).await
    }

    /// Reads the body of an answer as JSON.
    pub(crate) async fn parse(&self, body: Vec<u8>) -> Result<Value, ToolError> {
        let failed = |problem: String| {
            let message = format!("the answer of {} is not valid JSON: {problem}", self.name);
            ToolError::of(ToolErrorKind::Unreadable, message)
        };
        let parsing = tokio::task::spawn_blocking(move || serde_json::from_slice(&body));
        match parsing.await {
            Ok(parsed) => parsed.map_err(|error| failed(error.to_string())),
            Err(_) => Err(failed("its reader ended".into())),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.client.clock().now()
    }
}

/// A URL below the base URL of a service, with its query encoded.
pub(crate) fn service_url(
    base: &str,
    path: &str,
    query: &[(&str, &str)],
) -> Result<String, ToolError> {
    let text = format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'));
    let mut url = Url::parse(&text).map_err(|error| {
        ToolError::new(format!("the configured address `{base}` is not a valid URL: {error}"))
    })?;
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url.into())
}
