//! What stands in which section (spec-background A5), and what is said of a lens that found nothing.

use std::fmt::Write as _; // into a String, which cannot fail

use abide_domain::{
    EntityName,
    context_object::epoch_source,
    dates::annotate,
    event::{Lens, MemoryRef},
    graph::{Constraint, EmotionalState, Node, Severity, TechnicalContext},
};

use super::{
    findings::{LensOutcome, lens_outcome},
    talk,
    view::RenderView,
};
use crate::{
    OriginalFact, ReferencedItem,
    dreamer::{
        cue::{StimulusCues, tone_of},
        dates::{days_until, said_dates},
        trim::Section,
        words::{field, line_of_two_sources, list, name, quote, sourced_line},
    },
};

/// Facts of one kind that are shown.
const FACTS_MAX: usize = 4;
/// Steps of a strategy that are shown.
const STEPS_SHOWN_MAX: usize = 5;
/// Files of a technical matter that are named.
const FILES_SHOWN_MAX: usize = 4;
/// Things gone through together that are named.
const SHARED_MAX: usize = 2;
/// How often a matter must have come back to pull at its owner.
const RECURRENCE_MIN: u64 = 2;
/// The strength of a feeling that an epoch ended in.
const FELT: f64 = 0.5;

/// Who the agent is, and with whom it speaks.
pub(super) fn identity(view: &RenderView<'_>, title: &'static str) -> Section {
    let envelope = view.scene.envelope;
    let mut lines = Vec::new();
    if let Some(profile) = view.scene.profile.filter(|_| !view.scene.is_introduced) {
        let (known, id) = (name(&profile.name), &envelope.citizen);
        let role = name(&profile.role);
        let role = if role.is_empty() { role } else { format!(": {role}") };
        lines.push(sourced_line(&format!("You are {known} ({id}){role}."), "profile"));
    }
    lines.push(speaker(view));
    for (reference, version) in view.findings.nodes(Lens::Relational) {
        match &*version.node {
            Node::Partnership(with) => {
                let mut parts = vec![format!("trust {}", number(with.trust_level))];
                for (label, value) in [
                    ("", &with.relationship_type),
                    ("for ", &with.partnership_duration),
                    ("style: ", &with.communication_style),
                ] {
                    if !value.is_empty() {
                        parts.push(format!("{label}{}", name(value)));
                    }
                }
                let (partner, role) = (name(&with.partner_name), name(&with.partner_role));
                let text = format!("Your partner {partner}, {role}: {}.", parts.join("; "));
                lines.push(sourced_line(&text, reference));
                if !with.shared_history.is_empty() {
                    let shared = list(&with.shared_history, SHARED_MAX, "; ");
                    lines.push(sourced_line(&format!("Shared history: {shared}."), reference));
                }
            }
            Node::Person(person) if !person.role.is_empty() => {
                let text = format!("{} is {}.", name(&person.name), name(&person.role));
                lines.push(sourced_line(&text, reference));
            }
            _ => {}
        }
    } // Never trimmed, so bounded here: one partnership and what goes with it.
    lines.truncate(5);
    let notes = match lens_outcome(view.exploration, Lens::Relational) {
        LensOutcome::Failed => notes(view, &[Lens::Relational]),
        _ => unreadable_note(view, Lens::Relational).into_iter().collect(),
    };
    Section::new(title, lines, notes)
}

fn speaker(view: &RenderView<'_>) -> String {
    let envelope = view.scene.envelope;
    let (sender, channel) = (&envelope.sender, envelope.channel);
    let partners = view.scene.profile.map_or(&[][..], |profile| &profile.partners);
    if let Some(partner) = partners.iter().find(|partner| partner.id == *sender) {
        let role = name(&partner.role);
        let role = if role.is_empty() { "your partner".to_owned() } else { role };
        let text =
            format!("You speak with {} ({sender}), {role}, over {channel}.", name(&partner.name));
        return sourced_line(&text, "profile");
    }
    if StimulusCues::of(envelope).is_of_agent {
        let text = format!(
            "The agent {sender} speaks (over {channel}), not a person: nobody vouches for what it says."
        );
        return sourced_line(&text, "envelope");
    }
    if StimulusCues::of(envelope).partner.is_none() {
        let text = format!("The keeper speaks ({sender}, over {channel}), not a person.");
        return sourced_line(&text, "envelope");
    }
    let is_partner =
        view.findings.has(Lens::Relational, |node| matches!(node, Node::Partnership(_)));
    let missing = match lens_outcome(view.exploration, Lens::Relational) {
        _ if is_partner => String::new(),
        LensOutcome::Found | LensOutcome::Empty => {
            format!(" No partnership with {sender} is known.")
        }
        LensOutcome::Failed | LensOutcome::Skipped => String::new(),
    };
    sourced_line(&format!("You speak with {sender} over {channel}.{missing}"), "envelope")
}

/// Where the message stands, what the agent said before it, and what it is about.
pub(super) fn situation(view: &RenderView<'_>, title: &'static str) -> Section {
    let envelope = view.scene.envelope;
    let mut lines = vec![last_words(view)];
    if let Some((reference, matter)) = first_matter(view) {
        let text = format!("It seems to be about {}.", matter_in_short(matter));
        lines.push(sourced_line(&text, reference));
    }
    if let Some(dates) = said_dates(envelope, view.scene.zone) {
        lines.push(sourced_line(&dates, "stimulus"));
    }
    lines.push(sourced_line(&format!("Tone here: {}.", tone_of(envelope.channel)), "channel"));
    Section::new(title, lines, Vec::new())
}

/// What the agent said before this stimulus: its look at itself.
fn last_words(view: &RenderView<'_>) -> String {
    let envelope = view.scene.envelope;
    let Some(last) = &envelope.last_driver_output else {
        return "You have said nothing in this conversation yet.".to_owned();
    };
    let when = view.moment(last.timestamp);
    let epoch = view.scene.last_output_epoch;
    let is_above = view.scene.history.iter().any(|exchange| Some(exchange.epoch) == epoch);
    let text = if is_above {
        format!("You spoke last in this conversation {when}, above.")
    } else {
        format!("Your last words in this conversation, {when}: {}", quote(&last.content))
    };
    match epoch {
        Some(epoch) => sourced_line(&text, epoch_source(epoch)),
        None => sourced_line(&text, "envelope"),
    }
}

fn first_matter<'a>(view: &'a RenderView<'_>) -> Option<(MemoryRef, &'a TechnicalContext)> {
    view.findings.nodes(Lens::Technical).find_map(|(reference, version)| match &*version.node {
        Node::Technical(matter) => Some((reference, matter)),
        _ => None,
    })
}

fn matter_in_short(matter: &TechnicalContext) -> String {
    let (component, kind) = (name(&matter.component), name(&matter.issue_type));
    match (component.is_empty(), kind.is_empty()) {
        (false, false) => format!("{component}: {kind}"),
        (true, _) => kind,
        (false, true) => component,
    }
}

/// Earlier talk, what is known of the partner, and what failed.
pub(super) fn history(view: &RenderView<'_>, title: &'static str) -> Section {
    let mut lines = talk::lines(view);
    let mut notes = notes(view, &[Lens::Historical, Lens::Experiential]);
    // What was found stands above and is about something else: that is said as plainly as that nothing was found.
    let is_found = lens_outcome(view.exploration, Lens::Historical) == LensOutcome::Found;
    if lines.is_empty() && is_found && view.findings.lost(Lens::Historical).is_empty() {
        notes.insert(0, format!("{}.", lens_words(Lens::Historical).1));
    }
    lines.extend(failures(view));
    lines.extend(facts(view, Lens::Relational));
    Section { is_by_time: true, ..Section::new(title, lines, notes) }
}

fn failures(view: &RenderView<'_>) -> Vec<String> {
    let nodes = view.findings.nodes(Lens::Experiential);
    let lines = nodes.filter_map(|(reference, version)| {
        let Node::Failure(failed) = &*version.node else { return None };
        let at = failed.timestamp.unwrap_or(version.valid_from);
        let when = view.moment(at);
        let mut text = format!("Tried and failed ({when}): {}", field(&failed.approach));
        for (label, value) in [("for", &failed.context), ("because", &failed.why_failed)] {
            if !value.is_empty() {
                let _ = write!(text, "; {label}: {}", field(value));
            }
        }
        text.push('.');
        if !failed.lesson_learned.is_empty() {
            let _ = write!(text, " Lesson: {}.", field(&failed.lesson_learned));
        }
        Some(sourced_line(&text, reference))
    });
    lines.collect()
}

fn facts(view: &RenderView<'_>, lens: Lens) -> Vec<String> {
    let found = view.findings.of_lens(lens).iter();
    let facts = found.filter_map(|(reference, remembered)| match remembered {
        ReferencedItem::Fact(sourced_line) => Some((*reference, sourced_line)),
        ReferencedItem::Node(_) | ReferencedItem::Passage(_) => None,
    });
    facts.take(FACTS_MAX).map(|(reference, known)| known_fact(view, reference, known)).collect()
}

fn known_fact(view: &RenderView<'_>, reference: MemoryRef, known: &OriginalFact) -> String {
    let content = annotate(&known.content, known.valid_from, view.scene.zone);
    let (when, label) = (view.moment(known.valid_from), view.standings.label(reference));
    let by = known.told_by.as_ref().map(EntityName::bare);
    let text = match by {
        // Not their word: it was found while they were spoken with.
        _ if !known.trusted => {
            let place = by.map_or(String::new(), |by| format!(" in a talk with {by}"));
            let words = quote(&content);
            format!("Not confirmed by a person, found{place} ({when}){label}: {words}.")
        }
        Some(by) => format!("Known: {} (told by {by}, {when}){label}.", field(&content)),
        None => format!("Known: {} ({when}){label}.", field(&content)),
    };
    sourced_line(&text, reference)
}

/// What worked, and what not to do.
pub(super) fn strategy(view: &RenderView<'_>, title: &'static str) -> Section {
    let mut lines = Vec::new();
    for (reference, version) in view.findings.nodes(Lens::Strategic) {
        let Node::Strategy(known) = &*version.node else { continue };
        let rate = (known.success_rate.clamp(0.0, 1.0) * 100.0).round();
        let fits = if known.applicability.is_empty() {
            String::new()
        } else {
            format!(", for {}", field(&known.applicability))
        };
        let text = format!("What works: {}, in {rate}% of cases{fits}.", field(&known.approach));
        lines.push(sourced_line(&text, reference));
        let steps = known.steps.iter().take(STEPS_SHOWN_MAX).enumerate();
        let steps: Vec<_> = steps.map(|(n, step)| format!("{}. {}", n + 1, field(step))).collect();
        if !steps.is_empty() {
            lines.push(sourced_line(&format!("Its steps: {}.", steps.join("; ")), reference));
        }
    }
    for (reference, version) in view.findings.nodes(Lens::Experiential) {
        let Node::Failure(failed) = &*version.node else { continue };
        lines.push(sourced_line(
            &format!("Do not try again: {}.", field(&failed.approach)),
            reference,
        ));
    }
    Section::new(title, lines, notes(view, &[Lens::Strategic]))
}

/// What was felt, and what pulls in two directions.
#[derive(Debug, Default)]
pub(super) struct Feelings {
    /// `neutral`, or a feeling with its strength.
    pub(super) tone: String,
    /// As sentences, without their sources.
    pub(super) tensions: Vec<String>,
    lines: Vec<String>,
}

/// Reads feelings and tensions off the findings.
pub(super) fn feelings(view: &RenderView<'_>) -> Feelings {
    let felt = emotions(view);
    let mut feelings = Feelings { tone: "neutral".to_owned(), ..Feelings::default() };
    if let Some((reference, primary)) = felt.first() {
        feelings.tone = tone(primary);
        let text = format!("Emotional tone: {}.", feelings.tone);
        feelings.lines.push(sourced_line(&text, reference));
    }
    for (reference, state) in &felt {
        feelings.lines.push(feeling(*reference, state));
    }
    for (sources, tension) in tensions(view, &felt) {
        let text = format!("Tension: {tension}.");
        feelings.lines.push(match sources {
            (first, Some(second)) => line_of_two_sources(&text, (first, second)),
            (only, None) => sourced_line(&text, only),
        });
        feelings.tensions.push(tension);
    }
    feelings
}

/// What was felt, the strongest first.
fn emotions(view: &RenderView<'_>) -> Vec<(MemoryRef, EmotionalState)> {
    let found = view.findings.of_lens(Lens::Emotional).iter();
    let mut felt: Vec<(MemoryRef, EmotionalState)> = found
        .filter_map(|(reference, remembered)| match remembered {
            ReferencedItem::Node(version) => match &*version.node {
                Node::Emotion(state) => Some((*reference, state.clone())),
                _ => None,
            },
            ReferencedItem::Passage(passage) => {
                let (emotion, context) =
                    (passage.exchange.emotive_state.clone(), passage.text.clone());
                let state =
                    EmotionalState { emotion, context, intensity: FELT, ..Default::default() };
                Some((*reference, state))
            }
            ReferencedItem::Fact(_) => None,
        })
        .collect();
    felt.sort_by(|a, b| b.1.intensity.total_cmp(&a.1.intensity));
    felt
}

fn feeling(reference: MemoryRef, state: &EmotionalState) -> String {
    let (emotion, intensity) = (name(&state.emotion), number(state.intensity));
    let mut text = format!("You felt {emotion} ({intensity})");
    if !state.context.is_empty() {
        let _ = write!(text, ": {}", field(&state.context));
    }
    text.push('.');
    for (label, value) in
        [("Counterbalance", &state.counterbalance), ("Trigger", &state.trigger_pattern)]
    {
        if !value.is_empty() {
            let _ = write!(text, " {label}: {}.", field(value));
        }
    }
    sourced_line(&text, reference)
}

fn tone(state: &EmotionalState) -> String {
    let emotion = name(&state.emotion);
    match state.intensity {
        strength if strength >= 0.7 => format!("strongly {emotion}"),
        strength if strength >= 0.4 => emotion,
        _ => format!("mildly {emotion}"),
    }
}

type Tension = ((MemoryRef, Option<MemoryRef>), String);

fn tensions(view: &RenderView<'_>, felt: &[(MemoryRef, EmotionalState)]) -> Vec<Tension> {
    let mut found: Vec<Tension> = Vec::new();
    for (reference, state) in
        felt.iter().filter(|(_, state)| !state.counterbalance.is_empty()).take(1)
    {
        let tension = format!("{} against {}", name(&state.emotion), field(&state.counterbalance));
        found.push(((*reference, None), tension));
    }
    let strategy = view.findings.nodes(Lens::Strategic).next();
    let deadline = view.findings.nodes(Lens::Constraint).find_map(|(reference, version)| {
        let Node::Constraint(binding) = &*version.node else { return None };
        let presses = binding.severity >= Severity::High;
        binding.deadline.as_ref().filter(|_| presses).map(|deadline| (reference, deadline.clone()))
    });
    if let (Some((known, version)), Some((binding, deadline))) = (strategy, deadline)
        && let Node::Strategy(strategy) = &*version.node
    {
        let (approach, deadline) = (field(&strategy.approach), name(&deadline));
        let tension = format!("{approach} takes time, but the deadline is {deadline}");
        found.push(((known, Some(binding)), tension));
    }
    if let Some((reference, matter)) = first_matter(view)
        && matter.recurrence_count >= RECURRENCE_MIN
    {
        let (times, short) = (matter.recurrence_count, matter_in_short(matter));
        found.push((
            (reference, None),
            format!("{short} was worked on before, and recurred {times} times"),
        ));
    }
    found
}

/// The section of the feelings.
pub(super) fn emotion(view: &RenderView<'_>, title: &'static str, feelings: &Feelings) -> Section {
    Section::new(title, feelings.lines.clone(), notes(view, &[Lens::Emotional]))
}

/// Matters, files, and facts about them.
pub(super) fn technical(view: &RenderView<'_>, title: &'static str) -> Section {
    let mut lines = Vec::new();
    for (reference, version) in view.findings.nodes(Lens::Technical) {
        let Node::Technical(matter) = &*version.node else { continue };
        lines.push(matter_line(reference, matter));
    }
    for (reference, version) in view.findings.nodes(Lens::Connective) {
        let Node::Code(code) = &*version.node else { continue };
        let mut text = format!("File {}", name(&code.file_path));
        if !code.complexity.is_empty() {
            let _ = write!(text, " ({})", name(&code.complexity));
        }
        if !code.description.is_empty() {
            let _ = write!(text, ": {}", field(&code.description));
        }
        if !code.dependencies.is_empty() {
            let _ =
                write!(text, "; depends on {}", list(&code.dependencies, FILES_SHOWN_MAX, ", "));
        }
        text.push('.');
        lines.push(sourced_line(&text, reference));
    }
    lines.extend(facts(view, Lens::Technical));
    Section::new(title, lines, notes(view, &[Lens::Technical, Lens::Connective]))
}

fn matter_line(reference: MemoryRef, matter: &TechnicalContext) -> String {
    let mut text = matter_in_short(matter);
    if !matter.status.is_empty() {
        let _ = write!(text, ", {}", name(&matter.status));
    }
    if matter.recurrence_count > 0 {
        let _ = write!(text, ", recurred {} times", matter.recurrence_count);
    }
    if !matter.description.is_empty() {
        let _ = write!(text, ": {}", field(&matter.description));
    }
    text.push('.');
    if !matter.related_code.is_empty() {
        let _ = write!(text, " Files: {}.", list(&matter.related_code, FILES_SHOWN_MAX, ", "));
    }
    sourced_line(&text, reference)
}

/// What binds, the hardest first.
pub(super) fn constraints(view: &RenderView<'_>, title: &'static str) -> Section {
    let (zone, now) = (view.scene.zone, view.scene.envelope.timestamp);
    let mut binding: Vec<(MemoryRef, &Constraint)> = view
        .findings
        .nodes(Lens::Constraint)
        .filter_map(|(reference, version)| match &*version.node {
            Node::Constraint(constraint) => Some((reference, constraint)),
            _ => None,
        })
        .collect(); // Stable: of two that bind alike, the order of the query stays.
    binding.sort_by_key(|(_, constraint)| std::cmp::Reverse(constraint.severity));
    let lines = binding.into_iter().map(|(reference, constraint)| {
        let mut text = format!(
            "{} ({}): {}{}.",
            name(&constraint.constraint_type),
            severity(constraint.severity),
            field(&constraint.description),
            view.standings.label(reference)
        );
        if let Some(deadline) = &constraint.deadline {
            let days =
                days_until(zone, now, deadline).map_or(String::new(), |days| format!(" ({days})"));
            let _ = write!(text, " Due {}{days}.", name(deadline));
        }
        if !constraint.impact.is_empty() {
            let _ = write!(text, " Impact: {}.", field(&constraint.impact));
        }
        sourced_line(&text, reference)
    });
    Section::new(title, lines.collect(), notes(view, &[Lens::Constraint]))
}

const fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
        Severity::Critical => "critical",
    }
}

/// What is to be said of lenses that showed nothing: nothing there, could not look, did not look.
fn notes(view: &RenderView<'_>, lenses: &[Lens]) -> Vec<String> {
    let mut notes = Vec::new();
    for lens in lenses {
        let (subject, nothing) = lens_words(*lens);
        match lens_outcome(view.exploration, *lens) {
            LensOutcome::Found => notes.extend(unreadable_note(view, *lens)),
            LensOutcome::Empty => notes.push(format!("{nothing}.")),
            LensOutcome::Failed => {
                notes.push(format!("Could not look for {subject} just now; there may be some."));
            }
            LensOutcome::Skipped => notes.push(format!("Not looked for: {subject}.")),
        }
    }
    notes
}

fn unreadable_note(view: &RenderView<'_>, lens: Lens) -> Option<String> {
    let unreadable_note = view.findings.lost(lens);
    let names: Vec<String> = unreadable_note.iter().map(ToString::to_string).collect();
    (!names.is_empty())
        .then(|| format!("Found, but could not be read just now: {}.", names.join(", ")))
}

/// What a lens looks for, and how its absence is said.
const fn lens_words(lens: Lens) -> (&'static str, &'static str) {
    match lens {
        Lens::Relational => ("a partnership", "No partnership is known"),
        Lens::Historical => {
            ("earlier conversations", "No earlier conversation about this is remembered")
        }
        Lens::Technical => ("technical matters", "No technical matter like this is remembered"),
        Lens::Emotional => ("feelings", "No feeling about this is remembered"),
        Lens::Strategic => ("approaches that work", "No approach that works is remembered"),
        Lens::Experiential => ("failed attempts", "No failed attempt is remembered"),
        Lens::Constraint => ("constraints", "No active constraint is remembered"),
        Lens::Connective => ("related files", "No related file is remembered"),
    }
}

/// A number between 0 and 1 as it was recorded, to two places.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    format!("{rounded}")
}
