//! The watchdog: who is silent though there is something to do, and who is told.
//!
//! It judges by public evidence alone and cannot name a type of the supervisor or the engine: what it knows of an agent is
//! a [`Standing`], handed in by whoever looks. It stalls nobody, restarts nobody and decides nothing else.
//!
//! Reading order: [`Settings`] and [`Policies`]; [`Standing`], what its [`Eyes`] see, and [`network`], when nobody is to blame; [`scan`], which gives each agent a [`Verdict`];
//! [`Awake`], the time that counts; [`Episode`] and [`next`], the ladder; [`Watch`], all episodes as a fold of the
//! ledger's `watchdog.*` lines, and what follows from a look; [`Page`] and [`Notice`]; [`Services`]; [`Report`]; and last the
//! [`Watchdog`] itself, the only part that waits and talks, with its [`Handle`].

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
pub use episode::{Ack, BellState, Episode, PageOutcome, PageRecord, Telling};
pub use ladder::{Look, Moment, Move, next};
pub use outage::{Asking, Way, network};
pub use page::{Notice, NoticeItem, NoticeKind, Page, PageLine};
pub use policy::{POLICIES_MAX, Policies, Policy, PolicyError, STEPS_MAX, Step};
pub use report::{AgentReport, Ending, EpisodeReport, Report, ServiceReport, report};
pub use roles::{
    Answer, Bell, CouldNotLook, DeadMan, Delivery, Eyes, Notifier, Pager, Pulse, Record,
    RecordError,
};
pub use scan::{Verdict, scan, threshold};
pub use services::Services;
pub use settings::Settings;
pub use sightings::Sightings;
pub use standing::{Condition, Outage, Sight, Sign, Standing};
pub use status::{DeadManStatus, Judged, NextStep, Status};
pub use watch::{Maintenance, Plan, Present, Ring, ScanRecord, Trigger, Trouble, Watch};
pub use watchdog::{Config, Handle, HandleError, Roles, TestResult, Watchdog, Which};
