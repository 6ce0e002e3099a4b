//! The mind `acp` over a real agent of the Agent Client Protocol: what it says, what it may do, and what becomes of a turn
//! whose agent or keeper dies.

mod answers;
mod deaths;
mod disk;
mod misbehavior;
mod rest;
mod restarts;
mod world;
