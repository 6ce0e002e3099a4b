//! What mpv is to do and what it is at, pure: requests, lines and time in; lines to send and events out.
//!
//! The wish outlives mpv. A process that died or hangs is replaced, and the new one is asked for what the wish says, from the
//! last place that was heard of.

use std::{collections::VecDeque, time::Duration};

use serde_json::Value;

use super::command::MpvCommand;
use crate::{
    entry::EntryId,
    limits::{FIRST_REPLY_MAX, REPLY_MAX, REQUESTS_MAX, STUCK_MAX},
    player::state::{
        EntryEnd, PlayIntent, PlayItem, PlayerEvent, PlayerState, PlayerStatus, Volume,
    },
};

/// How often mpv is asked to go on after it paused by itself.
const RESUMES_MAX: u32 = 5;

/// What somebody asks of the player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MpvRequest {
    Load { item: PlayItem, from: Duration, intent: PlayIntent },
    SetNext(Option<PlayItem>),
    SetPaused(bool),
    Stop,
    Seek(Duration),
    SetVolume(Volume),
}

/// What comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MpvEffect {
    /// Goes to mpv as it is.
    Send(Vec<u8>),
    /// Goes to whoever listens.
    Say(PlayerEvent),
    /// mpv hangs.
    Kill(String),
}

/// What is wanted, whatever becomes of a process.
#[derive(Debug, Default)]
struct Wish {
    current: Option<WantedItem>,
    next: Option<PlayItem>,
    is_paused: bool,
    volume: Volume,
}

#[derive(Debug)]
struct WantedItem {
    item: PlayItem,
    /// Where it was last heard of, or sent to.
    position: Duration,
    duration: Option<Duration>,
    is_announced: bool,
}

impl WantedItem {
    fn new(item: PlayItem, position: Duration) -> Self {
        Self { item, position, duration: None, is_announced: false }
    }
}

/// What a reply is to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// A file, for an entry.
    File(EntryId),
    Position,
    Duration,
    Other,
}

/// One process.
#[derive(Debug, Default)]
struct MpvLink {
    last_request: u64,
    /// How long a reply may take.
    reply_max: Duration,
    /// In the order of asking.
    unanswered: VecDeque<(u64, Asked, Duration)>,
    /// mpv's numbers of files and ours.
    files: VecDeque<(i64, EntryId)>,
    /// mpv's number of the file that it is at.
    at: Option<i64>,
    is_loaded: bool,
    is_paused: bool,
    /// The next entry, once it was handed over.
    handed_over: Option<EntryId>,
    /// To where, once the file is loaded.
    seek_later: Option<Duration>,
    /// Positions that were asked for before this request are of another place.
    positions_from: u64,
    moved_at: Duration,
    resumes: u32,
}

/// Files whose numbers are remembered: the present one, the next one, and those that were just replaced.
const FILES_KEPT: usize = 8;

/// The state of the player over all its processes.
#[derive(Debug, Default)]
pub(super) struct MpvSession {
    wish: Wish,
    link: Option<MpvLink>,
    is_down: bool,
    effects: Vec<MpvEffect>,
}

impl MpvSession {
    /// What has to be done since the last time this was asked.
    pub(super) fn take_effects(&mut self) -> Vec<MpvEffect> {
        std::mem::take(&mut self.effects)
    }

    /// Whether there is something that a process is needed for.
    pub(super) fn needs_process(&self) -> bool {
        self.wish.current.is_some() && self.link.is_none()
    }

    pub(super) fn state(&self) -> PlayerState {
        let current = self.wish.current.as_ref();
        let is_paused = self.link.as_ref().map_or(self.wish.is_paused, |link| link.is_paused);
        let status = match (current, self.is_down, is_paused) {
            (None, false, _) => PlayerStatus::Idle,
            (_, true, _) => PlayerStatus::Down,
            (Some(_), false, true) => PlayerStatus::Paused,
            (Some(_), false, false) => PlayerStatus::Playing,
        };
        PlayerState {
            status,
            is_wanted: !self.wish.is_paused,
            entry: current.map(|current| current.item.entry),
            next: self.wish.next.as_ref().map(|next| next.entry),
            position_ms: current.map_or(0, |current| millis(current.position)),
            duration_ms: current.and_then(|current| current.duration).map(millis),
            volume: self.wish.volume,
        }
    }

    pub(super) fn request(&mut self, request: MpvRequest, now: Duration) {
        match request {
            MpvRequest::Load { item, from, intent } => {
                self.wish.current = Some(WantedItem::new(item, from));
                self.wish.next = None;
                self.wish.is_paused = intent == PlayIntent::Pause;
                self.load(now);
            }
            MpvRequest::SetNext(next) => self.set_next(next, now),
            MpvRequest::SetPaused(is_paused) => {
                self.wish.is_paused = is_paused;
                if let Some(link) = &mut self.link {
                    (link.resumes, link.moved_at) = (0, now);
                }
                self.send(&MpvCommand::SetPause(is_paused), Asked::Other, now);
            }
            MpvRequest::Stop => {
                (self.wish.current, self.wish.next) = (None, None);
                self.forget_files();
                self.send(&MpvCommand::Stop, Asked::Other, now);
                self.say(PlayerEvent::Changed);
            }
            MpvRequest::Seek(to) => self.seek(to, now),
            MpvRequest::SetVolume(volume) => {
                self.wish.volume = volume;
                self.send(&MpvCommand::SetVolume(volume.percent()), Asked::Other, now);
                self.say(PlayerEvent::Changed);
            }
        }
    }

    /// A new process is there.
    pub(super) fn connected(&mut self, now: Duration) {
        self.link =
            Some(MpvLink { moved_at: now, reply_max: FIRST_REPLY_MAX, ..MpvLink::default() });
        self.is_down = false;
        self.send(&MpvCommand::ObservePause, Asked::Other, now);
        self.send(&MpvCommand::SetVolume(self.wish.volume.percent()), Asked::Other, now);
        if self.wish.current.is_some() {
            self.load(now);
            self.append_next(now);
        }
    }

    /// The process is gone. The wish stays.
    pub(super) fn disconnected(&mut self) {
        self.link = None;
    }

    /// No process can be started.
    pub(super) fn down(&mut self, reason: String) {
        self.is_down = true;
        self.say(PlayerEvent::Down { reason });
    }

    /// Once a second: asks where it is, and notices what hangs or is stuck.
    pub(super) fn tick(&mut self, now: Duration) {
        let Some(link) = &mut self.link else {
            return;
        };
        let oldest = link.unanswered.front().map(|(_, _, asked_at)| *asked_at);
        if oldest.is_some_and(|asked_at| now.saturating_sub(asked_at) >= link.reply_max) {
            let reason = format!("gave no reply for {} seconds", link.reply_max.as_secs());
            self.effects.push(MpvEffect::Kill(reason));
            return;
        }
        if link.reply_max == REPLY_MAX
            && !link.is_paused
            && now.saturating_sub(link.moved_at) >= STUCK_MAX
        {
            let reason = "did not move for 5 seconds".to_owned();
            // It is still at the present one, so the next one has to be loaded as any other.
            link.handed_over = None;
            if let Some(current) = &self.wish.current {
                let entry = current.item.entry;
                self.ended(entry, EntryEnd::Failed { reason }, now);
                if self.wish.current.is_none() {
                    self.send(&MpvCommand::Stop, Asked::Other, now);
                }
            }
        } else if link.is_paused && !self.wish.is_paused && link.resumes < RESUMES_MAX {
            // The output is gone; the wish is not.
            link.resumes += 1;
            self.send(&MpvCommand::SetPause(false), Asked::Other, now);
        }
        self.send(&MpvCommand::GetPosition, Asked::Position, now);
    }

    /// A line of mpv.
    pub(super) fn line(&mut self, line: &[u8], now: Duration) {
        let Ok(value) = serde_json::from_str::<Value>(&String::from_utf8_lossy(line)) else {
            return;
        };
        match value.get("event").and_then(Value::as_str) {
            None => self.reply(&value, now),
            Some("start-file") => self.start_file(&value, now),
            Some("file-loaded") => self.file_loaded(now),
            Some("playback-restart") => {
                if let Some(link) = &mut self.link {
                    link.moved_at = now;
                }
                self.append_next(now);
            }
            Some("end-file") => self.end_file(&value, now),
            Some("property-change") => self.property(&value, now),
            Some(_) => {}
        }
    }

    fn reply(&mut self, value: &Value, now: Duration) {
        let Some(link) = &mut self.link else {
            return;
        };
        let Some(number) = value.get("request_id").and_then(Value::as_u64) else {
            return;
        };
        let Some(place) = link.unanswered.iter().position(|(asked, _, _)| *asked == number) else {
            return;
        };
        let Some((_, asked, _)) = link.unanswered.remove(place) else {
            return;
        };
        if link.reply_max != REPLY_MAX {
            // It runs now; what was asked before is asked from here on.
            (link.reply_max, link.moved_at) = (REPLY_MAX, now);
            link.unanswered.iter_mut().for_each(|(_, _, asked_at)| *asked_at = now);
        }
        let is_done = value.get("error").and_then(Value::as_str) == Some("success");
        let answer = value.get("data");
        match asked {
            Asked::File(entry) if is_done => {
                let number = answer.and_then(|data| data.get("playlist_entry_id")?.as_i64());
                if let Some(number) = number {
                    link.files.push_back((number, entry));
                    if link.files.len() > FILES_KEPT {
                        link.files.pop_front();
                    }
                }
                self.announce();
            }
            Asked::File(entry) => {
                let reason = "mpv refused the file".to_owned();
                self.ended(entry, EntryEnd::Failed { reason }, now);
            }
            Asked::Position if is_done && number > link.positions_from => {
                self.position(answer.and_then(seconds), now);
            }
            Asked::Duration if is_done => {
                if let Some(current) = &mut self.wish.current {
                    current.duration = answer.and_then(seconds);
                }
                self.say(PlayerEvent::Changed);
            }
            Asked::Position | Asked::Duration | Asked::Other => {}
        }
    }

    fn position(&mut self, position: Option<Duration>, now: Duration) {
        let (Some(position), Some(current), Some(link)) =
            (position, self.wish.current.as_mut(), self.link.as_mut())
        else {
            return;
        };
        if !current.is_announced {
            return;
        }
        if current.position != position {
            link.moved_at = now;
            current.position = position;
            let entry = current.item.entry;
            self.say(PlayerEvent::Position { entry, position });
        }
    }

    fn start_file(&mut self, value: &Value, now: Duration) {
        if let Some(link) = &mut self.link {
            link.at = value.get("playlist_entry_id").and_then(Value::as_i64);
            link.is_loaded = false;
            link.moved_at = now;
            link.positions_from = link.last_request;
        }
        self.announce();
    }

    /// Says that the present entry begins, once it is known that it is the one that mpv is at.
    fn announce(&mut self) {
        let at = self.entry_at();
        if let Some(current) = &mut self.wish.current
            && at == Some(current.item.entry)
            && !current.is_announced
        {
            current.is_announced = true;
            let entry = current.item.entry;
            self.say(PlayerEvent::Started { entry });
        }
    }

    /// The entry of the file that mpv is at.
    fn entry_at(&self) -> Option<EntryId> {
        let link = self.link.as_ref()?;
        self.entry_of(link.at?)
    }

    fn entry_of(&self, number: i64) -> Option<EntryId> {
        let files = &self.link.as_ref()?.files;
        files.iter().rev().find(|(known, _)| *known == number).map(|(_, entry)| *entry)
    }

    fn file_loaded(&mut self, now: Duration) {
        let Some(link) = &mut self.link else {
            return;
        };
        (link.is_loaded, link.moved_at) = (true, now);
        let seek = link.seek_later.take();
        self.send(&MpvCommand::GetDuration, Asked::Duration, now);
        if let Some(to) = seek {
            self.send(&MpvCommand::Seek(to), Asked::Other, now);
        }
    }

    fn end_file(&mut self, value: &Value, now: Duration) {
        let number = value.get("playlist_entry_id").and_then(Value::as_i64);
        let Some(entry) = number.and_then(|number| self.entry_of(number)) else {
            return;
        };
        if let Some(link) = &mut self.link {
            link.at = link.at.filter(|at| Some(*at) != number);
        }
        // `stop` and `quit` are ours, or the end of the process, which is seen by itself.
        let end = match value.get("reason").and_then(Value::as_str) {
            Some("eof") => EntryEnd::Finished,
            Some("error") => {
                let error = value.get("file_error").and_then(Value::as_str);
                EntryEnd::Failed { reason: error.unwrap_or("loading failed").to_owned() }
            }
            Some("redirect") => {
                EntryEnd::Failed { reason: "is a list of other files, no audio".to_owned() }
            }
            _ => return,
        };
        self.ended(entry, end, now);
    }

    /// An entry ended by itself: mpv is at the next one already, where there is one.
    fn ended(&mut self, entry: EntryId, end: EntryEnd, now: Duration) {
        if self.wish.current.as_ref().is_none_or(|current| current.item.entry != entry) {
            return;
        }
        let next = self.wish.next.take();
        self.wish.current = next.map(|item| WantedItem::new(item, Duration::ZERO));
        if let Some(link) = &mut self.link {
            let was_handed_over = link.handed_over.take().is_some();
            (link.moved_at, link.is_loaded, link.seek_later) = (now, false, None);
            link.positions_from = link.last_request;
            if !was_handed_over && self.wish.current.is_some() {
                self.load(now);
            }
        }
        self.say(PlayerEvent::Ended { entry, end });
        self.announce();
    }

    fn property(&mut self, value: &Value, now: Duration) {
        let (Some(link), Some(is_paused)) =
            (self.link.as_mut(), value.get("data").and_then(Value::as_bool))
        else {
            return;
        };
        if link.is_paused != is_paused {
            (link.is_paused, link.moved_at) = (is_paused, now);
            self.say(PlayerEvent::Changed);
        }
    }

    /// Asks for the present entry from where it is to be.
    fn load(&mut self, now: Duration) {
        self.forget_files();
        let Some(current) = &mut self.wish.current else {
            return;
        };
        current.is_announced = false;
        let (item, from) = (current.item.clone(), current.position);
        if let Some(link) = &mut self.link {
            (link.moved_at, link.resumes) = (now, 0);
        }
        self.send(&MpvCommand::SetPause(self.wish.is_paused), Asked::Other, now);
        let load = MpvCommand::Load { path: &item.path, from };
        self.send(&load, Asked::File(item.entry), now);
    }

    fn forget_files(&mut self) {
        if let Some(link) = &mut self.link {
            link.files.clear();
            (link.at, link.is_loaded, link.handed_over, link.seek_later) =
                (None, false, None, None);
            link.positions_from = link.last_request;
        }
    }

    fn set_next(&mut self, next: Option<PlayItem>, now: Duration) {
        if next == self.wish.next {
            return;
        }
        self.drop_next(now);
        self.wish.next = next;
        if self.wish.current.is_some() {
            if self.link.as_ref().is_some_and(|link| link.is_loaded) {
                self.append_next(now);
            }
        } else if let Some(item) = self.wish.next.take() {
            // The present one ended while this was asked.
            self.wish.current = Some(WantedItem::new(item, Duration::ZERO));
            self.load(now);
        }
    }

    fn drop_next(&mut self, now: Duration) {
        if self.link.as_mut().is_some_and(|link| link.handed_over.take().is_some()) {
            self.send(&MpvCommand::ClearNext, Asked::Other, now);
        }
    }

    /// Hands the next entry over, once.
    fn append_next(&mut self, now: Duration) {
        let (Some(link), Some(next)) = (self.link.as_mut(), self.wish.next.clone()) else {
            return;
        };
        if link.handed_over.replace(next.entry).is_none() {
            let append = MpvCommand::Append { path: &next.path };
            self.send(&append, Asked::File(next.entry), now);
        }
    }

    fn seek(&mut self, to: Duration, now: Duration) {
        let Some(current) = &mut self.wish.current else {
            return;
        };
        current.position = to;
        let entry = current.item.entry;
        self.say(PlayerEvent::Position { entry, position: to });
        let Some(link) = &mut self.link else {
            return;
        };
        link.moved_at = now;
        if link.is_loaded {
            // A seek with a file behind it may hang; the file is handed over again once playing goes on.
            self.drop_next(now);
            self.send(&MpvCommand::Seek(to), Asked::Other, now);
        } else {
            link.seek_later = Some(to);
        }
        if let Some(link) = &mut self.link {
            link.positions_from = link.last_request;
        }
    }

    fn send(&mut self, command: &MpvCommand<'_>, asked: Asked, now: Duration) {
        let Some(link) = &mut self.link else {
            return;
        };
        if link.unanswered.len() >= REQUESTS_MAX {
            self.effects.push(MpvEffect::Kill("left too many requests without a reply".to_owned()));
            return;
        }
        link.last_request += 1;
        link.unanswered.push_back((link.last_request, asked, now));
        self.effects.push(MpvEffect::Send(command.to_line(link.last_request)));
    }

    fn say(&mut self, event: PlayerEvent) {
        self.effects.push(MpvEffect::Say(event));
    }
}

fn seconds(value: &Value) -> Option<Duration> {
    Duration::try_from_secs_f64(value.as_f64()?).ok()
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
