//! What a comparison of minds is checked for before anything is asked: whether it only compares, and what it would cost. Nothing is
//! written here.

use abide_domain::event::{EvolutionProposed, TrialJudge};
use abide_engine::{format_dollars, keeper::ShownInstead, state::EvolutionRecord};

use super::{
    mind_change::{MindBounds, MindChange},
    mind_judge::MindJudge,
    mind_quotes::quoted,
    mind_trial::{BoundedMind, FLOOR_REQUESTS},
    work::{EvolutionWork, MoveError, Refused},
};
use crate::{
    agents::TrialMind,
    config::{AgentSection, Provider},
};

/// Who is asked in a comparison of minds.
#[derive(Clone, Debug)]
pub(super) struct AskedMinds {
    pub(super) main: BoundedMind,
    pub(super) candidate: BoundedMind,
    pub(super) judge: Option<MindJudge>,
}

impl AskedMinds {
    fn all(&self) -> impl Iterator<Item = &TrialMind> {
        let judge = self.judge.iter().map(|judge| &judge.mind);
        [&self.main.mind, &self.candidate.mind].into_iter().chain(judge)
    }
}

impl EvolutionWork {
    /// Whether a mind can be compared, and what that will cost at about.
    pub(super) async fn check_mind(
        &self,
        record: &EvolutionRecord,
        proposed: &EvolutionProposed,
    ) -> Result<Vec<String>, Refused> {
        if !record.only_compares() {
            let why = "a mind is only compared: look at the report, and change [model] or the identity yourself";
            return Err(Refused::Rejected(why.to_owned()));
        }
        let change = MindChange::read(&proposed.change).map_err(Refused::Rejected)?;
        let minds = self.minds_of(record, &change).map_err(Refused::Rejected)?;
        if let Some(mind) = minds.all().find(|mind| mind.has_unknown_price) {
            return Err(Refused::Rejected(format!(
                "what {} costs is not known, so no budget can hold: name a price_file with it in [model], or try a model of this machine",
                mind.label
            )));
        }
        let costs = self.expected_costs(record, &minds).await.map_err(Refused::CannotTry)?;
        let (cost, budget) = (costs.total(), costs.budget());
        if cost > budget {
            return Err(Refused::Rejected(format!(
                "it would cost about {}, and its budget is {}: propose it again with a larger budget, or with fewer requests",
                format_dollars(cost),
                format_dollars(budget)
            )));
        }
        if let Some(identity) = &change.identity
            && let Some(words) = self.quote_of_record(record, identity).await?
        {
            return Err(Refused::Rejected(format!(
                "the identity quotes the conversations that it would be tried on (\"{words} …\"): it would know the answers beforehand"
            )));
        }
        Ok(self.notes(record, (&minds, &change), cost))
    }

    /// What an identity quotes of the conversations that it is to be tried on; none where it does not.
    async fn quote_of_record(
        &self,
        record: &EvolutionRecord,
        identity: &str,
    ) -> Result<Option<String>, Refused> {
        let requests = self.newest_epochs(record);
        let read = self.keeper.recorded_epochs(&record.agent, &requests, ShownInstead::default());
        let epochs = read.await.map_err(|error| Refused::CannotTry(error.to_string()))?;
        let in_force = {
            let state = self.keeper.state();
            let agent = state.agents.get(&record.agent);
            agent.and_then(|agent| agent.identity.current()).map(|text| text.content.clone())
        };
        let asked = epochs.iter().map(|epoch| &*epoch.request.message);
        let turns = epochs.iter().flat_map(|epoch| &epoch.turns);
        let replied = turns.filter_map(|turn| turn.voice.final_response.as_deref());
        Ok(quoted(identity, in_force.as_deref().unwrap_or_default(), asked.chain(replied)))
    }

    fn notes(
        &self,
        record: &EvolutionRecord,
        (minds, change): (&AskedMinds, &MindChange),
        cost: u64,
    ) -> Vec<String> {
        let (new, now) = (&minds.candidate.mind.label, &minds.main.mind.label);
        let compared = match (new == now, change.identity.is_some()) {
            (false, _) => format!("{new} against {now}"),
            (true, true) => format!("{now} with another identity against itself"),
            (true, false) => format!("{now} with other settings against itself"),
        };
        let mut notes = vec![compared];
        notes.extend(change.settings().map(|set| format!("{} = {}", set.key, set.value)));
        if let Some(judge) = &minds.judge {
            notes.push(format!("{} says which reply is better", judge.mind.label));
        }
        let repeat = repeat_of(record);
        if repeat > 1 {
            notes.push(format!("each is asked {repeat} times"));
        }
        let floor = FLOOR_REQUESTS.min(self.newest_epochs(record).len());
        notes.push(format!("the mind in force is asked once more on {floor} requests"));
        notes.push(format!("estimated cost: {}", format_dollars(cost)));
        notes
    }

    /// The mind that the agent has, the one that is proposed, and who judges; all asked in the keeper.
    pub(super) fn minds_of(
        &self,
        record: &EvolutionRecord,
        change: &MindChange,
    ) -> Result<AskedMinds, MoveError> {
        let section = self.minds.configured(record.agent.as_str()).ok_or(
            "the agent was made by another agent: propose it for the one of the configuration that made it",
        )?;
        let mind = |section: &AgentSection, context_tokens| {
            self.minds.for_trial(section, context_tokens).map_err(|error| error.to_string())
        };
        let mut changed = section.clone();
        changed.model = change.apply(&section.model);
        let bounds = MindBounds::of(&self.settings);
        let main = BoundedMind { mind: mind(section, None)?, bounds };
        let candidate = mind(&changed, change.context_tokens())?;
        let candidate = BoundedMind { mind: candidate, bounds: change.bounds(bounds) };
        let judge = record.trial.as_ref().and_then(|trial| trial.judge.as_ref());
        let judge = judge.map(|judge| {
            let mut section = section.clone();
            section.model = judge_change(judge)?.apply(&section.model);
            Ok::<_, MoveError>(MindJudge { mind: mind(&section, None)? })
        });
        Ok(AskedMinds { main, candidate, judge: judge.transpose()? })
    }
}

/// A judge as a change of the agent's model: what holds of another provider's address and key holds of it too.
pub(crate) fn judge_change(judge: &TrialJudge) -> Result<MindChange, String> {
    let provider = judge.provider.as_ref().map(|name| ("provider".to_owned(), name.clone().into()));
    let named = [("model".to_owned(), judge.model.clone().into())];
    let change = MindChange::read(&named.into_iter().chain(provider).collect())?;
    let is_reflex = provider_of(judge) == Some(Provider::Reflex);
    if is_reflex { Err("the reflex is no judge: name a model".to_owned()) } else { Ok(change) }
}

fn provider_of(judge: &TrialJudge) -> Option<Provider> {
    Provider::try_from(judge.provider.clone()?).ok()
}

/// How often each mind of a trial is asked each request.
pub(super) fn repeat_of(record: &EvolutionRecord) -> u32 {
    record.trial.as_ref().and_then(|trial| trial.repeat).unwrap_or(1).max(1)
}
