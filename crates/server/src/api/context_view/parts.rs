//! All that a mind is shown, part by part in its order, with the size of each.

use abide_domain::{
    context_object::SECTIONS, event::StimulusAccepted, tool::ToolSpec, turn::message_label,
};
use abide_engine::context::Context;
use abide_memory::estimate_tokens;
use serde::Serialize;
use utoipa::ToSchema;

/// A part of what a mind was shown.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(super) struct ContextPart {
    /// `tools`, `identity`, `rules`, `wishes`, `omitted`, `history`, `moment`, `section`, `own` or `message`.
    part: &'static str,
    /// Its name for people; of a section its title.
    title: &'static str,
    /// Its size in Unicode scalar values.
    chars: u64,
    /// Its size in tokens, estimated.
    tokens: u64,
    /// Its text; empty for tools and history, which stand beside the parts.
    text: String,
}

impl ContextPart {
    fn new(part: &'static str, title: &'static str, text: &str) -> Self {
        let chars = text.chars().count() as u64;
        Self { part, title, chars, tokens: estimate_tokens(text), text: text.trim().to_owned() }
    }
}

/// The parts of a context. Together they are all of it: what has no text is left out.
pub(super) fn of(
    context: &Context,
    stimulus: &StimulusAccepted,
    tools: &[ToolSpec],
) -> Vec<ContextPart> {
    let zone = &context.time_zone;
    let stable = &context.parts.stable;
    let tools = tools.iter().fold(String::new(), |texts, tool| {
        format!("{texts}{}{}{}", tool.name, tool.description, tool.parameters)
    });
    let history = context.history.iter().fold(String::new(), |texts, exchange| {
        format!("{texts}{}\n{}{}", exchange.label(zone), exchange.stimulus, exchange.reply)
    });
    let label = message_label(&stimulus.sender, stimulus.channel, stimulus.sent_at, zone);
    let message = format!("{label}\n{}", stimulus.content);
    // The title and the line that says what time it is stand above the first section.
    let moment = context.object.split("\n## ").next().unwrap_or_default();
    let mut parts = vec![
        ContextPart { text: String::new(), ..ContextPart::new("tools", "Tools", &tools) },
        ContextPart::new("identity", "Who you are", &stable.identity),
        ContextPart::new("rules", "Rules", &stable.rules),
        ContextPart::new("wishes", "Standing wishes", &stable.wishes),
        ContextPart::new("omitted", "What was left out", &stable.omitted),
        ContextPart { text: String::new(), ..ContextPart::new("history", "History", &history) },
        ContextPart::new("moment", "This moment", moment),
    ];
    let sections = SECTIONS.into_iter().zip(&context.parts.sections);
    parts.extend(sections.map(|(title, text)| ContextPart::new("section", title, text)));
    parts.push(ContextPart::new("own", "Own entries", &context.parts.own));
    parts.push(ContextPart::new("decks", "Reviews of decks", &context.parts.deck_notes));
    parts.push(ContextPart::new("message", "Message", &message));
    parts.retain(|part| part.chars > 0);
    parts
}
