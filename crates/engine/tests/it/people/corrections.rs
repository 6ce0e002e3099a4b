//! A correction reaches who asks, whoever made it, in time order, with its date and what became of each.

use std::time::Duration;

use abide_domain::Sharing;

use super::{Place, agent, known, reset, tell};

/// What was said, what corrects it and who says that, what is asked, and the two values.
const CORRECTIONS: [(&str, &str, &str, &str, [&str; 2]); 26] = [
    // By the same person.
    (
        "The launch is on 3 March.",
        "kim",
        "The launch moved to 17 March.",
        "When is the launch?",
        ["3 March", "17 March"],
    ),
    (
        "The launch is on 3 March.",
        "kim",
        "No, make that 17 March.",
        "When is the launch?",
        ["3 March", "17 March"],
    ),
    (
        "The demo is at 10:00.",
        "kim",
        "Sorry, I meant 14:30.",
        "When is the demo?",
        ["10:00", "14:30"],
    ),
    (
        "The deadline is 3 March.",
        "kim",
        "Actually, the deadline is 10 March.",
        "What is the deadline?",
        ["3 March", "10 March"],
    ),
    ("I live in Lyon.", "kim", "I moved to Nantes.", "Where do I live?", ["Lyon", "Nantes"]),
    (
        "My phone number is 0612345678.",
        "kim",
        "My new phone number is 0698765432.",
        "What is my phone number?",
        ["0612345678", "0698765432"],
    ),
    (
        "My birthday is on 3 March.",
        "kim",
        "No, my birthday is on 4 March.",
        "When is my birthday?",
        ["3 March", "4 March"],
    ),
    (
        "The weekly meeting is on Monday.",
        "kim",
        "From now on the weekly meeting is on Tuesday.",
        "When is the weekly meeting?",
        ["Monday", "Tuesday"],
    ),
    (
        "Der Start ist am 3. März.",
        "kim",
        "Nein, am 17. März.",
        "Wann ist der Start?",
        ["3. März", "17. März"],
    ),
    (
        "Le lancement est le 3 mars.",
        "kim",
        "Non, le 17 mars.",
        "Quand est le lancement ?",
        ["3 mars", "17 mars"],
    ),
    (
        "El lanzamiento es el 3 de marzo.",
        "kim",
        "Mejor dicho, el 17 de marzo.",
        "¿Cuándo es el lanzamiento?",
        ["3 de marzo", "17 de marzo"],
    ),
    (
        "The price is 40 euros.",
        "kim",
        "The price is now 45 euros.",
        "What is the price?",
        ["40 euros", "45 euros"],
    ),
    // By another.
    (
        "The launch is on 3 March.",
        "lee",
        "The launch moved to 17 March.",
        "When is the launch?",
        ["3 March", "17 March"],
    ),
    (
        "The demo is at 10:00.",
        "lee",
        "The demo is now at 14:30.",
        "When is the demo?",
        ["10:00", "14:30"],
    ),
    (
        "The deadline is 3 March.",
        "lee",
        "The deadline is now 10 March.",
        "What is the deadline?",
        ["3 March", "10 March"],
    ),
    (
        "The staging server is called heron.",
        "lee",
        "The staging server was renamed to osprey.",
        "What is the staging server called?",
        ["heron", "osprey"],
    ),
    (
        "The head of sales is Lee.",
        "ann",
        "The head of sales is now Kim.",
        "Who is head of sales?",
        ["Lee", "Kim"],
    ),
    (
        "We use version 1.2 of the parser.",
        "lee",
        "We now use version 1.3 of the parser.",
        "Which version of the parser?",
        ["1.2", "1.3"],
    ),
    (
        "Der Start ist am 3. März.",
        "lee",
        "Der Start wurde auf den 17. März verschoben.",
        "Wann ist der Start?",
        ["3. März", "17. März"],
    ),
    (
        "Le lancement est le 3 mars.",
        "lee",
        "Le lancement est reporté au 17 mars.",
        "Quand est le lancement ?",
        ["3 mars", "17 mars"],
    ),
    (
        "El lanzamiento es el 3 de marzo.",
        "lee",
        "El lanzamiento se cambió al 17 de marzo.",
        "¿Cuándo es el lanzamiento?",
        ["3 de marzo", "17 de marzo"],
    ),
    // In other words.
    (
        "The launch is on 3 March.",
        "lee",
        "The launch slipped to 17 March.",
        "What day is the launch of ours?",
        ["3 March", "17 March"],
    ),
    (
        "The launch is on 3 March.",
        "lee",
        "The go-live is now on 17 March.",
        "When is the launch?",
        ["3 March", "17 March"],
    ),
    (
        "The launch is on 3 March.",
        "lee",
        "The launch has been postponed to 17 March.",
        "When do we launch?",
        ["3 March", "17 March"],
    ),
    (
        "The office is open on Saturday.",
        "lee",
        "The office is no longer open on Saturday.",
        "Is the office open on Saturday?",
        ["is open", "no longer open"],
    ),
    (
        "The discount limit is 5 percent.",
        "lee",
        "The discount limit was raised to 10 percent.",
        "What is the discount limit?",
        ["5 percent", "10 percent"],
    ),
];

#[tokio::test(start_paused = true)]
async fn a_correction_reaches_who_asks_after_a_reset_whoever_made_it() {
    let mut wrong = Vec::new();
    for (first, by, second, question, [old, new]) in CORRECTIONS {
        let rig = agent(Sharing::Person).await;
        for filler in ["The canteen has soup.", "We bought two chairs for the kitchen."] {
            tell(&rig, "ann", Place::Private, filler).await;
        }
        tell(&rig, "kim", Place::Private, first).await;
        tell(&rig, by, Place::Private, second).await;
        reset(&rig).await;
        tell(&rig, "kim", Place::Private, question).await;
        let prompt = known(&rig);
        let line = |text: &str| prompt.lines().find(|line| line.contains(&format!("\"{text}\"")));
        let (before, after) = (line(first), line(second));
        let is_right = before.is_some_and(|line| {
            line.contains("kim said, ") && line.contains(", replaced by ") && line.contains(old)
        }) && after.is_some_and(|line| {
            line.contains(&format!("{by} said, "))
                && line.contains(", in force now")
                && line.contains(new)
        }) && prompt.find(first) < prompt.find(second);
        if !is_right {
            let lines: Vec<_> = prompt.lines().filter(|line| line.contains(" said, ")).collect();
            wrong.push(format!("{first} / {second} / {question}\n{lines:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), CORRECTIONS.len(), wrong.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn each_line_has_its_day_and_the_replaced_one_says_by_whom_and_when() {
    let rig = agent(Sharing::Person).await;
    tell(&rig, "kim", Place::Private, "The launch is on 3 March.").await;
    rig.pass(Duration::from_mins(90)).await;
    let corrected = abide_domain::Zone::utc().format_moment(rig.now());
    tell(&rig, "lee", Place::Private, "The launch moved to 17 March.").await;
    reset(&rig).await;
    tell(&rig, "kim", Place::Private, "When is the launch?").await;
    let prompt = known(&rig);
    let replaced =
        format!("replaced by the word of lee on {corrected}: \"The launch is on 3 March.\"");
    assert!(prompt.contains(&replaced), "{replaced}\n{prompt}");
    assert!(prompt.contains(&format!("lee said, {corrected}, ")), "{prompt}");
}

#[tokio::test(start_paused = true)]
async fn what_another_says_about_a_person_is_their_word_and_replaces_nothing() {
    let rig = agent(Sharing::Agent).await;
    tell(&rig, "kim", Place::Private, "My birthday is on 3 March.").await;
    tell(&rig, "lee", Place::Private, "The birthday of kim is now on 5 March.").await;
    reset(&rig).await;
    tell(&rig, "ann", Place::Private, "When is the birthday of kim?").await;
    let prompt = known(&rig);
    assert!(prompt.contains("\"My birthday is on 3 March.\""), "{prompt}");
    assert!(!prompt.contains("replaced by"), "{prompt}");
}

#[tokio::test(start_paused = true)]
async fn a_rule_of_one_person_about_the_shared_world_is_there_when_another_asks() {
    for (rule, question) in [
        ("No discount above 5 percent.", "Can Smith have a discount of 10 percent?"),
        ("Kein Rabatt über 5 Prozent.", "Bekommt Smith einen Rabatt von 10 Prozent?"),
        ("We never ship on Fridays.", "Do we ship the order of Smith on Friday?"),
    ] {
        let rig = agent(Sharing::Person).await;
        for order in 1..4 {
            tell(
                &rig,
                "lee",
                Place::Private,
                &format!("Order {order} of Smith has a discount of {order} percent and must ship."),
            )
            .await;
        }
        tell(&rig, "kim", Place::Private, rule).await;
        reset(&rig).await;
        tell(&rig, "lee", Place::Private, question).await;
        assert!(known(&rig).contains(rule), "{question}: {}", known(&rig));
    }
}

#[tokio::test(start_paused = true)]
async fn facts_and_words_stand_on_one_timeline() {
    let rig = agent(Sharing::Person).await;
    tell(&rig, "kim", Place::Private, "remember: the launch is on 3 March").await;
    rig.pass(Duration::from_mins(90)).await;
    tell(&rig, "lee", Place::Private, "The launch moved to 17 March.").await;
    reset(&rig).await;
    tell(&rig, "kim", Place::Private, "When is the launch?").await;
    let prompt = known(&rig);
    let fact =
        prompt.lines().find(|line| line.contains("Known: the launch is on 3 March")).unwrap();
    assert!(fact.contains("replaced by the word of lee"), "{fact}");
    // The other way round: a fact replaces what was said before.
    let rig = agent(Sharing::Person).await;
    tell(&rig, "lee", Place::Private, "The launch is on 3 March.").await;
    rig.pass(Duration::from_mins(90)).await;
    tell(&rig, "kim", Place::Private, "remember: the launch moved to 17 March").await;
    reset(&rig).await;
    tell(&rig, "lee", Place::Private, "When is the launch?").await;
    let prompt = known(&rig);
    let said = prompt.lines().find(|line| line.contains("\"The launch is on 3 March.\"")).unwrap();
    assert!(said.contains("replaced by the word of kim"), "{said}");
    assert!(prompt.contains("the launch moved to 17 March"), "{prompt}");
}
