//! `[evolution]`: whether agents may change, and how a change is tried before it counts.

use crate::config::{
    shape::{DAY, FLAG, SECOND, TEXTS, count, section, time},
    time_span::TimeSpan,
};

section! {
    /// `[evolution]`.
    pub(crate) struct EvolutionSection {
        /// Whether changes of agents are tried and, where they are better, put in force. Otherwise each proposal is rejected.
        pub(crate) enabled: bool = false, FLAG;
        /// Changes that a person must approve however well they measure: "memory", "tools", "dsl", "mind".
        pub(crate) approve: Vec<String> = ["mind", "tools"], TEXTS;
        /// Changes that are tried at the same time, of all agents together.
        pub(crate) shadows: usize = 10, count(1, 10);
        /// On how many of the newest requests a change is tried.
        pub(crate) last: u32 = 200, count(30, 200);
        /// Of a hundred live requests, how many are given to a change too while its trial lacks requests; 0: none.
        pub(crate) mirror_percent: u8 = 10, count(0, 100);
        /// Requests that a change answers at each stage (10, 50 and 100 of a hundred) before the next begins.
        pub(crate) canary_pairs: u32 = 30, count(1, 1_000);
        /// How long a trial that lacks requests, or a stage, waits for them. Then the code from before holds.
        pub(crate) stage_limit: TimeSpan = "14d", time(SECOND, 365 * DAY);
        /// Memory of a process that runs modules, in MB.
        pub(crate) memory_mb: u64 = 1_024, count(512, 1 << 20);
        /// Whether modules run where no sandbox can be had, with all that the keeper's user may do.
        pub(crate) unconfined: bool = false, FLAG;
        /// Whether what tries a change of an agent's own program reaches the network as the agent does: for programs that ask their model themselves. What they do there is then done two or three times more for each request of a trial.
        pub(crate) shadow_network: bool = false, FLAG;
    }
}
