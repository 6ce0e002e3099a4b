//! What a mind was shown, as lines, each with the part that it stands in. Pure.

use abide_domain::{context_object::SECTIONS, turn::TurnRequest};
use serde::Serialize;

/// The part of a prompt that can be left out, to see what is lost with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptPart {
    /// Who the agent is, and the rules.
    Rules,
    /// What the asker wishes once and for all.
    Wishes,
    /// What was said lately.
    History,
    /// The line that says what time it is.
    Now,
    /// A section of the context object, by its place.
    Section(usize),
}

impl PromptPart {
    /// All of them, in their order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let sections = (0..SECTIONS.len()).map(Self::Section);
        [Self::Rules, Self::Wishes, Self::History, Self::Now].into_iter().chain(sections)
    }

    /// For tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rules => "identity and rules",
            Self::Wishes => "standing wishes",
            Self::History => "history",
            Self::Now => "date and time",
            Self::Section(place) => SECTIONS.get(place).copied().unwrap_or_default(),
        }
    }
}

/// A line of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PromptLine {
    pub(super) part: PromptPart,
    /// Of the history, the label above it stands before it.
    pub(super) text: String,
}

/// The lines of a prompt, the message itself left out: it is asked, not known.
pub(super) fn lines(request: &TurnRequest) -> Vec<PromptLine> {
    let mut lines = Vec::new();
    let mut part = PromptPart::Rules;
    for line in request.system.lines() {
        if line.starts_with("# Standing wishes of ") {
            part = PromptPart::Wishes;
        } else if line.starts_with("# ") {
            part = PromptPart::Rules;
        }
        lines.push(PromptLine { part, text: line.to_owned() });
    }
    for exchange in request.history.iter() {
        let label = exchange.label(&request.time_zone);
        let mut add = |text: String| lines.push(PromptLine { part: PromptPart::History, text });
        add(format!("{label} {}", exchange.stimulus.replace('\n', " ")));
        add(exchange.reply.replace('\n', " "));
    }
    let mut part = PromptPart::Now;
    for line in request.context.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            let place = SECTIONS.iter().position(|section| *section == title);
            part = place.map_or(part, PromptPart::Section);
        }
        lines.push(PromptLine { part, text: line.to_owned() });
    }
    lines
}
