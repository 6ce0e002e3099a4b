//! The generic webhook: a JSON body by POST, signed where a secret is configured.
//!
//! `X-Signature: sha256=<hex>` is HMAC-SHA256 of `<timestamp>.<body>`, the timestamp being `X-Signature-Timestamp` in
//! seconds: a receiver that also looks at its age takes no recording. `Idempotency-Key` is the notice's id, the same for
//! every attempt.

use abide_http::{Client, Request, Secret};
use abide_watchdog::{Delivery, Notice, NoticeItem, NoticeKind, Notifier, StallEnd};
use futures_util::future::BoxFuture;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::HeaderName;
use serde_json::{Value, json};
use sha2::Sha256;

use super::http_service::HttpService;

/// The header with the signature.
pub const SIGNATURE_HEADER: &str = "x-signature";
/// The header with the time that is signed along, in seconds since 1970.
pub const TIMESTAMP_HEADER: &str = "x-signature-timestamp";
const IDEMPOTENCY_HEADER: &str = "idempotency-key";

/// One address that is told.
#[derive(Clone, Debug)]
pub struct Webhook {
    post: HttpService,
    url: Secret,
    key: Option<Secret>,
}

impl Webhook {
    /// Tells `url`; signs with `key` where there is one. Both may be secrets and are shown to nobody.
    pub fn new(client: Client, url: Secret, key: Option<Secret>) -> Self {
        let mut secrets = vec![url.clone()];
        secrets.extend(key.clone());
        Self { post: HttpService::new(client, "webhook", secrets), url, key }
    }

    fn request(&self, notice: &Notice) -> Request {
        let body = body(notice).to_string();
        let seconds = (self.post.now().as_micros() / 1_000_000).to_string();
        let signature = self.key.as_ref().map(|key| {
            let parts = [seconds.as_bytes(), b".", body.as_bytes()];
            format!("sha256={}", hex::encode(hmac_sha256(key.expose().as_bytes(), &parts)))
        });
        let request = Request::post_json(self.url.expose(), body)
            .header(HeaderName::from_static(IDEMPOTENCY_HEADER), &notice.id.to_string())
            .header(HeaderName::from_static(TIMESTAMP_HEADER), &seconds);
        match signature {
            Some(signature) => {
                request.header(HeaderName::from_static(SIGNATURE_HEADER), &signature)
            }
            None => request,
        }
    }
}

impl Notifier for Webhook {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.post.deliver(self.request(&notice)).await })
    }
}

/// A notice as JSON. Fields are only ever added.
fn body(notice: &Notice) -> Value {
    let (reason, until) = match &notice.kind {
        NoticeKind::Blind(why) => (Some(why.as_str()), None),
        NoticeKind::Acknowledged { until, .. } => (None, Some(until.to_string())),
        _ => (None, None),
    };
    let mut body = json!({
        "id": notice.id.to_string(),
        "kind": notice.kind.as_str(),
        "at": notice.at.to_string(),
        "attempt": notice.attempt,
        "summary": notice.title(),
        "text": notice.text(),
        "reason": reason,
        "until": until,
        "items": notice.items.iter().map(|one| item(notice, one)).collect::<Vec<_>>(),
    });
    if let Value::Object(body) = &mut body {
        if !notice.matters.is_empty() {
            body.insert("matters".into(), json!(notice.matters));
        }
        if let NoticeKind::Acknowledged { by, .. } = &notice.kind {
            body.insert("by".into(), by.bare().into());
        }
    }
    body
}

fn item(notice: &Notice, item: &NoticeItem) -> Value {
    json!({
        "agent": item.agent.as_str(),
        "episode": item.episode.to_string(),
        "silent_ms": u64::try_from(item.silent.as_millis()).unwrap_or(u64::MAX),
        "page": item.page.as_ref().map(ToString::to_string),
        "cause": item.cause,
        "alive": item.is_alive,
        "never_active": item.is_never_active,
        "task": item.task.as_ref().map(|task| task.description(notice.at)),
        "end": item.end.as_ref().map(|end| match end {
            StallEnd::Moved => "moved",
            StallEnd::Unanswered { .. } => "unanswered",
            StallEnd::Other(state) => state.as_str(),
        }),
    })
}

fn hmac_sha256(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    // A key of any length fits.
    let Ok(mut keyed) = Hmac::<Sha256>::new_from_slice(key) else { return Vec::new() };
    for part in parts {
        keyed.update(part);
    }
    keyed.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::hmac_sha256;

    #[test]
    fn signatures_are_hmac_sha256_as_in_rfc_4231_however_the_text_is_cut() {
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let parts: [&[&[u8]]; 2] =
            [&[b"what do ya want for nothing?"], &[b"what do ya ", b"want", b" for nothing?"]];
        for parts in parts {
            assert_eq!(hex::encode(hmac_sha256(b"Jefe", parts)), expected);
        }
    }
}
