//! Which question comes next: the eight lenses in order, each with the best lead that was not tried yet (decision 9).
//!
//! Pure. A lens that found something is done; one that found nothing looks again when a finding gives it another lead, a
//! few times at most; one without any lead is skipped. Where no lens has an untried lead, no gap is open.

use abide_domain::{event::Lens, graph::Severity};

use super::{DEPTH_MAX, StimulusCues, leads::Leads};
use crate::GraphQuery;

/// Items that one question asks for.
const ITEMS: usize = 5;
/// Strategies that work at least so often.
const SUCCESS_RATE_MIN: f64 = 0.5;
/// Everybody, in a question about conversations.
const ANYBODY: &str = "*";

/// The questions that the plan asks through a lens, the best lead first.
fn candidates(lens: Lens, cue: &StimulusCues, leads: &Leads) -> Vec<GraphQuery> {
    let topic = (!cue.keywords.is_empty()).then(|| cue.topic());
    let about = |texts: [&Option<String>; 3]| {
        let mut distinct: Vec<String> = Vec::new();
        for text in texts.into_iter().flatten() {
            if !distinct.contains(text) {
                distinct.push(text.clone());
            }
        }
        distinct
    };
    let Leads { issue_type, component, description, .. } = leads;
    match lens {
        Lens::Relational => cue
            .partner
            .iter()
            .map(|partner| GraphQuery::Partnerships { partner_id: partner.clone() })
            .collect(),
        Lens::Historical => conversations(cue, leads),
        Lens::Technical => about([&topic, &leads.topic, &None])
            .into_iter()
            .map(|term| GraphQuery::TechnicalContext { term, issue_type: None, limit: ITEMS })
            .collect(),
        Lens::Emotional => about([issue_type, &topic, &leads.topic])
            .into_iter()
            .map(|context_similar_to| GraphQuery::EmotionalState {
                context_similar_to,
                emotion: None,
                limit: ITEMS,
            })
            .collect(),
        Lens::Strategic => about([issue_type, &topic, description])
            .into_iter()
            .map(|situation_type| GraphQuery::StrategyPatterns {
                situation_type,
                min_success_rate: SUCCESS_RATE_MIN,
                limit: ITEMS,
            })
            .collect(),
        Lens::Experiential => about([issue_type, component, &topic])
            .into_iter()
            .map(|context| GraphQuery::FailedAttempts { context, limit: ITEMS })
            .collect(),
        Lens::Constraint => vec![GraphQuery::ActiveConstraints {
            constraint_type: None,
            min_severity: Severity::Low,
            limit: ITEMS,
        }],
        Lens::Connective => cue.files.iter().chain(&leads.files).map(|file| code(file)).collect(),
    }
}

fn conversations(cue: &StimulusCues, leads: &Leads) -> Vec<GraphQuery> {
    let with = |partner: &str, keywords: Vec<String>| GraphQuery::Conversations {
        partner_id: partner.to_owned(),
        keywords,
        limit: ITEMS,
    };
    let mut asked = Vec::new();
    let matter: Vec<String> = leads.issue_type.iter().chain(&leads.component).cloned().collect();
    if !cue.keywords.is_empty() {
        asked.extend(cue.partner.as_deref().map(|partner| with(partner, cue.keywords.clone())));
        asked.push(with(ANYBODY, cue.keywords.clone()));
    }
    if !matter.is_empty() {
        asked.push(with(cue.partner.as_deref().unwrap_or(ANYBODY), matter));
    }
    // "Did you figure it out?" can only mean what was spoken of last.
    if cue.means_the_last() {
        asked.extend(cue.partner.as_deref().map(|partner| with(partner, Vec::new())));
    }
    asked
}

fn code(file: &str) -> GraphQuery {
    GraphQuery::RelatedCode { filename: file.to_owned(), include_dependencies: true, limit: ITEMS }
}

/// What the plan knows of an exploration.
pub(super) struct PlanInput<'a> {
    pub(super) cue: &'a StimulusCues,
    pub(super) leads: &'a Leads,
    /// All questions so far.
    pub(super) asked: &'a [GraphQuery],
    /// Whether a lens needs no further look.
    pub(super) is_done: &'a dyn Fn(Lens) -> bool,
}

/// Lenses whose findings are leads for the others: they look again at once.
const LEADING: [Lens; 3] = [Lens::Relational, Lens::Historical, Lens::Technical];

/// The next step: a lens and its questions; none where no gap is open. Every lens has its first look before one that leads
/// nowhere has a second.
pub(super) fn next(known: &PlanInput<'_>) -> Option<(Lens, Vec<GraphQuery>)> {
    let open = || Lens::ALL.into_iter().filter(|lens| !(known.is_done)(*lens));
    let is_first = |lens: &Lens| LEADING.contains(lens) || tries(known, *lens) == 0;
    let first = open().filter(is_first).find_map(|lens| untried(known, lens));
    first.or_else(|| open().find_map(|lens| untried(known, lens)))
}

fn tries(known: &PlanInput<'_>, lens: Lens) -> usize {
    known.asked.iter().filter(|query| lens_of(query) == lens).count()
}

/// What a lens has not asked yet.
fn untried(known: &PlanInput<'_>, lens: Lens) -> Option<(Lens, Vec<GraphQuery>)> {
    // Several files are one step: they hang together. So are what was said with the partner and with all others: what holds
    // now may have been said by anybody.
    let together = match lens {
        Lens::Connective => DEPTH_MAX + 1,
        Lens::Historical if tries(known, lens) == 0 => 2,
        _ => 1,
    };
    let room = (DEPTH_MAX + 1).saturating_sub(tries(known, lens)).min(together);
    let untried = candidates(lens, known.cue, known.leads).into_iter();
    let untried: Vec<_> = untried.filter(|q| !known.asked.contains(q)).take(room).collect();
    (!untried.is_empty()).then_some((lens, untried))
}

/// The lens that a query looks through.
pub const fn lens_of(query: &GraphQuery) -> Lens {
    match query {
        GraphQuery::Partnerships { .. } => Lens::Relational,
        GraphQuery::Conversations { .. } => Lens::Historical,
        GraphQuery::TechnicalContext { .. } => Lens::Technical,
        GraphQuery::EmotionalState { .. } => Lens::Emotional,
        GraphQuery::StrategyPatterns { .. } => Lens::Strategic,
        GraphQuery::FailedAttempts { .. } => Lens::Experiential,
        GraphQuery::ActiveConstraints { .. } => Lens::Constraint,
        GraphQuery::RelatedCode { .. } => Lens::Connective,
    }
}

/// The name of the query of a lens.
pub const fn query_of(lens: Lens) -> &'static str {
    match lens {
        Lens::Relational => "query_partnerships",
        Lens::Historical => "query_conversations",
        Lens::Technical => "query_technical_context",
        Lens::Emotional => "query_emotional_state",
        Lens::Strategic => "query_strategy_patterns",
        Lens::Experiential => "query_failed_attempts",
        Lens::Constraint => "query_active_constraints",
        Lens::Connective => "query_related_code",
    }
}
