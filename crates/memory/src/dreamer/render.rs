//! The context object: seven sections in their order, each statement with its source, from references alone.
//!
//! Pure: the same references over the same memory give the same bytes, whenever they are rendered. It must never conclude
//! anything that no source says, and never let a remembered text open a section. Reading order: [`RenderInput`] (what is known
//! beside the findings), [`render`], then `gathered` (the findings looked up) and `sections` (what stands where).

use abide_domain::{
    EpochId,
    context_object::SECTIONS,
    envelope::StimulusEnvelope,
    event::{AgentRegistered, Exploration},
    turn::Exchange,
};

use super::{
    ReferenceLookup,
    trim::{BESIDE_STIMULUS_TOKENS_MIN, Section, fit},
    words::fenced,
};
use crate::estimate_tokens;

mod gathered;
mod sections;
mod talk;

use self::gathered::Gathered;

const TITLE: &str = "# What you know at this moment\n";

/// What a context object is made of beside the findings.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// What came in, with the agent's last words in that session.
    pub envelope: &'a StimulusEnvelope,
    /// The epoch of the last words.
    pub last_output_epoch: Option<EpochId>,
    /// Who the agent is, as it is configured.
    pub profile: Option<&'a AgentRegistered>,
    /// The exchanges that the mind is shown anyway: what stands there is not repeated.
    pub history: &'a [Exchange],
    /// The most that the object may have, in tokens, at most [`super::CONTEXT_TOKENS_MAX`]; a long stimulus goes on top.
    pub tokens_max: u64,
}

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
    let gathered = Gathered::of(exploration, lookup);
    let view = View { scene, exploration, gathered: &gathered, lookup };
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

/// All that a section is made of.
struct View<'a> {
    scene: &'a RenderInput<'a>,
    exploration: &'a Exploration,
    gathered: &'a Gathered,
    lookup: &'a dyn ReferenceLookup,
}
