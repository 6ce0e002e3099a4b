//! The watchdog: which agents are silent though they have something to do, and who is notified.
//!
//! It judges by public evidence alone and cannot name a type of the supervisor or the engine: what it knows of an agent is
//! an [`ObservedAgent`], handed in by an [`Observer`]. It stalls nobody, restarts nobody and decides nothing else.
//!
//! ```
//! use std::time::Duration;
//!
//! use abide_domain::Timestamp;
//! use abide_watchdog::{
//!     AgentCondition, EvidenceMark, ObservedAgent, WatchdogTimings, WatchedTime, scan,
//! };
//!
//! let start = Timestamp::from_micros(0);
//! let felix = ObservedAgent {
//!     agent: "felix".parse()?,
//!     nick: "felix".into(),
//!     registered_at: start,
//!     last_evidence: Some(EvidenceMark { seq: 7, at: start }),
//!     work_since: Some(start),
//!     excused_at: None,
//!     threshold: None,
//!     always_active: false,
//!     task: None,
//!     unanswered: None,
//!     condition: AgentCondition::Awake,
//!     has_process: true,
//!     fatigue: None,
//!     confidence: None,
//! };
//! let now = start.plus(Duration::from_mins(10));
//! let agents = [felix];
//! let verdicts = scan(now, &WatchdogTimings::default(), &WatchedTime::default(), &agents);
//! assert!(verdicts[0].1.is_stalled());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`WatchdogTimings`], [`EscalationPolicies`] and [`AttentionRules`]; [`ObservedAgent`], and [`unreachable_agents`], when nobody
//! is to blame; [`scan`], which gives each agent an [`AgentVerdict`]; [`WatchedTime`], the time that counts; [`Episode`] and
//! [`next_move`], the ladder; [`WatchdogState`], a fold of the ledger's `watchdog.*` lines, and what follows from a look;
//! [`Page`] and [`Notice`]; [`NotifyServices`]; [`WatchdogReport`]; and last the [`Watchdog`] itself, the only part that
//! waits, with its [`WatchdogHandle`].

mod attention;
mod observation;
mod policy;
mod settings;

mod first_seen;
mod outage;
mod scan;
mod time;
mod watched_time;

mod episode;
mod ladder;
mod par;

mod page;
mod state;

mod report;

mod interfaces;
mod services;
mod status;
mod watchdog;

pub use attention::{ATTENTION_RULES_MAX, AttentionRule, AttentionRules, UNREACHABLE};
pub use episode::{Ack, BellState, Episode, PageOutcome, PageRecord, PendingNotice};
pub use first_seen::FirstSeenTimes;
pub use interfaces::{
    Bell, BellOutcome, DeadManPing, Delivery, Notifier, ObserveError, Observer, Pager, Pulse,
    Recorder, RecorderError,
};
pub use ladder::{EpisodeObservation, LadderInput, LadderMove, next_move};
pub use observation::{
    AgentCondition, EvidenceMark, Observation, ObservedAgent, ObservedMatter, Outage, TaskOrigin,
    UnansweredTask,
};
pub use outage::{ModelContact, ModelReach, UnreachableModel, network_outage, unreachable_agents};
pub use page::{Notice, NoticeItem, NoticeKind, Page, PageLine, StallEnd};
pub use policy::{
    EscalationPolicies, EscalationPolicy, EscalationPolicyError, EscalationStep, POLICIES_MAX,
    STEPS_MAX,
};
pub use report::{AgentReport, EpisodeEnd, EpisodeReport, ServiceReport, WatchdogReport, report};
pub use scan::{AgentVerdict, scan, threshold};
pub use services::NotifyServices;
pub use settings::{CLOSING_ATTEMPTS_MAX, WatchdogTimings, retry_pause};
pub use state::{
    BlindSpan, Maintenance, Ring, ScanContext, ScanPlan, ScanRecord, Trigger, WatchdogState,
};
pub use status::{DeadManStatus, JudgedAgent, NextEscalation, WatchdogStatus};
pub use watchdog::{
    EpisodeChoice, TestResult, Watchdog, WatchdogConfig, WatchdogError, WatchdogHandle,
    WatchdogParts,
};
pub use watched_time::WatchedTime;
