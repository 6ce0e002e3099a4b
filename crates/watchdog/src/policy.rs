//! Who is told of a stall that nothing else ended, and who is told next: the escalation policies of the configuration. Pure.
//!
//! A policy delays and widens one escalation; it begins none. Where no policy names an agent, everybody is told at once.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::AgentId;

/// Steps of one policy.
pub const STEPS_MAX: usize = 8;
/// Policies at most.
pub const POLICIES_MAX: usize = 100;

/// All policies, in their order: the first that names an agent counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EscalationPolicies(Vec<EscalationPolicy>);

/// What is done about some agents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscalationPolicy {
    /// About which; none: about all.
    pub agents: Option<BTreeSet<AgentId>>,
    /// What is done, in order of time.
    pub steps: Vec<EscalationStep>,
}

/// One step: these services tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscalationStep {
    /// How long after the escalation.
    pub after: Duration,
    /// The services, by name.
    pub to: Vec<String>,
}

/// Says what is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy {policy}: {problem}")]
pub struct EscalationPolicyError {
    /// Which policy, from 0.
    pub policy: usize,
    /// Which of its steps, from 0, if one is meant.
    pub step: Option<usize>,
    /// What is wrong, as a predicate.
    pub problem: &'static str,
}

impl EscalationPolicies {
    /// Checks policies: each has a step at once, then later and later ones, and each step names somebody.
    pub fn new(policies: Vec<EscalationPolicy>) -> Result<Self, EscalationPolicyError> {
        if policies.len() > POLICIES_MAX {
            let problem = "is one too many; at most 100";
            return Err(EscalationPolicyError { policy: POLICIES_MAX, step: None, problem });
        }
        for (index, policy) in policies.iter().enumerate() {
            policy.check().map_err(|(step, problem)| EscalationPolicyError {
                policy: index,
                step,
                problem,
            })?;
        }
        Ok(Self(policies))
    }

    /// The policy of an agent, if it has one.
    pub fn of(&self, agent: &AgentId) -> Option<&EscalationPolicy> {
        self.0
            .iter()
            .find(|policy| policy.agents.as_ref().is_none_or(|named| named.contains(agent)))
    }
}

impl EscalationPolicy {
    fn check(&self) -> Result<(), (Option<usize>, &'static str)> {
        let Some(first) = self.steps.first() else {
            return Err((None, "has no steps; the first tells somebody at once"));
        };
        if self.steps.len() > STEPS_MAX {
            return Err((Some(STEPS_MAX), "is one too many; at most 8"));
        }
        if !first.after.is_zero() {
            return Err((Some(0), "comes later; the first step is at once, after = \"0s\""));
        }
        for (index, step) in self.steps.iter().enumerate() {
            if step.to.is_empty() {
                return Err((Some(index), "tells nobody; name a service of [[notify]]"));
            }
            let before = index.checked_sub(1).and_then(|before| self.steps.get(before));
            if before.is_some_and(|before| before.after >= step.after) {
                return Err((Some(index), "is not later than the step before it"));
            }
        }
        Ok(())
    }

    /// How long after the step before it a step comes, and whom it tells; none where there is no such step. From 1: the
    /// first step is the escalation itself.
    pub(crate) fn later_step(&self, index: usize) -> Option<(Duration, &[String])> {
        let before = self.steps.get(index.checked_sub(1)?)?;
        let step = self.steps.get(index)?;
        Some((step.after.saturating_sub(before.after), &step.to))
    }
}

/// Whom an escalation tells at once; nobody by name where there is no policy: everybody.
pub(crate) fn first_services(policy: Option<&EscalationPolicy>) -> &[String] {
    policy.and_then(|policy| policy.steps.first()).map_or(&[], |step| &step.to)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{EscalationPolicies, EscalationPolicy, EscalationPolicyError, EscalationStep};

    fn step(minutes: u64, to: &[&str]) -> EscalationStep {
        let to = to.iter().map(|name| (*name).to_owned()).collect();
        EscalationStep { after: Duration::from_mins(minutes), to }
    }

    fn policy(agents: &[&str], steps: Vec<EscalationStep>) -> EscalationPolicy {
        let named = agents.iter().map(|name| name.parse().unwrap()).collect();
        EscalationPolicy { agents: (!agents.is_empty()).then_some(named), steps }
    }

    #[test]
    fn the_first_policy_that_names_an_agent_counts() {
        let felix = policy(&["felix"], vec![step(0, &["phone"])]);
        let rest = policy(&[], vec![step(0, &["mail"]), step(15, &["phone"])]);
        let policies = EscalationPolicies::new(vec![felix.clone(), rest.clone()]).unwrap();
        assert_eq!(policies.of(&"felix".parse().unwrap()), Some(&felix));
        assert_eq!(policies.of(&"ada".parse().unwrap()), Some(&rest));
        let only = EscalationPolicies::new(vec![felix]).unwrap();
        assert_eq!(only.of(&"ada".parse().unwrap()), None);
        assert_eq!(rest.later_step(1), Some((Duration::from_mins(15), &["phone".to_owned()][..])));
        assert_eq!((rest.later_step(0), rest.later_step(2)), (None, None));
    }

    #[test]
    fn a_policy_that_tells_nobody_or_in_no_order_is_refused() {
        let good = || policy(&[], vec![step(0, &["a"])]);
        let cases = [
            (vec![], None),
            (vec![step(1, &["a"])], Some(0)),
            (vec![step(0, &[])], Some(0)),
            (vec![step(0, &["a"]), step(5, &["b"]), step(5, &["c"])], Some(2)),
            (vec![step(0, &["a"]), step(5, &[])], Some(1)),
            ((0..9).map(|n| step(n, &["a"])).collect(), Some(8)),
        ];
        for (steps, at) in cases {
            let found = EscalationPolicies::new(vec![good(), policy(&["felix"], steps.clone())]);
            assert!(
                matches!(&found, Err(EscalationPolicyError { policy: 1, step, .. }) if *step == at),
                "{steps:?}: {found:?}"
            );
        }
        assert!(EscalationPolicies::new(vec![good(); 100]).is_ok());
        assert!(EscalationPolicies::new(vec![good(); 101]).is_err());
    }
}
