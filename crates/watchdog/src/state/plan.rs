//! What follows from a look: lines to write, and what to do once they are durable. Pure: nothing is written or done here.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    time::Duration,
};

use abide_domain::{
    AgentId, EntityName, EpisodeId, IdSource, NoticeId, Timestamp,
    event::{
        Event,
        watchdog::{
            Alarmed, AttentionEnded, AttentionRaised, BellFailed, BellFailure, BellRung,
            BlindCause, Blinded, Escalated, PageId, Paged, Resolved, Scanned, Sighted, StallOpened,
            Stepped, WatchdogEvent, Withdrawn,
        },
    },
};
use abide_ledger::Draft;

use super::{WatchdogState, watchdog_author};
use crate::{
    AgentVerdict, Observation, ObserveError, WatchdogTimings, WatchedTime,
    attention::{AttentionPlan, AttentionRules, NOTICE_MATTERS_MAX},
    episode::Episode,
    ladder::{EpisodeObservation, LadderInput, LadderMove, next_move},
    observation::{ObservedAgent, UnansweredTask},
    page::{Notice, NoticeItem, NoticeKind, Page, PageLine, StallEnd},
    par,
    policy::{EscalationPolicies, first_services},
    scan::scan,
    settings::{MESSAGE_CHARS_MAX, PAGE_LINES_MAX},
};

/// Moves of one episode in one plan; the ladder has fewer.
const MOVES_MAX: usize = 8;
/// Attempts to find a short name that no open page has.
const NAMES_TRIED_MAX: usize = 16;

/// Why it result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A scan: the only look that opens episodes, and the only one with a line of its own.
    Scan {
        /// Whether somebody asked for it.
        is_asked: bool,
    },
    /// A window ran out, or a delivery ended.
    Timer,
}

/// When and by which rules a plan is made.
#[derive(Clone, Copy, Debug)]
pub struct ScanContext<'a> {
    /// The time.
    pub now: Timestamp,
    /// The settings.
    pub settings: &'a WatchdogTimings,
    /// Who is told of whom, and when.
    pub policies: &'a EscalationPolicies,
    /// Who is told of matters beside stalls, and when; nobody, where there is no service.
    pub attention: Option<&'a AttentionRules>,
    /// Where new ids come from.
    pub ids: &'a dyn IdSource,
}

/// What follows from a look. The lines come first; the rest is done when they are durable.
#[derive(Clone, Debug, Default)]
pub struct ScanPlan {
    /// Lines to write, as one batch.
    pub drafts: Vec<Draft>,
    /// Bells to ring.
    pub rings: Vec<Ring>,
    /// Pages to send.
    pub pages: Vec<Page>,
    /// That something is over which a person was told of.
    pub closing: Vec<Notice>,
    /// The episodes that ended, and how each did.
    pub ended: Vec<NoticeItem>,
    /// What every agent was found to be; empty where it could not look.
    pub verdicts: Vec<(AgentId, AgentVerdict)>,
}

/// A bell to ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// Whose process.
    pub agent: AgentId,
    /// For which episode.
    pub episode: EpisodeId,
}

impl WatchdogState {
    /// What follows from a look.
    pub fn plan(
        &self,
        trigger: Trigger,
        result: Result<&Observation, &ObserveError>,
        context: ScanContext<'_>,
    ) -> ScanPlan {
        let mut planner = Planner::new(self, context);
        let blind = planner.check_blindness(result);
        if let Ok(observation) = result {
            planner.judge(trigger, observation, blind.is_some());
            planner.attend(observation);
        }
        planner.finish(trigger, blind)
    }
}

/// A plan in the making.
struct Planner<'a> {
    state: &'a WatchdogState,
    context: ScanContext<'a>,
    plan: ScanPlan,
    /// Agents that take the same step at one moment share a notice: by step and by whom it tells.
    notices: BTreeMap<(u32, Vec<String>), NoticeId>,
    paged: Vec<AgentId>,
    escalated: Vec<AgentId>,
    /// What is over, by the services that told of it; no name: all.
    over: BTreeMap<BTreeSet<String>, Vec<NoticeItem>>,
}

impl<'a> Planner<'a> {
    fn new(state: &'a WatchdogState, context: ScanContext<'a>) -> Self {
        Self {
            state,
            context,
            plan: ScanPlan::default(),
            notices: BTreeMap::new(),
            paged: Vec::new(),
            escalated: Vec::new(),
            over: BTreeMap::new(),
        }
    }

    fn draft_for_keeper(&mut self, event: impl Into<WatchdogEvent>) {
        let event: WatchdogEvent = event.into();
        let (entity, author) = (EntityName::keeper(), watchdog_author());
        self.plan.drafts.push(Draft { entity, author, epoch: None, event: event.into() });
    }

    fn draft_for_agent(&mut self, agent: &AgentId, event: impl Into<Event>) {
        let (entity, author) = (agent.entity(), watchdog_author());
        self.plan.drafts.push(Draft { entity, author, epoch: None, event: event.into() });
    }

    /// Whether agents can be judged, and that a person hears of it when they cannot for long.
    fn check_blindness(
        &mut self,
        result: Result<&Observation, &ObserveError>,
    ) -> Option<BlindCause> {
        let found = match result {
            Err(error) => Some((BlindCause::Evidence, error.0.as_str())),
            Ok(observation) => {
                observation.outage.as_ref().map(|outage| (outage.cause, outage.message.as_str()))
            }
        };
        let known = self.state.blind_span();
        match (known, found) {
            (None, None) => {}
            (Some(known), None) => {
                let cause = known.cause;
                if let Some(alarm) =
                    known.alarm.as_ref().filter(|alarm| alarm.delivered_at.is_some())
                {
                    let by = alarm.delivered_by.clone();
                    self.close(NoticeKind::Sighted, by, Vec::new());
                }
                self.draft_for_keeper(WatchdogEvent::Sighted(Sighted { cause }));
            }
            (known, Some((cause, message))) => {
                if known.is_none_or(|known| known.cause != cause) {
                    let message = message.chars().take(MESSAGE_CHARS_MAX).collect();
                    self.draft_for_keeper(WatchdogEvent::Blinded(Blinded { cause, message }));
                }
                let lasts = known.map(|known| (known.alarm.is_none(), known.since));
                let ScanContext { now, settings, ids, .. } = self.context;
                if lasts
                    .is_some_and(|(is_new, since)| is_new && now.since(since) > settings.threshold)
                {
                    let notice = NoticeId::new(ids, now);
                    self.draft_for_keeper(WatchdogEvent::Alarmed(Alarmed { notice }));
                }
            }
        }
        found.map(|(cause, _)| cause)
    }

    fn judge(&mut self, trigger: Trigger, observation: &Observation, is_hidden: bool) {
        let ScanContext { now, settings, .. } = self.context;
        let state = self.state;
        let verdicts = scan(now, settings, state.watched_time(), &observation.agents);
        let mut seen = HashSet::with_capacity(verdicts.len());
        for (observed, verdict) in &verdicts {
            seen.insert(&observed.agent);
            let is_suppressed =
                is_hidden || state.maintenance.is_some() || state.is_silenced(&observed.agent, now);
            self.agent(trigger, observed, *verdict, is_suppressed);
        }
        for episode in state.episodes.values().filter(|open| !seen.contains(&open.agent)) {
            let current = EpisodeObservation {
                verdict: None,
                evidence_seq: 0,
                given_up_at: None,
                has_process: false,
            };
            self.climb(episode.clone(), &current, None, true);
        }
        let named =
            verdicts.into_iter().map(|(observed, verdict)| (observed.agent.clone(), verdict));
        self.plan.verdicts = named.collect();
    }

    /// What waits for a person beside silence, and what waits no more.
    fn attend(&mut self, observation: &Observation) {
        let Some(rules) = self.context.attention else { return };
        let ScanContext { now, ids, .. } = self.context;
        let state = self.state;
        let is_kept_quiet = |agent: Option<&AgentId>| {
            let is_silenced = agent.is_some_and(|agent| state.is_silenced(agent, now));
            state.maintenance.is_some() || is_silenced
        };
        let AttentionPlan { raised, over, ended } =
            state.raised.plan(now, rules, &observation.attention, is_kept_quiet);
        for (to, matters) in raised {
            for matters in matters.chunks(NOTICE_MATTERS_MAX) {
                let (notice, to) = (NoticeId::new(ids, now), to.clone());
                let raised = AttentionRaised { notice, to, matters: matters.to_vec() };
                self.draft_for_keeper(WatchdogEvent::AttentionRaised(raised));
            }
        }
        if !ended.is_empty() {
            let ended = AttentionEnded { matters: ended };
            self.draft_for_keeper(WatchdogEvent::AttentionEnded(ended));
        }
        for (by, matters) in over {
            let (id, to) = (NoticeId::new(ids, now), by.into_iter().collect());
            let notice = Notice::new(id, NoticeKind::AttentionOver, now);
            self.plan.closing.push(Notice { to, matters, ..notice });
        }
    }

    fn agent(
        &mut self,
        trigger: Trigger,
        observed: &ObservedAgent,
        verdict: AgentVerdict,
        is_suppressed: bool,
    ) {
        let evidence_seq = observed.last_evidence.map_or(0, |sign| sign.seq);
        let has_process = observed.has_process;
        let given_up_at = observed.unanswered.as_ref().map(|task| task.at);
        let verdict = Some(verdict);
        let current = EpisodeObservation { verdict, evidence_seq, given_up_at, has_process };
        if let Some(open) = self.state.episode(&observed.agent) {
            self.climb(open.clone(), &current, Some(observed), is_suppressed);
            return;
        }
        let Some(AgentVerdict::Stalled { silent, threshold, .. }) = verdict else { return };
        if is_suppressed || trigger == Trigger::Timer || self.is_cooling(&observed.agent) {
            return;
        }
        if self.is_at_next_task(&observed.agent, threshold) {
            return;
        }
        let ScanContext { now, ids, .. } = self.context;
        let opened = StallOpened {
            episode: EpisodeId::new(ids, now),
            silent_ms: millis(silent),
            threshold_ms: millis(threshold),
            evidence_seq,
        };
        let episode = Episode::opened(observed.agent.clone(), now, &opened);
        // Nothing that was given up before it is its end, whatever the clock says.
        let current = EpisodeObservation { given_up_at: None, ..current };
        self.draft_for_agent(&observed.agent, WatchdogEvent::StallOpened(opened));
        self.climb(episode, &current, Some(observed), is_suppressed);
    }

    fn is_cooling(&self, agent: &AgentId) -> bool {
        let ScanContext { now, settings, .. } = self.context;
        let paged = self.state.last_paged.get(agent);
        paged.is_some_and(|paged| now.since(*paged) < settings.cooldown)
    }

    /// Whether it has not had its time since its last stall ended with the task that stalled.
    fn is_at_next_task(&self, agent: &AgentId, threshold: Duration) -> bool {
        let watched_time = self.state.watched_time();
        let given_up = self.state.last_given_up.get(agent);
        given_up.is_some_and(|at| watched_time.between(*at, self.context.now) <= threshold)
    }

    /// Lets an episode climb as far as it may now.
    fn climb(
        &mut self,
        mut episode: Episode,
        current: &EpisodeObservation,
        observed: Option<&ObservedAgent>,
        is_suppressed: bool,
    ) {
        let ScanContext { now, settings, policies, .. } = self.context;
        let watched_time: &WatchedTime = self.state.watched_time();
        let policy = policies.of(&episode.agent);
        let input = LadderInput { now, settings, watched_time, policy, is_suppressed };
        for _ in 0..MOVES_MAX {
            let Some(step) = next_move(&episode, current, input) else { return };
            let is_over = matches!(step, LadderMove::Resolve | LadderMove::Withdraw(_));
            let event = self.step(&episode, step, current, observed);
            episode.apply(now, &watchdog_author(), &event);
            self.draft_for_agent(&episode.agent, event.clone());
            match &event {
                WatchdogEvent::Escalated(_) => self.write_up(&episode, None),
                WatchdogEvent::Resolved(_) | WatchdogEvent::Withdrawn(_) => {
                    let end = stall_end(&event, observed);
                    self.write_up(&episode, Some(&end));
                    self.end(&episode, end, observed);
                }
                _ => {}
            }
            if is_over {
                return;
            }
        }
    }

    /// The line that a move writes, and what it leads to.
    fn step(
        &mut self,
        episode: &Episode,
        step: LadderMove,
        current: &EpisodeObservation,
        observed: Option<&ObservedAgent>,
    ) -> WatchdogEvent {
        let (id, agent) = (episode.id, episode.agent.clone());
        match step {
            LadderMove::Ring => {
                self.plan.rings.push(Ring { agent, episode: id });
                WatchdogEvent::BellRung(BellRung { episode: id })
            }
            LadderMove::SkipBell => {
                let (code, message) = (BellFailure::NoProcess, String::new());
                WatchdogEvent::BellFailed(BellFailed { episode: id, code, message })
            }
            LadderMove::Page { silent } => {
                let is_alive = episode.is_alive();
                let nick = observed.map_or_else(|| agent.to_string(), |s| s.nick.clone());
                self.paged.push(agent.clone());
                let page = self.page(PageLine { agent, nick, episode: id, silent, is_alive });
                let silent_ms = millis(silent);
                WatchdogEvent::Paged(Paged { episode: id, page, silent_ms, alive: is_alive })
            }
            LadderMove::Escalate(cause) => {
                let to = first_services(self.context.policies.of(&agent)).to_vec();
                let notice = self.shared(1, &to);
                self.escalated.push(agent);
                WatchdogEvent::Escalated(Escalated { episode: id, cause, notice, to })
            }
            LadderMove::Step => {
                let policy = self.context.policies.of(&agent);
                let next_move = policy.and_then(|policy| policy.later_step(episode.notices.len()));
                let to = next_move.map(|(_, to)| to.to_vec()).unwrap_or_default();
                let done = u32::try_from(episode.notices.len()).unwrap_or(u32::MAX);
                let step = done.saturating_add(1);
                let notice = self.shared(step, &to);
                WatchdogEvent::Stepped(Stepped { episode: id, step, notice, to })
            }
            LadderMove::Resolve => {
                let (rung, evidence_seq) = (episode.rung, current.evidence_seq);
                WatchdogEvent::Resolved(Resolved { episode: id, rung, evidence_seq })
            }
            LadderMove::Withdraw(state) => {
                let unanswered = unanswered_since(episode, observed).map(|task| task.epoch);
                WatchdogEvent::Withdrawn(Withdrawn { episode: id, state: state.into(), unanswered })
            }
        }
    }

    fn shared(&mut self, step: u32, to: &[String]) -> NoticeId {
        let ScanContext { now, ids, .. } = self.context;
        let new = || NoticeId::new(ids, now);
        *self.notices.entry((step, to.to_vec())).or_insert_with(new)
    }

    /// Agents that are paged at one moment share a page.
    fn page(&mut self, line: PageLine) -> PageId {
        if let Some(page) = self.plan.pages.last_mut().filter(|p| p.lines.len() < PAGE_LINES_MAX) {
            page.lines.push(line);
            return page.id.clone();
        }
        let id = self.page_name();
        self.plan.pages.push(Page { id: id.clone(), lines: vec![line] });
        id
    }

    fn page_name(&self) -> PageId {
        let open =
            self.state.episodes.values().filter_map(|e| e.page.as_ref()).map(|page| &page.id);
        let taken: Vec<_> = open.chain(self.plan.pages.iter().map(|page| &page.id)).collect();
        let mut names = (0..NAMES_TRIED_MAX).map(|_| new_page_id(self.context, 4));
        names.find(|id| !taken.contains(&id)).unwrap_or_else(|| new_page_id(self.context, 8))
    }

    fn write_up(&mut self, episode: &Episode, end: Option<&StallEnd>) {
        let par = par::write_par(episode, self.state.watched_time(), self.context.now, end);
        self.draft_for_agent(&episode.agent, par);
    }

    fn end(&mut self, episode: &Episode, end: StallEnd, observed: Option<&ObservedAgent>) {
        let task = match unanswered_since(episode, observed) {
            Some(unanswered) => unanswered.task.clone(),
            None => observed.and_then(|observed| observed.task.clone()),
        };
        let item = self.state.item(episode, self.context.now);
        let item = NoticeItem { cause: None, task, end: Some(end), ..item };
        self.plan.ended.push(item.clone());
        if let Some(by) = episode.delivered_by() {
            self.over.entry(by).or_default().push(item);
        }
    }

    /// Whoever was told of something is told that it is over.
    fn close(&mut self, kind: NoticeKind, by: BTreeSet<String>, items: Vec<NoticeItem>) {
        let ScanContext { now, ids, .. } = self.context;
        let (id, to) = (NoticeId::new(ids, now), by.into_iter().collect());
        self.plan.closing.push(Notice { to, items, ..Notice::new(id, kind, now) });
    }

    /// Puts the scan's own line before what the scan leads to.
    fn finish(mut self, trigger: Trigger, blind: Option<BlindCause>) -> ScanPlan {
        for (by, items) in std::mem::take(&mut self.over) {
            self.close(NoticeKind::Resolved, by, items);
        }
        if let Trigger::Scan { is_asked } = trigger {
            let stalled = self.plan.verdicts.iter().filter(|(_, verdict)| verdict.is_stalled());
            let scanned = Scanned {
                judged: u64::try_from(self.plan.verdicts.len()).unwrap_or(u64::MAX),
                stalled: stalled.map(|(agent, _)| agent.clone()).collect(),
                paged: [self.state.paged.unreported.clone(), self.paged].concat(),
                escalated: [self.state.escalated.unreported.clone(), self.escalated].concat(),
                blind,
                asked: is_asked,
            };
            let (entity, author) = (EntityName::keeper(), watchdog_author());
            let event = WatchdogEvent::Scanned(scanned).into();
            self.plan.drafts.insert(0, Draft { entity, author, epoch: None, event });
        }
        self.plan
    }
}

/// The task that ended without an answer since an episode began, if one did.
fn unanswered_since<'a>(
    episode: &Episode,
    observed: Option<&'a ObservedAgent>,
) -> Option<&'a UnansweredTask> {
    observed?.unanswered.as_ref().filter(|task| episode.is_ended_by(task.at))
}

/// What the end of an episode is, as people are told.
fn stall_end(event: &WatchdogEvent, observed: Option<&ObservedAgent>) -> StallEnd {
    match event {
        WatchdogEvent::Withdrawn(end) if end.unanswered.is_some() => {
            let task = observed.and_then(|observed| observed.unanswered.as_ref());
            StallEnd::Unanswered { why: task.map(|task| task.why.clone()).unwrap_or_default() }
        }
        WatchdogEvent::Withdrawn(end) => StallEnd::Other(end.state.clone()),
        _ => StallEnd::Moved,
    }
}

/// A short name for a page, from a new id.
pub(crate) fn new_page_id(context: ScanContext<'_>, digits: usize) -> PageId {
    let id = NoticeId::new(context.ids, context.now).uuid().as_u128();
    PageId::of(u32::try_from(id & u128::from(u32::MAX)).unwrap_or_default(), digits)
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
