//! An agent's programs in Scheme, run by Steel in a process of their own.
//!
//! An agent can change three things of itself with a program: the order in which memories are shown (`memory`), tools of
//! its own (`tools`), commands of its own (`dsl`). A program is a *module*. This crate is both sides of what runs them:
//! [`serve_process`] is the process, [`ModuleClient`] asks it. They speak one JSON object a line.
//!
//! ```
//! use std::time::Duration;
//!
//! use abide_modules::{
//!     ModuleClient, ModuleKind, PassageFeatures, PassageRole, RankRequest, RankedPassage, serve,
//! };
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! # runtime.block_on(async {
//! // In life the other side is `abide module`, a process with limits; here it is a thread.
//! let (near, far) = std::os::unix::net::UnixStream::pair()?;
//! let process = std::thread::spawn(move || serve(far.try_clone()?, far));
//! near.set_nonblocking(true)?;
//! let (reader, writer) = tokio::net::UnixStream::from_std(near)?.into_split();
//! let mut client = ModuleClient::new(reader, writer);
//!
//! let code = "
//!   ; What is short comes first; equal ones keep the order of the search.
//!   (define (rank question passages now)
//!     (map passage-id (sort-by-descending (lambda (p) (feature p 'shortness)) passages)))";
//! let deadline = Duration::from_secs(10);
//! client.load(ModuleKind::Memory, code, deadline).await?;
//!
//! let passage = |id, shortness| RankedPassage {
//!     id,
//!     text: "Mara lives in Ulm.".to_owned(),
//!     speaker: "Mara".to_owned(),
//!     role: PassageRole::Person,
//!     at: 1_700_000_000.0,
//!     features: PassageFeatures { shortness, ..PassageFeatures::default() },
//! };
//! let request = RankRequest {
//!     question: "Where does Mara live?".to_owned(),
//!     asker: None,
//!     now: 1_700_086_400.0,
//!     passages: vec![passage(1, 0.2), passage(2, 0.9), passage(3, 0.2)],
//! };
//! let order = client.rank(request, deadline).await?;
//! assert_eq!(order.value, [2, 1, 3]);
//!
//! drop(client);
//! process.join().expect("the thread ends")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a program cannot do
//! The engine begins empty and gets a list of primitives and our prelude: no files, programs, threads, environment, clock,
//! randomness, evaluation or loading of code, no handler that could catch an interrupt, nothing with an order that differs
//! between runs. Code is checked before the engine parses it. A call has a deadline: an interrupt first, then the end of
//! the process ([`limits::STUCK_EXIT_CODE`]). What is left, memory above all, is for the limits of the process, which
//! whoever starts it sets: this crate starts none, and a process without such limits is none for code of an agent.
//!
//! Reading order: [`limits`]; [`ModuleKind`]; [`RankRequest`]; the messages; `process` from its host down to its interpreter;
//! [`ModuleClient`]. The base modules and the prelude are files of Scheme in `scheme/`. This crate reads no clock but for
//! what a call costs, keeps nothing on a disk, and decides nothing about which module an agent runs.

pub mod limits;

mod client;
mod failure;
mod features;
mod kind;
mod message;
mod passage;
mod passage_uses;
mod process;

pub use client::{
    KeeperTools, ModuleCallError, ModuleClient, ModuleCost, ModuleEndedError, ModuleReply,
};
pub use failure::{ScriptError, ScriptErrorKind};
pub use features::PassageFeatures;
pub use kind::ModuleKind;
pub use message::{DeclaredCommand, DeclaredTool, ModuleDeclarations};
pub use passage::{PassageRole, RankRequest, RankedPassage};
pub use passage_uses::PassageUses;
pub use process::{ServeError, serve, serve_process};
