//! PagerDuty, Events API v2: one incident a stall (<https://developer.pagerduty.com/docs/events-api-v2/overview/>).
//!
//! The episode's id is the `dedup_key`: however often and on whichever step it is told, there is one incident; a person's
//! word acknowledges it, and the end of the stall resolves it. The routing key is in the body, as the service wants it, and nowhere else.

use abide_domain::{
    AgentId,
    event::watchdog::{AttentionMatter, EscalationCause, Proof},
    evidence::WATCHDOG,
};
use abide_http::{Client, Request, Secret};
use abide_watchdog::{Delivery, Notice, NoticeItem, NoticeKind, Notifier};
use futures_util::{
    future::BoxFuture,
    stream::{self, StreamExt as _},
};
use serde_json::{Map, Value, json};

use super::{http_service::HttpService, text::line};

/// Where events go. The service's European region has another one.
const ADDRESS: &str = "https://events.pagerduty.com/v2/enqueue";
/// The service's limits, in characters.
const SUMMARY_CHARS_MAX: usize = 1_024;
const KEY_CHARS_MAX: usize = 255;
/// Events that are under way at once.
const EVENTS_AT_ONCE: usize = 4;

/// One service of theirs, by its routing key.
#[derive(Clone, Debug)]
pub struct PagerDuty {
    post: HttpService,
    address: Secret,
    key: Secret,
    source: String,
    link: Option<String>,
}

impl PagerDuty {
    /// Sends events to the service that `key` belongs to, at `address` where it is not the usual one. `source` tells this
    /// keeper from others; `link` stands on the incident.
    pub fn new(
        client: Client,
        key: Secret,
        address: Option<Secret>,
        source: String,
        link: Option<String>,
    ) -> Self {
        let address = address.unwrap_or_else(|| Secret::new(ADDRESS));
        let post = HttpService::new(client, "pagerduty", vec![key.clone()]);
        Self { post, address, key, source, link }
    }

    /// All events of a notice.
    fn events(&self, notice: &Notice) -> Vec<Value> {
        let blind = format!("abide:blind:{}", self.source);
        match &notice.kind {
            NoticeKind::Stalled => {
                notice.items.iter().map(|item| self.stalled(notice, item)).collect()
            }
            NoticeKind::Acknowledged { .. } => self.each("acknowledge", &notice.items),
            NoticeKind::Resolved => self.each("resolve", &notice.items),
            NoticeKind::Blind(_) => vec![self.keeper_event(notice, &blind, "critical")],
            NoticeKind::Sighted => vec![Value::Object(self.event("resolve", &blind))],
            NoticeKind::Attention => {
                notice.matters.iter().map(|matter| self.waiting(notice, matter)).collect()
            }
            NoticeKind::AttentionOver => {
                let keys = notice.matters.iter().map(|matter| self.matter_key(matter));
                keys.map(|key| Value::Object(self.event("resolve", &key))).collect()
            }
            NoticeKind::Test => vec![self.keeper_event(notice, &notice.id.to_string(), "info")],
        }
    }

    fn each(&self, action: &str, items: &[NoticeItem]) -> Vec<Value> {
        let event = |item: &NoticeItem| self.event(action, &item.episode.to_string());
        items.iter().map(|item| Value::Object(event(item))).collect()
    }

    fn stalled(&self, notice: &Notice, item: &NoticeItem) -> Value {
        let seconds = item.silent.as_secs();
        let payload = json!({
            "summary": line(&notice.item_title(item), SUMMARY_CHARS_MAX),
            "source": self.source,
            "severity": "critical",
            "timestamp": notice.at.to_string(),
            "component": item.agent.as_str(),
            "class": item.cause.map(EscalationCause::as_str),
            "custom_details": {
                "agent": item.agent.as_str(),
                "episode": item.episode.to_string(),
                "silent_s": seconds,
                "page": item.page.as_ref().map(ToString::to_string),
                "alive": item.is_alive,
                "never_active": item.is_never_active,
                "task": item.task.as_ref().map(|task| task.description(notice.at)),
            },
        });
        self.trigger(&item.episode.to_string(), (notice, payload))
    }

    /// An incident for each thing that waits for a person.
    fn waiting(&self, notice: &Notice, matter: &AttentionMatter) -> Value {
        let agent = matter.agent.as_ref().map(AgentId::as_str);
        let payload = json!({
            "summary": line(&matter.summary, SUMMARY_CHARS_MAX),
            "source": self.source,
            "severity": "warning",
            "timestamp": notice.at.to_string(),
            "component": agent.unwrap_or(WATCHDOG),
            "class": matter.kind,
            "custom_details": {"agent": agent, "matter": matter.id},
        });
        self.trigger(&self.matter_key(matter), (notice, payload))
    }

    /// The keeper's source stands in it, because `clock` and the like are matters of every keeper.
    fn matter_key(&self, matter: &AttentionMatter) -> String {
        format!("abide:{}:{}", self.source, matter.id)
    }

    /// An event about the keeper, not about an agent.
    fn keeper_event(&self, notice: &Notice, key: &str, severity: &str) -> Value {
        let payload = json!({
            "summary": line(&notice.title(), SUMMARY_CHARS_MAX),
            "source": self.source,
            "severity": severity,
            "timestamp": notice.at.to_string(),
            "component": WATCHDOG,
        });
        self.trigger(key, (notice, payload))
    }

    fn trigger(&self, key: &str, (notice, payload): (&Notice, Value)) -> Value {
        let mut event = self.event("trigger", key);
        event.insert("client".into(), "Abide".into());
        if let Some(link) = &self.link {
            event.insert("client_url".into(), notice.link(link).into());
        }
        event.insert("payload".into(), payload);
        Value::Object(event)
    }

    fn event(&self, action: &str, key: &str) -> Map<String, Value> {
        Map::from_iter([
            ("routing_key".to_owned(), self.key.expose().into()),
            ("event_action".to_owned(), action.into()),
            ("dedup_key".to_owned(), line(key, KEY_CHARS_MAX).into()),
        ])
    }

    /// Sends them all; each is harmless when it comes again.
    async fn send(&self, events: Vec<Value>) -> Result<String, String> {
        let all = events.len();
        let sending = events.into_iter().map(|event| {
            self.post.send(Request::post_json(self.address.expose(), event.to_string()))
        });
        let mut answers = stream::iter(sending).buffer_unordered(EVENTS_AT_ONCE);
        let (mut by, mut failed, mut why) = (String::new(), 0_usize, None);
        while let Some(answer) = answers.next().await {
            match answer {
                Ok(host) => by = host,
                Err(reason) => {
                    failed += 1;
                    why.get_or_insert(reason);
                }
            }
        }
        match why {
            None => Ok(by),
            Some(reason) if all > 1 => Err(format!("{reason} ({failed} of {all} events)")),
            Some(reason) => Err(reason),
        }
    }
}

impl Notifier for PagerDuty {
    fn notify(&self, notice: Notice) -> BoxFuture<'_, Delivery> {
        Box::pin(async move {
            match self.send(self.events(&notice)).await {
                Ok(host) => Delivery::Delivered {
                    proof: Proof::Confirmed,
                    by: format!("pagerduty at {host}"),
                },
                Err(reason) => Delivery::Failed(reason),
            }
        })
    }
}
