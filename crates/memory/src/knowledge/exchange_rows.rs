//! Rows of what was said: a committed epoch becomes an exchange with its parts, in a conversation (decision 11). Parts are read
//! and shown in passages (`passage_rows`).
//!
//! A conversation is a run of exchanges of one session without a pause of an hour. Nothing here is ever changed but the
//! end of the newest conversation of a session. Written by `apply`.

use std::sync::Arc;

use abide_domain::{Timestamp, Zone, envelope::Channel, event::MemoryRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use sha2::{Digest as _, Sha256};

pub(super) use super::passage_rows::seq_and_part;
use super::{
    change::IndexChange,
    columns::{from_sql, parse_column, parse_named, row_count, to_sql},
    items::{ExchangeStamps, RecalledPassage},
    parts::{PARTS_MAX, cut},
    passage_rows::{
        part_and_passage, part_row, passage_row, passages_of, seq_and_part_of_row, shown,
    },
    transaction::{BatchWriter, WriteError},
};
use crate::open_epoch::EndedEpoch;

/// A pause of this many microseconds ends a conversation: one hour.
const PAUSE_MICROS: i64 = 3_600_000_000;

/// The columns that [`stamps_from_row`] reads.
const STAMPS: &str = "seq, epoch, conversation, session, sender, channel, sent_at, replied_at, \
                      emotive_state, stimulus_parts, parts, previous, sender_zone";

/// What was not taken back (`forget_rows`).
const RECALLABLE: &str = "epoch NOT IN (SELECT epoch FROM bound_epochs)";

/// Adds the exchange that was committed at a sequence.
pub(super) fn add(
    writing: &mut BatchWriter<'_>,
    seq: u64,
    ended: &EndedEpoch,
) -> Result<(), WriteError> {
    let exchange = &ended.exchange;
    let mut texts = cut(&exchange.stimulus, PARTS_MAX / 2);
    let stimulus_parts = texts.len();
    texts.extend(cut(&exchange.reply, PARTS_MAX - stimulus_parts));
    let (conversation, previous) = assign_conversation(writing.connection, seq, ended)?;
    let stamps = ExchangeStamps {
        seq,
        epoch: exchange.epoch,
        conversation,
        previous: previous.map(from_sql),
        session: ended.session.to_string(),
        sender: exchange.sender.clone(),
        channel: exchange.channel,
        sent_at: exchange.sent_at,
        sender_zone: ended.sender_zone.clone(),
        replied_at: exchange.replied_at,
        emotive_state: ended.emotive_state.clone(),
        stimulus_parts: u32::try_from(stimulus_parts).unwrap_or(u32::MAX),
        parts: u32::try_from(texts.len()).unwrap_or(u32::MAX),
    };
    insert(writing.connection, (&stamps, previous), &texts)?;
    update_digest(writing.connection, &stamps)?;
    writing.note(|| IndexChange::Exchange {
        stamps,
        texts: texts.iter().map(|text| (*text).to_owned()).collect(),
    });
    Ok(())
}

/// Says which conversation an exchange belongs to and which exchange of it comes before, and moves its end.
fn assign_conversation(
    connection: &Connection,
    seq: u64,
    ended: &EndedEpoch,
) -> Result<(u64, Option<i64>), WriteError> {
    let exchange = &ended.exchange;
    let newest: Option<(i64, i64, i64)> = connection
        .prepare_cached(
            "SELECT id, last_at, last_seq FROM conversations WHERE session = ?1
             ORDER BY id DESC LIMIT 1",
        )?
        .query_row([&*ended.session], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let (sent_at, replied_at) = (exchange.sent_at.as_micros(), exchange.replied_at.as_micros());
    if let Some((id, last_at, last_seq)) = newest
        && sent_at.saturating_sub(last_at) < PAUSE_MICROS
    {
        connection
            .prepare_cached(
                "UPDATE conversations SET last_at = MAX(last_at, ?2), last_seq = ?3,
                                          exchanges = exchanges + 1 WHERE id = ?1",
            )?
            .execute([id, replied_at, to_sql(seq)])?;
        return Ok((from_sql(id), Some(last_seq)));
    }
    connection
        .prepare_cached(
            "INSERT INTO conversations(id, session, first_at, last_at, last_seq, exchanges)
             VALUES (?1, ?2, ?3, ?4, ?1, 1)",
        )?
        .execute(params![to_sql(seq), &*ended.session, sent_at, replied_at])?;
    Ok((seq, None))
}

fn insert(
    connection: &Connection,
    (stamps, previous): (&ExchangeStamps, Option<i64>),
    texts: &[&str],
) -> Result<(), WriteError> {
    connection
        .prepare_cached(
            "INSERT INTO exchanges(seq, epoch, conversation, session, sender, channel, sent_at,
                                   replied_at, emotive_state, stimulus_parts, parts, previous,
                                   sender_zone)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            to_sql(stamps.seq),
            stamps.epoch.to_string(),
            to_sql(stamps.conversation),
            stamps.session,
            stamps.sender,
            stamps.channel.as_str(),
            stamps.sent_at.as_micros(),
            stamps.replied_at.as_micros(),
            stamps.emotive_state,
            stamps.stimulus_parts,
            stamps.parts,
            previous,
            stamps.sender_zone,
        ])?;
    let mut statement = connection
        .prepare_cached("INSERT INTO passages(id, cut_into, text) VALUES (?1, ?2, ?3)")?;
    for (part, text) in (0..).zip(texts) {
        let cut_into = row_count(passages_of(text).len());
        statement.execute(params![to_sql(part_row(stamps.seq, part)), cut_into, text])?;
    }
    Ok(())
}

/// Keeps number and digest of what was said up to date, so that the state's digest needs no walk over all of it.
fn update_digest(connection: &Connection, stamps: &ExchangeStamps) -> Result<(), WriteError> {
    let before: Vec<u8> = connection
        .prepare_cached("SELECT said_digest FROM meta WHERE id = 1")?
        .query_row([], |row| row.get(0))?;
    let mut hash = Sha256::new();
    hash.update(before);
    hash.update(stamps.epoch.uuid().as_bytes());
    hash.update(stamps.parts.to_le_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    connection
        .prepare_cached("UPDATE meta SET exchanges = exchanges + 1, said_digest = ?1 WHERE id = 1")?
        .execute([digest.as_slice()])?;
    Ok(())
}

/// The first row that the exchange of a sequence could have.
pub(super) fn first_row(seq: u64) -> u64 {
    passage_row(part_row(seq, 0), 0)
}

/// The row of a passage that was read; of a whole part, that of its first passage.
pub(super) fn passage_row_of(passage: &RecalledPassage) -> u64 {
    let (seq, named) = match passage.reference {
        MemoryRef::Passage { seq, part } => (seq, part),
        MemoryRef::Fact { seq } | MemoryRef::Node { seq } => (seq, 0),
    };
    let (part, number) = part_and_passage(named);
    passage_row(part_row(seq, part), number.unwrap_or(0))
}

fn stamps_from_row(row: &Row<'_>) -> rusqlite::Result<ExchangeStamps> {
    Ok(ExchangeStamps {
        seq: from_sql(row.get(0)?),
        epoch: parse_column(row, 1)?,
        conversation: from_sql(row.get(2)?),
        session: row.get(3)?,
        sender: row.get(4)?,
        channel: parse_named(row, 5, Channel::from_name)?,
        sent_at: Timestamp::from_micros(row.get(6)?),
        replied_at: Timestamp::from_micros(row.get(7)?),
        emotive_state: row.get(8)?,
        stimulus_parts: row.get(9)?,
        parts: row.get(10)?,
        previous: row.get::<_, Option<i64>>(11)?.map(from_sql),
        sender_zone: row.get(12)?,
    })
}

/// The stamps of the exchange that was committed at a sequence.
pub(super) fn stamps(
    connection: &Connection,
    seq: u64,
) -> rusqlite::Result<Option<Arc<ExchangeStamps>>> {
    connection
        .prepare_cached(&format!("SELECT {STAMPS} FROM exchanges WHERE seq = ?1"))?
        .query_row([to_sql(seq)], stamps_from_row)
        .optional()
        .map(|stamps| stamps.map(Arc::new))
}

/// The stamps of the newest exchanges, with somebody or with anybody, newest first.
pub(super) fn newest(
    connection: &Connection,
    sender: Option<&str>,
    limit: usize,
) -> rusqlite::Result<Vec<Arc<ExchangeStamps>>> {
    let filter = if sender.is_some() { "sender = ?1" } else { "?1 = ''" };
    let sql = format!(
        "SELECT {STAMPS} FROM exchanges WHERE {filter} AND {RECALLABLE} ORDER BY seq DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![sender.unwrap_or_default(), limit], stamps_from_row)?;
    rows.map(|stamps| stamps.map(Arc::new)).collect()
}

/// A conversation as it stands.
pub(super) struct ConversationRow {
    pub(super) first_at: Timestamp,
    pub(super) last_at: Timestamp,
    pub(super) exchanges: u64,
}

pub(super) fn conversation(
    connection: &Connection,
    id: u64,
) -> rusqlite::Result<Option<ConversationRow>> {
    connection
        .prepare_cached("SELECT first_at, last_at, exchanges FROM conversations WHERE id = ?1")?
        .query_row([to_sql(id)], |row| {
            Ok(ConversationRow {
                first_at: Timestamp::from_micros(row.get(0)?),
                last_at: Timestamp::from_micros(row.get(1)?),
                exchanges: from_sql(row.get(2)?),
            })
        })
        .optional()
}

/// The newest exchanges of a conversation, newest first.
pub(super) fn of_conversation(
    connection: &Connection,
    id: u64,
    limit: usize,
) -> rusqlite::Result<Vec<Arc<ExchangeStamps>>> {
    let mut next: Option<i64> = connection
        .prepare_cached("SELECT last_seq FROM conversations WHERE id = ?1")?
        .query_row([to_sql(id)], |row| row.get(0))
        .optional()?;
    let mut found = Vec::new();
    while let Some(seq) = next.filter(|_| found.len() < limit) {
        let is_recallable: bool = connection
            .prepare_cached(&format!("SELECT {RECALLABLE} FROM exchanges WHERE seq = ?1"))?
            .query_row([seq], |row| row.get(0))
            .optional()?
            .unwrap_or(false);
        if is_recallable {
            found.extend(stamps(connection, from_sql(seq))?);
        }
        next = connection
            .prepare_cached("SELECT previous FROM exchanges WHERE seq = ?1")?
            .query_row([seq], |row| row.get(0))
            .optional()?
            .flatten();
    }
    Ok(found)
}

/// The stamps of the exchanges that follow one in its conversation, in order.
pub(super) fn following(
    connection: &Connection,
    after: &ExchangeStamps,
    limit: usize,
) -> rusqlite::Result<Vec<Arc<ExchangeStamps>>> {
    let sql = format!(
        "SELECT {STAMPS} FROM exchanges WHERE conversation = ?1 AND seq > ?2
           AND seq <= (SELECT last_seq FROM conversations WHERE id = ?1)
         ORDER BY seq LIMIT ?3"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let parameters = params![to_sql(after.conversation), to_sql(after.seq), limit];
    let rows = statement.query_map(parameters, stamps_from_row)?;
    rows.map(|stamps| stamps.map(Arc::new)).collect()
}

/// What a reference's number names of an exchange: a passage, or a whole part.
pub(super) fn passage(
    connection: &Connection,
    agent: &str,
    stamps: &Arc<ExchangeStamps>,
    named: u32,
) -> rusqlite::Result<Option<RecalledPassage>> {
    let (part, _) = part_and_passage(named);
    let text: Option<String> = connection
        .prepare_cached("SELECT text FROM passages WHERE id = ?1")?
        .query_row([to_sql(part_row(stamps.seq, part))], |row| row.get(0))
        .optional()?;
    let shown = text.and_then(|text| shown(named, text));
    Ok(shown.map(|(named, text)| recalled_passage(agent, stamps, (named, part), text)))
}

fn recalled_passage(
    agent: &str,
    stamps: &Arc<ExchangeStamps>,
    (named, part): (u32, u32),
    text: String,
) -> RecalledPassage {
    RecalledPassage {
        reference: MemoryRef::Passage { seq: stamps.seq, part: named },
        text,
        speaker: stamps.speaker(agent, part).to_owned(),
        by_agent: stamps.is_by_agent(part),
        at: stamps.at(part),
        exchange: stamps.clone(),
        strength: 1.0,
    }
}

impl ExchangeStamps {
    /// Where its sender was then, if that was said and is known.
    pub(crate) fn zone(&self) -> Option<Zone> {
        Zone::named(self.sender_zone.as_deref()?).ok()
    }

    /// Whether the agent said a part.
    pub(super) const fn is_by_agent(&self, part: u32) -> bool {
        part >= self.stimulus_parts
    }

    /// Who said a part.
    pub(super) fn speaker<'a>(&'a self, agent: &'a str, part: u32) -> &'a str {
        if self.is_by_agent(part) { agent } else { &self.sender }
    }

    /// When a part was said.
    pub(super) const fn at(&self, part: u32) -> Timestamp {
        if self.is_by_agent(part) { self.replied_at } else { self.sent_at }
    }
}

/// Walks over all parts that were not taken back, in order.
pub(super) fn for_each(
    connection: &Connection,
    mut visit: impl FnMut(&ExchangeStamps, u32, &str),
) -> rusqlite::Result<()> {
    let mut texts = connection.prepare("SELECT id, text FROM passages ORDER BY id")?;
    let mut texts = texts.query([])?;
    let sql = format!("SELECT {STAMPS} FROM exchanges WHERE {RECALLABLE} ORDER BY seq");
    let mut all = connection.prepare(&sql)?;
    let mut all = all.query_map([], stamps_from_row)?;
    let mut current: Option<ExchangeStamps> = None;
    while let Some(row) = texts.next()? {
        let (seq, part) = seq_and_part_of_row(from_sql(row.get(0)?));
        while current.as_ref().is_none_or(|stamps| stamps.seq < seq) {
            match all.next() {
                Some(stamps) => current = Some(stamps?),
                None => return Ok(()),
            }
        }
        if let Some(stamps) = current.as_ref().filter(|stamps| stamps.seq == seq) {
            visit(stamps, part, row.get_ref(1)?.as_str()?);
        }
    }
    Ok(())
}

/// All of it for the dump, line by line.
pub(super) fn dump(
    connection: &Connection,
    mut line: impl FnMut(serde_json::Value),
) -> rusqlite::Result<()> {
    let mut all = connection.prepare(
        "SELECT id, session, first_at, last_at, exchanges FROM conversations ORDER BY id",
    )?;
    let mut rows = all.query([])?;
    while let Some(row) = rows.next()? {
        let (id, session): (i64, String) = (row.get(0)?, row.get(1)?);
        let (first, last, exchanges): (i64, i64, i64) = (row.get(2)?, row.get(3)?, row.get(4)?);
        line(
            serde_json::json!({"conversation": id, "session": session, "first_at": first, "last_at": last, "exchanges": exchanges}),
        );
    }
    for_each(connection, |stamps, part, text| {
        line(
            serde_json::json!({"said": format!("c{}/{part}", stamps.seq), "epoch": stamps.epoch, "conversation": stamps.conversation, "session": stamps.session, "sender": stamps.sender, "channel": stamps.channel, "sent_at": stamps.sent_at, "replied_at": stamps.replied_at, "emotive_state": stamps.emotive_state, "stimulus_parts": stamps.stimulus_parts, "parts": stamps.parts, "text": text}),
        );
    })
}
