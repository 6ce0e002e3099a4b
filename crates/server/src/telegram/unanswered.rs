//! Which answers are not sent yet, from the ledger alone: the key of a stimulus is its place in its chat, `channel.sending` says
//! that its answer is about to leave, and `channel.answered` that it was sent, or given up.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use abide_channels::telegram::MessageLocation;
use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp,
    envelope::{Channel, TELEGRAM_SESSION},
    event::{
        ChannelAnswered, ChannelEvent, ChannelMaybeSent, ChannelSending, ChannelUnsent, Event,
        StimulusAccepted, StimulusEvent,
    },
};
use abide_engine::{Keeper, state::EpochRecord};
use abide_ledger::{AppendError, Draft, Ledger, Query, QueryOrder, ReadError, Record};

/// An answer to a message older than this is not sent any more: nobody waits for it.
const AGE_MAX: Duration = Duration::from_hours(7 * 24);
/// The beginning of keys.
const PREFIX: &str = "telegram:";
/// The event that says that an answer was sent, or given up.
const ANSWERED: &str = "channel.answered";
/// The event that says what an epoch is to answer.
const ACCEPTED: &str = "stimulus.accepted";
/// The number of no message: what the clock brings up answers none.
pub(super) const NO_MESSAGE: i64 = 0;
/// The events that a wake and a schedule leave under the epoch that they caused.
const BY_CLOCK: [&str; 2] = ["wake.fired", "wake.ran"];
/// Most of these that are looked at, the newest.
const BY_CLOCK_MAX: usize = 1_000;
/// Marks in a key when a message was changed.
const EDITED: &str = ":e";

/// The key of a message: what makes it one stimulus however often it comes. One that was changed is another stimulus.
pub(super) fn idempotency_key(spot: MessageLocation, edited: i64) -> String {
    if edited == 0 { format!("{PREFIX}{spot}") } else { format!("{PREFIX}{spot}{EDITED}{edited}") }
}

/// The conversation of a chat, or of one topic of a forum.
pub(super) fn session_id(chat: i64, topic: Option<i64>) -> String {
    let topic = topic.map(|topic| format!("/{topic}")).unwrap_or_default();
    format!("{TELEGRAM_SESSION}{chat}{topic}")
}

/// The topic of a forum in which an epoch was asked.
pub(super) fn topic_of(record: &EpochRecord) -> Option<i64> {
    topic_of_session(&record.stimulus.session_id)
}

fn topic_of_session(session: &str) -> Option<i64> {
    session.strip_prefix(TELEGRAM_SESSION)?.split_once('/')?.1.parse().ok()
}

fn chat_of_session(session: &str) -> Option<i64> {
    let place = session.strip_prefix(TELEGRAM_SESSION)?;
    place.split_once('/').map_or(place, |(chat, _)| chat).parse().ok()
}

/// The message that an epoch answers, where it came by Telegram; its chat alone, where the clock brought it up there.
pub(super) fn location_of(record: &EpochRecord) -> Option<MessageLocation> {
    location_of_stimulus(&record.stimulus)
}

/// The same of a stimulus.
pub(super) fn location_of_stimulus(stimulus: &StimulusAccepted) -> Option<MessageLocation> {
    if stimulus.cause.is_some() {
        let chat = chat_of_session(stimulus.telegram_session()?)?;
        return Some(MessageLocation { chat, message: NO_MESSAGE });
    }
    let key = &stimulus.idempotency.as_ref()?.key;
    (stimulus.channel == Channel::Telegram).then(|| parse_key(key))?
}

fn parse_key(key: &str) -> Option<MessageLocation> {
    let place = key.strip_prefix(PREFIX)?;
    let place = match place.split_once(EDITED) {
        Some((place, moment)) if moment.parse::<i64>().is_ok() => place,
        _ => place,
    };
    place.parse().ok()
}

/// The epochs that ended and answer something in a chat, the newest first; of one message, where that is named.
pub(super) fn ended_answers(
    keeper: &Keeper,
    chat: i64,
    about: Option<i64>,
) -> BTreeSet<std::cmp::Reverse<EpochId>> {
    let state = keeper.state();
    let is_it = |key: &str| {
        parse_key(key).is_some_and(|spot| {
            spot.chat == chat && about.is_none_or(|message| spot.message == message)
        })
    };
    let used = state.keys.iter().filter(|(key, _)| is_it(key)).map(|(_, used)| used.epoch);
    let ended = used.filter(|epoch| state.epochs.get(epoch).is_some_and(|span| span.end.is_some()));
    ended.map(std::cmp::Reverse).collect()
}

/// The epoch of what a message said last, as far as that was taken.
pub(super) fn newest_version(keeper: &Keeper, spot: MessageLocation) -> Option<EpochId> {
    let state = keeper.state();
    // Most of what is changed in a group was never taken: that is known without a look at all keys.
    state.keys.get(&idempotency_key(spot, 0))?;
    let versions = state.keys.iter().filter(|(key, _)| parse_key(key) == Some(spot));
    versions.max_by_key(|(_, used)| used.seq).map(|(_, used)| used.epoch)
}

/// How far the sending of an answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendState {
    /// Its next part did not leave.
    Not,
    /// Its next part was about to leave: it may have been sent.
    Sending,
    /// It is on the record that its next part may have been sent.
    Unsure,
    /// An earlier version of the keeper, which announced no parts, was about to send it: any part may have been sent.
    AllUnsure,
}

/// What the ledger says of the sending of an answer, whose parts are sent one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SendProgress {
    /// How many of its parts are done with: sent, or given up because they may have been.
    pub(super) parts: usize,
    /// What is known of the next one.
    pub(super) state: SendState,
    /// Whether one of them may have been sent.
    pub(super) is_in_doubt: bool,
}

impl SendProgress {
    /// Nothing of it was sent.
    pub(super) const NONE: Self = Self { parts: 0, state: SendState::Not, is_in_doubt: false };

    /// Follows an event. Every part is announced, so that the announcement of one says that those before it are done with.
    fn follow(&mut self, event: &ChannelEvent) {
        match event {
            ChannelEvent::Sending(ChannelSending { part: Some(part), .. }) => {
                self.parts = usize::try_from(*part).unwrap_or(usize::MAX);
                self.state = SendState::Sending;
            }
            ChannelEvent::Sending(ChannelSending { part: None, .. }) => {
                self.state = SendState::AllUnsure;
                self.is_in_doubt = true;
            }
            ChannelEvent::Unsent(_) => {
                self.is_in_doubt &= self.state != SendState::AllUnsure;
                self.state = SendState::Not;
            }
            ChannelEvent::MaybeSent(_) if self.state != SendState::AllUnsure => {
                self.state = SendState::Unsure;
                self.is_in_doubt = true;
            }
            _ => {}
        }
    }
}

/// The epochs that answer messages in these chats and whose answers are not known to be sent, the oldest first.
pub(super) async fn find_unanswered(
    keeper: &Keeper,
    chats: &BTreeSet<i64>,
    now: Timestamp,
) -> Result<BTreeMap<EpochId, (MessageLocation, SendProgress)>, ReadError> {
    let mut first_seq = u64::MAX;
    let mut unanswered = BTreeMap::new();
    {
        let state = keeper.state();
        for (key, used) in &state.keys {
            let Some(spot) = parse_key(key).filter(|spot| chats.contains(&spot.chat)) else {
                continue;
            };
            if is_recent(used.epoch, now) {
                first_seq = first_seq.min(used.seq);
                unanswered.insert(used.epoch, (spot, SendProgress::NONE));
            }
        }
    }
    let (ledger, chats) = (keeper.ledger().clone(), chats.clone());
    let read = move || {
        for (epoch, seq, spot) in by_clock(&ledger, now)? {
            if chats.contains(&spot.chat) {
                first_seq = first_seq.min(seq);
                unanswered.insert(epoch, (spot, SendProgress::NONE));
            }
        }
        if !unanswered.is_empty() {
            apply_sent(&ledger, first_seq, &mut unanswered)?;
        }
        Ok(unanswered)
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| {
        tracing::error!(channel = "telegram", event = "unanswered_unreadable", %error, "the search for unsent answers ended early; answers from before this start are not sent");
        Ok(BTreeMap::new())
    })
}

/// What the clock brought up in chats of late: the epoch, where that begins in the ledger, and its place.
fn by_clock(
    ledger: &Ledger,
    now: Timestamp,
) -> Result<Vec<(EpochId, u64, MessageLocation)>, ReadError> {
    let kinds = BY_CLOCK.map(str::to_owned).to_vec();
    let order = QueryOrder::NewestFirst;
    let fired = Query { kinds, order, limit: BY_CLOCK_MAX, ..Query::default() };
    let mut found = Vec::new();
    for record in ledger.query(fired) {
        let Some(epoch) = record?.epoch().and_then(|epoch| epoch.parse().ok()) else { continue };
        if !is_recent(epoch, now) {
            break;
        }
        let kinds = vec![ACCEPTED.to_owned()];
        let accepted = Query { kinds, epoch: Some(epoch), limit: 1, ..Query::default() };
        let Some(record) = ledger.query(accepted).next().transpose()? else { continue };
        found.extend(clock_location(&record).map(|spot| (epoch, record.seq(), spot)));
    }
    Ok(found)
}

/// Where the clock brought something up, if a line of the ledger says that it did.
pub(super) fn clock_location(record: &Record) -> Option<MessageLocation> {
    if record.kind() != ACCEPTED {
        return None;
    }
    match record.entry().ok()?.event {
        Event::Stimulus(StimulusEvent::Accepted(stimulus)) if stimulus.cause.is_some() => {
            location_of_stimulus(&stimulus)
        }
        _ => None,
    }
}

/// Whether the answer of an epoch is known to be sent, or given up.
pub(super) async fn is_answered(keeper: &Keeper, epoch: EpochId) -> Result<bool, ReadError> {
    let ledger = keeper.ledger().clone();
    let after = keeper.state().epochs.get(&epoch).map_or(0, |span| span.first_seq);
    let read = move || {
        let kinds = vec![ANSWERED.to_owned()];
        let query = Query { kinds, epoch: Some(epoch), after, limit: 1, ..Query::default() };
        Ok(ledger.query(query).next().transpose()?.is_some())
    };
    tokio::task::spawn_blocking(read).await.unwrap_or(Ok(false))
}

/// Takes out what is answered, and notes what may have been sent.
fn apply_sent(
    ledger: &Ledger,
    after: u64,
    unanswered: &mut BTreeMap<EpochId, (MessageLocation, SendProgress)>,
) -> Result<(), ReadError> {
    let kinds = ["sending", "unsent", "maybe_sent"].map(|kind| format!("channel.{kind}"));
    let kinds = kinds.into_iter().chain([ANSWERED.to_owned()]).collect();
    for record in ledger.query(Query { kinds, after, ..Query::default() }) {
        let record = record?;
        let Some(epoch) = record.epoch().and_then(|epoch| epoch.parse().ok()) else { continue };
        if record.kind() == ANSWERED {
            unanswered.remove(&epoch);
        } else if let Some((_, progress)) = unanswered.get_mut(&epoch) {
            let Ok(entry) = record.entry() else { continue };
            if let Event::Channel(event) = entry.event {
                progress.follow(&event);
            }
        }
    }
    Ok(())
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SendStep {
    /// A part of it is about to leave, counted from 0.
    Sending {
        /// Which.
        part: usize,
    },
    /// That part did not leave, for certain.
    Unsent,
    /// Nobody can know whether that part was sent.
    MaybeSent,
    /// It was sent to so many; with none, it was given up. Or only the remark was sent that it may have been.
    Answered {
        /// How many.
        people: u64,
        /// Whether it was the remark.
        maybe_sent: bool,
    },
}

/// Records what becomes of an answer.
pub(super) async fn record_step(
    keeper: &Keeper,
    (epoch, agent): (EpochId, &AgentId),
    step: SendStep,
) -> Result<(), AppendError> {
    let channel = Channel::Telegram;
    let event = match step {
        SendStep::Sending { part } => {
            let part = Some(u64::try_from(part).unwrap_or(u64::MAX));
            ChannelEvent::Sending(ChannelSending { channel, part })
        }
        SendStep::Unsent => ChannelEvent::Unsent(ChannelUnsent { channel }),
        SendStep::MaybeSent => ChannelEvent::MaybeSent(ChannelMaybeSent { channel }),
        SendStep::Answered { people, maybe_sent } => {
            ChannelEvent::Answered(ChannelAnswered { channel, people, maybe_sent })
        }
    };
    let draft = Draft {
        entity: agent.entity(),
        author: EntityName::keeper(),
        epoch: Some(epoch),
        event: Event::Channel(event),
    };
    keeper.ledger().append(vec![draft]).await.map(drop)
}

/// Whether an epoch was accepted so recently that its answer is still wanted.
pub(super) fn is_recent(epoch: EpochId, now: Timestamp) -> bool {
    let accepted = epoch.uuid().get_timestamp().map(|at| at.to_unix());
    accepted.is_some_and(|(seconds, _)| {
        let micros = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000_000);
        now.since(Timestamp::from_micros(micros)) < AGE_MAX
    })
}

#[cfg(test)]
mod tests {
    use abide_channels::telegram::MessageLocation;
    use abide_domain::{
        envelope::Channel,
        event::{ChannelEvent, ChannelMaybeSent, ChannelSending, ChannelUnsent},
    };

    use super::{
        SendProgress, SendState, idempotency_key, parse_key, session_id, topic_of_session,
    };

    #[test]
    fn which_part_is_in_doubt_is_on_the_record_and_all_of_it_is_where_no_part_is() {
        use SendState::{AllUnsure, Not, Sending, Unsure};
        let channel = Channel::Telegram;
        let sending = |part| ChannelEvent::Sending(ChannelSending { channel, part });
        let unsent = || ChannelEvent::Unsent(ChannelUnsent { channel });
        let maybe_sent = || ChannelEvent::MaybeSent(ChannelMaybeSent { channel });
        let of = |part| sending(Some(part));
        for (events, expected) in [
            (vec![], (0, Not, false)),
            (vec![of(0)], (0, Sending, false)),
            (vec![of(0), unsent()], (0, Not, false)),
            (vec![of(0), unsent(), of(0)], (0, Sending, false)),
            (vec![of(0), of(1), of(2)], (2, Sending, false)),
            (vec![of(0), of(1), unsent()], (1, Not, false)),
            (vec![of(0), maybe_sent()], (0, Unsure, true)),
            (vec![of(0), maybe_sent(), of(1)], (1, Sending, true)),
            (vec![of(0), maybe_sent(), of(1), of(2), unsent()], (2, Not, true)),
            (vec![sending(None)], (0, AllUnsure, true)),
            (vec![sending(None), maybe_sent()], (0, AllUnsure, true)),
            (vec![sending(None), unsent()], (0, Not, false)),
        ] {
            let mut progress = SendProgress::NONE;
            for event in &events {
                progress.follow(event);
            }
            let progress = (progress.parts, progress.state, progress.is_in_doubt);
            assert_eq!(progress, expected, "{events:?}");
        }
    }

    #[test]
    fn a_message_is_found_by_its_key_and_other_keys_are_ignored() {
        let spot = MessageLocation { chat: -1001, message: 9 };
        assert_eq!(idempotency_key(spot, 0), "telegram:-1001:9");
        assert_eq!(idempotency_key(spot, 17), "telegram:-1001:9:e17");
        assert_eq!(parse_key(&idempotency_key(spot, 0)), Some(spot));
        assert_eq!(parse_key(&idempotency_key(spot, 17)), Some(spot), "answered where it stands");
        assert_eq!(session_id(-1001, None), "telegram:-1001");
        assert_eq!(session_id(-1001, Some(12)), "telegram:-1001/12");
        assert_eq!(topic_of_session("telegram:-1001/12"), Some(12));
        assert_eq!(topic_of_session("telegram:-1001"), None);
        for other in ["", "abc", "telegram:", "telegram:7", "telegram:a:b", "-1001:9"] {
            assert_eq!(parse_key(other), None, "{other}");
        }
    }
}
