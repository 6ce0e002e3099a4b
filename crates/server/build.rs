//! Says that the built web client is part of this crate: a client that was built anew is compiled in anew.
//!
//! It builds nothing itself: npm is called by `make web` alone, for a build that reaches for the network surprises people.

fn main() {
    // The folder is always there: a file in it is kept under version control.
    println!("cargo::rerun-if-changed=../../web/dist");
    println!("cargo::rerun-if-changed=build.rs");
}
