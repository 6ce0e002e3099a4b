//! Whose tasks agents were seen to be at, for the words of notices: nothing here is written down or decides anything.

use std::collections::{BTreeMap, VecDeque};

use abide_domain::AgentId;

use crate::{
    observation::{Observation, TaskOrigin},
    page::{Notice, NoticeItem},
};

/// Ends of episodes that are remembered: notices under way when they ended.
const ENDS_MAX: usize = 200;

/// What the newest look saw of agents' tasks, and the episodes that ended last.
#[derive(Debug, Default)]
pub(super) struct SeenTasks {
    tasks: BTreeMap<AgentId, TaskOrigin>,
    ended: VecDeque<NoticeItem>,
}

impl SeenTasks {
    /// Takes in a look.
    pub(super) fn see(&mut self, observation: &Observation) {
        let tasks = observation.agents.iter();
        let tasks = tasks.filter_map(|seen| Some((seen.agent.clone(), seen.task.clone()?)));
        self.tasks = tasks.collect();
    }

    /// Takes in episodes that ended.
    pub(super) fn end(&mut self, ended: Vec<NoticeItem>) {
        self.ended.extend(ended);
        let more = self.ended.len().saturating_sub(ENDS_MAX);
        self.ended.drain(..more);
    }

    /// Says of each agent of a notice what it is at.
    pub(super) fn add_to(&self, notice: &mut Notice) {
        for item in notice.items.iter_mut().filter(|item| item.task.is_none()) {
            item.task = self.tasks.get(&item.agent).cloned();
        }
    }

    /// The same item with how its episode ended.
    pub(super) fn ended(&self, item: NoticeItem) -> NoticeItem {
        let known = self.ended.iter().find(|ended| ended.episode == item.episode);
        known.cloned().unwrap_or(NoticeItem { cause: None, ..item })
    }
}
