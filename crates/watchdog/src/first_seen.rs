//! When things were first seen: the watchdog's own dates for what the ledger dates by a wall clock that may have been set.
//!
//! Evidence is known by its number. One that is new since the last look is dated by its line, but not before that look and
//! not after this one. Work, likewise, counts from when an agent was first seen to owe it: an agent that waited for a person
//! owes nothing for the time of waiting. Held in memory alone; a restart begins anew.

use std::collections::HashMap;

use abide_domain::{AgentId, Timestamp};

use crate::observation::{AgentCondition, EvidenceMark, Observation};

/// What was seen of each agent at the last look.
#[derive(Clone, Debug, Default)]
pub struct FirstSeenTimes {
    known: HashMap<AgentId, LastObserved>,
    looked_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug)]
struct LastObserved {
    evidence: Option<EvidenceMark>,
    owes_since: Option<Timestamp>,
}

impl FirstSeenTimes {
    /// Puts the watchdog's dates into what a look at `now` gave, and remembers them.
    pub fn correct(&mut self, now: Timestamp, observation: &mut Observation) {
        let before = self.looked_at.replace(now);
        let mut known = HashMap::with_capacity(observation.agents.len());
        for observed in &mut observation.agents {
            let past = self.known.get(&observed.agent);
            let evidence = observed.last_evidence.map(|sign| {
                let same = past.and_then(|past| past.evidence).filter(|old| old.seq == sign.seq);
                same.unwrap_or_else(|| EvidenceMark {
                    at: first_seen(sign.at, before, now),
                    ..sign
                })
            });
            let is_excused = observed.condition != AgentCondition::Awake;
            // One that is always to be active owes evidence from its registration on: new work is no excuse for it.
            let always = observed.always_active.then_some(observed.registered_at);
            let work = always.or(observed.work_since).filter(|_| !is_excused);
            let owes_since = work.map(|since| {
                let same = past.and_then(|past| past.owes_since);
                same.unwrap_or_else(|| first_seen(since, before.filter(|_| past.is_some()), now))
            });
            observed.last_evidence = evidence;
            if !is_excused {
                observed.work_since = owes_since;
            }
            known.insert(observed.agent.clone(), LastObserved { evidence, owes_since });
        }
        self.known = known;
    }
}

/// The date of something that the look before this one did not show. A line that seems older than that look was written by a
/// clock that stood still.
fn first_seen(at: Timestamp, before: Option<Timestamp>, now: Timestamp) -> Timestamp {
    if before.is_some_and(|before| at <= before) { now } else { at.min(now) }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::FirstSeenTimes;
    use crate::observation::{AgentCondition, EvidenceMark, Observation, ObservedAgent};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    fn observed(evidence: Option<(u64, i64)>, work: Option<i64>) -> ObservedAgent {
        ObservedAgent {
            agent: "felix".parse().unwrap(),
            nick: "felix".into(),
            registered_at: at(0),
            last_evidence: evidence.map(|(seq, second)| EvidenceMark { seq, at: at(second) }),
            work_since: work.map(at),
            excused_at: None,
            threshold: None,
            always_active: false,
            task: None,
            unanswered: None,
            condition: AgentCondition::Awake,
            has_process: true,
            fatigue: None,
            confidence: None,
        }
    }

    /// The dates that looks at given seconds give: of the evidence, and of the work.
    fn dates(looks: &[(i64, ObservedAgent)]) -> Vec<(Option<Timestamp>, Option<Timestamp>)> {
        let mut first_seen = FirstSeenTimes::default();
        looks
            .iter()
            .map(|(now, observed)| {
                let mut observation =
                    Observation { agents: vec![observed.clone()], ..Observation::default() };
                first_seen.correct(at(*now), &mut observation);
                let seen = &observation.agents[0];
                (seen.last_evidence.map(|sign| sign.at), seen.work_since)
            })
            .collect()
    }

    #[test]
    fn dates_are_the_ledger_s_while_its_clock_runs() {
        let looks = [
            (100, observed(Some((5, 40)), Some(30))),
            (160, observed(Some((6, 120)), Some(110))),
            (220, observed(Some((6, 120)), None)),
            (280, observed(Some((6, 120)), Some(250))),
        ];
        let expected = [
            (Some(at(40)), Some(at(30))),
            (Some(at(120)), Some(at(30))),
            (Some(at(120)), None),
            (Some(at(120)), Some(at(250))),
        ];
        assert_eq!(dates(&looks), expected);
    }

    #[test]
    fn lines_of_a_clock_that_stands_still_are_dated_when_they_are_seen() {
        let looks = [
            (100, observed(Some((5, 90)), None)),
            (160, observed(Some((6, 90)), Some(90))),
            (220, observed(Some((6, 90)), Some(90))),
            (280, observed(Some((7, 500)), Some(90))),
        ];
        let expected = [
            (Some(at(90)), None),
            (Some(at(160)), Some(at(160))),
            (Some(at(160)), Some(at(160))),
            (Some(at(280)), Some(at(160))),
        ];
        assert_eq!(dates(&looks), expected);
    }

    #[test]
    fn time_spent_waiting_for_a_person_is_not_owed() {
        let mut waiting = observed(Some((5, 90)), Some(80));
        waiting.condition = AgentCondition::WaitingApproval;
        let working = observed(Some((5, 90)), Some(80));
        let looks =
            [(100, working.clone()), (160, waiting.clone()), (700, waiting), (760, working)];
        let owed: Vec<_> = dates(&looks).into_iter().map(|(_, work)| work).collect();
        assert_eq!(owed, [Some(at(80)), Some(at(80)), Some(at(80)), Some(at(760))]);
    }

    #[test]
    fn new_work_is_no_excuse_for_one_that_is_always_to_be_active_and_waiting_is() {
        let always = |work| ObservedAgent { always_active: true, ..observed(Some((5, 90)), work) };
        let asleep = ObservedAgent { condition: AgentCondition::Asleep, ..always(None) };
        let looks =
            [(100, always(None)), (160, always(Some(150))), (220, asleep), (280, always(None))];
        let owed: Vec<_> = dates(&looks).into_iter().map(|(_, work)| work).collect();
        assert_eq!(owed, [Some(at(0)), Some(at(0)), None, Some(at(280))]);
    }
}
