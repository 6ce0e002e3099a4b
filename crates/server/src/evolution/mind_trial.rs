//! One epoch of the record asked of two minds, and in what they differ.
//!
//! Both are asked what the agent was asked then. A call of a tool is answered from the record and never run; what the record has no
//! answer to is the first thing in which they differ. A trial shows nothing to people, asks them nothing and reports nothing.

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::{
    CallId, Clock,
    event::{ComparedLeg, ComparedPair, EvidenceReported},
    text::shortened,
    tool::Outcome,
    turn::{MindError, Thought, ToolResult, TurnRequest, TurnStep, Usage},
    voice::ToolCall,
};
use abide_engine::{
    keeper::RecordedEpoch,
    mind::{Mind, MindDelta, MindHost, PermissionRequest},
};
use abide_evolution::{LegRole, first_leg};
use abide_memory::words;
use futures_util::future::BoxFuture;

use super::recorded_calls::{LostResultError, RecordedCalls, key};
use crate::agents::TrialMind;

/// Longest answer that stands beside a pair, in Unicode scalar values.
const ANSWER_CHARS_MAX: usize = 2_000;
/// Turns that a mind is asked at most for one epoch of the record.
const TURNS_MAX: u32 = 12;
/// What share of the words of two replies must be the same for them to be alike.
const ALIKE_SHARE: f64 = 0.3;
/// How many times as long as the other a reply must be to be named for it.
const LENGTH_FACTOR: usize = 3;
/// The result of a call that the record has no answer to.
const NOT_RECORDED: &str =
    "not_recorded: this is a trial on recorded conversations, and this call was not made then";
/// Words by which a reply begins that declines.
const REFUSALS: [&str; 6] =
    ["i can't", "i cannot", "i can’t", "i'm unable", "i am unable", "sorry, but i"];

/// Both minds of a trial.
#[derive(Clone, Debug)]
pub(super) struct MindTrial {
    pub(super) main: TrialMind,
    pub(super) candidate: TrialMind,
    pub(super) clock: Arc<dyn Clock>,
}

/// What one mind did with an epoch.
#[derive(Clone, Debug, Default)]
struct MindLeg {
    leg: ComparedLeg,
    /// Its calls, each by its tool and its arguments in one form.
    calls: Vec<(String, String)>,
    reply: String,
    /// The first call that the record has no answer to.
    not_recorded: Option<String>,
    usage: Usage,
}

impl MindTrial {
    /// Asks both, in an order by hash. Errors: the record lacks what the epoch's tools gave.
    pub(super) async fn compare(
        &self,
        recorded: (&RecordedEpoch, &RecordedEpoch),
        seed: u64,
    ) -> Result<ComparedPair, LostResultError> {
        let (shown_main, shown_candidate) = recorded;
        let calls = RecordedCalls::of(&shown_main.turns)?;
        let request = shown_main.id.to_string();
        let candidate_first = first_leg(seed, &request) == LegRole::Candidate;
        let ask_main = || self.ask(&self.main, shown_main, calls.clone());
        let ask_candidate = || self.ask(&self.candidate, shown_candidate, calls.clone());
        let (main, candidate) = if candidate_first {
            let candidate = ask_candidate().await;
            (ask_main().await, candidate)
        } else {
            let main = ask_main().await;
            (main, ask_candidate().await)
        };
        let divergence = divergence(&main, &candidate);
        let is_comparable = main.leg.error.is_none();
        Ok(ComparedPair {
            request,
            candidate_first,
            agrees: is_comparable.then(|| agree(&main, &candidate)),
            main: main.leg,
            candidate: candidate.leg,
            divergence,
        })
    }

    async fn ask(
        &self,
        mind: &TrialMind,
        recorded: &RecordedEpoch,
        calls: RecordedCalls,
    ) -> MindLeg {
        let begun = self.clock.monotonic();
        let mut leg = MindLeg::default();
        if let Err(error) = converse(&*mind.mind, &recorded.request, calls, &mut leg).await {
            leg.leg.error = Some(shortened(&error, 200));
        }
        let took = self.clock.monotonic().saturating_sub(begun);
        leg.leg.wall_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        leg.leg.tokens = Some(leg.usage.input_tokens + leg.usage.output_tokens);
        leg.leg.cost_microusd = leg.usage.cost_microusd;
        leg.leg.calls = leg.calls.iter().map(|(tool, _)| tool.clone()).collect();
        leg.leg.answer =
            Some(shortened(&leg.reply, ANSWER_CHARS_MAX)).filter(|reply| !reply.is_empty());
        leg
    }
}

/// Asks turn after turn until there is a reply.
async fn converse(
    mind: &dyn Mind,
    first: &TurnRequest,
    mut calls: RecordedCalls,
    leg: &mut MindLeg,
) -> Result<(), String> {
    let mut request = first.clone();
    while request.turn <= TURNS_MAX {
        let thought = think(mind, &request, leg).await?;
        let Thought { voice, usage, provider_state } = thought;
        add(&mut leg.usage, &usage);
        if voice.tool_calls.is_empty() {
            leg.reply = voice.final_response.unwrap_or_default();
            return Ok(());
        }
        let answer = |(place, call): (usize, &ToolCall)| {
            leg.calls.push(key(&call.name, &call.arguments));
            let found = calls.take(&call.name, &call.arguments);
            if found.is_none() {
                leg.not_recorded.get_or_insert_with(|| call.name.clone());
            }
            ToolResult {
                call_id: CallId::new(request.turn, place + 1),
                name: call.name.clone(),
                outcome: found.as_ref().map_or(Outcome::Error, |found| found.outcome),
                content: found.map_or_else(|| NOT_RECORDED.into(), |found| found.content),
            }
        };
        let results = voice.tool_calls.iter().enumerate().map(answer).collect();
        request.steps.push(TurnStep { turn: request.turn, voice, results, provider_state });
        request.turn += 1;
    }
    Err(format!("no reply after {TURNS_MAX} turns"))
}

/// Asks one turn; an answer that does not fit the voice may be repaired once, as in life.
async fn think(
    mind: &dyn Mind,
    request: &TurnRequest,
    leg: &mut MindLeg,
) -> Result<Thought, String> {
    let mut request = request.clone();
    for attempt in 1..=2 {
        request.attempt = attempt;
        let asked =
            tokio::time::timeout(request.deadline_streaming, mind.think(&request, &NobodyThere));
        match asked.await {
            Ok(Ok(thought)) => return Ok(thought),
            Ok(Err(MindError::BadVoice { problem, usage })) if attempt == 1 => {
                add(&mut leg.usage, &usage);
                request.repair = Some(problem);
            }
            Ok(Err(error)) => return Err(error.to_string()),
            Err(_) => return Err("the model did not answer in time".to_owned()),
        }
    }
    Err("the answer did not fit, and its repair neither".to_owned())
}

fn add(sum: &mut Usage, more: &Usage) {
    let is_first = sum.model.is_empty() && sum.input_tokens == 0 && sum.output_tokens == 0;
    sum.cost_microusd = match (sum.cost_microusd, more.cost_microusd) {
        (None, cost) if is_first => cost,
        (Some(sum), Some(more)) => Some(sum + more),
        // A price that is not known is not zero.
        _ => None,
    };
    sum.input_tokens += more.input_tokens;
    sum.output_tokens += more.output_tokens;
    sum.model.clone_from(&more.model);
}

/// The host of a mind in a trial: nothing of it reaches anybody.
struct NobodyThere;

impl MindHost for NobodyThere {
    fn delta(&self, _: MindDelta) {}

    fn report(&self, _: EvidenceReported) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }

    fn ask(&self, _: PermissionRequest) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Err("nobody is asked in a trial".to_owned())))
    }
}

/// Whether both called the same tools with the same arguments in the same order, and replied alike.
fn agree(main: &MindLeg, candidate: &MindLeg) -> bool {
    candidate.leg.error.is_none()
        && main.calls == candidate.calls
        && are_alike(&main.reply, &candidate.reply)
}

/// Whether two replies share their words and say the same numbers. By words alone: it is a help to look, no verdict.
fn are_alike(one: &str, other: &str) -> bool {
    let (a, b) = (distinct(one), distinct(other));
    let all = a.union(&b).count();
    let shared = a.intersection(&b).count();
    #[expect(clippy::cast_precision_loss, reason = "words of two replies")]
    let share = if all == 0 { 1.0 } else { shared as f64 / all as f64 };
    share >= ALIKE_SHARE && numbers(one) == numbers(other)
}

fn distinct(text: &str) -> BTreeSet<String> {
    words(text).into_iter().collect()
}

fn numbers(text: &str) -> BTreeSet<String> {
    let is_apart = |c: char| !(c.is_ascii_digit() || c == '.' || c == ',');
    let runs = text.split(is_apart).map(|run| run.trim_matches(['.', ',']));
    runs.filter(|run| !run.is_empty()).map(str::to_owned).collect()
}

/// The first thing in which they differ, for people.
fn divergence(main: &MindLeg, candidate: &MindLeg) -> Option<String> {
    match (&main.leg.error, &candidate.leg.error) {
        (None, Some(error)) => return Some(format!("it fails: {error}")),
        (Some(error), None) => return Some(format!("it answers where the other fails: {error}")),
        _ => {}
    }
    let calls = main.calls.iter().map(Some).chain(std::iter::repeat(None));
    let others = candidate.calls.iter().map(Some).chain(std::iter::repeat(None));
    let longest = main.calls.len().max(candidate.calls.len());
    for (place, (one, other)) in calls.zip(others).take(longest).enumerate() {
        let place = place + 1;
        match (one, other) {
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) if one.0 == other.0 => {
                return Some(format!("call {place} of {} has other arguments", one.0));
            }
            (Some(one), Some(other)) => {
                return Some(format!("call {place} is {} in place of {}", other.0, one.0));
            }
            (Some(one), None) => return Some(format!("it does not call {}", one.0)),
            (None, Some(other)) => return Some(format!("it calls {} besides", other.0)),
            (None, None) => {}
        }
    }
    reply_difference(&main.reply, &candidate.reply)
}

fn reply_difference(main: &str, candidate: &str) -> Option<String> {
    let declines = |reply: &str| {
        let begin = reply.trim_start().to_lowercase();
        REFUSALS.iter().any(|refusal| begin.starts_with(refusal))
    };
    let (one, other) = (numbers(main), numbers(candidate));
    let lengths = (main.chars().count(), candidate.chars().count());
    if declines(candidate) != declines(main) {
        let which = if declines(candidate) { "it declines" } else { "it does not decline" };
        return Some(which.to_owned());
    }
    if one != other {
        let lacks: Vec<&String> = one.difference(&other).take(3).collect();
        let adds: Vec<&String> = other.difference(&one).take(3).collect();
        return Some(format!("other numbers: {adds:?} in place of {lacks:?}"));
    }
    if lengths.1 > LENGTH_FACTOR * lengths.0.max(40) {
        return Some("a much longer reply".to_owned());
    }
    if lengths.0 > LENGTH_FACTOR * lengths.1.max(40) {
        return Some("a much shorter reply".to_owned());
    }
    (!are_alike(main, candidate)).then(|| "a reply in other words".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{MindLeg, agree, divergence, numbers, reply_difference};

    fn leg(calls: &[(&str, &str)], reply: &str) -> MindLeg {
        let calls = calls.iter().map(|(tool, arguments)| ((*tool).into(), (*arguments).into()));
        MindLeg { calls: calls.collect(), reply: reply.into(), ..MindLeg::default() }
    }

    #[test]
    fn minds_agree_that_call_the_same_and_reply_alike() {
        let main = leg(&[("rss.check", "{}")], "Three new posts since Monday.");
        let alike = leg(&[("rss.check", "{}")], "There are three new posts since Monday.");
        assert!(agree(&main, &alike));
        assert_eq!(divergence(&main, &alike), None);
        let other = leg(&[("rss.check", "{\"n\":1}")], "Three new posts since Monday.");
        assert!(!agree(&main, &other));
        let said = divergence(&main, &other).unwrap();
        assert!(said.contains("other arguments"), "{said}");
        let none = leg(&[], "Three new posts since Monday.");
        assert_eq!(divergence(&main, &none).unwrap(), "it does not call rss.check");
        assert_eq!(divergence(&none, &main).unwrap(), "it calls rss.check besides");
    }

    #[test]
    fn a_number_that_differs_is_said_before_other_words() {
        let said = reply_difference("It is 42 degrees.", "It is 24 degrees.").unwrap();
        assert!(said.contains("24") && said.contains("42"), "{said}");
        assert_eq!(reply_difference("Yes.", "I can't help with that.").unwrap(), "it declines");
        let found: Vec<_> = numbers("at 10:30, 1,5 kg.").into_iter().collect();
        assert_eq!(found, ["1,5", "10", "30"]);
    }
}
