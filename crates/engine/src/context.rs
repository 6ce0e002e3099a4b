//! What a mind is shown, made from the state and from what the Dreamer found: first what stays (who it is, the rules, the
//! person's standing wishes, the history), then what holds at this moment (the context object) and the message.
//!
//! A pure function of the state when the epoch opened, of the recorded exploration and of memories that never change. The
//! ledger keeps only references, counts and a digest of it ([`ContextAssembled`]); folding the ledger up to that point and
//! rendering again gives the same text, and the digest proves it. No clock stands before the end of the history, so that a
//! provider's prompt cache holds all of that from message to message.
//!
//! Reading order: [`ContextInput`] (what the state gives, copied under its lock), [`ContextInput::render`]; then `stable`
//! (the texts that stay) and `own_entries`.

use std::sync::Arc;

use abide_domain::{
    EpochId, Sharing, Zone,
    envelope::{DriverOutput, StimulusEnvelope},
    event::{
        AgentRegistered, ContextAssembled, ContextTokens, DeckNotesShown, Exploration,
        HistoryWindow, OfferedTools, OwnEntries, StimulusAccepted,
    },
    tool::ToolSpec,
    turn::Exchange,
};
use abide_memory::{
    CONTEXT_TOKENS_MAX, ContextObject, HistoryScope, Listener, Origin, ReferenceLookup,
    RenderInput, Window, estimate_tokens, render,
};
use sha2::{Digest as _, Sha256};

use crate::state::{AgentState, EpochRecord};

mod deck_notes;
mod own_entries;
mod stable;

pub use self::stable::StableTexts;

/// The version of this renderer; it changes with every change of its output.
pub const RENDERER: u32 = abide_memory::RENDERER_VERSION;
/// The share of a prompt, in hundredths, that context and history may fill; the rest is for the steps of the epoch.
const SHARE_PERCENT: u64 = 75;
/// Of that, one part in so many is the most that the context object may have where a prompt is short: what was just said
/// comes before what was remembered.
const OBJECT_SHARE: u64 = 4;

/// A context, rendered.
#[derive(Clone, Debug)]
pub struct Context {
    /// What stays from message to message: who the agent is, the rules, the person's standing wishes.
    pub system: Arc<str>,
    /// What holds at this moment: the context object and, where they are shown, the agent's own entries.
    pub object: Arc<str>,
    /// The exchanges shown, oldest first.
    pub history: Arc<[Exchange]>,
    /// The zone of whoever reads.
    pub time_zone: Zone,
    /// The texts that the above are made of, for people.
    pub parts: ContextParts,
    /// What the ledger keeps of it.
    pub assembled: ContextAssembled,
}

/// The texts of a context, one by one.
#[derive(Clone, Debug)]
pub struct ContextParts {
    /// Those that stay.
    pub stable: StableTexts,
    /// The sections of the context object, in their order, headings included.
    pub sections: [String; 7],
    /// The agent's own entries; empty where none are shown.
    pub own: String,
    /// What people did with changes of decks that it proposed; empty where nothing is shown.
    pub deck_notes: String,
}

/// How much a context may hold, and of what.
#[derive(Clone, Debug)]
pub struct ContextScope {
    /// Tokens of the whole prompt.
    pub tokens_max: u64,
    /// Which conversations it shows.
    pub history: History,
    /// Who may be told what.
    pub sharing: Sharing,
    /// Which of the agent's own entries, if any.
    pub own: Option<OwnEntries>,
    /// What of what people did with changes of decks that it proposed, if anything.
    pub deck_notes: Option<DeckNotesShown>,
    /// The zone of whoever reads.
    pub time_zone: Zone,
    /// The tools that are offered beside it.
    pub tools: Option<OfferedTools>,
}

/// Which conversations a prompt shows (`context.history`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum History {
    /// All of the agent's: perfect recall.
    #[default]
    Agent,
    /// Only the conversation of the stimulus.
    Session,
}

/// What the state gives for a context: copied under its lock, so that no memory is read while the lock is held.
#[derive(Debug)]
pub struct ContextInput {
    stimulus: Arc<StimulusAccepted>,
    envelope: StimulusEnvelope,
    last_output_epoch: Option<EpochId>,
    profile: Option<AgentRegistered>,
    identity_version: u64,
    stable: StableTexts,
    window: Window,
    /// The most that the context object may have.
    object_tokens_max: u64,
    sharing: Sharing,
    /// The agent's own entries, rendered, and which they are.
    own: Option<(OwnEntries, String)>,
    /// The notes about decks, rendered, and which they are.
    deck_notes: Option<(DeckNotesShown, String)>,
    time_zone: Zone,
    tools: Option<OfferedTools>,
}

/// Who hears what an epoch answers.
pub(crate) fn listener_of(sharing: Sharing, stimulus: &StimulusAccepted) -> Listener<'_> {
    let StimulusAccepted { channel, session_id, sender, .. } = stimulus;
    Listener::of(sharing, Origin { channel: *channel, session: session_id, sender })
}

/// What an agent said last in the session of an epoch, and in which epoch, where it may be told there.
pub(crate) fn last_output(
    state: Option<&AgentState>,
    (stimulus, sharing): (&StimulusAccepted, Sharing),
) -> Option<(EpochId, DriverOutput)> {
    let listener = listener_of(sharing, stimulus);
    state?.short_term.last_reply_for(&stimulus.session_id, &listener)
}

/// Where the sender of an epoch's stimulus is, as far as that was said.
pub(crate) fn sender_zone(record: &EpochRecord) -> Option<Zone> {
    Zone::named(record.stimulus.sender_zone.as_deref()?).ok()
}

/// The envelope of a stimulus as the Dreamer sees it: with the agent's last words (decision 4).
pub(crate) fn envelope_of(record: &EpochRecord, last: Option<DriverOutput>) -> StimulusEnvelope {
    let stimulus = &record.stimulus;
    StimulusEnvelope {
        content: stimulus.content.clone(),
        sender: stimulus.sender.clone(),
        channel: stimulus.channel,
        timestamp: stimulus.sent_at,
        sender_zone: sender_zone(record),
        last_driver_output: last,
        citizen: record.agent.clone(),
        session_id: Some(stimulus.session_id.clone()),
    }
}

impl ContextInput {
    /// Copies what the context of an epoch needs.
    pub fn of(state: &AgentState, record: &EpochRecord, scope: ContextScope) -> Self {
        let identity = state.identity.current();
        let text = identity.map_or("", |known| &known.content);
        let version = identity.map_or(0, |known| known.version);
        Self { identity_version: version, ..Self::with_identity(state, record, scope, text) }
    }

    /// The same with another identity document, which is no version of the agent's.
    pub(crate) fn with_identity(
        state: &AgentState,
        record: &EpochRecord,
        scope: ContextScope,
        text: &str,
    ) -> Self {
        let stimulus = record.stimulus.clone();
        let (last_output_epoch, last) =
            last_output(Some(state), (&stimulus, scope.sharing)).unzip();
        let share = scope.tokens_max * SHARE_PERCENT / 100;
        let object_tokens_max = CONTEXT_TOKENS_MAX.min(share / OBJECT_SHARE);
        let own = scope
            .own
            .and_then(|own| own_entries::render(&state.own_log, own, share / OBJECT_SHARE));
        let own_tokens = own.as_ref().map_or(0, |(_, text)| estimate_tokens(text));
        let deck_notes = scope
            .deck_notes
            .and_then(|shown| deck_notes::render(&state.deck_notes, shown, share / OBJECT_SHARE));
        let deck_tokens = deck_notes.as_ref().map_or(0, |(_, text)| estimate_tokens(text));
        let (sender, session) = (stimulus.sender.as_str(), stimulus.session_id.as_str());
        let wishes = state.wishes.of(sender, stimulus.channel, session);
        let mut stable = StableTexts::new(text, sender, wishes, &scope.time_zone);
        // The context object's share is reserved, not counted: what is found must not move the window.
        let fixed = stable.tokens_max()
            + object_tokens_max
            + own_tokens
            + deck_tokens
            + estimate_tokens(&stimulus.content);
        let history = match scope.history {
            History::Agent => HistoryScope::Agent,
            History::Session => HistoryScope::Session(&stimulus.session_id),
        };
        let listener = listener_of(scope.sharing, &stimulus);
        let tokens_max = share.saturating_sub(fixed);
        let window = state.short_term.window_for(history, &listener, tokens_max);
        stable.tell_omitted(window.omitted);
        let (envelope, profile) = (envelope_of(record, last), state.profile.clone());
        Self {
            identity_version: u64::from(!text.is_empty()),
            stimulus,
            envelope,
            last_output_epoch,
            profile,
            stable,
            window,
            object_tokens_max,
            sharing: scope.sharing,
            own,
            deck_notes,
            time_zone: scope.time_zone,
            tools: scope.tools,
        }
    }

    /// Renders the context of what an exploration found.
    pub fn render(self, exploration: &Exploration, lookup: &dyn ReferenceLookup) -> Context {
        let ContextObject { text: mut object, sections, .. } = self.object(exploration, lookup);
        let (own, own_text) = self.own.unzip();
        let own_text = own_text.unwrap_or_default();
        object.push_str(&own_text);
        let (deck_notes, deck_text) = self.deck_notes.unzip();
        let deck_text = deck_text.unwrap_or_default();
        object.push_str(&deck_text);
        let system = self.stable.text();
        let content = &self.stimulus.content;
        let history = self.window.exchanges;
        let assembled = ContextAssembled {
            renderer: RENDERER,
            identity: self.identity_version,
            history: HistoryWindow {
                from: history.first().map(|exchange| exchange.epoch),
                epochs: history.len() as u64,
                omitted: self.window.omitted,
            },
            exploration: Some(exploration.clone()),
            own,
            deck_notes,
            sharing: Some(self.sharing),
            tokens: ContextTokens {
                system: estimate_tokens(&system),
                object: estimate_tokens(&object),
                history: self.window.tokens,
                stimulus: estimate_tokens(content),
            },
            time_zone: Some(self.time_zone.name().to_owned()),
            tools: self.tools,
            sha256: digest([&system, &object], &history, content),
        };
        Context {
            system: system.into(),
            object: object.into(),
            history,
            time_zone: self.time_zone,
            parts: ContextParts {
                stable: self.stable,
                sections,
                own: own_text,
                deck_notes: deck_text,
            },
            assembled,
        }
    }

    fn object(&self, exploration: &Exploration, lookup: &dyn ReferenceLookup) -> ContextObject {
        let input = RenderInput {
            envelope: &self.envelope,
            last_output_epoch: self.last_output_epoch,
            profile: self.profile.as_ref(),
            history: &self.window.exchanges,
            sharing: self.sharing,
            is_introduced: self.identity_version > 0,
            zone: &self.time_zone,
            tokens_max: self.object_tokens_max,
        };
        render(&input, exploration, lookup)
    }
}

/// What the ledger keeps of the tools that a mind is offered.
pub fn offered_tools(tools: &[ToolSpec]) -> OfferedTools {
    let mut hasher = Sha256::new();
    let mut tokens = 0;
    for tool in tools {
        let parameters = tool.parameters.to_string();
        for text in [&tool.name, &tool.description, &parameters] {
            hasher.update((text.len() as u64).to_be_bytes());
            hasher.update(text.as_bytes());
            tokens += estimate_tokens(text);
        }
    }
    OfferedTools { count: tools.len() as u64, tokens, sha256: hex::encode(hasher.finalize()) }
}

fn digest(texts: [&str; 2], history: &[Exchange], stimulus: &str) -> String {
    let mut hasher = Sha256::new();
    let mut part = |text: &str| {
        // Lengths keep the boundary between two parts in the digest.
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    };
    texts.into_iter().for_each(&mut part);
    for exchange in history {
        part(&exchange.sender);
        part(exchange.channel.as_str());
        part(&exchange.sent_at.to_string());
        part(&exchange.stimulus);
        part(&exchange.reply);
    }
    part(stimulus);
    hex::encode(hasher.finalize())
}
