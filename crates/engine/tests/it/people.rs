//! What holds now, who said it, and who may hear it (decisions 52 and 54): as it stands in the prompt, with a scripted mind.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, Sharing,
    envelope::{Channel, StimulusEnvelope},
    event::{Event, MemoryEvent},
    turn::TurnRequest,
};
use abide_engine::{keeper::AcceptOptions, state::EpochRecord};
use abide_testkit::rig::{Rig, Setup, call, say};
use serde_json::json;

mod corrections;

/// A mind that searches its memory where it is told to, and says "so" else.
pub(super) async fn agent(sharing: Sharing) -> Rig {
    let script = |request: &TurnRequest, _: usize| {
        if let Some(step) = request.steps.last() {
            let results: Vec<_> = step.results.iter().map(|one| one.content.to_string()).collect();
            return say(results.join("\n"));
        }
        let message = &*request.message;
        if let Some(fact) = message.strip_prefix("remember: ") {
            call("memory.remember_fact", json!({"content": fact}))
        } else if let Some(query) = message.strip_prefix("recall: ") {
            call("memory.recall", json!({"query": query}))
        } else if let Some(query) = message.strip_prefix("facts: ") {
            call("memory.search_facts", json!({"query": query}))
        } else if let Some(partner) = message.strip_prefix("who: ") {
            call(
                "memory.query",
                json!({"query": "query_partnerships", "params": {"partner_id": partner}}),
            )
        } else if let Some(fact_id) = message.strip_prefix("forget: ") {
            call("memory.forget_fact", json!({"fact_id": fact_id}))
        } else {
            say("so")
        }
    };
    Setup::new(script).with(|setup| setup.sharing = sharing).start().await
}

/// Where somebody speaks: in private, or in a room.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    Private,
    Room(&'a str),
}

pub(super) async fn tell(rig: &Rig, who: &str, place: Place<'_>, content: &str) -> EpochRecord {
    tell_as(rig, who, place, content, false).await
}

async fn tell_as(
    rig: &Rig,
    who: &str,
    place: Place<'_>,
    content: &str,
    administrator: bool,
) -> EpochRecord {
    let (channel, session) = match place {
        Place::Private => (Channel::Direct, format!("direct:{who}")),
        Place::Room(room) => (Channel::Irc, format!("irc:{room}")),
    };
    let stimulus = StimulusEnvelope {
        sender: who.to_owned(),
        channel,
        session_id: Some(session),
        ..rig.stimulus(content)
    };
    let how = AcceptOptions { administrator, ..AcceptOptions::default() };
    let epoch = rig.accept(stimulus, how).await.unwrap().epoch;
    let ended = rig.ended(epoch).await;
    rig.pass(Duration::from_secs(70)).await;
    ended
}

pub(super) async fn reset(rig: &Rig) {
    let felix: AgentId = "felix".parse().unwrap();
    rig.keeper().reset(&felix, false, EntityName::sender("nicolas").unwrap()).await.unwrap();
}

/// All of the last prompt but the message itself: what the mind knew, in the words in which it was said, without the days
/// that stand beside words such as `3 March`.
pub(super) fn known(rig: &Rig) -> String {
    let asked = rig.asked_last();
    let message = &*asked.message;
    let mut text = asked.context.replace(message, "(the message)");
    for told in asked.history.iter() {
        text.extend(["\n", &told.stimulus, " / ", &told.reply]);
    }
    without_days(&text)
}

/// A text without ` (Tue 2026-03-03 or Wed 2027-03-03)`.
fn without_days(text: &str) -> String {
    const WEEKDAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
    let mut parts = text.split(" (");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_day = WEEKDAYS.iter().any(|weekday| part.starts_with(weekday));
        match part.split_once(')') {
            Some((_, rest)) if is_day => kept.push_str(rest),
            _ => kept.extend([" (", part]),
        }
    }
    kept
}

fn section<'a>(prompt: &'a str, title: &str) -> &'a str {
    let behind = prompt.split_once(&format!("## {title}\n")).unwrap().1;
    behind.split("\n## ").next().unwrap()
}

fn fact_ids(rig: &Rig) -> Vec<String> {
    let facts = rig.entries().into_iter().filter_map(|entry| match entry.event {
        Event::Memory(MemoryEvent::FactRemembered(fact)) => Some(fact.fact_id.to_string()),
        _ => None,
    });
    facts.collect()
}

#[tokio::test(start_paused = true)]
async fn what_was_told_in_private_is_told_to_nobody_else_by_no_way() {
    for secret in [
        "My bank is Ostrich and Sons.",
        "The wifi password is Ostrich42.",
        "Ann lives at Ostrich Lane.",
        "The Ostrich deal is confidential.",
    ] {
        let rig = agent(Sharing::Person).await;
        tell(&rig, "ann", Place::Private, secret).await;
        tell(&rig, "ann", Place::Private, &format!("remember: {secret}")).await;
        // Each by somebody else: their own questions hold the word too.
        for (number, ask) in (1..).zip([
            "What do you know of Ostrich?",
            "recall: Ostrich",
            "facts: Ostrich",
            "facts: bank wifi lives deal",
            "who: ann",
        ]) {
            let epoch = tell(&rig, &format!("mallory-{number}"), Place::Private, ask).await;
            let reply = epoch.reply().unwrap().replace(ask, "");
            assert!(!reply.contains("Ostrich"), "{ask}: {reply}");
            let known = known(&rig).replace(ask, "");
            assert!(!known.contains("Ostrich") && !known.contains("ann "), "{ask}: {known}");
        }
        // Not even in a room that she is in herself.
        tell(&rig, "ann", Place::Room("#ops"), "What is my bank, and where do I live?").await;
        assert!(!known(&rig).contains("Ostrich"), "{secret}: {}", known(&rig));
        tell(
            &rig,
            "ann",
            Place::Private,
            "What did I tell about the bank, wifi, lane or deal of Ostrich?",
        )
        .await;
        assert!(known(&rig).contains(secret), "she is told: {}", known(&rig));
    }
}

#[tokio::test(start_paused = true)]
async fn that_something_was_told_in_private_shows_in_nothing() {
    let mut prompts = Vec::new();
    for secret in [None, Some("My bank is Ostrich and Sons.")] {
        let rig = agent(Sharing::Person).await;
        let secret = secret.unwrap_or("\u{1f426}");
        let sender = if secret == "\u{1f426}" { "mallory" } else { "ann" };
        tell(&rig, sender, Place::Private, secret).await;
        reset(&rig).await;
        let searched = tell(&rig, "eve", Place::Private, "recall: bank of Ann").await;
        let asked = tell(&rig, "eve", Place::Private, "facts: bank of Ann").await;
        tell(&rig, "eve", Place::Private, "Where does Ann have her bank?").await;
        let prompt = known(&rig);
        let replies = (searched.reply().map(str::to_owned), asked.reply().map(str::to_owned));
        prompts.push((section(&prompt, "Relevant history").to_owned(), replies));
    }
    assert_eq!(prompts[0], prompts[1], "the same as if nobody had told it");
}

#[tokio::test(start_paused = true)]
async fn what_was_said_in_a_room_is_told_there_and_to_who_spoke_there() {
    let rig = agent(Sharing::Person).await;
    tell(&rig, "kim", Place::Room("#ops"), "My desk is beside the Ostrich.").await;
    tell(&rig, "lee", Place::Room("#ops"), "hello").await;
    for (who, place, is_told) in [
        ("new", Place::Room("#ops"), true),
        ("lee", Place::Private, true),
        ("kim", Place::Private, true),
        ("mallory", Place::Private, false),
        ("lee", Place::Room("#lobby"), false),
    ] {
        tell(&rig, who, place, "Where is the desk of kim?").await;
        assert_eq!(known(&rig).contains("Ostrich"), is_told, "{who}: {}", known(&rig));
    }
}

#[tokio::test(start_paused = true)]
async fn a_person_or_the_setting_decides_how_far_it_goes() {
    for (sharing, is_told, is_matter_told) in [
        (Sharing::Agent, true, true),
        (Sharing::Person, false, true),
        (Sharing::Channel, false, false),
    ] {
        let rig = agent(sharing).await;
        tell(&rig, "ann", Place::Private, "My bank is Ostrich and Sons.").await;
        tell(&rig, "ann", Place::Private, "The launch is on 3 March.").await;
        tell(&rig, "eve", Place::Private, "Which bank is it, and when is the launch?").await;
        assert_eq!(known(&rig).contains("Ostrich"), is_told, "{sharing:?}: {}", known(&rig));
        assert_eq!(known(&rig).contains("3 March"), is_matter_told, "{sharing:?}: {}", known(&rig));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_for_their_own_is_never_given_another_s() {
    for (told, asked) in [
        ("My birthday is on", "When is my birthday?"),
        ("Mein Geburtstag ist am", "Wann ist mein Geburtstag?"),
        ("Mon anniversaire est le", "Quand est mon anniversaire ?"),
        ("Mi cumpleaños es el", "¿Cuándo es mi cumpleaños?"),
    ] {
        for sharing in [Sharing::Agent, Sharing::Person] {
            let rig = agent(sharing).await;
            let room = Place::Room("#ops");
            tell(&rig, "lee", room, &format!("{told} 5.5.")).await;
            tell(&rig, "lee", room, &format!("remember: {told} 5.5.")).await;
            tell(&rig, "kim", room, "hello").await;
            tell(&rig, "kim", room, &format!("Fwd: Lee: {told} 6.6.")).await;
            reset(&rig).await;
            tell(&rig, "kim", room, asked).await;
            let before = known(&rig);
            assert!(!before.contains("5.5") && !before.contains("6.6"), "{asked}: {before}");
            tell(&rig, "kim", room, &format!("{told} 3.3.")).await;
            reset(&rig).await;
            tell(&rig, "kim", room, asked).await;
            let after = known(&rig);
            assert!(after.contains("3.3") && !after.contains("5.5"), "{asked}: {after}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn words_that_are_passed_on_are_their_author_s() {
    let rig = agent(Sharing::Person).await;
    tell(&rig, "kim", Place::Private, "Fwd: Lee: The harbour office closes on Friday.").await;
    reset(&rig).await;
    tell(&rig, "kim", Place::Private, "When does the harbour office close?").await;
    let known = known(&rig);
    assert!(known.contains("kim passed on words of Lee, "), "{known}");
    assert!(!known.contains("kim said"), "{known}");
}

#[tokio::test(start_paused = true)]
async fn nobody_has_forgotten_what_another_told_but_an_administrator() {
    let rig = agent(Sharing::Person).await;
    tell(&rig, "ann", Place::Private, "remember: the launch is on 3 March").await;
    tell(&rig, "ann", Place::Private, "remember: my bank is Ostrich").await;
    let facts = fact_ids(&rig);
    let forget = |fact: usize| format!("forget: {}", facts[fact]);
    let count =
        || rig.keeper().agent("felix").unwrap().facts.list(None, 9, None).unwrap().items.len();
    let launch = tell(&rig, "mallory", Place::Private, &forget(0)).await;
    assert!(launch.reply().unwrap().contains("ann told that"), "{:?}", launch.reply());
    let bank = tell(&rig, "mallory", Place::Private, &forget(1)).await;
    let unknown =
        tell(&rig, "mallory", Place::Private, "forget: 00000000-0000-7000-8000-000000000009").await;
    let without_id = |epoch: &EpochRecord, id: &str| epoch.reply().unwrap().replace(id, "ID");
    assert_eq!(
        without_id(&bank, &facts[1]),
        without_id(&unknown, "00000000-0000-7000-8000-000000000009"),
        "that it is there is not told"
    );
    assert_eq!(count(), 2);
    tell_as(&rig, "nicolas", Place::Private, &forget(0), true).await;
    assert_eq!(count(), 1, "an administrator has it forgotten");
    tell(&rig, "ann", Place::Private, &forget(1)).await;
    assert_eq!(count(), 0, "so has who told it");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_speaks_is_named_as_that_agent() {
    let script = |request: &TurnRequest, _: usize| abide_testkit::rig::obey(request);
    let rig = Setup::new(script).with(|setup| setup.agents = vec!["felix", "bob"]).start().await;
    rig.say_to("felix", r"\say @bob the build of the harbour site is done ---").await;
    rig.until_state("bob answered", |state| {
        state.agents.get("bob").is_some_and(|bob| bob.short_term.len() == 1)
    })
    .await;
    let heard = rig.asked().into_iter().rfind(|asked| asked.agent.as_str() == "bob").unwrap();
    assert!(heard.context.contains("The agent felix speaks"), "{}", heard.context);
    assert!(!heard.context.contains("The keeper speaks"), "{}", heard.context);
    rig.say_to("bob", "Is the build of the harbour site done?").await;
    let asked = rig.asked_last();
    assert!(asked.context.contains("The agent felix said, "), "{}", asked.context);
}

#[tokio::test(start_paused = true)]
async fn what_is_above_and_about_something_else_is_not_said_to_be_about_this() {
    let rig = agent(Sharing::Person).await;
    tell(&rig, "kim", Place::Private, "Lunch is at noon in the canteen.").await;
    tell(&rig, "kim", Place::Private, "Which database?").await;
    let known = known(&rig);
    assert!(!known.contains("about this is in the conversation above"), "{known}");
    assert!(known.contains("No earlier conversation about this is remembered"), "{known}");
    tell(&rig, "kim", Place::Private, "When is lunch?").await;
    let known = self::known(&rig);
    assert!(known.contains("exchange about this is in the conversation above"), "{known}");
}
