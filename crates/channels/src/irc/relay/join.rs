//! Prompts that come in several lines, pure: a program cuts what is longer than a line and sends what is pasted line by
//! line. The pieces of one speaker that come within a second of each other are one prompt. Time is handed in.
//!
//! In a channel the first line names the agent; the lines behind it name nobody and are more of it.

use std::time::Duration;

use crate::irc::{
    limits::TEXT_BYTES_MAX,
    name::Folded,
    spoken::{Addressee, Speaker, SpokenLine, Target},
};

/// In which the next piece comes, if there is one.
const PIECE_GAP: Duration = Duration::from_secs(1);
/// In which all pieces come.
const PROMPT_TIME_MAX: Duration = Duration::from_mins(1);
/// Most text of one prompt that is kept, in bytes; more than a stimulus may hold, so that what is cut here is refused there.
const PROMPT_BYTES_MAX: usize = 128 * 1024;
/// Most prompts that may wait for more.
const HELD_MAX: usize = 1_000;

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
    began_at: Duration,
    due_at: Duration,
}

/// Joins pieces.
#[derive(Clone, Debug, Default)]
pub struct PieceJoiner {
    held: Vec<HeldPrompt>,
}

impl PieceJoiner {
    /// Whether nothing is held.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// Takes a prompt for an agent. What is whole, or cannot be held, is given back; else it is held, as more of an earlier one
    /// where there is one.
    pub fn take(
        &mut self,
        said: &SpokenLine,
        (to, text): (Addressee, String),
        now: Duration,
    ) -> Option<HeldPrompt> {
        if !said.is_whole {
            let mut held = self.held.iter_mut();
            if let Some(held) = held.find(|held| held.to == to && held.is_more(said)) {
                held.append(&text, said.text.len(), now);
                return None;
            }
        }
        let last_bytes = said.text.len();
        let due_at = now.saturating_add(PIECE_GAP);
        let prompt =
            HeldPrompt { first: said.clone(), to, text, last_bytes, began_at: now, due_at };
        if said.is_whole || self.held.len() >= HELD_MAX {
            return Some(prompt);
        }
        self.held.push(prompt);
        None
    }

    /// Takes a line that names no agent. True where it is more of what its speaker said there just now.
    pub fn take_more(&mut self, said: &SpokenLine, now: Duration) -> bool {
        let mut is_more = false;
        for held in self.held.iter_mut().filter(|held| held.is_more(said)) {
            held.append(&said.text, said.text.len(), now);
            is_more = true;
        }
        is_more
    }

    /// The prompts to which nothing more will come, in the order in which they began.
    pub fn due(&mut self, now: Duration) -> Vec<HeldPrompt> {
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

    fn take_where(&mut self, is_wanted: impl Fn(&HeldPrompt) -> bool) -> Vec<HeldPrompt> {
        let (wanted, left) = std::mem::take(&mut self.held).into_iter().partition(is_wanted);
        self.held = left;
        wanted
    }
}

impl HeldPrompt {
    /// Whether a line is of the same speaker at the same place.
    fn is_more(&self, said: &SpokenLine) -> bool {
        let is_same_place = match (&self.first.target, &said.target) {
            (Target::Channel(one), Target::Channel(other)) => {
                Folded::new(one) == Folded::new(other)
            }
            (Target::Agent(one), Target::Agent(other)) => one == other,
            _ => false,
        };
        let is_person = matches!(said.speaker, Speaker::Person(Some(_)));
        is_same_place
            && is_person
            && self.first.speaker == said.speaker
            && self.first.nick == said.nick
            && self.first.kind == said.kind
    }

    fn append(&mut self, text: &str, bytes: usize, now: Duration) {
        if self.text.len() <= PROMPT_BYTES_MAX {
            self.text.push_str(seam(&self.text, self.last_bytes));
            self.text.push_str(text);
        }
        self.last_bytes = bytes;
        let until = self.began_at.saturating_add(PROMPT_TIME_MAX);
        self.due_at = now.saturating_add(PIECE_GAP).min(until);
    }
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

/// A line of at least so many bytes was cut by its program: there is no room for much more.
const CUT_BYTES_MIN: usize = TEXT_BYTES_MAX - 40;

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
        assert!(joiner.take_more(&line("    hello();"), at(900)));
        assert!(joiner.take_more(&line("}"), at(1_800)));
        assert_eq!(joiner.next_at(), Some(at(2_800)));
        assert!(texts(&mut joiner, at(2_799)).is_empty());
        assert_eq!(texts(&mut joiner, at(2_800)), ["fn main() {\n    hello();\n}"]);
        assert!(!joiner.take_more(&line("and that was that"), at(2_900)), "too late");
        assert!(joiner.is_empty());
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
        for tick in 1..=1_000 {
            joiner.take_more(&line, at(tick * 100));
        }
        let prompts = joiner.due(at(60_000));
        assert_eq!(prompts.len(), 1, "a minute is the end of it");
        assert!(prompts[0].text.len() < 200_000, "{}", prompts[0].text.len());
    }
}
