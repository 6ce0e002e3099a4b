//! Whole supervisors over real processes: what an agent may do, and what becomes of it.

mod chaos;
mod code;
mod commands;
mod deaths;
mod disk;
mod limits;
mod misbehavior;
mod reports;
mod rest;
mod sockets;
mod stalls;
mod vectors;
mod world;
