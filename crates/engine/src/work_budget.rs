//! The work that the evaluation of conditions may cost: counted where the result must be the same at every start, timed
//! where somebody waits for it. What is used up is an error of the condition and never a no.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use abide_domain::{
    Clock,
    limits::{QUERY_TIME_MAX, WAKE_INPUT_STEPS_MAX, WAKE_JUDGE_STEPS_MAX},
};

/// What is left of a budget; threads of one search share it.
#[derive(Debug)]
pub(crate) struct WorkBudget(Bound);

#[derive(Debug)]
enum Bound {
    Steps { left: AtomicU64, max: u64 },
    Time { clock: Arc<dyn Clock>, until: Duration },
}

impl WorkBudget {
    /// For one input of an agent, and all its wakes.
    pub(crate) fn of_input() -> Self {
        Self::steps(WAKE_INPUT_STEPS_MAX)
    }

    /// For one judgement of one wake.
    pub(crate) fn of_judgement() -> Self {
        Self::steps(WAKE_JUDGE_STEPS_MAX)
    }

    /// For one search, from now on.
    pub(crate) fn of_query(clock: Arc<dyn Clock>) -> Self {
        let until = clock.monotonic().saturating_add(QUERY_TIME_MAX);
        Self(Bound::Time { clock, until })
    }

    fn steps(max: u64) -> Self {
        Self(Bound::Steps { left: AtomicU64::new(max), max })
    }

    /// Takes the cost of the next step; the error says what is used up.
    pub(crate) fn charge(&self, steps: u64) -> Result<(), String> {
        match &self.0 {
            Bound::Steps { left, max } => {
                let took = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(steps)
                });
                took.map(|_| ()).map_err(|_| {
                    format!("it needs more than the {max} steps of work that one evaluation may take; look for less, or with a simpler pattern")
                })
            }
            Bound::Time { clock, until } if clock.monotonic() >= *until => Err(format!(
                "the search was stopped after {} s; narrow it by ticks, or look with a simpler pattern",
                QUERY_TIME_MAX.as_secs()
            )),
            Bound::Time { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            Arc,
            atomic::{AtomicU64, Ordering},
        },
        time::Duration,
    };

    use abide_domain::{Clock, Timestamp, limits::WAKE_INPUT_STEPS_MAX};

    use super::WorkBudget;

    #[derive(Debug, Default)]
    struct SecondEachLook(AtomicU64);

    impl Clock for SecondEachLook {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn monotonic(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn counted_work_ends_at_its_number_and_a_refused_step_costs_nothing() {
        let budget = WorkBudget::of_input();
        assert_eq!(budget.charge(WAKE_INPUT_STEPS_MAX - 1), Ok(()));
        assert!(budget.charge(2).unwrap_err().contains("4000000 steps"));
        assert_eq!(budget.charge(1), Ok(()));
        assert!(budget.charge(1).is_err());
    }

    #[test]
    fn a_search_ends_with_its_time() {
        let budget = WorkBudget::of_query(Arc::new(SecondEachLook::default()));
        assert_eq!(budget.charge(u64::MAX), Ok(()));
        assert!(budget.charge(1).unwrap_err().contains("stopped after 2 s"));
    }
}
