//! Alertmanager, its API v2: one alert a stall, by `POST /api/v2/alerts`.
//!
//! The labels are the alert's identity, and the episode is among them: however often it is posted there is one alert, and
//! the one that ends it has the same labels. The watchdog tells once, so an alert carries an end of its own, far ahead:
//! without one Alertmanager would take five minutes of silence for the end of the stall.

use std::time::Duration;

use abide_domain::{EpisodeId, Timestamp, event::watchdog::AttentionMatter};
use abide_http::{Client, Request, Secret};
use abide_watchdog::{Delivery, Notice, NoticeItem, NoticeKind, Notifier};
use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use serde_json::{Map, Value, json};

use super::{
    http_service::HttpService,
    text::{characters, fit, line, plain},
};

const PATH: &str = "/api/v2/alerts";
/// When an alert ends that nobody ends, because the keeper is gone.
const OPEN_MAX: Duration = Duration::from_hours(7 * 24);
/// When a test ends.
const TEST_FOR: Duration = Duration::from_mins(5);
const SUMMARY_CHARS_MAX: usize = 1_024;
const TEXT_CHARS_MAX: usize = 8_192;

/// One Alertmanager.
#[derive(Clone, Debug)]
pub struct Alertmanager {
    post: HttpService,
    address: Secret,
    token: Option<Secret>,
    source: String,
    link: Option<String>,
}

impl Alertmanager {
    /// Posts to the Alertmanager at `address` (its root, or the path of its alerts), with `token` as bearer where there is
    /// one. `source` is the label `service`; `link` is each alert's `generatorURL`.
    pub fn new(
        client: Client,
        address: &Secret,
        token: Option<Secret>,
        source: String,
        link: Option<String>,
    ) -> Self {
        let mut secrets = vec![address.clone()];
        secrets.extend(token.clone());
        let root = address.expose().trim_end_matches('/');
        let root = root.strip_suffix(PATH).unwrap_or(root);
        let address = Secret::new(&format!("{root}{PATH}"));
        Self {
            post: HttpService::new(client, "alertmanager", secrets),
            address,
            token,
            source,
            link,
        }
    }

    fn request(&self, notice: &Notice) -> Request {
        let alerts = Value::Array(self.alerts(notice)).to_string();
        let request = Request::post_json(self.address.expose(), alerts);
        match &self.token {
            Some(token) => request.secret_header(AUTHORIZATION, "Bearer ", token),
            None => request,
        }
    }

    fn alerts(&self, notice: &Notice) -> Vec<Value> {
        let (at, open_until) = (notice.at, notice.at.plus(OPEN_MAX));
        match notice.kind {
            NoticeKind::Stalled | NoticeKind::Acknowledged { .. } => {
                notice.items.iter().map(|item| self.stalled(notice, item, open_until)).collect()
            }
            NoticeKind::Resolved => {
                notice.items.iter().map(|item| self.stalled(notice, item, at)).collect()
            }
            NoticeKind::Blind(_) => {
                vec![self.keeper_alert(notice, "AbideBlind", (Some(at), open_until))]
            }
            // Its beginning is not told: Alertmanager knows it.
            NoticeKind::Sighted => vec![self.keeper_alert(notice, "AbideBlind", (None, at))],
            NoticeKind::Attention => {
                let span = (Some(at), open_until);
                notice.matters.iter().map(|matter| self.waiting(notice, matter, span)).collect()
            }
            // Their beginnings are not told: Alertmanager knows them.
            NoticeKind::AttentionOver => notice
                .matters
                .iter()
                .map(|matter| self.waiting(notice, matter, (None, at)))
                .collect(),
            NoticeKind::Test => {
                vec![self.keeper_alert(notice, "AbideTest", (Some(at), at.plus(TEST_FOR)))]
            }
        }
    }

    fn stalled(&self, notice: &Notice, item: &NoticeItem, ends: Timestamp) -> Value {
        let mut labels = self.labels("AbideStalled");
        labels.insert("agent".into(), item.agent.as_str().into());
        labels.insert("episode".into(), item.episode.to_string().into());
        let summary = notice.item_title(item);
        let starts = began(item.episode).map(|began| began.min(ends));
        let annotations = annotations(&summary, &notice.item_text(item));
        self.alert((notice, labels), annotations, (starts, ends))
    }

    fn waiting(
        &self,
        notice: &Notice,
        matter: &AttentionMatter,
        span: (Option<Timestamp>, Timestamp),
    ) -> Value {
        let mut labels = self.labels("AbideAttention");
        labels.insert("severity".into(), "warning".into());
        labels.insert("matter".into(), matter.id.as_str().into());
        labels.insert("kind".into(), matter.kind.as_str().into());
        if let Some(agent) = &matter.agent {
            labels.insert("agent".into(), agent.as_str().into());
        }
        self.alert((notice, labels), annotations(&matter.summary, &matter.summary), span)
    }

    fn keeper_alert(
        &self,
        notice: &Notice,
        name: &str,
        span: (Option<Timestamp>, Timestamp),
    ) -> Value {
        let annotations = annotations(&notice.title(), &notice.text());
        self.alert((notice, self.labels(name)), annotations, span)
    }

    fn labels(&self, name: &str) -> Map<String, Value> {
        let severity = if name == "AbideTest" { "info" } else { "critical" };
        Map::from_iter([
            ("alertname".to_owned(), name.into()),
            ("service".to_owned(), self.source.as_str().into()),
            ("severity".to_owned(), severity.into()),
        ])
    }

    fn alert(
        &self,
        (notice, labels): (&Notice, Map<String, Value>),
        annotations: Value,
        (starts, ends): (Option<Timestamp>, Timestamp),
    ) -> Value {
        let mut alert = Map::from_iter([
            ("labels".to_owned(), Value::Object(labels)),
            ("annotations".to_owned(), annotations),
        ]);
        if let Some(starts) = starts {
            alert.insert("startsAt".into(), starts.to_string().into());
        }
        alert.insert("endsAt".into(), ends.to_string().into());
        if let Some(link) = &self.link {
            alert.insert("generatorURL".into(), notice.link(link).into());
        }
        Value::Object(alert)
    }
}

impl Notifier for Alertmanager {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.post.deliver(self.request(&notice)).await })
    }
}

fn annotations(summary: &str, text: &str) -> Value {
    json!({
        "summary": line(summary, SUMMARY_CHARS_MAX),
        "description": fit(text, TEXT_CHARS_MAX, plain, characters),
    })
}

/// When an episode began, as its id has it: the same for every attempt, and for the end.
fn began(episode: EpisodeId) -> Option<Timestamp> {
    let (seconds, nanos) = episode.uuid().get_timestamp()?.to_unix();
    let micros = i64::try_from(seconds).ok()?.checked_mul(1_000_000)?;
    Some(Timestamp::from_micros(micros.checked_add(i64::from(nanos / 1_000))?))
}
