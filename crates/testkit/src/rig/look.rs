//! What a test looks at: the ledger as it is on the disk, what the mind was asked, what the world saw.
//!
//! Nothing here asks the running keeper what it believes, unless it says so.

use abide_domain::{
    ApprovalId, CallId, EpochId, Timestamp,
    event::{Event, ToolEvent, ToolFinished},
    tool::Outcome,
    turn::{ToolResult, TurnRequest},
};
use abide_ledger::{
    Entry, Ledger,
    folder::{self, Folder},
};

use super::{Rig, keeper};

impl Rig {
    /// The whole ledger, verified and decoded.
    pub fn entries(&self) -> Vec<Entry> {
        let storage = self.storage.clone();
        folder::verify(storage.clone()).expect("a ledger that verifies");
        let folder = Folder::open(storage).expect("a ledger that opens");
        let records = folder.records(1).map(|record| record.expect("a record that can be read"));
        records.map(|record| record.entry().expect("an event of ours")).collect()
    }

    /// The events of one epoch.
    pub fn entries_of(&self, epoch: EpochId) -> Vec<Entry> {
        let entries = self.entries().into_iter();
        entries.filter(|entry| entry.epoch == Some(epoch)).collect()
    }

    /// The kinds of an epoch's events, in order.
    pub fn kinds_of(&self, epoch: EpochId) -> Vec<&'static str> {
        self.entries_of(epoch).iter().map(|entry| entry.event.kind().name).collect()
    }

    /// How often an epoch has an event of a kind.
    pub fn count_of(&self, epoch: EpochId, kind: &str) -> usize {
        self.kinds_of(epoch).into_iter().filter(|found| *found == kind).count()
    }

    /// The outcomes of an epoch's calls, in order.
    pub fn outcomes_of(&self, epoch: EpochId) -> Vec<Outcome> {
        self.finished_of(epoch).iter().map(|finished| finished.outcome).collect()
    }

    /// The ends of an epoch's calls, in order.
    pub fn finished_of(&self, epoch: EpochId) -> Vec<ToolFinished> {
        let events = self.entries_of(epoch).into_iter().map(|entry| entry.event);
        let finished = events.filter_map(|event| match event {
            Event::Tool(ToolEvent::Finished(finished)) => Some(finished),
            _ => None,
        });
        finished.collect()
    }

    /// Everything that the mind was asked so far, also by keepers that are dead.
    pub fn asked(&self) -> Vec<TurnRequest> {
        self.journal.asked()
    }

    /// What it was asked last.
    pub fn asked_last(&self) -> TurnRequest {
        self.asked().pop().expect("a mind that was asked")
    }

    /// The results that it was told last.
    pub fn tool_results_shown(&self) -> Vec<ToolResult> {
        let step = self.asked_last().steps.pop();
        step.expect("a mind that was told results").results
    }

    /// What it was asked in an epoch.
    pub fn asked_in(&self, epoch: EpochId) -> Vec<TurnRequest> {
        self.asked().into_iter().filter(|request| request.epoch == epoch).collect()
    }

    /// How often tools of the test really ran.
    pub fn runs(&self) -> u32 {
        self.world.runs().values().map(|runs| runs.count).sum()
    }

    /// How often a call really ran.
    pub fn runs_of(&self, epoch: EpochId, call: &CallId) -> u32 {
        self.world.runs().get(&(epoch, call.clone())).map_or(0, |runs| runs.count)
    }

    /// The digest of all projected state, as the running keeper gives it.
    pub fn digest(&self) -> String {
        self.keeper().state_digest()
    }

    /// The same, folded anew on a copy of the disk, with nothing but the ledger.
    pub fn digest_rebuilt(&self) -> String {
        let copy = std::sync::Arc::new(self.storage.fork());
        copy.kill();
        let (ledger, _committer) =
            Ledger::open(copy, keeper::options(self.clock)).expect("a copy that opens");
        let here = self.keeper().agents();
        let stage = (&self.world, &self.journal);
        let agents: Vec<_> =
            here.iter().map(|one| self.setup.agent(one.id.as_str(), &one.role, stage)).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let logs = abide_memory::stdout::StdoutFolder::open(folder.path(), None);
        let replayed = abide_engine::keeper::replay(&ledger, &agents, logs, None)
            .expect("a ledger that folds");
        replayed.digest(&agents)
    }

    /// The approval that waits, and its deadline, as the keeper knows it.
    pub fn pending_approval(&self) -> Option<(ApprovalId, Timestamp)> {
        let state = self.keeper().state();
        let mut pending = state.running.values().filter_map(|record| record.pending_approval());
        pending.next().map(|approval| (approval.requested.approval_id, approval.requested.deadline))
    }
}
