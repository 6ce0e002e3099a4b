//! A search for a better order of an agent's memories, run beside everything else: expressions are bred, scored by what the agent was
//! asked before, and the best on questions that they never saw is proposed like any change. The verdict on it is not made here.
//!
//! One search an agent, and one of all at work at a time, on a thread of its own that gives way to all others. How far it is lies in
//! a folder of the cache: after a death it goes on from its last generation, and finds the same. Who deletes that folder loses the
//! search and nothing else.
//!
//! Reading order: `record` (a search, as it is kept and shown), `folder` (its files), `parts`, `cases` (what the agent was asked), `worker` (the
//! thread), `proposal` (the winner, with its evidence), `job` (one search from where it is to its end), `searches` (all of them).

mod cases;
mod folder;
mod job;
mod parts;
mod proposal;
mod record;
mod searches;
mod worker;

pub(crate) use parts::SearchesParts;
pub(crate) use proposal::search_winner;
pub(crate) use record::{SearchEnd, SearchPhase, SearchStatus};
pub(crate) use searches::{SearchStartError, Searches};
