//! Notes: durable at once, whatever becomes of their epoch; never twice; and in the prompt of whoever goes on.

use std::time::Duration;

use abide_domain::{
    AgentId, EntityName, EpochId,
    event::{AbortCode, Event, StdoutEvent},
    tool::Outcome,
    turn::TurnRequest,
};
use abide_testkit::rig::{
    Rig, RigAnswer, Setup, TestTool, call, calls, command, obey, say, silence,
};
use serde_json::json;

const HEADING: &str = "What you wrote down for yourself";

fn felix() -> AgentId {
    "felix".parse().unwrap()
}

/// The contents of a log, as the ledger has it.
fn notes(rig: &Rig, owner: &str) -> Vec<String> {
    let own = rig.entries().into_iter().filter(|entry| entry.entity.bare() == owner);
    let written = own.filter_map(|entry| match entry.event {
        Event::Stdout(StdoutEvent::Written(written)) => Some(written.content.to_string()),
        _ => None,
    });
    written.collect()
}

/// The notes in a prompt; none where it has no part for them.
fn shown(request: &TurnRequest) -> Option<Vec<String>> {
    let (_, part) = request.context.split_once(HEADING)?;
    let lines = part.lines().filter_map(|line| line.strip_prefix("[tick ")?.split_once("] "));
    Some(lines.map(|(_, note)| note.to_owned()).collect())
}

/// What the mind was shown of its notes when an epoch asked it first.
fn shown_in(rig: &Rig, epoch: EpochId) -> Option<Vec<String>> {
    shown(&rig.asked_in(epoch)[0])
}

fn numbers(range: std::ops::RangeInclusive<u32>) -> Vec<String> {
    range.map(|number| format!("note {number}")).collect()
}

async fn write_notes(rig: &Rig, range: std::ops::RangeInclusive<u32>) {
    for note in numbers(range) {
        rig.tell("felix", &format!(r"\stdout {note} ---")).await.unwrap();
    }
}

fn obedient() -> Setup {
    Setup::new(|request, _| obey(request))
}

#[tokio::test(start_paused = true)]
async fn a_note_is_durable_while_its_epoch_still_runs() {
    let setup = Setup::new(|request, _| match request.turn {
        1 => command(r"\stdout the build is green ---"),
        _ => silence(),
    });
    let mut rig = setup.start().await;
    let epoch = rig.begin("look").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.power_cut().await;
    assert_eq!(notes(&rig, "felix"), ["the build is green"]);
}

#[tokio::test(start_paused = true)]
async fn notes_survive_an_aborted_epoch_and_what_it_staged_does_not() {
    let setup = Setup::new(|request, _| match (&*request.message, request.turn) {
        ("break", 1) => {
            command(r"\stdout a trace --- \say @ada hello --- \wake ?(sleep(1s)) up ---")
        }
        ("break", _) => silence(),
        _ => obey(request),
    });
    let mut rig = setup.with(|setup| setup.agents = vec!["felix", "ada"]).start().await;
    let epoch = rig.begin("break").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.keeper().abort(epoch, "enough".into()).await.unwrap();
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Cancelled));
    rig.pass(Duration::from_mins(1)).await;
    for _ in 0..2 {
        let read = rig.say(r"\stdout read: ---").await;
        assert!(read.reply().unwrap().contains("] a trace"), "{:?}", read.reply());
        rig.restart().await;
    }
    let kinds: Vec<_> = rig.entries().iter().map(|entry| entry.event.kind().name).collect();
    assert!(!kinds.contains(&"wake.fired"), "a wake that was never set");
    let ada = rig.entries().into_iter().filter(|entry| entry.entity.bare() == "ada");
    assert_eq!(ada.filter(|entry| entry.event.kind().name == "stimulus.accepted").count(), 0);
    let read = rig.say_to("ada", r"\read ---").await;
    assert_eq!(read.reply(), Some("No messages for @ada yet"));
}

#[tokio::test(start_paused = true)]
async fn a_note_can_be_read_in_the_same_epoch_and_by_the_next_command_of_the_same_call() {
    let setup = Setup::new(|request, _| match request.turn {
        1 => command(r"\stdout one --- \stdout read: last 5 ---"),
        2 => calls([
            ("stdout", json!({"command": "two"})),
            ("stdout", json!({"command": r"\stdout query: two ---"})),
        ]),
        3 => command("read: last 1"),
        _ => say("so"),
    });
    let rig = setup.start().await;
    let epoch = rig.say("go").await.id;
    let told: Vec<_> = rig.finished_of(epoch).into_iter().map(|done| done.content).collect();
    assert!(told[0].starts_with("Written at tick ") && told[0].ends_with("] one"), "{told:?}");
    assert!(told[2].ends_with("] two") && told[3].ends_with("] two"), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_came_before_a_mistake_stands_and_both_are_told() {
    let rig = obedient().with(|setup| setup.agents = vec!["felix", "ada"]).start().await;
    let epoch = rig.say(r"\stdout one --- \say @ada hello --- \nonsense --- \stdout two ---").await;
    let told = epoch.reply().unwrap();
    assert!(told.contains("Said to @ada\nERROR: Unknown command 'nonsense'"), "{told}");
    assert_eq!(rig.outcomes_of(epoch.id), [Outcome::Error]);
    assert_eq!(notes(&rig, "felix"), ["one"]);
    let read = rig.say_to("ada", r"\read ---").await;
    assert!(read.reply().unwrap().ends_with("@felix: hello"), "{:?}", read.reply());
}

/// Two entries in one call, one in the next, and words to another agent. It thinks, so that the disk has each by itself.
fn writes_thrice(request: &TurnRequest) -> RigAnswer {
    let answer = match (&*request.message, request.turn) {
        ("go", 1) => calls([
            ("stdout", json!({"command": r"\stdout a --- \say @ada hello --- \stdout a ---"})),
            ("page.get", json!({})),
        ]),
        ("go", 2) => command(r"\stdout a ---"),
        _ => say("so"),
    };
    answer.after(Duration::from_secs(1))
}

fn thrice() -> Setup {
    let setup = Setup::new(|request, _| writes_thrice(request)).tool(TestTool::read("page.get"));
    setup.with(|setup| setup.agents = vec!["felix", "ada"])
}

/// How a keeper dies.
#[derive(Clone, Copy, Debug)]
enum Death {
    Process,
    Power,
}

const DEATHS: [Death; 2] = [Death::Process, Death::Power];

impl Death {
    async fn of(self, rig: &mut Rig) {
        match self {
            Self::Process => rig.kill().await,
            Self::Power => rig.power_cut().await,
        }
    }
}

/// Lets a keeper die in the middle of an operation of the disk, lets the next one finish, and says whether the first had
/// finished before.
async fn died_in(operation: u64, death: Death) -> bool {
    let mut rig = thrice().start().await;
    rig.say("hello").await;
    let epoch = rig.begin("go").await;
    rig.storage.fail_power_at(operation);
    rig.pass(Duration::from_secs(20)).await;
    let had_ended = !rig.storage.is_off();
    death.of(&mut rig).await;
    rig.start_again().await;
    let case = format!("in operation {operation}, {death:?}");
    assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "{case}");
    rig.until_quiet().await;
    assert_eq!(notes(&rig, "felix"), ["a", "a", "a"], "{case}");
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Ok; 3], "{case}");
    let entries = rig.entries();
    let heard = entries.iter().filter(|entry| {
        entry.entity.bare() == "ada" && entry.event.kind().name == "stimulus.accepted"
    });
    assert_eq!(heard.count(), 1, "{case}");
    assert_eq!(rig.digest(), rig.digest_rebuilt(), "{case}");
    had_ended
}

#[tokio::test(start_paused = true)]
async fn whatever_the_disk_is_doing_at_a_death_no_note_stands_twice_and_none_is_lost() {
    for death in DEATHS {
        let mut operation = 1;
        while !died_in(operation, death).await {
            operation += 1;
        }
        assert!(operation > 10, "the epoch was really cut: {operation}");
    }
}

#[tokio::test(start_paused = true)]
async fn between_a_note_and_the_end_of_its_call_a_death_leaves_one_note_and_its_tick() {
    for death in DEATHS {
        let setup = thrice();
        let setup = setup.with(|s| s.failpoints = "stdout.entry_durable=delay(3600000)".into());
        let mut rig = setup.start().await;
        let epoch = rig.begin("go").await;
        rig.until(epoch, "stdout.written").await;
        rig.pass(Duration::from_secs(1)).await;
        death.of(&mut rig).await;
        assert_eq!(rig.count_of(epoch, "tool.finished"), 0, "it died before");
        rig.setup.failpoints.clear();
        rig.pass(Duration::from_mins(1)).await;
        rig.start_again().await;
        rig.ended(epoch).await;
        assert_eq!(notes(&rig, "felix"), ["a", "a", "a"]);
        let entries = rig.entries_of(epoch);
        let first = entries.iter().find(|entry| entry.event.kind().name == "stdout.written");
        let said = format!("Written at tick {}\n", first.unwrap().tick);
        let told = rig.finished_of(epoch)[0].content.clone();
        assert!(told.starts_with(&said), "{told} is not {said}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_death_at_any_point_of_an_epoch_changes_no_note() {
    let points = [
        "stdout.entry_durable",
        "turn.asked",
        "turn.answered",
        "commit.before",
        "commit.after",
        "recover.resumed",
    ];
    for point in points {
        for death in DEATHS {
            let setup = thrice();
            let setup = setup.with(|s| s.failpoints = format!("{point}=delay(3600000)"));
            let mut rig = setup.start().await;
            let epoch = rig.begin("go").await;
            rig.pass(Duration::from_secs(10)).await;
            death.of(&mut rig).await;
            rig.setup.failpoints.clear();
            rig.start_again().await;
            assert_eq!(rig.ended(epoch).await.reply(), Some("so"), "{point}");
            assert_eq!(notes(&rig, "felix"), ["a", "a", "a"], "{point}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_twenty_notes_are_in_the_first_prompt_after_a_start_and_in_no_ordinary_one() {
    let mut rig = obedient().start().await;
    write_notes(&rig, 1..=25).await;
    let first = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, first), Some(numbers(6..=25)), "its first epoch of all");
    let second = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, second), None, "an ordinary one");
    write_notes(&rig, 26..=27).await;
    let third = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, third), None, "still an ordinary one");
    for death in DEATHS {
        death.of(&mut rig).await;
        rig.start_again().await;
        let first = rig.say("hello").await.id;
        assert_eq!(shown_in(&rig, first), Some(numbers(8..=27)), "after a start");
        let second = rig.say("hello").await.id;
        assert_eq!(shown_in(&rig, second), None);
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_notes_are_in_the_first_prompt_after_a_reset_and_after_a_wake() {
    let rig = obedient().start().await;
    write_notes(&rig, 1..=3).await;
    rig.say("hello").await;
    rig.keeper().reset(&felix(), false, EntityName::keeper()).await.unwrap();
    let after = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, after), Some(numbers(1..=3)), "after a reset");
    let next = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, next), None);
    rig.say(r"\wake ?(sleep(1m)) look at the build ---").await;
    rig.pass(Duration::from_mins(2)).await;
    rig.until_quiet().await;
    let woken = rig.asked_last();
    assert!(woken.message.starts_with("look at the build"), "{}", woken.message);
    assert_eq!(shown(&woken), Some(numbers(1..=3)), "after a wake");
    let next = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, next), None);
}

#[tokio::test(start_paused = true)]
async fn a_cut_epoch_that_goes_on_is_shown_what_it_wrote_before_it_died() {
    let setup = Setup::new(|request, asked| match (&*request.message, request.turn) {
        ("work", 1) => command(r"\stdout step 1 is done ---"),
        ("work", _) if asked < 4 => silence(),
        _ => say("so"),
    });
    for death in DEATHS {
        let mut rig = setup.clone().start().await;
        rig.say("hello").await;
        let epoch = rig.begin("work").await;
        rig.until_times(epoch, "turn.started", 2).await;
        assert_eq!(shown(&rig.asked_last()), None, "an ordinary epoch");
        death.of(&mut rig).await;
        rig.start_again().await;
        rig.ended(epoch).await;
        let last = rig.asked_last();
        assert_eq!((last.epoch, last.turn), (epoch, 2));
        assert_eq!(shown(&last), Some(vec!["step 1 is done".to_owned()]));
        let next = rig.say("hello").await.id;
        assert_eq!(shown_in(&rig, next), None, "it has gone on with them: the next is ordinary");
    }
}

#[tokio::test(start_paused = true)]
async fn the_notes_of_an_epoch_that_died_for_good_are_in_the_next_prompt_after_the_start() {
    let setup = Setup::new(|request, _| match (&*request.message, request.turn) {
        ("work", 1) => command(r"\stdout the disk is nearly full ---"),
        ("work", _) => silence(),
        _ => say("so"),
    });
    let mut rig = setup.start().await;
    let epoch = rig.begin("work").await;
    rig.until_times(epoch, "turn.started", 2).await;
    rig.kill().await;
    rig.pass(Duration::from_mins(11)).await;
    rig.start_again().await;
    assert_eq!(rig.ended(epoch).await.abort_code(), Some(AbortCode::Deadline));
    let next = rig.say("hello").await.id;
    assert_eq!(shown_in(&rig, next), Some(vec!["the disk is nearly full".to_owned()]));
}

#[tokio::test(start_paused = true)]
async fn another_log_is_read_with_a_grant_alone() {
    let rig = obedient().with(|setup| setup.agents = vec!["felix", "ada"]).start().await;
    rig.say(r"\stdout mine ---").await;
    let refused = rig.say_to("ada", r"\stdout read: @felix ---").await;
    assert!(refused.reply().unwrap().starts_with("ERROR"), "{:?}", refused.reply());
    rig.tell("felix", r"\grant @ada ---").await.unwrap();
    let read = rig.say_to("ada", r"\stdout read: @felix ---").await;
    assert!(read.reply().unwrap().ends_with("] mine"), "{:?}", read.reply());
    rig.tell("felix", r"\revoke @ada ---").await.unwrap();
    let refused = rig.say_to("ada", r"\stdout read: @felix ---").await;
    assert!(refused.reply().unwrap().starts_with("ERROR"), "{:?}", refused.reply());
}

/// A life with a bit of everything that entities have to do with one another.
async fn sociable() -> Rig {
    let setup = Setup::new(|request, _| match (&*request.message, request.turn) {
        ("break", 1) => command(r"\stdout a trace --- \grant @ada --- \name #no @(ada) ---"),
        ("break", _) => call("no.such_tool", json!({})),
        ("wait", 1) => command(r"\stdout half ---"),
        ("wait", _) => silence(),
        _ => obey(request),
    });
    let setup = setup.with(|setup| {
        setup.agents = vec!["felix", "ada"];
        setup.limits.turns = 4;
    });
    let rig = setup.start().await;
    for input in [
        r"\stdout one --- \stdout two ---",
        r"\name #lab @(ada) --- \say #lab @ada the build is green ---",
        r"\wake ?(from(#lab) and sleep(3000h)) later --- \wake ?(content contains 'red') red ---",
        r"\wake ?(sleep(1s)) soon ---",
        r"\grant @ada --- \say @ada hello ---",
        "break",
    ] {
        rig.say(input).await;
    }
    rig.tell("ada", r"\stdout hers --- \say #lab fine by me ---").await.unwrap();
    rig.tell("nicolas", r"\stdout a person's --- \say @felix good morning ---").await.unwrap();
    rig.tell("felix", r"\spawn @kid a small one ---").await.unwrap();
    rig.pass(Duration::from_mins(1)).await;
    rig.until_quiet().await;
    rig
}

#[tokio::test(start_paused = true)]
async fn the_state_with_all_of_society_is_the_same_after_a_restart_and_a_rebuild() {
    let mut rig = sociable().await;
    let open = rig.begin("wait").await;
    rig.until_times(open, "turn.started", 2).await;
    let lived = rig.digest();
    assert_eq!(rig.digest_rebuilt(), lived, "folded anew from the ledger alone");
    rig.setup.failpoints = "recover.resumed=delay(3600000)".into();
    rig.restart().await;
    assert_eq!(rig.digest(), lived, "after a death of the process");
    rig.power_cut().await;
    rig.start_again().await;
    assert_eq!(rig.digest(), lived, "after a death of the machine");
}

#[tokio::test(start_paused = true)]
async fn the_digest_changes_with_everything_that_entities_have_to_do_with_one_another() {
    let rig = sociable().await;
    let mut seen = vec![rig.digest()];
    for (entity, input) in [
        ("felix", r"\stdout three ---"),
        ("felix", r"\revoke @ada ---"),
        ("felix", r"\wake ?(sleep(9000h)) much later ---"),
        ("ada", r"\name #lab @(felix, nicolas) ---"),
        ("nicolas", r"\say #lab hello all ---"),
        ("ada", r"\spawn @twin another ---"),
    ] {
        rig.tell(entity, input).await.unwrap();
        let digest = rig.digest();
        assert!(!seen.contains(&digest), "{input} leaves the digest as it was");
        seen.push(digest);
    }
}
