//! The binary `abide`.

fn main() {}
