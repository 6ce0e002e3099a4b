//! The station of the mind: asks one turn until an answer stands, within its attempts.
//!
//! An answer counts only where it fits the voice; one that does not gets one repair turn (decision 15). A failed
//! attempt is recorded with its cost and adds nothing to what the mind is shown.

use std::time::Duration;

use abide_domain::{
    CallId, WaitReason,
    epoch::EpochState,
    event::{
        AbortCode, AgentPaused, DecidedBy, PauseReason, TurnCompleted, TurnFailed, TurnStarted,
        UsageRecord, VoiceCall, VoiceRecord,
    },
    is_blank,
    tool::Outcome,
    turn::{MindError, Thought, TurnRequest, Usage},
    voice::{AnswerFault, Voice, VoiceError},
};
use tokio::time::Instant;

use super::{
    approve,
    attempt_clock::{AttemptClock, AttemptTimeoutError},
    attempt_cost::AttemptCost,
    attempt_count::{
        AttemptCount, BAD_VOICE, CONTEXT_TOO_LONG, CRASHED, PAGED, PERHAPS_TOO_LONG, PROCESS_ENDED,
        SUSPENDED, counted_failures,
    },
    error::EpochError,
    host, request,
    show::shorten_context,
    standstill::StandstillClock,
    walk::Walk,
};
use crate::{context::Context, failpoint::Failpoint, money::format_dollars, state::CallRecord};

/// How often a prompt that does not fit the model is halved before the epoch gives up.
const SHORTENINGS_MAX: usize = 6;
/// The pause before the second attempt; doubled for each further one.
const BACKOFF: Duration = Duration::from_secs(1);
/// The longest pause that is made where a provider asks for none.
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// The longest pause that a provider may ask for; a longer one ends the epoch at once.
const RETRY_AFTER_MAX: Duration = Duration::from_mins(10);

/// A prompt of more tokens may be what a provider means whose refusal nobody understands; one of as many is tried then.
const DOUBT_TOKENS: u64 = 4_000;
/// What the words of a failure begin with where the model's answer was unusable.
const MODEL: &str = "the model ";

/// Asks the next turn of the epoch until it is completed.
pub(super) async fn ask(walk: &mut Walk<'_>, context: &mut Context) -> Result<(), EpochError> {
    loop {
        // A request for approval of an attempt that is over, before a crash perhaps: nobody waits for it any more.
        approve::deny_undecided(walk, DecidedBy::AttemptEnded)?;
        let (turn, attempt) = next_attempt(walk)?;
        check_budget(walk)?;
        let repair = walk.record.failures.last().and_then(TurnFailed::problem);
        let request = request::turn_request(walk, context, (turn, attempt), repair).await?;
        let is_repair = request.repair.is_some();
        walk.record_keeper(TurnStarted { turn, attempt, repair: is_repair })?;
        if walk.is_left_over() {
            // This stimulus may have ended the keeper before: the attempt must count even if it ends this keeper at once.
            walk.settle().await?;
        } else {
            walk.flush().await?;
        }
        walk.pass(Failpoint::TurnAsked).await?;
        let tokens = request::tokens(context, &request.steps);
        let cost = AttemptCost::of(&request, tokens);
        let answer = match listen(walk, &request, &cost).await {
            Ok(answer) => answer,
            Err(error) => {
                record_stop(walk, (turn, attempt), &error, &cost)?;
                return Err(error);
            }
        };
        approve::deny_undecided(walk, DecidedBy::AttemptEnded)?;
        walk.pass(Failpoint::TurnAnswered).await?;
        match answer {
            Ok(thought) => return complete(walk, (turn, attempt), thought).await,
            Err(failure) => {
                if let Some(thought) = interim_answer(walk, &failure) {
                    return complete(walk, (turn, attempt), thought).await;
                }
                let failed = FailedAttempt { turn, attempt, tokens, cost, failure };
                recover(walk, context, &failed).await?;
            }
        }
    }
}

/// An attempt that gave no usable answer.
struct FailedAttempt {
    turn: u32,
    attempt: u32,
    /// What it was asked with.
    tokens: u64,
    /// What it cost, where nobody else says.
    cost: AttemptCost,
    failure: AskError,
}

/// Why an attempt gave no usable answer.
#[derive(Debug, thiserror::Error)]
enum AskError {
    /// The mind failed.
    #[error(transparent)]
    Mind(#[from] MindError),
    /// Its time is over.
    #[error(transparent)]
    Deadline(#[from] AttemptTimeoutError),
    /// The watchdog paged it: no evidence came for too long.
    #[error("{0}")]
    Paged(String),
    /// It failed after a time in which nothing could happen.
    #[error("the machine slept or stood still for {} s meanwhile: {failure}", standstill.as_secs())]
    Suspended {
        /// How long that was.
        standstill: Duration,
        /// What came of it.
        failure: Box<Self>,
    },
}

impl AskError {
    /// The same after a standstill, which is to blame for what it may have broken.
    fn after(self, standstill: Option<Duration>) -> Self {
        let may_be_broken = matches!(
            self,
            Self::Deadline(_)
                | Self::Mind(
                    MindError::BrokenOff { .. }
                        | MindError::Unavailable { .. }
                        | MindError::ProcessFailed { .. }
                )
        );
        match standstill.filter(|_| may_be_broken) {
            Some(standstill) => Self::Suspended { standstill, failure: Box::new(self) },
            None => self,
        }
    }

    /// What happened, whatever was to blame.
    fn cause(&self) -> &Self {
        match self {
            Self::Suspended { failure, .. } => failure.cause(),
            other => other,
        }
    }
}

/// The turn and attempt that come next, if there may be one.
fn next_attempt(walk: &Walk<'_>) -> Result<(u32, u32), EpochError> {
    let limits = &walk.services.settings.limits;
    let (turn, attempts) = match walk.record.state {
        EpochState::Ready { turn, attempts } => (turn + 1, attempts),
        EpochState::Thinking { turn, attempt } => (turn, attempt),
        _ => (1, 0),
    };
    if turn > limits.turns {
        let message = format!("no final response after {} turns", limits.turns);
        return Err(EpochError::abort(AbortCode::TurnsSpent, message));
    }
    let count = AttemptCount::of(&walk.record, attempts);
    if count.has_ended_the_keeper(limits.attempts) {
        return Err(keeper_ended(turn, count.keeper_ends));
    }
    if count.counted >= limits.attempts {
        return Err(attempts_spent(walk, turn, count.counted));
    }
    walk.time_left()?;
    Ok((turn, attempts + 1))
}

fn keeper_ended(turn: u32, times: u32) -> EpochError {
    let message = format!(
        "the keeper ended {times} times while turn {turn} was being asked; whether this message was the cause is not known, \
         so it is not asked again by itself"
    );
    EpochError::abort(AbortCode::Poison, message)
}

fn attempts_spent(walk: &Walk<'_>, turn: u32, attempts: u32) -> EpochError {
    match counted_failures(&walk.record).filter(|failed| failed.code != CRASHED).last() {
        None => EpochError::abort(
            AbortCode::Poison,
            format!("the agent's process ended {attempts} times while turn {turn} was being asked"),
        ),
        Some(last) => EpochError::abort(
            AbortCode::TurnFailed,
            match attempts {
                1 => format!("turn {turn} failed: {}", last.message),
                _ => format!("turn {turn} failed {attempts} times, at last: {}", last.message),
            },
        ),
    }
}

/// Pauses an agent that has spent its daily budget before it spends more.
fn check_budget(walk: &mut Walk<'_>) -> Result<(), EpochError> {
    let Some(budget) = walk.services.settings.budget_microusd_day else { return Ok(()) };
    let spent = walk.spent_microusd();
    if spent < budget {
        return Ok(());
    }
    let message = format!(
        "the daily budget of {} is spent ({}); the agent goes on tomorrow, or when a person resumes it",
        format_dollars(budget),
        format_dollars(spent)
    );
    pause(walk, PauseReason::Budget, message)
}

/// Records the pause and ends the epoch: what is queued waits.
fn pause(walk: &mut Walk<'_>, reason: PauseReason, message: String) -> Result<(), EpochError> {
    walk.record_keeper(AgentPaused { reason, message: message.clone() })?;
    Err(EpochError::abort(AbortCode::Budget, message))
}

/// Waits for the mind as [`hear`] does, and blames a standstill for what it may have broken.
async fn listen(
    walk: &mut Walk<'_>,
    request: &TurnRequest,
    cost: &AttemptCost,
) -> Result<Result<Thought, AskError>, EpochError> {
    let mut standstill = StandstillClock::new(&*walk.services.clock, Instant::now());
    let heard = hear(walk, request, cost, &mut standstill).await?;
    walk.leave_out(standstill.look(Instant::now()))?;
    let total = standstill.total(&*walk.services.clock);
    Ok(heard.map_err(|failure| failure.after(total)))
}

/// Waits for the mind, its deadline, the epoch's deadline or an interruption, and serves the mind's requests meanwhile.
async fn hear(
    walk: &mut Walk<'_>,
    request: &TurnRequest,
    cost: &AttemptCost,
    standstill: &mut StandstillClock,
) -> Result<Result<Thought, AskError>, EpochError> {
    let (host, mut requests) = host::open(walk, (request.turn, request.attempt), cost);
    let mind = walk.agent.mind.clone();
    // A page from before this attempt is not about it.
    while walk.controls.pages.try_recv().is_ok() {}
    let mut thinking = mind.think(request, &host);
    let mut clock = AttemptClock::new(request, requests.last_piece(), Instant::now());
    let answer = loop {
        let time_left = requests.time_left(walk);
        let is_waiting = requests.is_waiting();
        let event = tokio::select! {
            biased;
            error = walk.controls.interrupt.stopped() => return Err(error),
            answer = &mut thinking => {
                if is_waiting {
                    standstill.skip(Instant::now());
                }
                break answer;
            }
            event = requests.next(&mut walk.controls.decisions, time_left) => event,
            Some(page) = walk.controls.pages.recv(), if !is_waiting => {
                let reason = page.take();
                walk.time_left()?;
                return Ok(Err(AskError::Paged(reason)));
            }
            () = tokio::time::sleep_until(clock.due().min(standstill.due())), if !is_waiting => {
                let still = standstill.look(Instant::now());
                clock.put_off(still, Instant::now());
                walk.leave_out(still)?;
                // At once: a keeper that ends now must not count it to the epoch after its restart.
                walk.flush().await?;
                // Pieces came since, or nothing could: it goes on.
                let Some(timeout) = clock.timeout(Instant::now()) else { continue };
                walk.time_left()?;
                return Ok(Err(timeout.into()));
            }
        };
        // A question has its deadline from now on, by a clock that went on meanwhile.
        walk.note_suspend()?;
        let waited = requests.handle(walk, event).await?;
        clock.put_off(waited, Instant::now());
        if is_waiting {
            standstill.skip(Instant::now());
        }
    };
    let calls_max = walk.services.settings.limits.calls;
    let fitting = answer.and_then(|thought| match thought.voice.check(calls_max) {
        Ok(()) => Ok(thought),
        Err(problem) => Err(MindError::BadVoice { problem, usage: thought.usage }),
    });
    Ok(fitting.map_err(AskError::Mind))
}

/// Records an answer that stands, with its calls numbered.
async fn complete(
    walk: &mut Walk<'_>,
    asked: (u32, u32),
    thought: Thought,
) -> Result<(), EpochError> {
    let (turn, attempt) = asked;
    let Thought { voice, usage, provider_state } = thought;
    // Without calls it is the last turn: nothing will go back.
    if let Some(state) = provider_state.filter(|_| !voice.tool_calls.is_empty()) {
        let (blobs, epoch) = (&walk.services.blobs, walk.record.id);
        walk.hand_back.keep(blobs, (epoch, turn), state).await;
    }
    let number = |(index, call): (usize, abide_domain::voice::ToolCall)| VoiceCall {
        call_id: CallId::new(turn, index + 1),
        name: call.name,
        arguments: call.arguments,
    };
    let voice = VoiceRecord {
        thought: voice.thought,
        emotive_state: voice.emotive_state,
        tool_calls: voice.tool_calls.into_iter().enumerate().map(number).collect(),
        final_response: voice.final_response,
    };
    walk.record_agent(TurnCompleted { turn, attempt, voice, usage: usage.into() })
}

/// What the mind said beside the calls of its newest turn, where all of them succeeded and all that it says now, repaired too, is
/// nothing: then that was its answer. After a call that failed, words from before it may promise what did not come.
fn interim_answer(walk: &Walk<'_>, failure: &AskError) -> Option<Thought> {
    let AskError::Mind(MindError::BadVoice { problem, usage }) = failure else { return None };
    let is_repaired = walk.record.failures.iter().any(|failed| failed.code == BAD_VOICE);
    if !is_repaired || problem.fault != AnswerFault::Empty {
        return None;
    }
    let has_succeeded = |call: &CallRecord| {
        call.finished.as_ref().is_some_and(|finished| finished.outcome == Outcome::Ok)
    };
    let turn = walk.record.turns.last().filter(|turn| turn.calls.iter().all(has_succeeded))?;
    let said = turn.voice.final_response.as_deref().filter(|words| !is_blank(words))?;
    let voice = Voice::native(String::new(), said.to_owned(), Vec::new());
    voice.check(0).ok()?;
    Some(Thought::new(voice, usage.clone()))
}

/// Why an answer that was repaired cannot be used either, for people.
fn repaired_in_vain(walk: &Walk<'_>, fault: AnswerFault) -> EpochError {
    let agent = &walk.agent.id;
    let bad = |failed: &&TurnFailed| failed.code == BAD_VOICE;
    let mut earlier = walk.record.failures.iter().filter(bad);
    let first = earlier.next().and_then(|failed| failed.message.strip_prefix(MODEL));
    let what = match first.filter(|first| *first != fault.to_string()) {
        Some(first) => format!("{first}, and then {fault}"),
        None => format!("{fault} twice"),
    };
    let message = format!("{agent}'s model {what}; {}", fault.advice());
    EpochError::abort(AbortCode::BadVoice, message)
}

/// Records a failed attempt and makes the next one possible, or says why there is none.
async fn recover(
    walk: &mut Walk<'_>,
    context: &mut Context,
    failed: &FailedAttempt,
) -> Result<(), EpochError> {
    let earlier = |code: &str| walk.record.failures.iter().filter(|f| f.code == code).count();
    let (repairs, shortenings) = (earlier(BAD_VOICE), earlier(CONTEXT_TOO_LONG));
    let doubts = earlier(PERHAPS_TOO_LONG);
    let message = failed.failure.to_string();
    record_failure(walk, failed)?;
    let error = match &failed.failure {
        AskError::Mind(error) => error,
        AskError::Deadline(_) | AskError::Suspended { .. } => {
            return wait(walk, failed, None).await;
        }
        // A paged attempt has waited long enough.
        AskError::Paged(_) => return Ok(()),
    };
    match error {
        MindError::BadVoice { problem, .. } if repairs > 0 => {
            Err(repaired_in_vain(walk, problem.fault))
        }
        // A repair needs no pause, and the supervisor pauses before it restarts a process.
        MindError::BadVoice { .. } | MindError::Crashed { .. } => Ok(()),
        MindError::ContextTooLong { .. } if shortenings >= SHORTENINGS_MAX => {
            Err(EpochError::abort(AbortCode::ContextTooLong, message))
        }
        MindError::ContextTooLong { .. } => {
            *context = shorten_context(walk, failed.tokens)?;
            Ok(())
        }
        // Nobody knows what is wrong with it. That it is too long is likely where it is long, and tried once, thoroughly.
        MindError::PerhapsTooLong { .. } if doubts == 0 && failed.tokens > DOUBT_TOKENS => {
            *context = shorten_context(walk, failed.tokens.min(2 * DOUBT_TOKENS))?;
            Ok(())
        }
        MindError::Refused { .. } => Err(EpochError::abort(AbortCode::Refused, message)),
        MindError::PerhapsTooLong { .. } | MindError::Rejected { .. } => {
            Err(EpochError::abort(AbortCode::ModelRejected, message))
        }
        MindError::OutcomeUnknown { .. } => {
            Err(EpochError::abort(AbortCode::OutcomeUnknown, message))
        }
        MindError::MoneyOut { .. } => pause(walk, PauseReason::MoneyOut, message),
        MindError::RateLimited { retry_after, .. } => wait(walk, failed, *retry_after).await,
        MindError::Overloaded { .. }
        | MindError::BrokenOff { .. }
        | MindError::ProcessEnded { .. }
        | MindError::ProcessFailed { .. }
        | MindError::Unavailable { .. } => wait(walk, failed, None).await,
    }
}

fn record_failure(walk: &mut Walk<'_>, failed: &FailedAttempt) -> Result<(), EpochError> {
    let (turn, attempt) = (failed.turn, failed.attempt);
    let (code, usage) = code_and_usage(&failed.failure);
    let message = failed.failure.to_string();
    let (path, repair) = match &failed.failure {
        AskError::Mind(MindError::BadVoice {
            problem: VoiceError { path, message, .. }, ..
        }) => (Some(path.clone()), Some(message.clone())),
        _ => (None, None),
    };
    let usage = usage.cloned().map(UsageRecord::from);
    // A request that was declined before anything of an answer came costs nothing; whatever ended it later was paid for.
    let is_charged = matches!(failed.failure.cause(), AskError::Deadline(_) | AskError::Paged(_))
        || failed.cost.has_begun();
    let usage = usage.or_else(|| failed.cost.estimate(walk).filter(|_| is_charged));
    let code = code.to_owned();
    walk.record_keeper(TurnFailed { turn, attempt, code, message, repair, path, usage })
}

/// Records what an attempt cost that an order to end the epoch cut off. Without a price there is nothing to record.
fn record_stop(
    walk: &mut Walk<'_>,
    (turn, attempt): (u32, u32),
    error: &EpochError,
    cost: &AttemptCost,
) -> Result<(), EpochError> {
    let EpochError::Abort { message, .. } = error else { return Ok(()) };
    let Some(usage) = cost.estimate(walk) else { return Ok(()) };
    let (code, message, usage) = ("stopped".to_owned(), message.clone(), Some(usage));
    let (repair, path) = (None, None);
    walk.record_keeper(TurnFailed { turn, attempt, code, message, repair, path, usage })
}

/// How the ledger calls a failure, and what it cost where that is known.
fn code_and_usage(failure: &AskError) -> (&'static str, Option<&Usage>) {
    let error = match failure {
        AskError::Mind(error) => error,
        AskError::Deadline(_) => return ("deadline", None),
        AskError::Paged(_) => return (PAGED, None),
        AskError::Suspended { failure, .. } => return (SUSPENDED, code_and_usage(failure).1),
    };
    match error {
        MindError::Overloaded { .. } => ("overloaded", None),
        MindError::RateLimited { .. } => ("rate_limited", None),
        MindError::MoneyOut { .. } => ("money_out", None),
        MindError::Refused { usage, .. } => ("refused", Some(usage)),
        MindError::ContextTooLong { .. } => (CONTEXT_TOO_LONG, None),
        MindError::BadVoice { usage, .. } => (BAD_VOICE, Some(usage)),
        MindError::Rejected { .. } => ("rejected", None),
        MindError::PerhapsTooLong { .. } => (PERHAPS_TOO_LONG, None),
        MindError::BrokenOff { usage, .. } => ("unavailable", Some(usage)),
        MindError::Crashed { .. } => (CRASHED, None),
        MindError::ProcessEnded { .. } => (PROCESS_ENDED, None),
        MindError::ProcessFailed { .. } => ("process_failed", None),
        MindError::OutcomeUnknown { .. } => ("outcome_unknown", None),
        MindError::Unavailable { .. } => ("unavailable", None),
    }
}

/// Waits before the next attempt, if there will be one. A provider that asks for a pause gets all of it: asked sooner, it
/// would only ask for a longer one. Where that takes too long the epoch ends at once.
async fn wait(
    walk: &mut Walk<'_>,
    failed: &FailedAttempt,
    asked_for: Option<Duration>,
) -> Result<(), EpochError> {
    let AttemptCount { counted, .. } = AttemptCount::of(&walk.record, failed.attempt);
    if counted >= walk.services.settings.limits.attempts {
        return Ok(());
    }
    let left = walk.time_left()?;
    let pause = match asked_for {
        Some(pause) if pause >= left || pause > RETRY_AFTER_MAX => {
            return Err(too_long(failed, pause, left.min(RETRY_AFTER_MAX)));
        }
        Some(pause) => pause,
        None => backoff(counted).min(left),
    };
    walk.flush().await?;
    let known_wait = |_| walk.services.activities.wait(&walk.agent.id, WaitReason::Provider, pause);
    let _wait = asked_for.map(known_wait);
    tokio::select! {
        biased;
        error = walk.controls.interrupt.stopped() => Err(error),
        // A pause of our own ends with a page; one that a provider asked for does not.
        Some(page) = walk.controls.pages.recv(), if asked_for.is_none() => {
            page.take();
            Ok(())
        }
        () = tokio::time::sleep(pause) => Ok(()),
    }
}

fn backoff(attempt: u32) -> Duration {
    BACKOFF.saturating_mul(1 << attempt.saturating_sub(1).min(8)).min(BACKOFF_MAX)
}

fn too_long(failed: &FailedAttempt, asked_for: Duration, max: Duration) -> EpochError {
    let (turn, failure) = (failed.turn, &failed.failure);
    let (asked_for, max) = (asked_for.as_secs(), max.as_secs());
    let message = format!(
        "turn {turn} failed: {failure}; the provider asks to wait {asked_for} s, but at most {max} s are left"
    );
    EpochError::abort(AbortCode::TurnFailed, message)
}
