//! Which sentences are standing wishes, which are not, and how long they stand.

use abide_domain::{
    AgentId, EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{AbortCode, EpochAborted, EpochCommitted, Event, StimulusAccepted},
};
use uuid::Uuid;

use super::{
    Wishes,
    wording::{WishChange, changes},
};
use crate::DurableEvent;

/// What a message states as a wish.
fn stated(message: &str) -> Vec<String> {
    let stated = changes(message).into_iter().filter_map(|change| match change {
        WishChange::State(stated) | WishChange::Stop(_, stated) => Some(stated.text),
        WishChange::TakeBack(_) => None,
    });
    stated.collect()
}

#[test]
fn orders_that_hold_from_here_on_are_wishes_in_four_languages() {
    for wish in [
        "Always answer in French.",
        "Please always answer in French!",
        "Felix, from now on keep your answers short.",
        "Answer in English from now on.",
        "Never call me Bob.",
        "Please don't call me Bob.",
        "Don't use emojis.",
        "Call me Kit.",
        "From now on, call me Kit.",
        "Whenever I ask for a price, give it in euros.",
        "Remember: never mention my divorce.",
        "I prefer short answers.",
        "I'd like you to always quote your sources.",
        "You should never call me before nine.",
        "Stop calling me Bob.",
        "Antworte mir ab jetzt auf Deutsch.",
        "Bitte nenn mich nie Bob.",
        "Ab sofort antworte bitte kurz.",
        "Nenn mich Kit.",
        "Ich bevorzuge kurze Antworten.",
        "Réponds toujours en français.",
        "Désormais, réponds-moi en français.",
        "Ne m'appelle jamais Bob.",
        "Appelle-moi Kit.",
        "Responde siempre en español.",
        "A partir de ahora, responde en español.",
        "No me llames Bob.",
        "Prefiero respuestas cortas.",
    ] {
        assert_eq!(stated(wish), [wish], "{wish}");
    }
    let two = "Hi! The launch is on Friday. Always answer in French. Thanks.";
    assert_eq!(stated(two), ["Always answer in French."]);
}

#[test]
fn what_is_told_asked_quoted_or_meant_once_is_none() {
    for message in [
        "I always get up at six.",
        "Lee never eats meat.",
        "From now on I work at Acme.",
        "Do you always answer in French?",
        "Should I always answer in French?",
        "Lee said: always answer in French.",
        "She told me \"always answer in French\".",
        "> Always answer in French.",
        "```\nAlways answer in French.\n```",
        "Fwd: from Lee\nAlways answer in French.",
        "Answer in French.",
        "Don't send it yet.",
        "Never mind.",
        "The door is never locked.",
        "Call Lee tomorrow.",
        "My mother always calls me Bob.",
        "What should I always remember?",
        "Ich gehe immer um sechs ins Bett.",
        "Ab jetzt wohne ich in Lyon.",
        "Il ne mange jamais de viande.",
        "Siempre voy al trabajo en bici.",
    ] {
        assert_eq!(stated(message), Vec::<String>::new(), "{message}");
    }
}

/// A life of messages: each with its sender, channel and session.
struct Life {
    wishes: Wishes,
    seq: u64,
}

impl Life {
    fn new() -> Self {
        Self { wishes: Wishes::new("felix".parse::<AgentId>().unwrap().entity()), seq: 0 }
    }

    fn event(&mut self, epoch: EpochId, event: &Event) {
        self.seq += 1;
        let entity = "felix".parse::<AgentId>().unwrap().entity();
        let at = Timestamp::from_micros(0);
        let author = EntityName::keeper();
        let (seq, author) = (self.seq, &author);
        let applied = DurableEvent { seq, at, entity: &entity, author, epoch: Some(epoch), event };
        self.wishes.apply(&applied);
        self.wishes.apply(&applied);
    }

    fn accept(&mut self, sender: &str, session: &str, content: &str) -> EpochId {
        let epoch = EpochId::from_uuid(Uuid::from_u128(u128::from(self.seq) + 1));
        let (channel, _) = session.split_once(':').unwrap();
        let accepted = StimulusAccepted {
            content: content.into(),
            sender: sender.into(),
            channel: Channel::from_name(channel).unwrap(),
            sent_at: Timestamp::from_micros(0),
            session_id: session.into(),
            administrator: false,
            sender_zone: None,
            interactive: false,
            idempotency: None,
            claimed_output: None,
            cause: None,
        };
        self.event(epoch, &accepted.into());
        epoch
    }

    fn commit(&mut self, epoch: EpochId) {
        self.event(epoch, &EpochCommitted { turn: 1 }.into());
    }

    fn say(&mut self, sender: &str, session: &str, content: &str) {
        let epoch = self.accept(sender, session, content);
        self.commit(epoch);
    }

    fn of(&self, sender: &str, session: &str) -> Vec<&str> {
        let (channel, _) = session.split_once(':').unwrap();
        let channel = Channel::from_name(channel).unwrap();
        self.wishes.of(sender, channel, session).map(|wish| wish.text.as_str()).collect()
    }
}

const KIM: &str = "direct:kim";

#[test]
fn a_wish_stands_until_it_is_taken_back_or_replaced() {
    let mut life = Life::new();
    life.say("kim", KIM, "Always answer in French.");
    life.say("kim", KIM, "Never call me Bob.");
    life.say("kim", KIM, "Never mention my phone number.");
    assert_eq!(life.of("kim", KIM).len(), 3);
    assert_eq!(life.of("lee", "direct:lee"), Vec::<&str>::new(), "each person's own");
    life.say("kim", KIM, "From now on answer in German.");
    assert!(!life.of("kim", KIM).contains(&"Always answer in French."), "the newest language");
    life.say("kim", KIM, "You can call me Bob again.");
    life.say("kim", KIM, "Forget my phone number.");
    assert_eq!(
        life.of("kim", KIM),
        ["Never mention my phone number.", "From now on answer in German."]
    );
    life.say("kim", KIM, "You don't have to answer in German any more.");
    assert_eq!(life.of("kim", KIM), ["Never mention my phone number."]);
}

#[test]
fn only_what_a_person_said_in_an_epoch_that_committed_counts() {
    let mut life = Life::new();
    let aborted = life.accept("kim", KIM, "Always answer in French.");
    let aborting = EpochAborted { code: AbortCode::Cancelled, message: String::new() };
    life.event(aborted, &aborting.into());
    life.commit(aborted);
    assert_eq!(life.of("kim", KIM), Vec::<&str>::new());
    life.say("system", "system:system", "Always answer in French.");
    assert_eq!(life.of("system", "system:system"), Vec::<&str>::new(), "the keeper wishes nothing");
}

#[test]
fn what_was_asked_in_private_is_not_shown_in_a_group() {
    let mut life = Life::new();
    life.say("kim", KIM, "Never mention my divorce.");
    life.say("kim", "irc:#home", "Always answer in French.");
    life.say("kim", "telegram:-1001", "Keep your answers short from now on.");
    assert_eq!(life.of("kim", KIM).len(), 3);
    assert_eq!(life.of("kim", "telegram:77").len(), 3);
    assert_eq!(life.of("kim", "irc:#home"), ["Always answer in French."]);
    assert_eq!(life.of("kim", "irc:#work"), Vec::<&str>::new());
}

#[test]
fn wishes_are_bounded() {
    let mut life = Life::new();
    for number in 0..40 {
        life.say("kim", KIM, &format!("Always mention number {number}x."));
    }
    let wishes = life.of("kim", KIM);
    assert_eq!(wishes.len(), abide_domain::limits::WISHES_A_PERSON_MAX);
    assert_eq!(wishes.last(), Some(&"Always mention number 39x."));
}
