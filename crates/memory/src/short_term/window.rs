//! Which exchanges go into a prompt: the newest that fit, whole ones only.
//!
//! Providers cache a prompt by its beginning, so the oldest exchange shown must not change with every new one. The start
//! moves in steps of two fifths of the cap: when the exchanges since the last reset pass the cap, the window falls to
//! about three fifths of it and grows from there. Which step it is at follows from the token sums alone, so a restart, a
//! rebuild or a rendering of an old epoch gives the same window. It must never cut an exchange.

use std::sync::Arc;

use abide_domain::turn::Exchange;

use super::{ShortTerm, WindowExchange, exchange_tokens, series::ExchangeSeries};
use crate::{Listener, Origin};

/// Which exchanges count as history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryScope<'a> {
    /// All of the agent's.
    Agent,
    /// Those of one session.
    Session(&'a str),
}

/// The history that a prompt shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The exchanges that are shown, oldest first.
    pub exchanges: Arc<[Exchange]>,
    /// How many of the scope since the last reset are not shown.
    pub omitted: u64,
    /// What the shown ones cost by [`crate::estimate_tokens`], labels included.
    pub tokens: u64,
}

impl ShortTerm {
    /// The window of a scope that costs at most `tokens_max`. Small changes of `tokens_max` (a longer identity, a longer
    /// stimulus) seldom move its start.
    pub fn window(&self, scope: HistoryScope<'_>, tokens_max: u64) -> Window {
        self.window_for(scope, &Listener::OWNER, tokens_max)
    }

    /// The same of what a listener may be told: of nobody else's private exchanges, neither words nor number (decision 54).
    pub fn window_for(
        &self,
        scope: HistoryScope<'_>,
        listener: &Listener<'_>,
        tokens_max: u64,
    ) -> Window {
        let item = |ordinal: u64| self.agent.get(ordinal).map(|item| &item.item);
        match (scope, listener.origin().filter(|_| !listener.hears_all())) {
            (scope, Some(here)) => {
                let heard = self.heard(scope, (listener, &here));
                window_of(&heard, tokens_max, self.has_bound, |ordinal| item(*ordinal))
            }
            (HistoryScope::Agent, None) => window_of(&self.agent, tokens_max, self.has_bound, Some),
            (HistoryScope::Session(session), None) => match self.sessions.get(session) {
                None => Window { exchanges: Arc::new([]), omitted: 0, tokens: 0 },
                Some(series) => {
                    window_of(series, tokens_max, self.has_bound, |ordinal| item(*ordinal))
                }
            },
        }
    }

    /// The exchanges of a scope that a listener may be told, in order. Costs what those of the person and of their groups
    /// are, and not what all are.
    fn heard(
        &self,
        scope: HistoryScope<'_>,
        (listener, here): (&Listener<'_>, &Origin<'_>),
    ) -> ExchangeSeries<u64> {
        let session = |name: &str| self.sessions.get(name);
        let mut ordinals: Vec<u64> = Vec::new();
        let mut add = |series: Option<&ExchangeSeries<u64>>| {
            ordinals
                .extend(series.into_iter().flat_map(|series| series.since(0)).map(|one| one.item));
        };
        match (scope, here.group()) {
            (HistoryScope::Session(name), _) => add(session(name)),
            (HistoryScope::Agent, Some(group)) => add(session(group)),
            (HistoryScope::Agent, None) => {
                add(self.people.get(here.person()));
                self.members.of(here.person()).for_each(|group| add(session(group)));
            }
        }
        ordinals.sort_unstable();
        let mut heard = ExchangeSeries::default();
        for ordinal in ordinals {
            let Some(item) = self.agent.get(ordinal) else { continue };
            if listener.hears(&item.item.origin(), &self.members) {
                heard.push(ordinal, self.agent.tokens_of(ordinal), item.seq);
            }
        }
        heard
    }
}

fn window_of<'a, T>(
    series: &'a ExchangeSeries<T>,
    tokens_max: u64,
    has_bound: bool,
    exchange_of: impl Fn(&'a T) -> Option<&'a WindowExchange>,
) -> Window {
    let first = start(series, tokens_max);
    let exchanges: Arc<[Exchange]> = series
        .since(first)
        .filter_map(|item| exchange_of(&item.item)?.exchange.as_deref().cloned())
        .collect();
    // What was taken back does not count as left out. Without any there is nothing to go through.
    let all = series.since(0).filter(|_| has_bound).filter_map(|item| exchange_of(&item.item));
    let bound = all.filter(|exchange| exchange.is_bound).count();
    let shown = exchanges.len();
    let tokens = exchanges.iter().map(exchange_tokens).sum();
    Window { exchanges, omitted: (series.len() - shown - bound) as u64, tokens }
}

/// The ordinal of the first exchange of the window.
fn start<T>(series: &ExchangeSeries<T>, tokens_max: u64) -> u64 {
    let total = series.tokens();
    if total <= tokens_max {
        return series.first_ordinal();
    }
    let cap = round_cap(tokens_max);
    let step = (cap * 2 / 5).max(1);
    let steps = (total - cap).div_ceil(step);
    let first = series.first_at(steps * step);
    if first < series.end_ordinal() {
        return first;
    }
    // The newest exchange reaches over the step's edge: show what fits, or nothing.
    series.first_at(total - tokens_max)
}

/// The cap in coarse grains (at least one thirty-second of it), so that a few tokens more or less of identity leave the
/// start where it is.
fn round_cap(tokens_max: u64) -> u64 {
    let grain = (tokens_max.checked_next_power_of_two().unwrap_or(tokens_max) / 32).max(1);
    tokens_max / grain * grain
}
