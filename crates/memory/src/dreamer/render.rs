//! The context object: seven sections in their order, each statement with its source, from references alone.
//!
//! Pure: the same references over the same memory give the same bytes, whenever they are rendered. It must never conclude
//! anything that no source says, and never let a remembered text open a section. Reading order: [`RenderInput`] (what is known
//! beside the findings), [`render`], then `findings` (the findings looked up) and `sections` (what stands where).

use abide_domain::{context_object::SECTIONS, event::Exploration};

use super::{
    ReferenceLookup,
    trim::{BESIDE_STIMULUS_TOKENS_MIN, Section, fit},
    words::fenced,
};
use crate::estimate_tokens;

mod findings;
mod sections;
mod talk;
mod view;

pub use self::view::RenderInput;
use self::{findings::ResolvedFindings, view::RenderView};

/// The version of the rendered text, noted with every context that is recorded: a record of another version is shown as it
/// was stored and never rendered again. Must be raised whenever a title, a sentence or an order in `render` changes.
pub const RENDERER_VERSION: u32 = 5;

const TITLE: &str = "# What you know at this moment\n";

/// What a mind is to know at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextObject {
    /// Markdown with seven sections.
    pub text: String,
    /// Its size, by [`estimate_tokens`].
    pub tokens: u64,
    /// The size of each section.
    pub section_tokens: [u64; 7],
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
    let view = RenderView { scene, exploration, findings: &findings, lookup };
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
    fit(&mut all, chars_max(scene));
    let texts = all.each_ref().map(Section::text);
    let section_tokens = texts.each_ref().map(|text| estimate_tokens(text));
    let mut text = TITLE.to_owned();
    for section in &texts {
        text.push('\n');
        text.push_str(section);
    }
    let tokens = estimate_tokens(&text);
    let (emotional_tone, tensions) = (feelings.tone, feelings.tensions);
    ContextObject { text, tokens, section_tokens, emotional_tone, tensions }
}

/// The characters that the sections may have together.
fn chars_max(scene: &RenderInput<'_>) -> usize {
    let content = &scene.envelope.content;
    // A text of nothing but fences needs longer ones around it than any other text does.
    let longer = fenced(content).len() - content.len() - fenced("").len();
    let stimulus = estimate_tokens(content) + longer.div_ceil(4) as u64;
    let beside = stimulus + BESIDE_STIMULUS_TOKENS_MIN.min(scene.tokens_max);
    let tokens_max = scene.tokens_max.max(beside);
    let frame = TITLE.len() + SECTIONS.len();
    usize::try_from(tokens_max * 4).unwrap_or(usize::MAX).saturating_sub(frame)
}
