//! What tests stand on: time and ids that they control, and a model server that they script. Dev only.
//!
//! Used from `tests/` folders, never from unit tests (these would see two copies of their own crate). Nothing here may
//! be linked into the binary, and nothing here sleeps to synchronise: tests wait for what they need to have happened.
//!
//! Reading order: [`FakeClock`] and [`TokioClock`], [`SeededIds`] and [`SplitMix64`], [`rounds`], then [`ModelServer`] with the
//! [`Reply`]s that it gives, the [`SeenRequest`]s that it keeps and the [`rules`] that answer by themselves; [`BotServer`], a fake
//! of Telegram; [`rig`], a keeper for one test; [`sim`], keepers from a seed.
//!
//! ```
//! use std::time::Duration;
//!
//! use abide_domain::Clock as _;
//! use abide_testkit::{FakeClock, SplitMix64};
//!
//! let clock = FakeClock::default();
//! let before = clock.now();
//! clock.advance(Duration::from_secs(90));
//! assert_eq!(clock.now(), before.plus(Duration::from_secs(90)));
//!
//! // The same seed makes the same choices.
//! assert_eq!(SplitMix64::new(7).below(1_000), SplitMix64::new(7).below(1_000));
//! ```

mod bot_server;
mod clock;
mod ids;
mod model_server;
pub mod rig;
mod rng;
mod rounds;
pub mod sim;

pub use bot_server::{BotFault, BotServer};
pub use clock::{FakeClock, TokioClock};
pub use ids::SeededIds;
pub use model_server::{
    FakeDialect, FakeStop, ModelServer, ModelServerBuilder, Reply, ReplyHold, Role, SeenCall,
    SeenMessage, SeenRequest, SeenResult, SeenTool, rules,
};
pub use rng::SplitMix64;
pub use rounds::{program, rounds};
