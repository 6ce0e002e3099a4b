//! Where people are reached: IRC, Telegram, and the services that notify.
//!
//! The relay decides what a line on IRC asks for; it trusts accounts, never nicks:
//!
//! ```
//! use abide_channels::irc::{
//!     Addressee, Speaker, SpokenKind, SpokenLine, Target,
//!     relay::{Relay, RelayConfig, RelayDecision},
//! };
//!
//! let felix = Addressee { agent: "felix".parse()?, nick: "felix".into() };
//! let mut relay = Relay::new(RelayConfig::new("tickle-1".parse()?));
//! let line = SpokenLine {
//!     speaker: Speaker::Person(Some("ann".into())),
//!     nick: "ann".into(),
//!     target: Target::Channel("#abide".into()),
//!     partner: None,
//!     agents: vec![felix.clone()],
//!     text: "@felix hello".into(),
//!     kind: SpokenKind::Speech,
//!     is_whole: false,
//!     relay: None,
//!     msgid: String::new(),
//!     at: abide_domain::Timestamp::default(),
//! };
//! assert_eq!(relay.decide(&line), [RelayDecision::Prompt { to: felix, text: "hello".into() }]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: [`irc`], [`telegram`], then [`notify`]; [`tls`] is what IRC and mail share.

pub mod irc;
pub mod notify;
pub mod telegram;
pub mod tls;
