//! How long each agent's lane has been at one thing, in time that the keeper was awake and looked: neither a leap of the wall
//! clock nor a suspend nor a stopped program makes a lane stand still. Pure.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::AgentId;
use abide_engine::keeper::LaneTask;

use super::standing_part::StandingPart;

/// The longest time between two looks that counts: the keeper looks every second.
const GAP_MAX: Duration = Duration::from_secs(3);

/// What each lane is at, and for how long.
#[derive(Debug, Default)]
pub(super) struct LaneTimes {
    seen_at: Option<Duration>,
    lanes: BTreeMap<AgentId, (LaneTask, Duration)>,
}

impl LaneTimes {
    /// Takes in what every lane has to do at a moment of the monotonic clock, and says which has been at it for too long.
    pub(super) fn see(&mut self, now: Duration, tasks: Vec<LaneTask>) -> Vec<StandingPart> {
        let passed = self.seen_at.map_or(Duration::ZERO, |seen_at| now.saturating_sub(seen_at));
        let passed = passed.min(GAP_MAX);
        self.seen_at = Some(now);
        let mut before = std::mem::take(&mut self.lanes);
        let seen = tasks.into_iter().map(|task| {
            let same = before.remove(&task.agent).filter(|(known, _)| *known == task);
            let time = same.map_or(Duration::ZERO, |(_, time)| time.saturating_add(passed));
            (task.agent.clone(), (task, time))
        });
        self.lanes = seen.collect();
        let standing = self.lanes.values().filter(|(task, time)| *time > task.time_max);
        let part = |(task, time): &(LaneTask, Duration)| StandingPart {
            part: format!("the lane of {}", task.agent),
            time: *time,
        };
        standing.map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_engine::keeper::LaneTask;

    use super::LaneTimes;

    fn task(epoch: u8) -> LaneTask {
        LaneTask {
            agent: "felix".parse().unwrap(),
            epoch: format!("019a0000-0000-7000-8000-0000000000{epoch:02x}").parse().unwrap(),
            last_attempt: None,
            time_max: Duration::from_mins(1),
        }
    }

    #[test]
    fn a_lane_stands_still_by_the_time_in_which_it_was_seen_and_not_by_what_clocks_leap_over() {
        let mut lanes = LaneTimes::default();
        let mut now = Duration::from_secs(5);
        let mut look = |seconds: u64, epoch: u8| {
            now += Duration::from_secs(seconds);
            lanes.see(now, vec![task(epoch)]).into_iter().map(|part| part.time.as_secs()).next()
        };
        assert_eq!(look(0, 1), None);
        assert_eq!(look(28_800, 1), None, "nobody was awake in between");
        assert_eq!((0..57).find_map(|_| look(1, 1)), None);
        assert_eq!(look(1, 1), Some(61));
        assert_eq!(look(1, 2), None, "it has moved on");
        assert_eq!(lanes.see(now, Vec::new()), []);
        assert_eq!(
            lanes.see(now, vec![task(2)]),
            [],
            "an approval came in between: it begins anew"
        );
    }
}
