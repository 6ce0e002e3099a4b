//! Wakes: each fires once, when its condition holds and not before, whatever dies in between (decision 50).
//!
//! `chaos` holds many of them against the ledger; here is one of a kind.

use std::time::Duration;

use abide_domain::{
    EntityName, WakeId,
    event::{Event, StimulusCause, StimulusEvent, WakeEvent, WakeFired, WakeSet},
    limits::WAKES_MAX,
};
use abide_engine::keeper::{AcceptError, AcceptOptions};
use abide_ledger::Entry;
use abide_testkit::rig::{Rig, RigAnswer, Setup, calls, command, obey, say};
use serde_json::json;

mod chaos;

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Two agents who do what they are told.
fn two() -> Setup {
    Setup::new(|request, _| obey(request)).with(|setup| setup.agents = vec!["felix", "ada"])
}

/// The wakes that fired so far, in order. Each has its stimulus right before it, under the same epoch.
fn fired(rig: &Rig) -> Vec<WakeFired> {
    let entries = rig.entries();
    let fired = entries.iter().enumerate().filter_map(|(place, entry)| {
        let Event::Wake(WakeEvent::Fired(fired)) = &entry.event else { return None };
        let before = &entries[place - 1];
        assert_eq!((cause(before), before.epoch), (Some(fired.wake_id), entry.epoch));
        Some(fired.clone())
    });
    let fired: Vec<_> = fired.collect();
    let given = entries.iter().filter_map(cause);
    assert!(given.eq(fired.iter().map(|fired| fired.wake_id)), "a stimulus for each, and no other");
    fired
}

/// The wake that an event is the stimulus of.
fn cause(entry: &Entry) -> Option<WakeId> {
    let Event::Stimulus(StimulusEvent::Accepted(stimulus)) = &entry.event else { return None };
    match stimulus.cause {
        Some(StimulusCause::Wake { wake_id, .. }) => Some(wake_id),
        _ => None,
    }
}

/// What agents were told when they were woken.
fn stimuli(rig: &Rig) -> Vec<String> {
    let events = rig.entries().into_iter().filter(|entry| cause(entry).is_some());
    let told = events.filter_map(|entry| match entry.event {
        Event::Stimulus(StimulusEvent::Accepted(stimulus)) => Some(stimulus.content.to_string()),
        _ => None,
    });
    told.collect()
}

/// An entity and what it is told.
type ExpectedStimulus = (&'static str, &'static str);

/// Sets a wake for felix, as a person.
async fn set(rig: &Rig, condition: &str) {
    rig.tell("felix", &format!(r"\wake ?({condition}) up ---")).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_wakes_itself_again_and_again_is_slowed_down_and_comes_to_an_end() {
    let setup = Setup::new(|request, _| match request.turn {
        1 => command(r"\wake ?(sleep(0s)) again ---"),
        _ => say("so"),
    });
    let rig = setup.start().await;
    rig.say("go").await;
    let epochs = |rig: &Rig| {
        rig.entries().iter().filter(|entry| entry.event.kind().name == "epoch.committed").count()
    };
    rig.pass(secs(10)).await;
    assert!(epochs(&rig) <= 40, "{} in 10 s", epochs(&rig));
    rig.pass(secs(3_600)).await;
    let all = epochs(&rig);
    assert!((150..=203).contains(&all), "{all}");
    rig.pass(secs(3_600)).await;
    assert_eq!(epochs(&rig), all, "it has come to its end (limits.hops)");
    rig.say("go on").await;
    rig.pass(secs(60)).await;
    assert!(epochs(&rig) > all + 1, "a person begins a new chain");
}

#[tokio::test(start_paused = true)]
async fn who_wakes_itself_now_and_then_does_so_without_end() {
    let setup = Setup::new(|request, _| match request.turn {
        1 => command(r"\wake ?(sleep(10m)) look at the mail ---"),
        _ => say("so"),
    });
    let rig = setup.with(|setup| setup.limits.hops = 3).start().await;
    rig.say("go").await;
    rig.pass(secs(20 * 600 + 5)).await;
    assert_eq!(fired(&rig).len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_pattern_that_needs_too_much_work_ends_its_wake_with_an_error_after_a_restart_too() {
    let mut rig = two().start().await;
    set(&rig, "content matches '[a-z]{1,400}b'").await;
    set(&rig, "content matches 'a{5}'").await;
    let long = "a".repeat(9_000);
    rig.tell("felix", &format!(r"\stdout write: {long} ---")).await.unwrap();
    rig.pass(secs(1)).await;
    let ended = fired(&rig);
    assert_eq!(ended.len(), 2);
    let errors: Vec<_> = ended.into_iter().filter_map(|fired| fired.error).collect();
    assert_eq!(errors.len(), 1, "the other one holds");
    assert!(errors[0].contains("4000000 steps of work"), "{errors:?}");
    rig.restart().await;
    assert_eq!(fired(&rig).len(), 2);
    assert_eq!(rig.digest(), rig.digest_rebuilt());
}

#[tokio::test(start_paused = true)]
async fn a_wake_fires_once_with_its_prompt_and_what_was_heard_since() {
    let rig = two().start().await;
    rig.say(r"\wake ?(from(@ada) and sleep(10s)) look at the build ---").await;
    rig.tell("ada", r"\say @felix it is red ---").await.unwrap();
    rig.pass(secs(9)).await;
    assert_eq!(fired(&rig), [], "it still sleeps");
    rig.pass(secs(60)).await;
    assert_eq!(fired(&rig).len(), 1);
    let told = stimuli(&rig).remove(0);
    assert!(told.starts_with("look at the build\n\n(You asked for this "), "{told}");
    assert!(told.contains("?(from(@ada) and sleep(10s))"), "{told}");
    assert!(told.ends_with("] @ada: it is red"), "{told}");
    rig.tell("ada", r"\say @felix it is green ---").await.unwrap();
    rig.pass(secs(600)).await;
    assert_eq!(fired(&rig).len(), 1, "never again");
}

#[tokio::test(start_paused = true)]
async fn each_kind_of_condition_fires_on_its_event_and_on_no_other() {
    let cases: [(&str, &[ExpectedStimulus], ExpectedStimulus); 8] = [
        ("from(@ada)", &[("felix", "note")], ("ada", r"\say @felix hello ---")),
        ("from(#lab)", &[("ada", r"\say @felix hi ---")], ("ada", r"\say #lab hello ---")),
        ("response(@ada)", &[("ada", r"\say #lab hm ---")], ("ada", r"\say @felix hello ---")),
        ("content contains 'RED'", &[("felix", "green")], ("felix", "it is red again")),
        (
            "entity = @ada and content matches 'r.d'",
            &[("felix", "red"), ("ada", r"\say @felix green ---")],
            ("ada", r"\say @felix red ---"),
        ),
        ("kind = 'space.said'", &[("felix", "note")], ("ada", r"\say #lab so ---")),
        (
            r"$(\stdout read: last 1 ---) contains 'ready'",
            &[("felix", "read"), ("ada", "ready")],
            ("felix", "ready now"),
        ),
        (
            "from(@ada) and content contains 'red'",
            &[("ada", r"\say @felix green ---")],
            ("felix", "red"),
        ),
    ];
    for (condition, others, event) in cases {
        let rig = two().start().await;
        rig.tell("felix", r"\name #lab @(ada, nicolas) ---").await.unwrap();
        rig.tell("ada", r"\say @felix before red ready ---").await.unwrap();
        set(&rig, condition).await;
        for (entity, input) in others {
            rig.tell(entity, input).await.unwrap();
        }
        rig.pass(secs(5)).await;
        assert_eq!(fired(&rig), [], "{condition}");
        rig.tell(event.0, event.1).await.unwrap();
        rig.pass(secs(5)).await;
        assert_eq!(fired(&rig).len(), 1, "{condition}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_reply_to_what_an_agent_said_is_a_response() {
    let rig = two().start().await;
    rig.say(r"\wake ?(response(@ada)) she answered ---").await;
    rig.say("nothing").await;
    rig.say_to("ada", "hello").await;
    assert_eq!(fired(&rig), [], "she answered a person");
    rig.say(r"\say @ada hello ---").await;
    rig.pass(secs(5)).await;
    assert_eq!(fired(&rig).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_the_time_alone_decides_fires_at_its_time() {
    // One tick is a second, and the rule is not older than the state.
    for (condition, due) in [
        ("sleep(30s)", 30),
        ("sleep(30 ticks)", 30),
        ("sleep(2m) and not response(@ada)", 120),
        ("from(@ada) or sleep(1h)", 3_600),
        ("tick > 300", 300),
        ("tick > 300 or from(@ada)", 300),
        ("not (tick < 300) and not from(@ada)", 300),
        ("(tick between 5 and 10 and from(@ada)) or tick >= 300", 300),
        (r"tick > 300 or $(\stdout read: last 1 ---) contains 'zzz'", 300),
    ] {
        let rig = two().start().await;
        set(&rig, condition).await;
        rig.pass(secs(due - 3)).await;
        assert_eq!(fired(&rig), [], "{condition}");
        rig.pass(secs(6)).await;
        assert_eq!(fired(&rig).len(), 1, "{condition}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_wake_that_comes_due_while_another_fires_is_not_missed() {
    let setup = two().with(|setup| setup.failpoints = "accept.before_durable=delay(5000)".into());
    let rig = setup.start().await;
    for condition in ["sleep(1s)", "sleep(3s)", "sleep(4 ticks)", "tick > 5 or from(@ada)"] {
        set(&rig, condition).await;
    }
    rig.pass(secs(60)).await;
    assert_eq!(fired(&rig).len(), 4);
}

#[tokio::test(start_paused = true)]
async fn whatever_the_disk_is_doing_at_a_death_a_wake_fires_once() {
    for is_power in [false, true] {
        let (mut operation, mut had_fired) = (1, false);
        while !had_fired {
            let mut rig = two().start().await;
            set(&rig, "sleep(2s)").await;
            rig.storage.fail_power_at(operation);
            rig.pass(secs(10)).await;
            had_fired = !rig.storage.is_off();
            rig.end_by(is_power).await;
            rig.start_again().await;
            rig.pass(secs(60)).await;
            rig.until_quiet().await;
            assert_eq!(fired(&rig).len(), 1, "operation {operation}");
            assert_eq!(rig.digest(), rig.digest_rebuilt(), "operation {operation}");
            operation += 1;
        }
        assert!(operation > 5, "it was really cut: {operation}");
    }
}

#[tokio::test(start_paused = true)]
async fn at_each_point_of_its_acceptance_a_death_leaves_a_wake_that_fires_once() {
    for point in ["accept.before_durable", "accept.after_durable"] {
        for is_error in [false, true] {
            let action = if is_error { "error" } else { "delay(3600000)" };
            let setup = two().with(|setup| setup.failpoints = format!("{point}={action}"));
            let mut rig = setup.start().await;
            set(&rig, "sleep(2s)").await;
            rig.pass(secs(20)).await;
            rig.kill().await;
            rig.setup.failpoints.clear();
            rig.start_again().await;
            rig.pass(secs(60)).await;
            assert_eq!(fired(&rig).len(), 1, "{point}={action}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_came_due_while_the_keeper_was_down_fires_at_its_start() {
    let mut rig = two().start().await;
    set(&rig, "sleep(1h)").await;
    rig.power_cut().await;
    rig.pass(secs(86_400)).await;
    rig.start_again().await;
    rig.pass(secs(5)).await;
    assert_eq!(fired(&rig).len(), 1);
}

/// The one error that an owner was told, in the ledger and in its stimulus.
fn reported(rig: &Rig) -> String {
    let fired = fired(rig);
    assert_eq!(fired.len(), 1, "{fired:?}");
    let error = fired[0].error.clone().unwrap();
    let told = stimuli(rig).remove(0);
    assert!(told.contains("its condition cannot be evaluated") && told.contains(&error), "{told}");
    assert!(told.ends_with("What you wanted to be told: up"), "{told}");
    error
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_space_that_it_is_taken_out_of_is_told_so() {
    let rig = two().start().await;
    rig.tell("felix", r"\name #lab @(ada, nicolas) ---").await.unwrap();
    set(&rig, "from(#lab)").await;
    rig.pass(secs(60)).await;
    rig.tell("ada", r"\name #lab @(nicolas) ---").await.unwrap();
    rig.pass(secs(5)).await;
    assert!(reported(&rig).contains("you are not in #lab"), "{}", reported(&rig));
}

#[tokio::test(start_paused = true)]
async fn a_condition_of_another_grammar_is_reported_to_its_owner() {
    let mut rig = two().start().await;
    let (condition, prompt) = ("?(dreams(@ada) ~ 3)".to_owned(), "up".into());
    let wake_id = WakeId::from_uuid(uuid::Uuid::from_u128(7));
    let set = WakeSet { wake_id, condition, prompt };
    let felix = "felix".parse().unwrap();
    rig.keeper().append(&felix, set, EntityName::keeper()).await.unwrap();
    rig.restart().await;
    rig.pass(secs(5)).await;
    assert!(reported(&rig).contains("cannot be parsed"), "{}", reported(&rig));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_refused_is_reported_and_asks_for_nothing_more() {
    for (question, error) in [
        (r"\stdout read: last 0 ---", "Unknown read pattern"),
        (r"\stdout read: @ada ---", "@ada"),
        (r"\stdout write: me again ---", "can only read"),
        (r"\say @ada hello ---", "can only read"),
    ] {
        let rig = two().start().await;
        set(&rig, &format!("$({question}) contains 'x'")).await;
        rig.pass(secs(5)).await;
        assert!(reported(&rig).contains(error), "{}", reported(&rig));
        rig.pass(secs(60)).await;
        let kinds: Vec<_> = rig.entries().iter().map(|entry| entry.event.kind().name).collect();
        assert!(!kinds.contains(&"stdout.written") && !kinds.contains(&"space.said"));
    }
}

#[tokio::test(start_paused = true)]
async fn where_the_queue_is_full_a_wake_stays_due_and_fires_later() {
    let setup = Setup::new(|_, _| say("so").after(secs(100)));
    let rig = setup.with(|setup| setup.limits.queue = 2).start().await;
    for number in 0..3 {
        rig.begin(&format!("work {number}")).await;
        rig.pass(secs(1)).await;
    }
    let full = rig.accept(rig.stimulus("more"), AcceptOptions::default()).await;
    assert!(matches!(full, Err(AcceptError::QueueFull { .. })), "{full:?}");
    set(&rig, "sleep(1s)").await;
    rig.pass(secs(60)).await;
    assert_eq!(fired(&rig), [], "there is no room");
    rig.pass(secs(60)).await;
    assert_eq!(fired(&rig).len(), 1, "there is room");
    rig.until_quiet().await;
}

#[tokio::test(start_paused = true)]
async fn a_wake_that_is_taken_back_never_fires() {
    let rig = two().start().await;
    set(&rig, "sleep(1m)").await;
    set(&rig, "sleep(2m)").await;
    let list = rig.say(r"\wake ---").await.reply().unwrap().to_owned();
    assert_eq!(list.matches("up (set ").count(), 2, "{list}");
    let id = list.split_once('[').unwrap().1.split_once(']').unwrap().0.to_owned();
    let taken = rig.say(&format!(r"\wake cancel: {id} ---")).await;
    assert_eq!(taken.reply(), Some(format!("Wake {id} is taken back").as_str()));
    let again = rig.say(&format!(r"\wake cancel: {id} ---")).await;
    assert!(again.reply().unwrap().starts_with("ERROR: No wake"), "{:?}", again.reply());
    rig.pass(secs(600)).await;
    assert_eq!(fired(&rig).len(), 1);
    assert_ne!(fired(&rig)[0].wake_id.to_string(), id);
}

#[tokio::test(start_paused = true)]
async fn an_agent_waits_for_so_many_things_and_no_more_also_within_one_epoch() {
    let setup = Setup::new(|request, _| match (&*request.message, request.turn) {
        ("two more", 1) => {
            let wake = json!({"command": r"\wake ?(sleep(9000h)) late ---"});
            calls([("stdout", wake.clone()), ("stdout", wake)])
        }
        _ => obey(request),
    });
    let rig = setup.start().await;
    for _ in 1..WAKES_MAX {
        set(&rig, "sleep(9000h)").await;
    }
    let epoch = rig.say("two more").await.id;
    let told: Vec<_> = rig.finished_of(epoch).into_iter().map(|done| done.content).collect();
    assert!(told[0].starts_with("You will be woken once"), "{told:?}");
    assert!(told[1].starts_with(&format!("ERROR: You wait for {WAKES_MAX} things")), "{told:?}");
    let more = rig.tell("felix", r"\wake ?(sleep(9000h)) late ---").await.unwrap_err();
    assert!(more.to_string().starts_with("ERROR: You wait for"), "{more}");
}

#[tokio::test(start_paused = true)]
async fn the_wake_of_an_agent_that_is_away_fires_when_it_is_there_again() {
    let mut rig = two().start().await;
    rig.tell("ada", r"\wake ?(sleep(1m)) up ---").await.unwrap();
    rig.setup.agents = vec!["felix"];
    rig.restart().await;
    rig.pass(secs(600)).await;
    assert_eq!(fired(&rig), []);
    rig.setup.agents = vec!["felix", "ada"];
    rig.restart().await;
    rig.pass(secs(5)).await;
    assert_eq!(fired(&rig).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_wake_is_not_eaten_by_a_day_whose_money_is_spent() {
    let setup = Setup::new(|request, _| -> RigAnswer {
        match &*request.message {
            r"\wake ?(sleep(1m)) up ---" if request.turn == 1 => {
                command(&request.message).costing(50)
            }
            _ => say("so").costing(50),
        }
    });
    let rig = setup.with(|setup| setup.budget_microusd_day = Some(100)).start().await;
    rig.say(r"\wake ?(sleep(1m)) up ---").await;
    rig.pass(secs(600)).await;
    assert_eq!(fired(&rig).len(), 1);
    assert_eq!(rig.keeper().state().running.len(), 1, "it waits for money");
    let felix = "felix".parse().unwrap();
    rig.keeper().resume(&felix, EntityName::keeper()).await.unwrap();
    rig.until_quiet().await;
    assert!(rig.asked_last().message.starts_with("up"), "{}", rig.asked_last().message);
}

/// The wakes that were taken away without anybody's wish, with why.
fn lapsed(rig: &Rig) -> Vec<String> {
    let events = rig.entries().into_iter().filter_map(|entry| match entry.event {
        Event::Wake(WakeEvent::Cancelled(cancelled)) => cancelled.reason,
        _ => None,
    });
    events.collect()
}

#[tokio::test(start_paused = true)]
async fn a_wake_that_can_never_hold_any_more_is_taken_away() {
    let mut rig = two().start().await;
    set(&rig, "not response(@ada) and sleep(10m)").await;
    set(&rig, "not response(@ada) and sleep(10m) or sleep(20m)").await;
    set(&rig, "not from(@nicolas) and sleep(10m)").await;
    rig.tell("ada", r"\say @felix all is well ---").await.unwrap();
    rig.pass(secs(5)).await;
    assert_eq!(lapsed(&rig).len(), 1, "{:?}", lapsed(&rig));
    let list = rig.tell("felix", r"\wake ---").await.unwrap();
    assert_eq!(list.matches("up (set ").count(), 2, "{list}");
    rig.restart().await;
    rig.pass(secs(3_000)).await;
    assert_eq!((fired(&rig).len(), lapsed(&rig).len()), (2, 1), "none twice, none lost");
}

#[tokio::test(start_paused = true)]
async fn an_entry_cannot_be_compared_with_an_answer_and_that_is_said_at_once() {
    let rig = two().start().await;
    for condition in [r"content = $(\stdout read: last 1 ---)", r"not entity = $(\read ---)"] {
        let refused = rig.tell("felix", &format!(r"\wake ?({condition}) up ---")).await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains("cannot be compared with what $(…) answers"), "{refused}");
    }
    rig.pass(secs(60)).await;
    assert_eq!(fired(&rig), []);
}

#[tokio::test(start_paused = true)]
async fn agents_that_only_wake_each_other_come_to_an_end() {
    let setup = Setup::new(|request, _| {
        let me = request.agent.as_str();
        let other = if me == "ada" { "felix" } else { "ada" };
        match request.steps.last() {
            None if request.message.starts_with("go") => command(&format!(
                r"\stdout write: {me} was here --- \wake ?(entity = @{other}) go on ---"
            )),
            _ => obey(request),
        }
        .after(secs(1))
    });
    let setup = setup.with(|setup| {
        setup.agents = vec!["felix", "ada"];
        setup.limits.hops = 6;
    });
    let rig = setup.start().await;
    rig.tell("ada", r"\grant @felix ---").await.unwrap();
    rig.tell("felix", r"\grant @ada ---").await.unwrap();
    rig.tell("ada", r"\wake ?(entity = @felix) go on ---").await.unwrap();
    rig.say("go").await;
    rig.pass(secs(600)).await;
    assert_eq!(fired(&rig).len(), 7, "{:?}", fired(&rig));
    // A person begins anew.
    rig.tell("ada", r"\wake ?(entity = @felix) go on ---").await.unwrap();
    rig.say("go").await;
    rig.pass(secs(5)).await;
    assert!(fired(&rig).len() > 8, "{:?}", fired(&rig));
}
