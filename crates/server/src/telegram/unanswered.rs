//! Which answers are not sent yet, from the ledger alone: the key of a stimulus is its place in its chat, and
//! `channel.answered` says that its answer was sent, or given up.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use abide_channels::telegram::MessageLocation;
use abide_domain::{
    EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{ChannelAnswered, ChannelEvent, Event},
};
use abide_engine::{Keeper, state::EpochRecord};
use abide_ledger::{AppendError, Draft, Ledger, Query, ReadError};

/// An answer to a message older than this is not sent any more: nobody waits for it.
const AGE_MAX: Duration = Duration::from_hours(7 * 24);
/// The beginning of keys.
const PREFIX: &str = "telegram:";
/// The event that says that an answer was sent, or given up.
const ANSWERED: &str = "channel.answered";

/// The key of a message: what makes it one stimulus however often it comes.
pub(super) fn idempotency_key(spot: MessageLocation) -> String {
    format!("{PREFIX}{spot}")
}

/// The conversation of a chat.
pub(super) fn session_id(chat: i64) -> String {
    format!("{PREFIX}{chat}")
}

/// The message that an epoch answers, where it came by Telegram.
pub(super) fn location_of(record: &EpochRecord) -> Option<MessageLocation> {
    let stimulus = &record.stimulus;
    let key = &stimulus.idempotency.as_ref()?.key;
    (stimulus.channel == Channel::Telegram).then(|| parse_key(key))?
}

fn parse_key(key: &str) -> Option<MessageLocation> {
    key.strip_prefix(PREFIX)?.parse().ok()
}

/// The epochs that answer messages in these chats and whose answers are not known to be sent, the oldest first.
pub(super) async fn find_unanswered(
    keeper: &Keeper,
    chats: &BTreeSet<i64>,
    now: Timestamp,
) -> Result<BTreeMap<EpochId, MessageLocation>, ReadError> {
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
                unanswered.insert(used.epoch, spot);
            }
        }
    }
    if unanswered.is_empty() {
        return Ok(unanswered);
    }
    let ledger = keeper.ledger().clone();
    let read = move || {
        for epoch in answered(&ledger, first_seq)? {
            unanswered.remove(&epoch);
        }
        Ok(unanswered)
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_else(|error| {
        tracing::error!(channel = "telegram", event = "unanswered_unreadable", %error, "the search for unsent answers ended early; answers from before this start are not sent");
        Ok(BTreeMap::new())
    })
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

fn answered(ledger: &Ledger, after: u64) -> Result<Vec<EpochId>, ReadError> {
    let kinds = vec![ANSWERED.to_owned()];
    let query = Query { kinds, after, ..Query::default() };
    let epoch = |record: Result<abide_ledger::Record, ReadError>| {
        record.map(|record| record.epoch().and_then(|epoch| epoch.parse().ok())).transpose()
    };
    ledger.query(query).filter_map(epoch).collect()
}

/// Records that an answer was sent; with zero people, that it was given up.
pub(super) async fn record_answered(
    keeper: &Keeper,
    record: &EpochRecord,
    people: u64,
) -> Result<(), AppendError> {
    let answered = ChannelAnswered { channel: Channel::Telegram, people };
    let draft = Draft {
        entity: record.agent.entity(),
        author: EntityName::keeper(),
        epoch: Some(record.id),
        event: Event::Channel(ChannelEvent::Answered(answered)),
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

    use super::{idempotency_key, parse_key, session_id};

    #[test]
    fn a_message_is_found_by_its_key_and_other_keys_are_ignored() {
        let spot = MessageLocation { chat: -1001, message: 9 };
        assert_eq!(idempotency_key(spot), "telegram:-1001:9");
        assert_eq!(parse_key(&idempotency_key(spot)), Some(spot));
        assert_eq!(session_id(-1001), "telegram:-1001");
        for other in ["", "abc", "telegram:", "telegram:7", "telegram:a:b", "-1001:9"] {
            assert_eq!(parse_key(other), None, "{other}");
        }
    }
}
