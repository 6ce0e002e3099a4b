//! Dreams: what an agent wrote down while it slept, by reference, and their files.
//!
//! A fold of `memory.dream_*`. The texts stay in the ledger; the list holds names, titles and places. A name is matched
//! against the list, never against the disk. Nothing of a dream enters a prompt by itself.
//!
//! Reading order: here the list; `file` (the projection `dreams/<date>-<short name>.md`).

use std::collections::{HashMap, HashSet};

use abide_domain::{
    EntityName, EpochId, SleepId, Timestamp,
    event::{DreamWritten, Event, MemoryEvent, SleepEvent},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

mod file;

pub use file::{DreamFileError, DreamFiles};

use crate::{
    DurableEvent,
    staging::{MemoryStep, Staging},
};

/// Longest short name of a dream, in bytes.
const SLUG_BYTES_MAX: usize = 48;

/// A dream by reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dream {
    /// Its name in the list.
    pub filename: String,
    /// Its title, one line.
    pub title: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// The sleep that wrote it.
    pub sleep_id: SleepId,
    /// The line that holds its text.
    pub seq: u64,
    sha256: [u8; 32],
}

/// The dreams of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dreams {
    entity: EntityName,
    applied_seq: u64,
    /// Oldest first.
    list: Vec<Dream>,
    /// Those that left the list, so that their files can be known for theirs.
    gone: Vec<Dream>,
    staged: Staging<String>,
    /// The epochs that each sleep with a dream in the list read.
    read: HashMap<SleepId, HashSet<EpochId>>,
    /// The sleep that is under way.
    asleep: Option<(SleepId, HashSet<EpochId>)>,
    /// The sequence of the newest event with which a dream left the list because of what it read.
    forgotten_seq: Option<u64>,
    /// What open epochs take back.
    forgets: Staging<Vec<EpochId>>,
}

impl Dreams {
    /// No dreams yet, of one agent; events of others are skipped.
    pub fn new(entity: EntityName) -> Self {
        Self {
            entity,
            applied_seq: 0,
            list: Vec::new(),
            gone: Vec::new(),
            staged: Staging::default(),
            read: HashMap::new(),
            asleep: None,
            forgotten_seq: None,
            forgets: Staging::default(),
        }
    }

    /// Folds one durable event in. Events up to the newest seen are skipped.
    pub fn apply(&mut self, applied: &DurableEvent<'_>) {
        if applied.seq <= self.applied_seq || *applied.entity != self.entity {
            return;
        }
        self.applied_seq = applied.seq;
        if let Event::Sleep(SleepEvent::Started(started)) = applied.event {
            self.asleep = Some((started.sleep_id, started.epochs.iter().copied().collect()));
        }
        match MemoryStep::of(applied) {
            MemoryStep::InForce(MemoryEvent::DreamWritten(dream)) => {
                self.forget(&dream.filename);
                if let Some((sleep, epochs)) = self.asleep.take_if(|(id, _)| *id == dream.sleep_id)
                {
                    self.read.insert(sleep, epochs);
                }
                self.list.push(Dream::of(dream, applied));
            }
            MemoryStep::InForce(MemoryEvent::DreamForgotten(dream)) => self.forget(&dream.filename),
            MemoryStep::Stage(epoch, MemoryEvent::DreamForgotten(dream)) => {
                self.staged.hold(epoch, dream.filename.clone());
            }
            MemoryStep::InForce(MemoryEvent::Forgotten(forgotten)) => {
                self.forget_read(&forgotten.epochs);
            }
            MemoryStep::Stage(epoch, MemoryEvent::Forgotten(forgotten)) => {
                self.forgets.hold(epoch, forgotten.epochs.clone());
            }
            MemoryStep::Commit(epoch, _) => {
                for epochs in self.forgets.take(epoch) {
                    self.forget_read(&epochs);
                }
                for name in self.staged.take(epoch) {
                    self.forget(&name);
                }
            }
            MemoryStep::Abort(epoch) => {
                self.staged.take(epoch);
                self.forgets.take(epoch);
            }
            MemoryStep::Stage(..) | MemoryStep::InForce(_) | MemoryStep::Other => {}
        }
    }

    /// All that are in the list, newest first.
    pub fn list(&self) -> impl ExactSizeIterator<Item = &Dream> {
        self.list.iter().rev()
    }

    /// One by its name.
    pub fn get(&self, filename: &str) -> Option<&Dream> {
        self.list.iter().find(|dream| dream.filename == filename)
    }

    /// A name that no dream of the list has: the day, then the title in a short form.
    pub fn free_name(&self, day: Timestamp, title: &str) -> String {
        let day: String = day.to_string().chars().take(10).collect();
        let base = format!("{day}-{}", slug(title));
        let name = |number: usize| match number {
            1 => format!("{base}.md"),
            number => format!("{base}-{number}.md"),
        };
        // One more name than there are dreams: one of them is free.
        (1..=self.list.len() + 1)
            .map(name)
            .find(|name| self.get(name).is_none())
            .unwrap_or_else(|| name(1))
    }

    /// Its part of `state_digest`.
    pub fn state_parts(&self) -> Value {
        let dreams =
            self.list.iter().map(|dream| json!([dream.filename, hex::encode(dream.sha256)]));
        dreams.collect()
    }

    /// Whether dreams left the list with the event of that sequence, because of what they read.
    pub fn has_forgotten_at(&self, seq: u64) -> bool {
        self.forgotten_seq == Some(seq)
    }

    /// Those that left the list.
    pub fn gone(&self) -> &[Dream] {
        &self.gone
    }

    fn forget(&mut self, filename: &str) {
        self.forget_if(|dream| dream.filename == filename);
    }

    /// A dream may say anything of what its sleep read in other words: it goes with any exchange that was taken back.
    fn forget_read(&mut self, bound: &[EpochId]) {
        let has_read = |epochs: &HashSet<EpochId>| bound.iter().any(|epoch| epochs.contains(epoch));
        let sleeps = self.read.iter().filter(|(_, epochs)| has_read(epochs));
        let sleeps: HashSet<SleepId> = sleeps.map(|(sleep, _)| *sleep).collect();
        if !sleeps.is_empty() {
            self.forgotten_seq = Some(self.applied_seq);
            self.forget_if(|dream| sleeps.contains(&dream.sleep_id));
        }
    }

    fn forget_if(&mut self, is_gone: impl Fn(&Dream) -> bool) {
        let gone = self.list.extract_if(.., |dream| is_gone(dream));
        self.gone.extend(gone);
        let list = &self.list;
        self.read.retain(|sleep, _| list.iter().any(|dream| dream.sleep_id == *sleep));
    }
}

impl Dream {
    fn of(written: &DreamWritten, applied: &DurableEvent<'_>) -> Self {
        Self {
            filename: written.filename.clone(),
            title: written.title.clone(),
            created_at: applied.at,
            sleep_id: written.sleep_id,
            seq: applied.seq,
            sha256: Sha256::digest(written.content.as_bytes()).into(),
        }
    }

    /// Whether a text is this dream's.
    pub fn is_text(&self, content: &[u8]) -> bool {
        <[u8; 32]>::from(Sha256::digest(content)) == self.sha256
    }
}

/// A title as a part of a file's name: small letters, digits and hyphens.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for word in title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if slug.len() + word.len() >= SLUG_BYTES_MAX {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word.to_ascii_lowercase());
    }
    if slug.is_empty() { "dream".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        EntityName, SleepId, Timestamp,
        event::{DreamForgotten, DreamWritten, Event},
    };
    use uuid::Uuid;

    use super::{Dreams, slug};
    use crate::DurableEvent;

    fn fold(dreams: &mut Dreams, seq: u64, event: impl Into<Event>) {
        let (entity, event) = ("@felix".parse::<EntityName>().unwrap(), event.into());
        let at = Timestamp::from_micros(1_795_817_403_000_000);
        dreams.apply(&DurableEvent {
            seq,
            at,
            entity: &entity,
            author: &entity,
            epoch: None,
            event: &event,
        });
    }

    fn written(filename: &str) -> DreamWritten {
        let sleep_id = SleepId::from_uuid(Uuid::from_u128(1));
        DreamWritten {
            filename: filename.into(),
            title: "A dream".into(),
            content: "# A dream\n".into(),
            sleep_id,
        }
    }

    #[test]
    fn the_list_is_newest_first_and_forgotten_ones_are_not_in_it() {
        let mut dreams = Dreams::new("@felix".parse().unwrap());
        fold(&mut dreams, 1, written("a.md"));
        fold(&mut dreams, 2, written("b.md"));
        fold(&mut dreams, 2, written("c.md"));
        let names = |dreams: &Dreams| dreams.list().map(|d| d.filename.clone()).collect::<Vec<_>>();
        assert_eq!(names(&dreams), ["b.md", "a.md"]);
        fold(&mut dreams, 3, DreamForgotten { filename: "b.md".into(), reason: None });
        assert_eq!(names(&dreams), ["a.md"]);
        assert!(dreams.get("a.md").unwrap().is_text(b"# A dream\n"));
    }

    #[test]
    fn names_are_short_safe_and_free() {
        assert_eq!(slug("The race / that: wasn't"), "the-race-that-wasn-t");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("\u{590d}"), "dream");
        assert!(slug(&"long word ".repeat(40)).len() < 60);
        let mut dreams = Dreams::new("@felix".parse().unwrap());
        let at = Timestamp::from_micros(1_795_817_403_000_000);
        assert_eq!(dreams.free_name(at, "Sea"), "2026-11-27-sea.md");
        fold(&mut dreams, 1, written("2026-11-27-sea.md"));
        assert_eq!(dreams.free_name(at, "Sea"), "2026-11-27-sea-2.md");
    }
}
