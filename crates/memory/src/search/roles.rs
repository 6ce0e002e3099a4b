//! Who spoke: scores of the agent's own words and of what people said, brought to one scale.
//!
//! An agent answers at length and says the words of the question again; a person says in a line what the question is about.
//! Within one question each role's scores are therefore taken by their own mean and spread and put back onto those of all,
//! so that no length has to be corrected by a constant. Where one role alone speaks, nothing changes.

use super::vectors::count_as_f32;

/// Whose words a document holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpeakerRole {
    /// A person's, or another agent's.
    #[default]
    Person,
    /// The remembering agent's own.
    Agent,
}

/// Messages by which the mean and the spread of all count into those of a role: a handful says nothing of its own.
const SHRINK: f32 = 20.0;

/// Messages of one role.
#[derive(Clone, Copy, Debug, Default)]
struct RoleScores {
    count: f32,
    sum: f32,
    squares: f32,
}

impl RoleScores {
    fn add(&mut self, score: f32) {
        self.sum += score;
        self.squares += score * score;
    }

    fn mean(self) -> f32 {
        self.sum / self.count.max(1.0)
    }

    fn variance(self) -> f32 {
        (self.squares / self.count.max(1.0) - self.mean() * self.mean()).max(0.0)
    }
}

/// Brings the scores of one question to one scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleScale {
    /// By role: what a score is multiplied with, and what is added then.
    by_role: [(f32, f32); 2],
}

impl RoleScale {
    /// Of the best scores of messages. `messages` says how many there are of each role; those that are not among the scores
    /// have none, and count as 0.
    pub(super) fn of(
        scores: impl Iterator<Item = (SpeakerRole, f32)>,
        messages: [usize; 2],
    ) -> Self {
        let mut roles =
            messages.map(|count| RoleScores { count: count_as_f32(count), sum: 0.0, squares: 0.0 });
        for (role, score) in scores {
            if let Some(of) = roles.get_mut(role.number()) {
                of.add(score);
            }
        }
        let [one, other] = roles;
        let all = RoleScores {
            count: one.count + other.count,
            sum: one.sum + other.sum,
            squares: one.squares + other.squares,
        };
        Self { by_role: roles.map(|of| scale(of, all)) }
    }

    /// A score on the common scale. An agent that says little is not raised by it, nor a person who says much lowered: what
    /// stands beside the words of others has some of their score without a word of its own.
    pub(super) fn apply(self, role: SpeakerRole, score: f32) -> f32 {
        let (factor, offset) = self.by_role.get(role.number()).copied().unwrap_or((1.0, 0.0));
        let scaled = score * factor + offset;
        match role {
            SpeakerRole::Person => scaled.max(score),
            SpeakerRole::Agent => scaled.min(score),
        }
    }
}

fn scale(of: RoleScores, all: RoleScores) -> (f32, f32) {
    let shrunk = |own: f32, common: f32| (of.count * own + SHRINK * common) / (of.count + SHRINK);
    let (mean, variance) = (shrunk(of.mean(), all.mean()), shrunk(of.variance(), all.variance()));
    let factor = if variance > 0.0 { (all.variance() / variance).sqrt() } else { 1.0 };
    (factor, all.mean() - mean * factor)
}

impl SpeakerRole {
    /// Its place in tables by role.
    pub(super) const fn number(self) -> usize {
        match self {
            Self::Person => 0,
            Self::Agent => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        RoleScale,
        SpeakerRole::{self, Agent, Person},
    };

    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-3, "{found} is not {expected}");
    }

    #[test]
    fn where_one_role_speaks_nothing_changes() {
        let scores = [1.0, 4.0, 2.5].map(|score| (Person, score));
        let scale = RoleScale::of(scores.into_iter(), [5, 0]);
        near(scale.apply(Person, 4.0), 4.0);
        near(scale.apply(Person, 0.0), 0.0);
    }

    #[test]
    fn the_best_of_each_of_two_large_roles_stand_side_by_side() {
        let of = |role: SpeakerRole, best: f32| {
            (0..2_000_u16).map(move |n| (role, best * f32::from(n) / 2_000.0))
        };
        let scale = RoleScale::of(of(Person, 2.0).chain(of(Agent, 8.0)), [2_000, 2_000]);
        let difference = scale.apply(Person, 2.0) - scale.apply(Agent, 8.0);
        assert!(difference.abs() < 0.5, "{difference}");
        assert!(scale.apply(Agent, 7.0) < scale.apply(Agent, 8.0));
    }

    #[test]
    fn a_handful_of_a_role_keeps_its_scores_about_as_they_are() {
        let many = (0..1_000_u16).map(|n| (Person, f32::from(n % 10)));
        let scale = RoleScale::of(many.chain([(Agent, 30.0)]), [1_000, 1]);
        assert!(scale.apply(Agent, 30.0) > 20.0, "{}", scale.apply(Agent, 30.0));
    }
}
