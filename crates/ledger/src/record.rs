//! One line as it is read: the raw text with its fields found, and the decoded [`Entry`].
//!
//! A record shares the text it was read from: whoever keeps many of them calls `detach`, or whole pages stay in memory.

use std::{fmt, sync::Arc};

use abide_domain::{EntityName, EpochId, Timestamp, event::Event, event::EventError};
use serde::{Deserialize, Serialize};

use crate::line::{Layout, LedgerLineError};

/// One line of the ledger, raw. Cloning is cheap.
#[derive(Clone)]
pub struct Record {
    text: Arc<String>,
    from: usize,
    to: usize,
    layout: Layout,
}

/// A decoded line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, dense from 1.
    pub seq: u64,
    /// The world's tick.
    pub tick: u64,
    /// When it was committed.
    pub timestamp: Timestamp,
    /// The agent that it is about; `@keeper` for the keeper itself.
    pub entity: EntityName,
    /// Who caused it.
    pub author: EntityName,
    /// The epoch that it belongs to.
    pub epoch: Option<EpochId>,
    /// What happened.
    pub event: Event,
}

/// Says why a line cannot be decoded although its checksum is right.
#[derive(Debug, thiserror::Error)]
#[error("the line with seq {seq} cannot be decoded")]
pub struct EntryError {
    /// Its number.
    pub seq: u64,
    /// Why.
    pub source: EntryDecodeError,
}

/// Which part of a line cannot be decoded.
#[derive(Debug, thiserror::Error)]
pub enum EntryDecodeError {
    /// The event.
    #[error(transparent)]
    Event(#[from] EventError),
    /// Another field.
    #[error("its field `{0}` is malformed")]
    Field(&'static str),
}

impl Record {
    /// Finds the fields of the line at a range of a text, checking its checksum.
    pub(crate) fn read(
        text: &Arc<String>,
        from: usize,
        to: usize,
    ) -> Result<Self, LedgerLineError> {
        let layout = Layout::read(text.as_bytes().get(from..to).unwrap_or_default())?;
        Ok(Self { text: Arc::clone(text), from, to, layout })
    }

    /// Finds the fields of a line that this process stamped itself.
    pub(crate) fn find(
        text: &Arc<String>,
        from: usize,
        to: usize,
    ) -> Result<Self, LedgerLineError> {
        let layout = Layout::find(text.as_bytes().get(from..to).unwrap_or_default())?;
        Ok(Self { text: Arc::clone(text), from, to, layout })
    }

    /// Reads a line without its newline, checking its checksum and the form of every field but the data.
    pub fn parse(line: &str) -> Result<Self, LedgerLineError> {
        let text = Arc::new(line.to_owned());
        Self::read(&text, 0, line.len())
    }

    /// The line without its newline.
    pub fn line(&self) -> &str {
        self.text.get(self.from..self.to).unwrap_or_default()
    }

    /// Its number.
    pub fn seq(&self) -> u64 {
        self.layout.seq
    }

    /// The world's tick.
    pub fn tick(&self) -> u64 {
        self.layout.tick
    }

    /// When it was committed, as text.
    pub fn timestamp(&self) -> &str {
        self.layout.timestamp.text(self.line())
    }

    /// The agent that it is about, with its `@`.
    pub fn entity(&self) -> &str {
        self.layout.entity.text(self.line())
    }

    /// Who caused it, with its `@`.
    pub fn author(&self) -> &str {
        self.layout.author.text(self.line())
    }

    /// The epoch that it belongs to, as text.
    pub fn epoch(&self) -> Option<&str> {
        self.layout.epoch.map(|epoch| epoch.text(self.line()))
    }

    /// The kind of its event.
    pub fn kind(&self) -> &str {
        self.layout.kind.text(self.line())
    }

    /// The version of its data.
    pub fn version(&self) -> u32 {
        self.layout.version
    }

    /// The data of its event: one JSON object as it stands.
    pub fn data(&self) -> &str {
        self.layout.data.text(self.line())
    }

    /// The chain value, 64 hex digits, if the line ends a batch.
    pub fn chain(&self) -> Option<&str> {
        let from = self.layout.chain_at? + 10;
        self.line().get(from..from + 64)
    }

    /// Decodes the line.
    pub fn entry(&self) -> Result<Entry, EntryError> {
        self.decode().map_err(|source| EntryError { seq: self.seq(), source })
    }

    fn decode(&self) -> Result<Entry, EntryDecodeError> {
        let field = EntryDecodeError::Field;
        Ok(Entry {
            seq: self.seq(),
            tick: self.tick(),
            timestamp: self.timestamp().parse().map_err(|_| field("timestamp"))?,
            entity: self.entity().parse().map_err(|_| field("entity"))?,
            author: self.author().parse().map_err(|_| field("author"))?,
            epoch: self.epoch().map(str::parse).transpose().map_err(|_| field("epoch"))?,
            event: Event::decode(self.kind(), self.version(), self.data())?,
        })
    }

    /// The same line in memory of its own, so that it does not keep a whole page alive.
    #[must_use]
    pub fn detach(&self) -> Self {
        let line = self.line().to_owned();
        Self { to: line.len(), from: 0, text: Arc::new(line), layout: self.layout.clone() }
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Record").field(&self.line()).finish()
    }
}

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.line() == other.line()
    }
}

impl Eq for Record {}
