//! Telling people, against servers that speak each protocol: what goes out byte for byte, what each fault becomes, and
//! that no reason shows a secret.

use std::{sync::Mutex, time::Duration};

use abide_domain::{
    Clock, EpisodeId, NoticeId, Timestamp,
    envelope::Channel,
    event::watchdog::{EscalationCause, PageId, Proof},
};
use abide_watchdog::{Delivery, Notice, NoticeItem, NoticeKind, StallEnd, TaskOrigin};

mod desktop;
mod faults;
mod hook;
mod mail;
mod mail_server;
mod services;

/// When everything happens: five minutes after the episode began.
const AT: &str = "2026-11-27T22:05:00Z";
/// The episode began at 22:00:00, as its id has it.
const EPISODE: &str = "01a21f05-bf00-7000-8000-000000000001";
const OTHER: &str = "01a21f05-bf00-7000-8000-000000000002";
const NOTICE: &str = "01a21f0a-52e0-7000-8000-0000000000ff";

/// A clock that stands still until it is moved.
#[derive(Debug, Default)]
struct StandingClock(Mutex<Duration>);

impl StandingClock {
    fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for StandingClock {
    fn now(&self) -> Timestamp {
        at().plus(self.monotonic())
    }

    fn monotonic(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

fn at() -> Timestamp {
    AT.parse().unwrap()
}

fn item(agent: &str, episode: &str) -> NoticeItem {
    let episode: EpisodeId = episode.parse().unwrap();
    let at = "2026-11-27T21:53:00Z".parse().unwrap();
    let task = TaskOrigin { sender: Some("ann".to_owned()), channel: Channel::Telegram, at };
    NoticeItem {
        agent: agent.parse().unwrap(),
        episode,
        silent: Duration::from_secs(312),
        page: Some(PageId::of(0x7f3a, 4)),
        cause: Some(EscalationCause::NoEvidence),
        is_alive: true,
        is_never_active: false,
        task: Some(task),
        end: None,
    }
}

fn notice(kind: NoticeKind, items: Vec<NoticeItem>) -> Notice {
    let id: NoticeId = NOTICE.parse().unwrap();
    Notice { items, ..Notice::new(id, kind, at()) }
}

/// Felix is stalled.
fn stalled() -> Notice {
    notice(NoticeKind::Stalled, vec![item("felix", EPISODE)])
}

/// Felix moves again.
fn resolved() -> Notice {
    let item = NoticeItem { cause: None, end: Some(StallEnd::Moved), ..item("felix", EPISODE) };
    notice(NoticeKind::Resolved, vec![item])
}

/// Nothing can be seen, for a reason that would like to be more than a text.
fn blind() -> Notice {
    let why = "<!channel> @everyone [x](http://evil.example) & *no*";
    notice(NoticeKind::Blind(why.to_owned()), Vec::new())
}

fn delivered(proof: Proof, by: &str) -> Delivery {
    Delivery::Delivered { proof, by: by.to_owned() }
}

fn reason(delivery: Delivery) -> String {
    match delivery {
        Delivery::Failed(reason) => reason,
        Delivery::Delivered { by, .. } => panic!("it was delivered by {by}"),
    }
}
