//! The Dreamer over a small past of its own: what it asks, when it stops, and what it puts down.

mod b01;
mod exploring;
mod past;
mod real;
mod rendering;
mod seeing;
