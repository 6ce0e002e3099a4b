//! What waits for a person beside silence, as the watchdog tells people of it: the matters of `/attention`, where failures of one
//! agent are one matter, and without what the ladder or the keeper's look at itself tells already.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::{AgentId, Clock, Timestamp, event::watchdog::AttentionMatter};
use abide_engine::{
    Keeper,
    keeper::{Attention, AttentionKind},
};
use abide_mcp::ElicitationWish;
use abide_supervisor::{DiskHold, StateProblem};
use abide_watchdog::{ObservedMatter, UNREACHABLE, UnreachableModel};

use crate::{
    agents::Processes,
    mcp_servers::{McpQuestion, McpQuestions},
};

/// The kind of a process that ends again and again.
pub(crate) const PROCESS: &str = "process";
/// The kind of a process that is not started because it keeps more on the disk than it may.
pub(crate) const DISK: &str = "disk";
/// The kind of what a server of tools asks of a person.
pub(crate) const QUESTION: &str = "question";
/// What the ids of matters about a private state that cannot be kept begin with.
pub(crate) const STATE_NOT_KEPT: &str = "private_state_kept";
/// The kinds of matters that people are told of.
pub(crate) const MATTER_KINDS: [&str; 13] = [
    AttentionKind::Approval.as_str(),
    AttentionKind::EpochFailed.as_str(),
    AttentionKind::Budget.as_str(),
    AttentionKind::Sleep.as_str(),
    AttentionKind::Identity.as_str(),
    AttentionKind::Fact.as_str(),
    AttentionKind::Evolution.as_str(),
    AttentionKind::Memory.as_str(),
    AttentionKind::Clock.as_str(),
    PROCESS,
    DISK,
    UNREACHABLE,
    QUESTION,
];
/// Epochs of an agent without a reply, and without a later one in their conversation, that are a matter to tell.
const FAILURES_TOLD: usize = 3;
/// Longest line about a matter, in Unicode scalar values.
const SUMMARY_CHARS_MAX: usize = 300;

/// Observes what waits for a person.
#[derive(Debug)]
pub(super) struct AttentionObserver {
    keeper: Keeper,
    processes: Processes,
    questions: McpQuestions,
    clock: Arc<dyn Clock>,
    /// Hosts that cannot be reached, and since when.
    unreachable_since: Mutex<BTreeMap<String, Timestamp>>,
}

impl AttentionObserver {
    /// Observes the matters of this keeper.
    pub(super) fn new(
        (keeper, processes): (Keeper, Processes),
        questions: McpQuestions,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { keeper, processes, questions, clock, unreachable_since: Mutex::default() }
    }

    /// All matters; `unreachable` are the models that cannot be reached while other agents go on.
    pub(super) fn seen(
        &self,
        unreachable: &BTreeMap<AgentId, UnreachableModel>,
    ) -> Vec<ObservedMatter> {
        let mut matters = matters(self.keeper.attention());
        matters.extend(self.processes.agents().filter_map(|agent| self.failing(agent)));
        matters.extend(self.processes.agents().filter_map(|agent| self.over_disk_limit(agent)));
        matters.extend(self.processes.agents().filter_map(|agent| self.not_kept(agent)));
        matters.extend(self.unreachable_hosts(unreachable));
        matters.extend(self.questions.waiting().iter().map(asked));
        matters
    }

    /// A matter a host. Its agents' attempts come and go: it waits since the look that found it first.
    fn unreachable_hosts(
        &self,
        unreachable: &BTreeMap<AgentId, UnreachableModel>,
    ) -> Vec<ObservedMatter> {
        let mut hosts: BTreeMap<&str, (Vec<&str>, Timestamp)> = BTreeMap::new();
        for (agent, model) in unreachable {
            let (agents, at) = hosts.entry(&model.host).or_insert((Vec::new(), model.at));
            agents.push(agent.as_str());
            *at = model.at.min(*at);
        }
        let mut since = self.unreachable_since.lock().unwrap_or_else(PoisonError::into_inner);
        since.retain(|host, _| hosts.contains_key(host.as_str()));
        let told = hosts.into_iter().map(|(host, (agents, at))| {
            let since = *since.entry(host.to_owned()).or_insert(at);
            let summary = format!("no connection to {host}: no model for {}", agents.join(", "));
            matter(format!("{UNREACHABLE}:{host}"), UNREACHABLE, None, &summary, since)
        });
        told.collect()
    }

    fn failing(&self, agent: &AgentId) -> Option<ObservedMatter> {
        let status = self.processes.failing(agent)?;
        let reason = status.message.map(|reason| format!(": {reason}")).unwrap_or_default();
        let summary =
            format!("the process of {agent} ended {} times in a row{reason}", status.failures);
        let since = status.started_at.unwrap_or_else(|| self.clock.now());
        Some(matter(format!("{PROCESS}:{agent}"), PROCESS, Some(agent.clone()), &summary, since))
    }

    fn over_disk_limit(&self, agent: &AgentId) -> Option<ObservedMatter> {
        let hold = self.processes.disk_hold(agent)?;
        let summary = disk_summary(agent, &hold);
        Some(matter(format!("{DISK}:{agent}"), DISK, Some(agent.clone()), &summary, hold.since))
    }

    fn not_kept(&self, agent: &AgentId) -> Option<ObservedMatter> {
        let problem = self.processes.state_problem(agent)?;
        let (id, kind) =
            (format!("{STATE_NOT_KEPT}:{agent}"), AttentionKind::PrivateState.as_str());
        let summary = state_summary(agent, &problem);
        Some(matter(id, kind, Some(agent.clone()), &summary, problem.since))
    }
}

/// What a server of tools asks. Its words are shown where they can be quoted as its own.
pub(crate) fn question_summary(question: &McpQuestion) -> String {
    let who = question.origin.as_ref().map(|call| format!(", called by {},", call.agent));
    let what = match &question.wish {
        ElicitationWish::Form(_) => "a form to be filled in",
        ElicitationWish::Visit { .. } => "somebody to visit an address",
    };
    let McpQuestion { server, until, .. } = question;
    format!("the server {server}{} asks for {what}, until {until}", who.unwrap_or_default())
}

fn asked(question: &McpQuestion) -> ObservedMatter {
    let agent = question.origin.as_ref().map(|call| call.agent.clone());
    let (id, summary) = (format!("{QUESTION}:{}", question.id), question_summary(question));
    matter(id, QUESTION, agent, &summary, question.since)
}

/// A private state that cannot be kept at this moment.
pub(crate) fn state_summary(agent: &AgentId, problem: &StateProblem) -> String {
    format!("the private state of {agent}: {}", problem.message)
}

/// A process that keeps more on the disk than it may, and what a person can do about that.
pub(crate) fn disk_summary(agent: &AgentId, hold: &DiskHold) -> String {
    let DiskHold { message, folder, .. } = hold;
    format!(
        "{agent} {message}, and its process is not started until there is room: delete files in {}, or raise `disk_mb` \
         of [[agent]] and start the keeper again",
        folder.display()
    )
}

/// The matters to tell of all that waits.
fn matters(all: Vec<Attention>) -> Vec<ObservedMatter> {
    let mut failed: BTreeMap<AgentId, Vec<Attention>> = BTreeMap::new();
    let mut matters = Vec::new();
    for attention in all {
        let Attention { id, kind, citizen, since, summary, .. } = &attention;
        match (kind, citizen) {
            // A ledger that cannot be written keeps the watchdog from judging, and it says so by itself.
            (AttentionKind::Ledger, _) => {}
            (AttentionKind::EpochFailed, Some(agent)) => {
                failed.entry(agent.clone()).or_default().push(attention);
            }
            _ => matters.push(matter(id.clone(), kind.as_str(), citizen.clone(), summary, *since)),
        }
    }
    for (agent, failures) in failed {
        let Some(last) = failures.last().filter(|_| failures.len() >= FAILURES_TOLD) else {
            continue;
        };
        let again = format!("{agent} gave no reply: ");
        let why = last.summary.strip_prefix(&again).unwrap_or(&last.summary);
        let summary =
            format!("{agent} gave no reply in {} epochs; the last: {why}", failures.len());
        let kind = AttentionKind::EpochFailed.as_str();
        matters.push(matter(format!("{kind}:{agent}"), kind, Some(agent), &summary, last.since));
    }
    matters
}

fn matter(
    id: String,
    kind: &str,
    agent: Option<AgentId>,
    summary: &str,
    since: Timestamp,
) -> ObservedMatter {
    let summary = summary.chars().take(SUMMARY_CHARS_MAX).collect();
    ObservedMatter { matter: AttentionMatter { id, kind: kind.to_owned(), agent, summary }, since }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;
    use abide_engine::keeper::{Attention, AttentionKind};

    use super::matters;

    fn waits(kind: AttentionKind, id: &str, agent: Option<&str>) -> Attention {
        Attention {
            id: id.into(),
            kind,
            citizen: agent.map(|agent| agent.parse().unwrap()),
            since: Timestamp::from_micros(0),
            summary: format!("{id} waits"),
            epoch: None,
        }
    }

    #[test]
    fn failures_of_one_agent_are_one_matter_and_only_when_they_are_many() {
        let failed = |n: usize, agent: &str| {
            let one = |n| waits(AttentionKind::EpochFailed, &format!("epoch:{n}"), Some(agent));
            (0..n).map(one).collect::<Vec<_>>()
        };
        let ids = |all: Vec<Attention>| {
            matters(all).into_iter().map(|seen| seen.matter.id).collect::<Vec<_>>()
        };
        assert!(ids(failed(2, "ada")).is_empty());
        let mut all = failed(3, "ada");
        all.extend(failed(2, "felix"));
        let why = "ada gave no reply: the model refused".to_owned();
        let told = matters(
            failed(3, "ada")
                .into_iter()
                .map(|one| Attention { summary: why.clone(), ..one })
                .collect(),
        );
        assert_eq!(
            told[0].matter.summary,
            "ada gave no reply in 3 epochs; the last: the model refused"
        );
        all.push(waits(AttentionKind::Budget, "budget:felix", Some("felix")));
        all.push(waits(AttentionKind::Ledger, "ledger:degraded", None));
        assert_eq!(ids(all), ["budget:felix", "epoch_failed:ada"]);
    }
}
