//! The watchdog: who is silent though there is something to do, and who is told.
//!
//! It judges by public evidence alone and cannot name a type of the supervisor or the engine: what it knows of an agent is
//! a [`ObservedAgent`], handed in by whoever looks. It stalls nobody, restarts nobody and decides nothing else.
//!
//! Reading request: [`WatchdogTimings`] and [`EscalationPolicies`]; [`ObservedAgent`], what its [`Observer`] see, and [`network`], when nobody is to blame; [`scan`], which gives each agent a [`AgentVerdict`];
//! [`WatchedTime`], the time that counts; [`Episode`] and [`next`], the ladder; [`WatchdogState`], all episodes as a fold of the
//! ledger's `watchdog.*` lines, and what follows from a look; [`Page`] and [`Notice`]; [`NotifyServices`]; [`WatchdogReport`]; and last the
//! [`Watchdog`] itself, the only part that waits and talks, with its [`WatchdogHandle`].

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

pub use episode::{Ack, BellState, Episode, PageOutcome, PageRecord, PendingNotice};
pub use first_seen::FirstSeenTimes;
pub use interfaces::{
    Bell, BellOutcome, DeadManPing, Delivery, Notifier, ObserveError, Observer, Pager, Pulse,
    Recorder, RecorderError,
};
pub use ladder::{EpisodeObservation, LadderInput, LadderMove, next_move};
pub use observation::{AgentCondition, EvidenceMark, Observation, ObservedAgent, Outage};
pub use outage::{ModelContact, ModelReach, network_outage};
pub use page::{Notice, NoticeItem, NoticeKind, Page, PageLine};
pub use policy::{
    EscalationPolicies, EscalationPolicy, EscalationPolicyError, EscalationStep, POLICIES_MAX,
    STEPS_MAX,
};
pub use report::{AgentReport, EpisodeEnd, EpisodeReport, ServiceReport, WatchdogReport, report};
pub use scan::{AgentVerdict, scan, threshold};
pub use services::NotifyServices;
pub use settings::WatchdogTimings;
pub use state::{
    BlindSpan, Maintenance, Ring, ScanContext, ScanPlan, ScanRecord, Trigger, WatchdogState,
};
pub use status::{DeadManStatus, JudgedAgent, NextEscalation, WatchdogStatus};
pub use watchdog::{
    EpisodeChoice, TestResult, Watchdog, WatchdogConfig, WatchdogError, WatchdogHandle,
    WatchdogParts,
};
pub use watched_time::WatchedTime;
