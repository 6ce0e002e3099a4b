//! Sleep from outside: the real binary, a fake model over HTTP, real deaths.
//!
//! `night` is what the tests share; the rest are the tests, one file a promise.

mod night;

mod chaos;
mod commands;
mod forgetting;
mod junk;
mod meaning;
mod no_output;
mod rebuild;
