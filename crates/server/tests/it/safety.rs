//! What nobody may be able to do, and what may never hang: tried from outside, on the real binary.

mod foreign_files;
mod foreign_folders;
mod lost_log;
mod mutated_ledgers;
mod slow_disk;
mod stop;
