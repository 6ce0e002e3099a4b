//! Matters that wait for a person beside the silence of agents, such as an approval or a spent budget: which of them somebody is
//! told of, when, and by whom. Pure rules, and a fold of the ledger's lines about them.
//!
//! A matter is told of once for as long as it waits, also over restarts; when it is over, those who heard of it hear that.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use abide_domain::{
    AgentId, NoticeId, Timestamp,
    event::watchdog::{AttentionMatter, WatchdogEvent},
};

use crate::{
    episode::PendingNotice,
    observation::ObservedMatter,
    page::{Notice, NoticeKind},
};

/// Rules at most.
pub const ATTENTION_RULES_MAX: usize = 100;
/// Matters that people were told of and that are remembered at one time.
const RAISED_MAX: usize = 1_000;
/// Matters of one notice.
pub(crate) const NOTICE_MATTERS_MAX: usize = 20;

/// The kinds of matters that somebody who sits before the screen decides on at once: they are told of when they have waited.
const DECIDED_AT_ONCE: [&str; 2] = ["approval", "question"];
/// How long one of these waits before somebody is told of it, without a rule.
const DECIDED_AFTER: Duration = Duration::from_mins(1);
/// The kind of models that cannot be reached: often that is over soon.
pub const UNREACHABLE: &str = "unreachable";
/// How long a model cannot be reached before somebody is told of it, without a rule.
const UNREACHABLE_AFTER: Duration = Duration::from_mins(5);

/// All rules, in their order: the first that fits a matter counts. What no rule fits is told to everybody: an approval or a
/// question after a minute, a model that cannot be reached after five, all else at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttentionRules(pub Vec<AttentionRule>);

/// What is done about some matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionRule {
    /// Of which kinds; none: of all.
    pub kinds: Option<BTreeSet<String>>,
    /// About which agents; none: about all, and about the keeper.
    pub agents: Option<BTreeSet<AgentId>>,
    /// How long a matter waits before somebody is told; none: as without a rule.
    pub after: Option<Duration>,
    /// The services, by name; every service where none is named.
    pub to: Vec<String>,
    /// Whether nobody is told.
    pub is_off: bool,
}

impl AttentionRules {
    /// When somebody is told of a matter that has waited since a moment, and by which services; never, where it is none.
    fn due<'a>(&'a self, observed: &ObservedMatter) -> Option<(Timestamp, &'a [String])> {
        let matter = &observed.matter;
        let rule = self.0.iter().find(|rule| rule.fits(matter));
        if rule.is_some_and(|rule| rule.is_off) {
            return None;
        }
        let usual = match matter.kind.as_str() {
            kind if DECIDED_AT_ONCE.contains(&kind) => DECIDED_AFTER,
            UNREACHABLE => UNREACHABLE_AFTER,
            _ => Duration::ZERO,
        };
        let after = rule.and_then(|rule| rule.after).unwrap_or(usual);
        Some((observed.since.plus(after), rule.map_or(&[][..], |rule| &rule.to)))
    }
}

impl AttentionRule {
    fn fits(&self, matter: &AttentionMatter) -> bool {
        let is_kind = self.kinds.as_ref().is_none_or(|kinds| kinds.contains(&matter.kind));
        let is_agent = self
            .agents
            .as_ref()
            .is_none_or(|agents| matter.agent.as_ref().is_some_and(|agent| agents.contains(agent)));
        is_kind && is_agent
    }
}

/// The matters that people were to be told of and that still wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RaisedMatters {
    matters: BTreeMap<String, (AttentionMatter, NoticeId)>,
    notices: BTreeMap<NoticeId, PendingNotice>,
}

/// What a look at all matters leads to.
#[derive(Debug, Default)]
pub(crate) struct AttentionPlan {
    /// By the services that tell: what is due.
    pub(crate) raised: BTreeMap<Vec<String>, Vec<AttentionMatter>>,
    /// What is over, by the services that told of it.
    pub(crate) over: BTreeMap<BTreeSet<String>, Vec<AttentionMatter>>,
    /// The ids of all that is over, told or not.
    pub(crate) ended: Vec<String>,
}

impl RaisedMatters {
    /// Takes in one line.
    pub(crate) fn apply(&mut self, at: Timestamp, event: &WatchdogEvent) {
        match event {
            WatchdogEvent::AttentionRaised(raised) => {
                let pending = PendingNotice::new(at, raised.notice, &raised.to);
                self.notices.insert(raised.notice, pending);
                for matter in &raised.matters {
                    self.matters.insert(matter.id.clone(), (matter.clone(), raised.notice));
                }
            }
            WatchdogEvent::AttentionEnded(ended) => {
                ended.matters.iter().for_each(|id| drop(self.matters.remove(id)));
                let open: BTreeSet<_> = self.matters.values().map(|(_, notice)| *notice).collect();
                self.notices.retain(|notice, _| open.contains(notice));
            }
            WatchdogEvent::Notified(_) | WatchdogEvent::NotifyFailed(_) => {
                self.notices.values_mut().for_each(|pending| pending.apply(at, event));
            }
            _ => {}
        }
    }

    /// What follows from a look: matters that are due and new, and those that are over. `is_kept_quiet` says of which agent nobody
    /// is to be disturbed.
    pub(crate) fn plan(
        &self,
        now: Timestamp,
        rules: &AttentionRules,
        seen: &[ObservedMatter],
        is_kept_quiet: impl Fn(Option<&AgentId>) -> bool,
    ) -> AttentionPlan {
        let mut plan = AttentionPlan::default();
        let ids: BTreeSet<&str> = seen.iter().map(|seen| seen.matter.id.as_str()).collect();
        for (id, (matter, notice)) in &self.matters {
            if ids.contains(id.as_str()) {
                continue;
            }
            plan.ended.push(id.clone());
            let pending = self.notices.get(notice);
            if let Some(told) = pending.filter(|pending| pending.delivered_at.is_some()) {
                plan.over.entry(told.delivered_by.clone()).or_default().push(matter.clone());
            }
        }
        let mut room = RAISED_MAX.saturating_sub(self.matters.len());
        for observed in seen {
            let matter = &observed.matter;
            let is_new = !self.matters.contains_key(&matter.id);
            if !is_new || room == 0 || is_kept_quiet(matter.agent.as_ref()) {
                continue;
            }
            if let Some((at, to)) = rules.due(observed)
                && at <= now
            {
                room -= 1;
                plan.raised.entry(to.to_vec()).or_default().push(matter.clone());
            }
        }
        plan
    }

    /// When the next of the matters that were seen, and of which nobody was told yet, is due.
    pub(crate) fn next_new(
        &self,
        rules: &AttentionRules,
        seen: &[ObservedMatter],
    ) -> Option<Timestamp> {
        let new = seen.iter().filter(|seen| !self.matters.contains_key(&seen.matter.id));
        new.filter_map(|seen| rules.due(seen).map(|(at, _)| at)).min()
    }

    /// The notices to send now; those under way are left alone.
    pub(crate) fn due(&self, is_due: impl Fn(&PendingNotice) -> bool) -> Vec<Notice> {
        let is_open = |pending: &&PendingNotice| {
            (pending.delivered_at.is_none() || pending.is_rest()) && is_due(pending)
        };
        let notice = |pending: &PendingNotice| {
            let of_it = self.matters.values().filter(|(_, notice)| *notice == pending.notice);
            let matters = of_it.map(|(matter, _)| matter.clone()).collect();
            Notice { matters, ..pending.to_notice(NoticeKind::Attention, 1, pending.is_rest()) }
        };
        self.notices.values().filter(is_open).map(notice).collect()
    }

    /// When something is to be told again.
    pub(crate) fn next_due(&self) -> impl Iterator<Item = Timestamp> {
        self.notices.values().map(PendingNotice::due_at)
    }

    /// Whether a matter that a notice told of still waits.
    pub(crate) fn is_open(&self, matter: &AttentionMatter) -> bool {
        self.matters.contains_key(&matter.id)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::{Timestamp, event::watchdog::AttentionMatter};

    use super::{AttentionRule, AttentionRules, RaisedMatters};
    use crate::observation::ObservedMatter;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    fn matter(kind: &str, agent: Option<&str>) -> ObservedMatter {
        let agent = agent.map(|agent| agent.parse().unwrap());
        let (id, summary) = (format!("{kind}:x"), "s".to_owned());
        ObservedMatter {
            matter: AttentionMatter { id, kind: kind.into(), agent, summary },
            since: at(0),
        }
    }

    fn rule(kinds: &[&str], agents: &[&str]) -> AttentionRule {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let ids = || agents.iter().map(|agent| agent.parse().unwrap()).collect();
        AttentionRule {
            kinds: (!kinds.is_empty()).then(|| set(kinds)),
            agents: (!agents.is_empty()).then(ids),
            after: None,
            to: vec!["phone".into()],
            is_off: false,
        }
    }

    /// The seconds at which a matter is told of, looked for from second to second.
    fn raised_at(rules: &AttentionRules, observed: &ObservedMatter) -> Option<i64> {
        let raised = RaisedMatters::default();
        let seen = std::slice::from_ref(observed);
        (0..600).find(|second| !raised.plan(at(*second), rules, seen, |_| false).raised.is_empty())
    }

    #[test]
    fn the_first_rule_that_fits_says_when_and_by_whom() {
        let late = AttentionRule { after: Some(Duration::from_mins(5)), ..rule(&["budget"], &[]) };
        let off = AttentionRule { is_off: true, ..rule(&[], &["ada"]) };
        let rules = AttentionRules(vec![late, off]);
        for (kind, agent, expected) in [
            ("budget", Some("felix"), Some(300)),
            ("budget", Some("ada"), Some(300)),
            ("sleep", Some("ada"), None),
            ("sleep", Some("felix"), Some(0)),
            ("clock", None, Some(0)),
            ("approval", Some("felix"), Some(60)),
            ("question", None, Some(60)),
        ] {
            assert_eq!(raised_at(&rules, &matter(kind, agent)), expected, "{kind} of {agent:?}");
        }
    }

    #[test]
    fn nobody_is_disturbed_about_what_is_kept_quiet() {
        let raised = RaisedMatters::default();
        let seen = [matter("budget", Some("felix")), matter("clock", None)];
        let rules = AttentionRules::default();
        let plan = raised.plan(at(9), &rules, &seen, |agent| agent.is_some());
        let told: Vec<_> = plan.raised.values().flatten().map(|matter| &*matter.kind).collect();
        assert_eq!(told, ["clock"]);
    }
}
