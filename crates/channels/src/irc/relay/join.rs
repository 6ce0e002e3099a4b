//! Prompts that come in several lines, pure: a program cuts what is longer than a line and sends what is pasted line by
//! line. The pieces of one speaker that come shortly after each other are one prompt. Time is handed in.
//!
//! In a channel the first line names the agent; the lines behind it name nobody and are more of it. One that names another
//! person is for them.
//!
//! Most programs send a paste at once; some send a line every two seconds, so that no server takes them for a flood. Waiting
//! so long for every prompt would make each answer late. It is done where the last line leaves something open, where several
//! lines came at once, and where the program is known to throttle.

use std::{collections::BTreeSet, time::Duration};

use super::mention::leading_nick;
use crate::irc::{
    limits::TEXT_BYTES_MAX,
    name::Folded,
    spoken::{Addressee, Speaker, SpokenLine, Target},
};

/// In which the next piece comes, if there is one.
const PIECE_GAP: Duration = Duration::from_secs(1);
/// The same for programs that throttle: at their defaults weechat sends a line every 2 s, irssi every 2.5 s.
pub const SLOW_PIECE_GAP: Duration = Duration::from_secs(3);
/// In which all pieces come.
pub const PROMPT_TIME_MAX: Duration = Duration::from_mins(2);
/// So many lines at once were pasted: a program that throttles may have sent what it sends at once (irssi: up to five).
const BURST_LINES_MIN: usize = 3;
/// So many lines one after the other, each later than from a program that does not throttle: it throttles. A person who
/// writes slowly sends one.
const LATE_LINES_MIN: u32 = 2;
/// In which they come.
const LATE_LINES_WITHIN: Duration = PROMPT_TIME_MAX;
/// How long a program is known to throttle after it did.
const PACE_KNOWN_FOR: Duration = Duration::from_hours(1);
/// Most programs that are known to throttle; the one that did so longest ago is forgotten.
const PACES_MAX: usize = 1_000;
/// Most nicks of people that are known.
const PEOPLE_MAX: usize = 1_000;
/// Most text of one prompt that is kept, in bytes; more than a stimulus may hold, so that what is cut here is refused there.
const PROMPT_BYTES_MAX: usize = 128 * 1024;
/// Most prompts that may wait for more, and most asked ones that are remembered.
const HELD_MAX: usize = 1_000;
/// A line of at least so many bytes was cut by its program: there is no room for much more.
const CUT_BYTES_MIN: usize = TEXT_BYTES_MAX - 40;
/// A line that begins so is set in.
const INDENTS: [&str; 2] = ["  ", "\t"];
/// What a line may end with that something is to follow.
const OPEN_ENDS: [char; 6] = [':', ',', '(', '{', '[', '\\'];
const FENCE: &str = "```";

/// A prompt that waits for what may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldPrompt {
    /// The line that it began with.
    pub first: SpokenLine,
    /// Whom it is for.
    pub to: Addressee,
    /// All of it so far.
    pub text: String,
    /// How long its last piece was on the wire, in bytes.
    last_bytes: usize,
    lines: usize,
    began_at: Duration,
    last_at: Duration,
    due_at: Duration,
}

/// Joins pieces.
#[derive(Clone, Debug, Default)]
pub struct PieceJoiner {
    held: Vec<HeldPrompt>,
    asked: Vec<AskedPrompt>,
    paces: SlowPrograms,
    /// Nicks of people, whom a line may be for.
    people: BTreeSet<Folded>,
    is_replay: bool,
}

/// A prompt that was given out to be asked.
#[derive(Clone, Debug)]
struct AskedPrompt {
    first: SpokenLine,
    to: Addressee,
    last_at: Duration,
    /// Whether it was given out that a line came too late for it.
    is_noted: bool,
}

/// Programs that throttle, or may, the one whose line came late last at the end.
#[derive(Clone, Debug, Default)]
struct SlowPrograms(Vec<SlowProgram>);

/// A program that sent lines late.
#[derive(Clone, Debug)]
struct SlowProgram {
    speaker: Speaker,
    nick: String,
    /// When the last one came.
    last_at: Duration,
    /// How many came one after the other.
    late_lines: u32,
}

impl PieceJoiner {
    /// One for lines that were said before a start. A line that was not asked by the time the next one came was waited with:
    /// all gaps are those of programs that throttle.
    pub fn for_replay() -> Self {
        Self { is_replay: true, ..Self::default() }
    }

    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Notes people by their nicks: a line that begins with one is for them.
    pub fn note_people<'a>(&mut self, nicks: impl IntoIterator<Item = &'a str>) {
        for nick in nicks {
            let nick = Folded::new(nick);
            if self.people.len() >= PEOPLE_MAX && !self.people.contains(&nick) {
                self.people.pop_first();
            }
            self.people.insert(nick);
        }
    }

    /// Whether it matters who is there: the line may be more of a prompt, or late for one, and names somebody who is not known.
    pub fn must_know_people(&self, said: &SpokenLine) -> bool {
        let is_place = |first: &SpokenLine| is_same_place(first, said);
        let mut firsts = self.held.iter().map(|held| &held.first);
        (firsts.any(is_place) || self.asked.iter().any(|asked| is_place(&asked.first)))
            && leading_nick(&said.text)
                .is_some_and(|nick| !self.people.contains(&Folded::new(nick)))
    }

    /// Whether a line in a channel names another person first.
    fn is_for_person(&self, said: &SpokenLine) -> bool {
        let nick = leading_nick(&said.text).map(Folded::new);
        matches!(said.target, Target::Channel(_))
            && nick
                .is_some_and(|nick| nick != Folded::new(&said.nick) && self.people.contains(&nick))
    }

    /// Whether the program that a line came from is known to throttle.
    pub fn is_pace_known(&self, said: &SpokenLine, now: Duration) -> bool {
        self.paces.is_known(said, now)
    }

    /// Takes a prompt for an agent. What is whole, or cannot be held, is given back; else it is held, as more of an earlier one
    /// where there is one.
    pub fn take(
        &mut self,
        said: &SpokenLine,
        (to, text): (Addressee, String),
        now: Duration,
    ) -> Option<HeldPrompt> {
        let is_slow = self.is_slow(said, now);
        let mut prompt = HeldPrompt {
            first: said.clone(),
            to,
            text,
            last_bytes: said.text.len(),
            lines: 1,
            began_at: now,
            last_at: now,
            due_at: now,
        };
        prompt.wait_for_more(is_slow);
        if said.is_whole {
            return Some(prompt);
        }
        let is_for_person = self.is_for_person(said);
        let mut held = self.held.iter_mut();
        if let Some(held) =
            held.find(|held| held.to == prompt.to && held.is_more(said) && !is_for_person)
        {
            let is_late = held.append((&prompt.text, said.text.len()), now, is_slow);
            self.paces.note(said, now, is_late);
            return None;
        }
        // A line that names nobody, where nobody need be named.
        let names_nobody = prompt.text == said.text.trim_end() && !is_for_person;
        if names_nobody && self.asked.iter().any(|asked| asked.is_late(said, now)) {
            self.paces.note(said, now, true);
            prompt.wait_for_more(true);
        }
        if self.held.len() >= HELD_MAX {
            return Some(prompt);
        }
        self.held.push(prompt);
        None
    }

    /// Takes a line that names no agent. True where it is more of what its speaker said there just now.
    pub fn take_more(&mut self, said: &SpokenLine, now: Duration) -> bool {
        if self.is_for_person(said) {
            return false;
        }
        let is_slow = self.is_slow(said, now);
        let (mut is_more, mut is_late) = (false, false);
        for held in self.held.iter_mut().filter(|held| held.is_more(said)) {
            is_late |= held.append((&said.text, said.text.len()), now, is_slow);
            is_more = true;
        }
        if is_more {
            self.paces.note(said, now, is_late);
        }
        is_more
    }

    /// Takes a line that names no agent and is more of nothing. Gives those who were asked before it came, without it: once
    /// for each prompt.
    pub fn take_late(&mut self, said: &SpokenLine, now: Duration) -> Vec<Addressee> {
        if self.is_for_person(said) {
            return Vec::new();
        }
        let mut is_late = false;
        let mut without_it = Vec::new();
        for asked in self.asked.iter_mut().filter(|asked| asked.is_late(said, now)) {
            is_late = true;
            // What its program sends next may be late as well.
            asked.last_at = now;
            if !std::mem::replace(&mut asked.is_noted, true) {
                without_it.push(asked.to.clone());
            }
        }
        if is_late {
            self.paces.note(said, now, true);
        }
        without_it
    }

    /// The prompts to which nothing more will come, in the order in which they began.
    pub fn due(&mut self, now: Duration) -> Vec<HeldPrompt> {
        self.asked.retain(|asked| asked.last_at.saturating_add(SLOW_PIECE_GAP) >= now);
        self.take_where(|held| held.due_at <= now)
    }

    /// What this speaker said there, whether more may come or not.
    pub fn take_of(&mut self, said: &SpokenLine) -> Vec<HeldPrompt> {
        self.take_where(|held| held.is_more(said))
    }

    /// Everything.
    pub fn take_all(&mut self) -> Vec<HeldPrompt> {
        std::mem::take(&mut self.held)
    }

    /// When the next prompt is due.
    pub fn next_at(&self) -> Option<Duration> {
        self.held.iter().map(|held| held.due_at).min()
    }

    fn is_slow(&self, said: &SpokenLine, now: Duration) -> bool {
        self.is_replay || self.paces.is_known(said, now)
    }

    fn take_where(&mut self, is_wanted: impl Fn(&HeldPrompt) -> bool) -> Vec<HeldPrompt> {
        let (wanted, left): (Vec<_>, _) =
            std::mem::take(&mut self.held).into_iter().partition(is_wanted);
        self.held = left;
        let room = HELD_MAX.saturating_sub(self.asked.len());
        self.asked.extend(wanted.iter().take(room).map(AskedPrompt::of));
        wanted
    }
}

impl AskedPrompt {
    fn of(held: &HeldPrompt) -> Self {
        let HeldPrompt { first, to, last_at, .. } = held;
        Self { first: first.clone(), to: to.clone(), last_at: *last_at, is_noted: false }
    }

    /// Whether a line comes as late after it as from a program that throttles.
    fn is_late(&self, said: &SpokenLine, now: Duration) -> bool {
        !said.is_whole
            && now <= self.last_at.saturating_add(SLOW_PIECE_GAP)
            && is_same_place(&self.first, said)
    }
}

impl SlowPrograms {
    fn is_known(&self, said: &SpokenLine, now: Duration) -> bool {
        self.0.iter().any(|program| {
            program.is_of(said) && program.is_slow() && program.counts_until() >= now
        })
    }

    /// Notes a line that is one of several, and whether it came late. One in time ends a row of late ones.
    fn note(&mut self, said: &SpokenLine, now: Duration, is_late: bool) {
        let known = self.0.iter().position(|program| program.is_of(said));
        if !is_late {
            self.0.retain(|program| program.is_slow() || !program.is_of(said));
            return;
        }
        let known = known.map(|index| self.0.remove(index));
        let before = known.filter(|known| known.counts_until() >= now);
        let late_lines = before.map_or(0, |before| before.late_lines).saturating_add(1);
        if self.0.len() >= PACES_MAX {
            self.0.remove(0);
        }
        let (speaker, nick) = (said.speaker.clone(), said.nick.clone());
        self.0.push(SlowProgram { speaker, nick, last_at: now, late_lines });
    }
}

impl SlowProgram {
    fn is_of(&self, said: &SpokenLine) -> bool {
        self.speaker == said.speaker && self.nick == said.nick
    }

    const fn is_slow(&self) -> bool {
        self.late_lines >= LATE_LINES_MIN
    }

    fn counts_until(&self) -> Duration {
        let time = if self.is_slow() { PACE_KNOWN_FOR } else { LATE_LINES_WITHIN };
        self.last_at.saturating_add(time)
    }
}

impl HeldPrompt {
    /// How many lines it came in.
    pub const fn lines(&self) -> usize {
        self.lines
    }

    fn is_more(&self, said: &SpokenLine) -> bool {
        is_same_place(&self.first, said)
    }

    /// Whether the piece came later than from a program that does not throttle.
    fn append(&mut self, (text, bytes): (&str, usize), now: Duration, is_slow: bool) -> bool {
        if self.text.len() <= PROMPT_BYTES_MAX {
            self.text.push_str(seam(&self.text, self.last_bytes));
            self.text.push_str(text);
        }
        let is_late = now.saturating_sub(self.last_at) > PIECE_GAP;
        (self.last_bytes, self.last_at) = (bytes, now);
        self.lines = self.lines.saturating_add(1);
        self.wait_for_more(is_slow || is_late);
        is_late
    }

    fn wait_for_more(&mut self, is_slow: bool) {
        let is_long_wait = is_slow || self.lines >= BURST_LINES_MIN || self.is_open();
        let gap = if is_long_wait { SLOW_PIECE_GAP } else { PIECE_GAP };
        let until = self.began_at.saturating_add(PROMPT_TIME_MAX);
        self.due_at = self.last_at.saturating_add(gap).min(until);
    }

    /// Whether its last line leaves something open.
    fn is_open(&self) -> bool {
        let last = self.text.rsplit('\n').next().unwrap_or_default();
        let fences = self.text.lines().filter(|line| line.trim_start().starts_with(FENCE)).count();
        self.last_bytes >= CUT_BYTES_MIN
            || last.trim_end().ends_with(OPEN_ENDS)
            || INDENTS.iter().any(|indent| last.starts_with(indent))
            || fences % 2 == 1
    }
}

/// Whether two lines are of one program at one place.
fn is_same_place(first: &SpokenLine, said: &SpokenLine) -> bool {
    let is_same_place = match (&first.target, &said.target) {
        (Target::Channel(one), Target::Channel(other)) => Folded::new(one) == Folded::new(other),
        (Target::Agent(one), Target::Agent(other)) => one == other,
        _ => false,
    };
    let is_person = matches!(said.speaker, Speaker::Person(Some(_)));
    is_same_place
        && is_person
        && first.speaker == said.speaker
        && first.nick == said.nick
        && first.kind == said.kind
}

/// What stood between two pieces. Programs cut a line that is too long at a space, which is gone then, or within a word where
/// it has none; all else was sent as lines.
fn seam(before: &str, last_bytes: usize) -> &'static str {
    if last_bytes < CUT_BYTES_MIN {
        return "\n";
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.ends_with(' ') || !line.contains(' ') { "" } else { " " }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::Timestamp;

    use super::PieceJoiner;
    use crate::irc::spoken::{Addressee, Speaker, SpokenKind, SpokenLine, Target};

    fn said(nick: &str, target: Target, text: &str) -> SpokenLine {
        SpokenLine {
            speaker: Speaker::Person(Some("ann".into())),
            nick: nick.into(),
            target,
            partner: None,
            agents: Vec::new(),
            text: text.into(),
            kind: SpokenKind::Speech,
            is_whole: false,
            relay: None,
            msgid: String::new(),
            at: Timestamp::from_micros(0),
        }
    }

    fn room() -> Target {
        Target::Channel("#abide".into())
    }

    fn to(nick: &str) -> Addressee {
        Addressee { agent: nick.parse().unwrap(), nick: nick.into() }
    }

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(50_000 + millis)
    }

    fn texts(joiner: &mut PieceJoiner, now: Duration) -> Vec<String> {
        joiner.due(now).into_iter().map(|held| held.text).collect()
    }

    #[test]
    fn lines_within_a_second_of_each_other_are_one_prompt() {
        let mut joiner = PieceJoiner::default();
        let line = |text: &str| said("ann", room(), text);
        assert_eq!(
            joiner.take(&line("@felix fn main() {"), (to("felix"), "fn main() {".into()), at(0)),
            None
        );
        assert!(joiner.take_more(&line("}"), at(900)));
        assert_eq!(joiner.next_at(), Some(at(1_900)));
        assert!(texts(&mut joiner, at(1_899)).is_empty());
        assert_eq!(texts(&mut joiner, at(1_900)), ["fn main() {\n}"]);
        assert!(!joiner.take_more(&line("and that was that"), at(2_000)), "too late");
        assert!(joiner.is_empty());
    }

    #[test]
    fn a_line_that_leaves_something_open_is_waited_with_until_a_program_that_throttles_sends_on() {
        let cases = [
            ("how are you?", 1),
            ("look at this:", 3),
            ("one, ", 3),
            ("f(", 3),
            ("fn main() {", 3),
            ("let x = [", 3),
            (r"cargo test \", 3),
            ("```rust", 3),
            ("    hello();", 3),
            ("\thello();", 3),
            (" hello", 1),
            ("done }", 1),
        ];
        for (text, seconds) in cases {
            let mut joiner = PieceJoiner::default();
            joiner.take(&said("ann", room(), text), (to("felix"), text.into()), at(0));
            assert_eq!(joiner.next_at(), Some(at(seconds * 1_000)), "{text}");
        }
        let mut joiner = PieceJoiner::default();
        let line = |text: &str| said("ann", room(), text);
        joiner.take(&line("@felix ```"), (to("felix"), "```".into()), at(0));
        joiner.take_more(&line("x"), at(10));
        joiner.take_more(&line("```"), at(20));
        assert_eq!(joiner.next_at(), Some(at(3_020)), "three lines at once were pasted");
    }

    /// A paste of these lines as a program sends it that waits so long between two.
    fn paste(joiner: &mut PieceJoiner, began: u64, (every, lines): (u64, &[&str])) -> Vec<String> {
        let mut asked = Vec::new();
        let mut moment = began;
        for (index, text) in lines.iter().enumerate() {
            let line = said("ann", room(), text);
            asked.extend(texts(joiner, at(moment)));
            if index == 0 {
                joiner.take(
                    &line,
                    (to("felix"), text.trim_start_matches("@felix ").into()),
                    at(moment),
                );
            } else if !joiner.take_more(&line, at(moment)) {
                let late = joiner.take_late(&line, at(moment));
                asked.extend(late.iter().map(|to| format!("too late for {}", to.nick)));
            }
            moment += every;
        }
        asked.extend(texts(joiner, at(moment + 9_000)));
        asked
    }

    #[test]
    fn a_paste_of_a_program_that_throttles_is_one_prompt_once_its_pace_is_known() {
        let lines = ["@felix look at this:", "one", "two", "three."];
        for every in [2_000, 2_200] {
            let mut joiner = PieceJoiner::default();
            assert_eq!(paste(&mut joiner, 0, (every, &lines)), ["look at this:\none\ntwo\nthree."]);
            let finished = ["@felix one.", "two.", "three."];
            let known = paste(&mut joiner, 60_000, (every, &finished));
            assert_eq!(known, ["one.\ntwo.\nthree."]);
            let forgotten = paste(&mut joiner, 2 * 3_600_000, (every, &finished));
            assert_eq!(forgotten, ["one.", "too late for felix"], "told once");
            let again = paste(&mut joiner, 2 * 3_600_000 + 60_000, (every, &finished));
            assert_eq!(again, ["one.\ntwo.\nthree."], "pasting it again helps");
        }
    }

    #[test]
    fn the_pace_of_one_program_says_nothing_of_another_and_chatter_later_is_not_late() {
        let mut joiner = PieceJoiner::default();
        paste(&mut joiner, 0, (2_000, &["@felix a:", "b"]));
        let phone = said("ann-phone", room(), "@felix hi");
        joiner.take(&phone, (to("felix"), "hi".into()), at(60_000));
        assert_eq!(joiner.next_at(), Some(at(61_000)));
        assert_eq!(texts(&mut joiner, at(61_000)), ["hi"]);
        assert!(joiner.take_late(&said("bob", room(), "lunch?"), at(62_000)).is_empty());
        assert!(joiner.take_late(&said("ann-phone", room(), "lunch?"), at(63_001)).is_empty());
    }

    #[test]
    fn a_line_for_another_person_is_never_more_and_never_late() {
        let mut joiner = PieceJoiner::default();
        let line = |text: &str| said("ann", room(), text);
        let ask = |joiner: &mut PieceJoiner, now| {
            joiner.take(&line("@felix look:"), (to("felix"), "look:".into()), now)
        };
        ask(&mut joiner, at(0));
        assert!(joiner.must_know_people(&line("Bob: lunch?")), "nobody knows Bob");
        assert!(!joiner.must_know_people(&line("lunch with Bob?")));
        joiner.note_people(["bob", "ann"]);
        assert!(!joiner.must_know_people(&line("Bob: lunch?")));
        assert!(!joiner.take_more(&line("Bob: lunch?"), at(500)));
        assert!(joiner.take_more(&line("error: no such file"), at(600)), "no person");
        assert!(joiner.take_more(&line("ann: me"), at(700)), "not another one");
        assert_eq!(texts(&mut joiner, at(9_000)), ["look:\nerror: no such file\nann: me"]);
        ask(&mut joiner, at(20_000));
        assert_eq!(joiner.due(at(23_000)).len(), 1);
        assert!(joiner.take_late(&line("bob, lunch?"), at(23_000)).is_empty());
        assert_eq!(joiner.take_late(&line("lunch?"), at(23_000)), [to("felix")]);
    }

    #[test]
    fn one_late_line_makes_nobody_slow_and_two_in_a_row_do() {
        let mut joiner = PieceJoiner::default();
        let line = |text: &str| said("ann", room(), text);
        let mut thanks = |moment: u64, late: &[u64]| {
            joiner.take(&line("@felix thanks"), (to("felix"), "thanks".into()), at(moment));
            joiner.due(at(moment + 1_000));
            for behind in late {
                joiner.due(at(moment + behind));
                joiner.take_late(&line("good"), at(moment + behind));
            }
            joiner.due(at(moment + 60_000));
            joiner.is_pace_known(&line("x"), at(moment + 60_000))
        };
        assert!(!thanks(0, &[2_000]));
        assert!(!thanks(3_000_000, &[2_000]), "an hour later is not in a row");
        assert!(thanks(6_000_000, &[2_000, 4_000]));
        assert!(!thanks(12_000_000, &[]), "and forgotten");
        let mut joiner = PieceJoiner::default();
        joiner.take(&line("@felix a:"), (to("felix"), "a:".into()), at(0));
        for moment in [2_000, 2_100, 4_000] {
            assert!(joiner.take_more(&line("b"), at(moment)));
        }
        assert!(!joiner.is_pace_known(&line("x"), at(5_000)), "one in time lies between");
    }

    #[test]
    fn in_a_query_the_lines_behind_the_first_are_one_prompt_and_later_pastes_are_whole() {
        let mut joiner = PieceJoiner::default();
        let felix = || Target::Agent("felix".parse().unwrap());
        let mut asked = Vec::new();
        for (moment, text) in
            [(0, "a."), (2_000, "b."), (4_000, "c."), (60_000, "d."), (62_000, "  e.")]
        {
            asked.extend(texts(&mut joiner, at(moment)));
            joiner.take(&said("ann", felix(), text), (to("felix"), text.to_owned()), at(moment));
        }
        asked.extend(texts(&mut joiner, at(99_000)));
        assert_eq!(asked, ["a.", "b.\nc.", "d.\n  e."]);
    }

    #[test]
    fn what_is_said_over_again_after_a_death_is_joined_however_its_program_sent_it() {
        let mut joiner = PieceJoiner::for_replay();
        assert_eq!(
            paste(&mut joiner, 0, (2_200, &["@felix one.", "two.", "three."])),
            ["one.\ntwo.\nthree."]
        );
    }

    #[test]
    fn only_what_the_same_program_says_at_the_same_place_is_more_of_it() {
        let mut joiner = PieceJoiner::default();
        let first = said("ann", room(), "@felix @ada look");
        joiner.take(&first, (to("felix"), "look".into()), at(0));
        joiner.take(&first, (to("ada"), "look".into()), at(0));
        let mut bob = said("ann", room(), "x");
        bob.speaker = Speaker::Person(Some("bob".into()));
        let mut guest = said("ann", room(), "x");
        guest.speaker = Speaker::Person(None);
        let mut action = said("ann", room(), "x");
        action.kind = SpokenKind::Action;
        let elsewhere = said("ann", Target::Channel("#den".into()), "x");
        for other in [bob, guest, action, elsewhere, said("ann-phone", room(), "x")] {
            assert!(!joiner.take_more(&other, at(10)), "{other:?}");
        }
        assert!(joiner.take_more(&said("ann", Target::Channel("#ABIDE".into()), "here"), at(20)));
        assert_eq!(texts(&mut joiner, at(9_999)), ["look\nhere", "look\nhere"]);
    }

    #[test]
    fn what_a_program_cut_is_put_together_as_it_was() {
        let mut joiner = PieceJoiner::default();
        let felix = || Target::Agent("felix".parse().unwrap());
        let mut take = |text: &str, now| {
            joiner.take(&said("ann", felix(), text), (to("felix"), text.to_owned()), now)
        };
        let words = format!("{} end", "word ".repeat(75));
        assert!(words.len() < 390 && words.len() >= 360);
        take(&words, at(0));
        take("of it", at(1));
        let unbroken = "x".repeat(390);
        take(&unbroken, at(2));
        take("yz", at(3));
        assert_eq!(texts(&mut joiner, at(9_999)), [format!("{words} of it\n{unbroken}yz")]);
    }

    #[test]
    fn what_is_whole_waits_for_nothing_and_what_never_ends_is_bounded() {
        let mut joiner = PieceJoiner::default();
        let mut whole = said("ann", room(), "@felix hello\nthere");
        whole.is_whole = true;
        let held = joiner.take(&whole, (to("felix"), "hello\nthere".into()), at(0)).unwrap();
        assert_eq!((held.text.as_str(), joiner.is_empty()), ("hello\nthere", true));
        let line = said("ann", room(), &"y ".repeat(150));
        joiner.take(&line, (to("felix"), line.text.clone()), at(0));
        for tick in 1..=2_000 {
            joiner.take_more(&line, at(tick * 100));
        }
        let prompts = joiner.due(at(120_000));
        assert_eq!(prompts.len(), 1, "two minutes are the end of it");
        assert!(prompts[0].text.len() < 400_000, "{}", prompts[0].text.len());
    }
}
