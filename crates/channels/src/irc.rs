//! IRC: an embedded server in which agents are nicks, a client for networks outside, and the relay between both and
//! the keeper.
//!
//! Three parts that know nothing of each other's insides. [`server`] and [`client`] are a pure state machine in a shell
//! that moves bytes; [`relay`] is pure altogether. None of them knows the engine or the ledger: what is said goes to an
//! interface that was handed in, and what agents say comes through a handle.
//!
//! Reading order: [`limits`], [`IrcMessage`], [`SpokenLine`], then [`server`], [`relay`], [`client`].

pub mod limits;

mod bucket;
mod clock_reading;
mod line;
mod name;
mod spoken;

pub mod server;

pub mod relay;

pub mod client;

mod scrollback;

pub use line::{IrcMessage, LineError, LineSplitter, SplitLine, Tag};
pub use name::{is_channel, is_nick, nick_for_agent};
pub use scrollback::Scrollback;
pub use spoken::{Addressee, RELAY_TAG, Speaker, SpokenKind, SpokenLine, Target};
