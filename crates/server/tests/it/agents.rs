//! Agents as real processes under the real binary: killed, stopped, misbehaving, and given their state back.
//!
//! `world` is a home with agents, `programs` says what runs in them, `trees` looks at processes from outside; the rest
//! are the tests, one file a promise. The programs themselves stand in `agents/programs`.

pub(crate) mod programs;
mod trees;
pub(crate) mod world;

mod clocks;
mod cycles;
mod damage;
mod deaths;
mod evolution_programs;
mod examples;
mod idle;
mod in_flight;
mod keeper_deaths;
mod misbehavior;
mod poison;
mod sockets;
mod steering;
