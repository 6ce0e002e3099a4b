//! The context object: seven sections in their order, each statement with its source, from references alone.
//!
//! Pure: the same references over the same memory give the same bytes, whenever they are rendered. It must never conclude
//! anything that no source says, and never let a remembered text open a section. Reading order: [`RenderInput`] (what is known
//! beside the findings), [`render`], then `findings` (the findings looked up), `standing` (what replaces what) and `sections` (what stands where).

use abide_domain::{context_object::SECTIONS, event::Exploration};

use super::{
    ReferenceLookup,
    trim::{Section, fit},
};
use crate::estimate_tokens;

mod findings;
mod input;
mod sections;
mod standing;
mod talk;
mod view;

pub use self::input::RenderInput;
use self::{findings::ResolvedFindings, standing::Standings, view::RenderView};

/// The version of the rendered text, noted with every context that is recorded: a record of another version is shown as it
/// was stored and never rendered again. Must be raised whenever a title, a sentence or an order in `render` changes.
pub const RENDERER_VERSION: u32 = 6;

const TITLE: &str = "# What you know at this moment";

/// What a mind is to know at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextObject {
    /// Markdown with seven sections.
    pub text: String,
    /// Its size, by [`estimate_tokens`].
    pub tokens: u64,
    /// The text of each section, its heading included; joined by empty lines they are the text below its first lines.
    pub sections: [String; 7],
    /// `neutral`, or a feeling with its strength.
    pub emotional_tone: String,
    /// What pulls in two directions.
    pub tensions: Vec<String>,
}

/// Renders what an exploration found.
pub fn render(
    scene: &RenderInput<'_>,
    exploration: &Exploration,
    lookup: &dyn ReferenceLookup,
) -> ContextObject {
    let findings = ResolvedFindings::of(exploration, lookup);
    let standings = Standings::of(scene, &findings, lookup);
    let view =
        RenderView { scene, exploration, findings: &findings, standings: &standings, lookup };
    let feelings = sections::feelings(&view);
    let [identity, situation, history, strategy, emotion, technical, constraints] = SECTIONS;
    let mut all = [
        sections::identity(&view, identity),
        sections::situation(&view, situation),
        sections::history(&view, history),
        sections::strategy(&view, strategy),
        sections::emotion(&view, emotion, &feelings),
        sections::technical(&view, technical),
        sections::constraints(&view, constraints),
    ];
    let mut text = format!("{TITLE}\n{}\n", now_line(scene));
    let frame = text.chars().count() + SECTIONS.len();
    let chars_max = usize::try_from(scene.tokens_max.saturating_mul(4)).unwrap_or(usize::MAX);
    fit(&mut all, chars_max.saturating_sub(frame));
    let texts = all.each_ref().map(Section::text);
    for section in &texts {
        text.push('\n');
        text.push_str(section);
    }
    let tokens = estimate_tokens(&text);
    let (emotional_tone, tensions) = (feelings.tone, feelings.tensions);
    ContextObject { text, tokens, sections: texts, emotional_tone, tensions }
}

/// Says what time it is for whoever reads: `It is Tue 2026-03-24 18:05 +01:00 in Europe/Berlin.`
fn now_line(scene: &RenderInput<'_>) -> String {
    let (zone, now) = (scene.zone, scene.envelope.timestamp);
    let place =
        if zone.name().contains('/') { format!(" in {}", zone.name()) } else { String::new() };
    format!("It is {}{place}.", zone.format_absolute(now))
}
