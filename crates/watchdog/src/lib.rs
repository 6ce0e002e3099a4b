//! The watchdog: who is silent though there is something to do, and who is told.
//!
//! It judges by public evidence alone and cannot name a type of the supervisor or the engine: what it knows of an agent is
//! a [`ObservedAgent`], handed in by whoever looks. It stalls nobody, restarts nobody and decides nothing else.
//!
//! Reading order: [`WatchdogTimings`] and [`EscalationPolicies`]; [`ObservedAgent`], what its [`Observer`] see, and [`network`], when nobody is to blame; [`scan`], which gives each agent a [`AgentVerdict`];
//! [`Awake`], the time that counts; [`Episode`] and [`next`], the ladder; [`WatchdogState`], all episodes as a fold of the
//! ledger's `watchdog.*` lines, and what follows from a look; [`Page`] and [`Notice`]; [`NotifyServices`]; [`WatchdogReport`]; and last the
//! [`Watchdog`] itself, the only part that waits and talks, with its [`WatchdogHandle`].

mod policy;
mod settings;
mod standing;

mod awake;
mod outage;
mod pace;
mod scan;
mod sightings;

mod episode;
mod ladder;
mod par;

mod page;
mod watch;

mod report;

mod roles;
mod services;
mod status;
mod watchdog;

pub use awake::Awake;
pub use episode::{Ack, BellState, Episode, PageOutcome, PageRecord, PendingNotice};
pub use ladder::{EpisodeObservation, LadderInput, LadderMove, next};
pub use outage::{ModelContact, ModelReach, network};
pub use page::{Notice, NoticeItem, NoticeKind, Page, PageLine};
pub use policy::{
    EscalationPolicies, EscalationPolicy, EscalationPolicyError, EscalationStep, POLICIES_MAX,
    STEPS_MAX,
};
pub use report::{AgentReport, EpisodeEnd, EpisodeReport, ServiceReport, WatchdogReport, report};
pub use roles::{
    Bell, BellOutcome, DeadManPing, Delivery, Notifier, ObserveError, Observer, Pager, Pulse,
    Recorder, RecorderError,
};
pub use scan::{AgentVerdict, scan, threshold};
pub use services::NotifyServices;
pub use settings::WatchdogTimings;
pub use sightings::Observations;
pub use standing::{AgentCondition, Observation, ObservedAgent, Outage, Sign};
pub use status::{DeadManStatus, Judged, NextEscalation, WatchdogStatus};
pub use watch::{
    BlindSpan, Maintenance, Ring, ScanContext, ScanPlan, ScanRecord, Trigger, WatchdogState,
};
pub use watchdog::{
    EpisodeChoice, Roles, TestResult, Watchdog, WatchdogConfig, WatchdogError, WatchdogHandle,
};
