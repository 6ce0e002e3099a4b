//! What a mind is told of the tools for decks.

use abide_domain::tool::{EffectClass, ToolSpec};
use serde_json::{Value, json};

/// Most cards that a search or a recommendation gives a mind.
pub(super) const FOUND_MAX: usize = 30;

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    Create,
    Load,
    State,
    SearchCards,
    Propose,
    Recommend,
    Export,
}

impl Job {
    /// All of them.
    pub(super) const ALL: [Self; 7] = [
        Self::Create,
        Self::Load,
        Self::State,
        Self::SearchCards,
        Self::Propose,
        Self::Recommend,
        Self::Export,
    ];
}

/// What a mind is told of a tool: its name, its effect, what it does, which arguments it must have, and all that it may have.
struct SpecWords {
    name: &'static str,
    effect: EffectClass,
    about: &'static str,
    required: &'static [&'static str],
    properties: Value,
}

/// The specification of a tool. All may run twice: what they stage is the same but for its id.
pub(super) fn spec_of(job: Job) -> ToolSpec {
    let SpecWords { name, effect, about, required, properties } = match job {
        Job::Create | Job::Load | Job::Propose => words_of_changes(job),
        Job::State | Job::SearchCards | Job::Recommend | Job::Export => words_of_reading(job),
    };
    ToolSpec {
        name: name.to_owned(),
        description: about.to_owned(),
        parameters: json!({
            "type": "object", "additionalProperties": false, "required": required, "properties": properties,
        }),
        effect,
        idempotent: true,
    }
}

fn deck_id() -> Value {
    json!({"type": ["string", "null"], "description": "the deck; the loaded one unless given"})
}

fn words_of_changes(job: Job) -> SpecWords {
    let effect = EffectClass::State;
    match job {
        Job::Create => SpecWords {
            name: "deck.create",
            effect,
            about: "Makes a Magic deck (Commander) out of a list, or an empty one, and loads it.",
            required: &["name"],
            properties: json!({
                "name": {"type": "string"},
                "cards": {"type": ["string", "null"], "description": "a deck list, a card a line: 1 Sol Ring"},
                "commander": {"type": ["string", "null"], "description": "the name of the card that leads it"}
            }),
        },
        Job::Load => SpecWords {
            name: "deck.load",
            effect,
            about: "Makes a deck the one that you work with.",
            required: &["deck_id"],
            properties: json!({"deck_id": {"type": "string"}}),
        },
        _ => SpecWords {
            name: "deck.propose",
            effect,
            about: "Proposes changes of a deck. A person decides on each line; nothing changes before. Do not repeat what was refused.",
            required: &["deck_rev", "reason", "ops"],
            properties: json!({
                "deck_id": deck_id(),
                "deck_rev": {"type": "integer", "minimum": 1, "description": "the revision that deck.state showed"},
                "reason": {"type": "string", "description": "why, in a sentence or two"},
                "ops": {"type": "array", "minItems": 1, "maxItems": 200, "items": line_schema()}
            }),
        },
    }
}

fn words_of_reading(job: Job) -> SpecWords {
    let effect = EffectClass::Read;
    let limit = json!({"type": ["integer", "null"], "minimum": 1, "maximum": FOUND_MAX});
    match job {
        Job::State => SpecWords {
            name: "deck.state",
            effect,
            about: "Shows a deck: cards, revision, what is not legal, curve, price, and what became of your proposals.",
            required: &[],
            properties: json!({"deck_id": deck_id()}),
        },
        Job::SearchCards => SpecWords {
            name: "deck.search_cards",
            effect,
            about: "Finds Magic cards by words of name, types or text, within the colours of the loaded deck. t:elf, o:draw, c:g and mv:2 narrow it.",
            required: &["query"],
            properties: json!({
                "query": {"type": "string"},
                "any_colours": {"type": ["boolean", "null"], "description": "true: of all colours"},
                "limit": limit
            }),
        },
        Job::Recommend => SpecWords {
            name: "deck.recommend",
            effect,
            about: "Names cards that fit the commander of the loaded deck and are not in it, and says where that comes from.",
            required: &[],
            properties: json!({"limit": limit}),
        },
        _ => SpecWords {
            name: "deck.export",
            effect,
            about: "Gives a deck as text.",
            required: &[],
            properties: json!({
                "deck_id": deck_id(),
                "format": {"type": ["string", "null"], "enum": ["arena", "moxfield", "mtgo_text", "mtgo_dek", "archidekt", null]}
            }),
        },
    }
}

fn line_schema() -> Value {
    let zone = json!({"type": ["string", "null"], "enum": ["commander", "companion", "main", "sideboard", "maybeboard", null]});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["op"],
        "properties": {
            "op": {
                "type": "string",
                "enum": ["add", "remove", "set_count", "move", "swap", "set_commanders", "set_tags", "rename"],
                "description": "swap takes `card` out for `into`"
            },
            "card": {"type": ["string", "null"], "description": "its English name"},
            "count": {"type": ["integer", "null"], "minimum": 0, "description": "1 unless given"},
            "zone": zone,
            "set": {"type": ["string", "null"], "description": "code of a set, where the printing matters"},
            "into": {"type": ["string", "null"]},
            "to": zone,
            "tags": {"type": ["array", "null"], "items": {"type": "string"}},
            "name": {"type": ["string", "null"]},
            "cards": {"type": ["array", "null"], "items": {"type": "string"}, "description": "of set_commanders"}
        }
    })
}
