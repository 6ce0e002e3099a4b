//! The words of a notice: a short title, a text that says what happened, what was tried and what can be done, and where in
//! Abide to look. They go to services outside, some of which others can read: of what an agent was asked they name the
//! sender, the channel and the age, never its words.

use std::fmt::Write as _;

use abide_domain::{
    Timestamp, Zone,
    event::watchdog::{AttentionMatter, EscalationCause},
    evidence::WATCHDOG,
    format_duration,
    text::shortened,
};

use super::{Notice, NoticeItem, NoticeKind, StallEnd};

/// Longest title, in Unicode scalar values: what a phone shows of one.
const TITLE_CHARS_MAX: usize = 96;
/// Names of agents in a title.
const NAMES_MAX: usize = 3;

/// The screen of the watchdog, below the address of Abide.
const WATCHDOG_SCREEN: &str = "watchdog";

impl Notice {
    /// A short line: what happened to whom.
    pub fn title(&self) -> String {
        let names = self.names();
        let title = match &self.kind {
            NoticeKind::Stalled if self.items.len() > 1 => format!("{names} have stalled"),
            NoticeKind::Stalled => format!("{names} has stalled"),
            NoticeKind::Resolved => self.ends_in_short(&names),
            NoticeKind::Acknowledged { by, until } => {
                format!("{names}: acknowledged by {} until {}", by.bare(), self.time(*until))
            }
            NoticeKind::Blind(why) => blind_text(why),
            NoticeKind::Sighted => format!("{WATCHDOG}: agents are judged again"),
            NoticeKind::Attention => self.matters_in_short(""),
            NoticeKind::AttentionOver => self.matters_in_short("Over: "),
            NoticeKind::Test => format!("{WATCHDOG}: this is a test; nobody is stalled"),
        };
        shortened(&title, TITLE_CHARS_MAX)
    }

    /// All that the title does not say; empty where it says it all.
    pub fn body(&self) -> String {
        let blocks: Vec<String> = match &self.kind {
            NoticeKind::Stalled | NoticeKind::Resolved => {
                self.items.iter().map(|item| self.item_text(item)).collect()
            }
            NoticeKind::Acknowledged { .. } => {
                vec!["Nobody is told of this stall again before then.".to_owned()]
            }
            NoticeKind::Blind(why) => {
                let is_whole = blind_text(why).chars().nth(TITLE_CHARS_MAX).is_none();
                if is_whole { Vec::new() } else { vec![why.clone()] }
            }
            NoticeKind::Attention => self.matters.iter().map(|one| self.matter_text(one)).collect(),
            NoticeKind::AttentionOver if self.matters.len() > 1 => {
                self.matters.iter().map(|one| head(one).to_owned()).collect()
            }
            NoticeKind::AttentionOver => vec!["Nothing is left to do about it.".to_owned()],
            NoticeKind::Sighted | NoticeKind::Test => Vec::new(),
        };
        blocks.join("\n")
    }

    /// Title and body, for services that show one text.
    pub fn text(&self) -> String {
        let (title, body) = (self.title(), self.body());
        if body.is_empty() { title } else { format!("{title}\n{body}") }
    }

    /// What is said of one agent: all of it, for services that show each agent by itself.
    pub fn item_text(&self, item: &NoticeItem) -> String {
        let name = if self.items.len() > 1 { format!("{}: ", item.agent) } else { String::new() };
        match (&self.kind, &item.end) {
            (NoticeKind::Resolved, end) => {
                format!("{name}{}", self.end_text(item, end.as_ref()))
            }
            _ => format!("{name}{}", self.stall_text(item)),
        }
    }

    /// One line about one agent.
    pub fn item_title(&self, item: &NoticeItem) -> String {
        match &self.kind {
            NoticeKind::Resolved => end_in_words(item.agent.as_str(), item.end.as_ref()),
            NoticeKind::Acknowledged { by, until } => {
                let until = self.time(*until);
                format!("{}: acknowledged by {} until {until}", item.agent, by.bare())
            }
            _ => {
                let silent = format_duration(item.silent);
                format!("{} has stalled: nothing came from it for {silent}", item.agent)
            }
        }
    }

    /// Whether it tells of the end of a stall by which nothing was answered.
    pub fn is_unanswered(&self) -> bool {
        let is_it = |item: &NoticeItem| matches!(item.end, Some(StallEnd::Unanswered { .. }));
        self.kind == NoticeKind::Resolved && self.items.iter().any(is_it)
    }

    /// What the screen that a notice leads to shows, as the words on a button.
    pub fn link_label(&self) -> &'static str {
        match self.kind {
            NoticeKind::Stalled | NoticeKind::Resolved | NoticeKind::Acknowledged { .. } => {
                "Show the stall"
            }
            NoticeKind::Blind(_) | NoticeKind::Sighted => "Show the watchdog",
            NoticeKind::Attention => "Show what waits",
            NoticeKind::AttentionOver | NoticeKind::Test => "Open Abide",
        }
    }

    /// The screen that it is about, below the address of Abide that a service was given. An address with a query or a
    /// fragment is left as it is.
    pub fn link(&self, base: &str) -> String {
        if base.contains(['?', '#']) {
            return base.to_owned();
        }
        let screen = match (&self.kind, self.matters.as_slice()) {
            (NoticeKind::Attention, [one]) => format!("#{}", row_id(&one.id)),
            (NoticeKind::Attention | NoticeKind::AttentionOver | NoticeKind::Test, _) => {
                return base.to_owned();
            }
            _ => WATCHDOG_SCREEN.to_owned(),
        };
        format!("{}/{screen}", base.trim_end_matches('/'))
    }

    fn names(&self) -> String {
        let names: Vec<_> =
            self.items.iter().take(NAMES_MAX).map(|item| item.agent.as_str()).collect();
        let more = self.items.len().saturating_sub(names.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", names.join(", "))
    }

    /// One that ended otherwise than the others is not to pass for one that moves again.
    fn ends_in_short(&self, names: &str) -> String {
        let is_unanswered =
            |item: &&NoticeItem| matches!(item.end, Some(StallEnd::Unanswered { .. }));
        let unanswered = self.items.iter().filter(is_unanswered).count();
        let is_moved = |item: &NoticeItem| item.end == Some(StallEnd::Moved);
        match self.items.as_slice() {
            [item] => end_in_words(item.agent.as_str(), item.end.as_ref()),
            all if all.iter().all(is_moved) => format!("{names} move again"),
            _ if unanswered == 0 => format!("{names}: the stalls are over"),
            all => {
                format!("{} stalls are over, {unanswered} of them without an answer", all.len())
            }
        }
    }

    fn stall_text(&self, item: &NoticeItem) -> String {
        let since = self.time(self.at.before(item.silent));
        let mut text = match &item.task {
            Some(task) => format!("It was to answer {}.\n", task.description(self.at)),
            None => String::new(),
        };
        if item.is_never_active {
            text.push_str("It never showed any work: check that its mind starts and its model is configured. ");
        }
        let silent = format_duration(item.silent);
        let _infallible = write!(text, "Nothing has come from it since {since} ({silent}).");
        let mut tried = Vec::new();
        if item.is_alive {
            tried.push("its process answered, but the task does not move".to_owned());
        }
        if let Some(page) = &item.page {
            let outcome = match item.cause {
                Some(EscalationCause::PageFailed) => "but the page reached nobody",
                Some(EscalationCause::NoEvidence) | None => "without effect",
            };
            tried.push(format!("it was paged (page {page}), {outcome}"));
        }
        if !tried.is_empty() {
            let _infallible = write!(text, "\nTried: {}.", tried.join("; "));
        }
        let of = item.page.as_ref().map_or_else(|| item.agent.to_string(), ToString::to_string);
        let _infallible = write!(
            text,
            "\nYou can acknowledge it (also: abide watchdog ack {of}), abort its task, or restart it."
        );
        text
    }

    fn end_text(&self, item: &NoticeItem, end: Option<&StallEnd>) -> String {
        let silent = format_duration(item.silent);
        let task = item.task.as_ref().map(|task| task.description(self.at));
        match (end, task) {
            (Some(StallEnd::Moved), Some(task)) => {
                format!("The stall lasted {silent}; it was to answer {task}.")
            }
            (Some(StallEnd::Unanswered { why }), task) => {
                let task = task.map(|task| format!("Nobody answered {task}. ")).unwrap_or_default();
                let why = if why.is_empty() { String::new() } else { format!("Why: {why}. ") };
                format!("{task}{why}The stall lasted {silent}. You can ask again.")
            }
            _ => format!("The stall lasted {silent}."),
        }
    }

    fn matters_in_short(&self, state: &str) -> String {
        match self.matters.as_slice() {
            [] => format!("{state}nothing waits for you"),
            [one] => format!("{state}{}", head(one)),
            [first, rest @ ..] => format!("{state}{}, and {} more", head(first), rest.len()),
        }
    }

    fn matter_text(&self, matter: &AttentionMatter) -> String {
        if self.matters.len() > 1 {
            return matter.summary.clone();
        }
        match rest(matter) {
            "" => "It waits for you.".to_owned(),
            rest => rest.to_owned(),
        }
    }

    fn time(&self, at: Timestamp) -> String {
        format_time(at, self.at, &self.zone)
    }
}

/// How a stall ended, in one line.
fn end_in_words(agent: &str, end: Option<&StallEnd>) -> String {
    let Some(end) = end else { return format!("the stall of {agent} is over") };
    match end {
        StallEnd::Moved => format!("{agent} moves again"),
        StallEnd::Unanswered { .. } => format!("{agent}'s task was given up without an answer"),
        StallEnd::Other(state) if state == "gone" => {
            format!("{agent} is not registered any more; its stall is over")
        }
        StallEnd::Other(state) => {
            format!("{agent} is {}; its stall is over", state.replace('_', " "))
        }
    }
}

/// That agents cannot be judged, and why.
fn blind_text(why: &str) -> String {
    format!("{WATCHDOG}: agents cannot be judged: {why}")
}

/// What a matter is, without its reason and without advice.
fn head(matter: &AttentionMatter) -> &str {
    split(&matter.summary).0
}

/// Its reason and its advice.
fn rest(matter: &AttentionMatter) -> &str {
    split(&matter.summary).1
}

fn split(summary: &str) -> (&str, &str) {
    let end = [": ", "; "].iter().filter_map(|mark| summary.find(mark)).min();
    let (head, rest) = summary.split_at(end.unwrap_or(summary.len()));
    (head, rest.trim_start_matches([':', ';', ' ']))
}

/// Where a matter stands on the first screen, as the client in the browser names it.
fn row_id(id: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || "_-".contains(c) { c } else { '-' };
    format!("matter-{}", id.chars().map(letter).collect::<String>())
}

/// A time on its reader's clock: `21:42` on the day of `now`, with the day on another.
fn format_time(at: Timestamp, now: Timestamp, zone: &Zone) -> String {
    if zone.days_between(now, at) == 0 {
        zone.civil(at).strftime("%H:%M").to_string()
    } else {
        zone.format_moment(at)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::{
        EpisodeId, NoticeId, Timestamp, Zone,
        envelope::Channel,
        event::watchdog::{AttentionMatter, EscalationCause, PageId},
    };

    use super::{Notice, NoticeItem, NoticeKind, StallEnd};
    use crate::observation::TaskOrigin;

    fn origin(sender: Option<&str>, channel: Channel) -> TaskOrigin {
        let at = "2026-11-29T20:30:04Z".parse().unwrap();
        TaskOrigin { sender: sender.map(str::to_owned), channel, at }
    }

    fn item(agent: &str) -> NoticeItem {
        let episode: EpisodeId = "019a0000-0000-7000-8000-000000000001".parse().unwrap();
        NoticeItem {
            agent: agent.parse().unwrap(),
            episode,
            silent: Duration::from_secs(500),
            page: Some(PageId::of(0x7f3a, 4)),
            cause: Some(EscalationCause::NoEvidence),
            is_alive: true,
            is_never_active: false,
            task: Some(origin(Some("ann"), Channel::Telegram)),
            end: None,
        }
    }

    fn notice(kind: NoticeKind, items: Vec<NoticeItem>) -> Notice {
        let id: NoticeId = "019a0000-0000-7000-8000-000000000002".parse().unwrap();
        let at: Timestamp = "2026-11-29T20:42:04Z".parse().unwrap();
        let zone = Zone::named("Europe/Berlin").unwrap();
        Notice { items, zone, ..Notice::new(id, kind, at) }
    }

    fn ended(end: StallEnd) -> Notice {
        let item = NoticeItem { cause: None, end: Some(end), ..item("felix") };
        notice(NoticeKind::Resolved, vec![item])
    }

    fn about(kind: NoticeKind, summaries: &[&str]) -> Notice {
        let matter = |summary: &&str| AttentionMatter {
            id: "approval:a.1".into(),
            kind: "approval".into(),
            agent: None,
            summary: (*summary).to_owned(),
        };
        Notice { matters: summaries.iter().map(matter).collect(), ..notice(kind, Vec::new()) }
    }

    #[test]
    fn a_stall_says_what_the_agent_was_to_do_since_when_nothing_came_and_what_can_be_done() {
        assert_eq!(
            notice(NoticeKind::Stalled, vec![item("felix")]).text(),
            "felix has stalled\n\
             It was to answer a message of ann on Telegram, 12 min ago.\n\
             Nothing has come from it since 21:33 (8 min).\n\
             Tried: its process answered, but the task does not move; it was paged (page 7f3a), without effect.\n\
             You can acknowledge it (also: abide watchdog ack 7f3a), abort its task, or restart it."
        );
        let fresh = NoticeItem {
            is_alive: false,
            is_never_active: true,
            task: None,
            cause: Some(EscalationCause::PageFailed),
            ..item("felix")
        };
        let both = notice(NoticeKind::Stalled, vec![fresh, item("ada")]);
        assert_eq!(both.title(), "felix, ada have stalled");
        assert!(both.body().starts_with("felix: It never showed any work"), "{}", both.body());
        assert!(both.body().contains("but the page reached nobody"));
    }

    #[test]
    fn a_task_is_named_by_its_sender_its_channel_and_its_age() {
        let now: Timestamp = "2026-11-29T20:42:04Z".parse().unwrap();
        for (sender, channel, text) in [
            (Some("ann"), Channel::Irc, "a message of ann on IRC, 12 min ago"),
            (Some("ada"), Channel::System, "a message of ada inside Abide, 12 min ago"),
            (None, Channel::System, "a wake of its own, 12 min ago"),
        ] {
            assert_eq!(origin(sender, channel).description(now), text);
        }
    }

    #[test]
    fn an_end_says_what_ended_the_stall_and_only_a_recovery_reads_like_one() {
        let moved = ended(StallEnd::Moved);
        assert_eq!(moved.title(), "felix moves again");
        assert!(!moved.is_unanswered());
        let why = "the epoch took longer than the 900 s that it may take".to_owned();
        let given_up = ended(StallEnd::Unanswered { why });
        assert_eq!(
            given_up.text(),
            "felix's task was given up without an answer\n\
             Nobody answered a message of ann on Telegram, 12 min ago. Why: the epoch took longer than the 900 s that it may take. \
             The stall lasted 8 min. You can ask again."
        );
        assert!(given_up.is_unanswered());
        assert_eq!(
            ended(StallEnd::Other("paused".into())).title(),
            "felix is paused; its stall is over"
        );
        let mut two = given_up;
        two.items.push(NoticeItem { end: Some(StallEnd::Moved), ..item("ada") });
        assert_eq!(two.title(), "2 stalls are over, 1 of them without an answer");
    }

    #[test]
    fn who_has_it_in_hand_is_named_with_a_time_of_the_readers_clock() {
        let kind = |until: &str| NoticeKind::Acknowledged {
            by: "@ann".parse().unwrap(),
            until: until.parse().unwrap(),
        };
        let title = |until| notice(kind(until), vec![item("felix")]).title();
        assert_eq!(title("2026-11-29T21:42:04.905858Z"), "felix: acknowledged by ann until 22:42");
        assert_eq!(
            title("2026-11-29T23:42:04Z"),
            "felix: acknowledged by ann until Mon 2026-11-30 00:42"
        );
    }

    #[test]
    fn a_matter_has_a_short_title_and_its_end_repeats_no_advice() {
        let clock = "the system's clock leapt ahead by 8 h 0 min: it is held back; set it back if it is wrong";
        let waits = about(NoticeKind::Attention, &[clock]);
        assert_eq!(waits.title(), "the system's clock leapt ahead by 8 h 0 min");
        assert_eq!(waits.body(), "it is held back; set it back if it is wrong");
        let over = about(NoticeKind::AttentionOver, &[clock]);
        assert_eq!(
            over.text(),
            "Over: the system's clock leapt ahead by 8 h 0 min\nNothing is left to do about it."
        );
        let two = about(NoticeKind::Attention, &[clock, "felix wants to run `shell`"]);
        assert_eq!(two.title(), "the system's clock leapt ahead by 8 h 0 min, and 1 more");
        let long = about(NoticeKind::Attention, &["a".repeat(170).as_str()]);
        assert_eq!(long.title().chars().count(), 97);
    }

    #[test]
    fn a_link_leads_to_the_screen_of_the_stall_or_of_the_matter() {
        let base = "https://abide.example.org/";
        let stall = notice(NoticeKind::Stalled, vec![item("felix")]);
        assert_eq!(stall.link(base), "https://abide.example.org/watchdog");
        assert_eq!(stall.link("https://a.example/?x=1"), "https://a.example/?x=1");
        let approval = about(NoticeKind::Attention, &["felix wants to run `shell`"]);
        assert_eq!(approval.link(base), "https://abide.example.org/#matter-approval-a-1");
        assert_eq!(notice(NoticeKind::Test, Vec::new()).link(base), base);
    }
}
