//! Decks against the real program: an agent proposes, people decide, and `kill -9` between any two steps changes nothing.

use std::{fs, os::unix::fs::PermissionsExt as _};

use abide_deck::{CardTable, write_card_table};
use abide_testkit::{FakeDialect, ModelServer, Reply};
use serde_json::{Value, json};

use crate::home::{Home, Keeper};

/// Name, types, colours: a small world of green cards, and one red.
const CARDS: [(&str, &str, &str); 15] = [
    ("Marwyn, the Nurturer", "Legendary Creature — Elf Druid", r#"["G"]"#),
    ("Forest", "Basic Land — Forest", "[]"),
    ("Elvish Mystic", "Creature — Elf Druid", r#"["G"]"#),
    ("Llanowar Elves", "Creature — Elf Druid", r#"["G"]"#),
    ("Priest of Titania", "Creature — Elf Druid", r#"["G"]"#),
    ("Heritage Druid", "Creature — Elf Druid", r#"["G"]"#),
    ("Wirewood Symbiote", "Creature — Insect", r#"["G"]"#),
    ("Quirion Ranger", "Creature — Elf", r#"["G"]"#),
    ("Glimpse of Nature", "Sorcery", r#"["G"]"#),
    ("Sol Ring", "Artifact", "[]"),
    ("Arcane Signet", "Artifact", "[]"),
    ("Lightning Greaves", "Artifact — Equipment", "[]"),
    ("Beast Whisperer", "Creature — Elf Druid", r#"["G"]"#),
    ("Elvish Archdruid", "Creature — Elf Druid", r#"["G"]"#),
    ("Goblin Guide", "Creature — Goblin Scout", r#"["R"]"#),
];

/// A list with a section, a printing that there is not, and lines that nobody can read.
const LIST: &str = "Commander\n1 Marwyn, the Nurturer\n\nDeck\n90 Forest\n1 Elvish Mystic (XYZ) 7\n1 Blitzschlag\n1 Sol Ring\n";

/// Puts a card table into a home, as `abide cards pull` leaves one.
fn with_cards(home: &Home) {
    let line = |(name, types, colours): &(&str, &str, &str)| {
        format!(
            r#"{{"oracle_id":"id-{name}","name":"{name}","layout":"normal","set":"tst","collector_number":"1","type_line":"{types}","oracle_text":"","cmc":1,"colors":{colours},"color_identity":{colours},"prices":{{"usd":"0.25"}},"legalities":{{"commander":"legal"}}}}"#
        )
    };
    let lines: Vec<String> = CARDS.iter().map(line).collect();
    let table = CardTable::from_lines(lines.iter().map(String::as_str)).unwrap();
    let mut bytes = Vec::new();
    let digest = write_card_table(&table, "0", &mut bytes).unwrap();
    let folder = home.path().join("cards");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(folder.join("table.jsonl.gz"), bytes).unwrap();
    let manifest = json!({
        "version": 1, "table": {"file": "table.jsonl.gz", "digest": digest}, "tags": null, "source": "test", "bulk": "test",
        "source_digest": "0", "updated_at": null, "pulled_at": "2026-11-28T09:30:00Z", "cards": CARDS.len(), "printings": CARDS.len(), "unread": 0,
    });
    fs::write(folder.join("cards.json"), manifest.to_string()).unwrap();
}

fn home_for(server: &ModelServer) -> Home {
    let url = server.base_url(FakeDialect::OpenAiChat);
    let home = Home::new(&format!(
        "[model]\nprovider = \"openai\"\nbase_url = \"{url}\"\nname = \"m\"\n[tools]\nallow = [\"deck.*\"]\n"
    ));
    with_cards(&home);
    home
}

fn made(keeper: &Keeper, name: &str) -> Value {
    let body = json!({"name": name, "cards": LIST, "citizen": "felix"});
    let answer = keeper.client.post("/deck/create", &body);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

fn digest(keeper: &Keeper) -> Value {
    keeper.client.read("/snapshot")["state_digest"].clone()
}

/// Ends a keeper at once and starts another one: the state is the same.
fn killed(home: &Home, keeper: Keeper) -> Keeper {
    let before = digest(&keeper);
    keeper.kill();
    let keeper = home.up();
    assert_eq!(digest(&keeper), before, "the state follows from the ledger alone");
    keeper
}

fn state(keeper: &Keeper) -> Value {
    keeper.client.read("/deck/state?citizen=felix")
}

fn done(keeper: &Keeper, path: &str, body: &Value) -> Value {
    let answer = keeper.client.post(path, body);
    assert_eq!(answer.status, 200, "{path} {body}: {answer:?}");
    answer.json()
}

/// How many of a card are in a deck.
fn count(deck: &Value, name: &str) -> u64 {
    let cards = deck["cards"].as_array().unwrap().iter();
    cards.filter(|card| card["name"] == name).map(|card| card["count"].as_u64().unwrap()).sum()
}

/// What became of each line of the only proposal.
fn lines(deck: &Value) -> Vec<String> {
    let ops = deck["proposals"][0]["ops"].as_array().unwrap().iter();
    ops.map(|line| line["state"].as_str().unwrap().to_owned()).collect()
}

fn add(name: &str) -> Value {
    json!({"op": "add", "card": name})
}

fn propose(deck_rev: u64, ops: &[Value]) -> Reply {
    let arguments = json!({"deck_rev": deck_rev, "reason": "more elves", "ops": ops});
    Reply::calls([("deck-propose", arguments)])
}

/// What the tools gave back to the model in its newest request, oldest first.
fn results(server: &ModelServer) -> Vec<String> {
    let request = server.requests().pop().unwrap();
    let messages = request.body["messages"].as_array().unwrap().clone();
    let of_tools = messages.into_iter().filter(|message| message["role"] == "tool");
    of_tools.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

/// Eight cards, a swap, and lands that go.
fn ten_changes() -> Vec<Value> {
    let new = CARDS[3..12].iter().filter(|(name, ..)| *name != "Sol Ring");
    let mut ops: Vec<Value> = new.map(|(name, ..)| add(name)).collect();
    ops.push(json!({"op": "swap", "card": "Elvish Mystic", "into": "Elvish Archdruid"}));
    ops.push(json!({"op": "remove", "card": "Forest", "count": 8}));
    assert_eq!(ops.len(), 10);
    ops
}

/// Takes a card out of a deck, by a person.
fn taken_out(keeper: &Keeper, deck: &Value, name: &str) -> Value {
    let cards = deck["cards"].as_array().unwrap();
    let id = &cards.iter().find(|card| card["name"] == name).unwrap()["oracle_id"];
    let gone = json!({"op": "remove", "entry": {"card": {"id": id, "name": name}}, "count": 1});
    let body = json!({"deck_id": deck["deck_id"], "deck_rev": deck["rev"], "ops": [gone]});
    done(keeper, "/deck/edit", &body)
}

#[test]
fn an_agent_proposes_ten_changes_a_person_takes_six_and_the_deck_moves_meanwhile() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server);
    let mut keeper = home.up();
    let deck = made(&keeper, "Elves");
    assert_eq!(deck["unparsed"][0]["text"], "1 Blitzschlag", "{deck}");
    assert_eq!(deck["import_notes"].as_array().unwrap().len(), 1, "{deck}");
    assert_eq!(deck["commander"][0]["name"], "Marwyn, the Nurturer");
    keeper = killed(&home, keeper);

    // Ten changes of one proposal; nothing changes, and the person is told.
    let ops = ten_changes();
    server.script([propose(1, &ops), Reply::text("I propose ten changes.")]);
    keeper.client.say("make it better");
    let deck = state(&keeper);
    assert_eq!((deck["rev"].as_u64(), lines(&deck).len()), (Some(1), 10), "{deck}");
    let id = deck["proposals"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(deck["proposals"][0]["by"], json!({"who": "agent", "name": "felix"}));
    let attention = keeper.client.read("/attention");
    let matter = &attention["items"][0];
    assert_eq!((&matter["kind"], &matter["citizen"]), (&json!("approval"), &json!("felix")));
    assert_eq!(matter["actions"][0]["path"], "/deck/approve");
    let snapshot = keeper.client.read("/snapshot");
    let brief = &snapshot["decks"][deck["deck_id"].as_str().unwrap()];
    assert_eq!(brief, &json!({"name": "Elves", "rev": 1, "open_proposals": 1}));
    keeper = killed(&home, keeper);

    // The deck moves: what the swap is about goes.
    let deck = taken_out(&keeper, &deck, "Elvish Mystic");
    assert_eq!((deck["rev"].as_u64(), lines(&deck)[8].as_str()), (Some(2), "stale"), "{deck}");
    keeper = killed(&home, keeper);

    // The stale line is refused with what changed, and nothing else is taken with it.
    let refused = keeper.client.post("/deck/approve", &json!({"proposal_id": id, "ops": [1, 9]}));
    assert_eq!((refused.status, refused.code().as_str()), (409, "stale"), "{refused:?}");
    let conflict = &refused.json()["error"]["detail"]["conflicts"][0];
    assert_eq!((&conflict["id"], &conflict["rev"]), (&json!(9), &json!(2)), "{conflict}");
    assert!(conflict["cause"].as_str().unwrap().contains("Elvish Mystic"), "{conflict}");

    // Six are taken over the newer revision.
    let six = json!({"proposal_id": id, "ops": [1, 2, 3, 4, 5, 10]});
    let effect = done(&keeper, "/deck/effect", &six);
    let deck = done(&keeper, "/deck/approve", &six);
    assert_eq!(deck["rev"], 3);
    assert_eq!((count(&deck, "Forest"), count(&deck, "Llanowar Elves")), (82, 1), "{deck}");
    assert_eq!(lines(&deck).iter().filter(|state| *state == "taken").count(), 6);
    let played = deck["cards"].as_array().unwrap().iter().filter(|card| card["zone"] == "main");
    let played: u64 = played.map(|card| card["count"].as_u64().unwrap()).sum();
    assert_eq!(
        effect["after"]["count"].as_u64(),
        Some(played + 1),
        "the effect was that of these lines"
    );
    keeper = killed(&home, keeper);

    let keeper = undone_twice(&home, keeper, &deck["deck_id"]);
    home_is_the_same_without_projections(&home, keeper);
}

/// An undo of an approval opens its lines again, and the undo of that takes them; with a kill after each.
fn undone_twice(home: &Home, keeper: Keeper, deck_id: &Value) -> Keeper {
    let deck = done(&keeper, "/deck/undo", &json!({"deck_id": deck_id, "rev": 3}));
    assert_eq!((lines(&deck)[0].as_str(), count(&deck, "Forest")), ("open", 90), "{deck}");
    let keeper = killed(home, keeper);
    let deck = done(&keeper, "/deck/undo", &json!({"deck_id": deck_id, "rev": 4}));
    assert_eq!((lines(&deck)[0].as_str(), count(&deck, "Forest")), ("taken", 82), "{deck}");
    let history =
        keeper.client.read(&format!("/deck/history?deck_id={}", deck_id.as_str().unwrap()));
    let causes: Vec<_> = history["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["cause"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(causes, ["undone", "undone", "taken", "edited", "created"]);
    killed(home, keeper)
}

/// All of it comes out of the ledger alone.
fn home_is_the_same_without_projections(home: &Home, keeper: Keeper) {
    let (before, deck) = (digest(&keeper), state(&keeper));
    assert_eq!(keeper.stop(), Some(0));
    let kinds: Vec<_> =
        home.ledger().iter().map(|line| line["kind"].as_str().unwrap().to_owned()).collect();
    let of_decks: Vec<_> = kinds.iter().filter(|kind| kind.starts_with("deck.")).collect();
    assert_eq!(
        of_decks,
        [
            "deck.created",
            "deck.loaded",
            "deck.proposed",
            "deck.edited",
            "deck.lines_taken",
            "deck.undone",
            "deck.undone"
        ]
    );
    home.forget_projections();
    with_cards(home);
    let keeper = home.up();
    assert_eq!((digest(&keeper), state(&keeper)), (before, deck));
}

#[test]
fn the_agent_hears_why_a_line_was_refused_and_is_answered_with_it() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server);
    let mut keeper = home.up();
    made(&keeper, "Elves");
    let ops = [add("Quirion Ranger"), add("Heritage Druid"), add("Beast Whisperer")];
    server.script([propose(1, &ops), Reply::text("Three elves.")]);
    keeper.client.say("more elves");
    let deck = state(&keeper);
    let id = deck["proposals"][0]["id"].clone();
    let line = json!({"op": "add", "entry": {"card": {"id": "id-Elvish Archdruid", "name": "Elvish Archdruid"}}, "count": 1});
    done(&keeper, "/deck/rewrite", &json!({"proposal_id": id, "op": 3, "line": line}));
    done(&keeper, "/deck/approve", &json!({"proposal_id": id, "ops": [3]}));
    done(
        &keeper,
        "/deck/reject",
        &json!({"proposal_id": id, "ops": [1], "reason": "too fragile for our table"}),
    );
    keeper = killed(&home, keeper);

    server.script([propose(2, &ops[..1]), Reply::text("I see.")]);
    keeper.client.say("what now?");
    let first = server.requests()[2].clone();
    let shown = first.body.to_string();
    for said in ["too fragile for our table", "Quirion Ranger", "Elvish Archdruid", "took 3"] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let answered = results(&server);
    assert!(answered[0].contains("too fragile for our table"), "{answered:?}");
    assert_eq!(state(&keeper)["proposals"].as_array().unwrap().len(), 1, "the same is no proposal");

    // What was read is not said again; that a line is open again is.
    server.script([Reply::text("Nothing.")]);
    keeper.client.say("anything new?");
    let next = server.requests().pop().unwrap().body.to_string();
    assert!(!next.contains("What people did with changes"), "{next}");
    let deck = done(&keeper, "/deck/reopen", &json!({"proposal_id": id, "ops": [1]}));
    assert_eq!(lines(&deck), ["open", "open", "taken"]);
    server.script([Reply::text("Good.")]);
    let epoch = keeper.client.say("and now?");
    assert!(server.requests().pop().unwrap().body.to_string().contains("opened 1"));
    let path = format!("/epochs/{}?context=1", epoch["epoch_id"].as_str().unwrap());
    let context = keeper.client.read(&path);
    assert_eq!(context["context"]["verified"], true, "it can be shown again as it was: {context}");
}

#[test]
fn of_two_persons_at_once_one_is_told_what_the_other_did() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server);
    let keeper = home.up();
    made(&keeper, "Elves");
    server
        .script([propose(1, &[add("Quirion Ranger"), add("Heritage Druid")]), Reply::text("Two.")]);
    keeper.client.say("more elves");
    let id = state(&keeper)["proposals"][0]["id"].clone();
    let answer = |path: &'static str| {
        let (client, body) = (keeper.client.clone(), json!({"proposal_id": id, "ops": [1]}));
        std::thread::spawn(move || client.post(path, &body))
    };
    let answers = [answer("/deck/approve"), answer("/deck/approve")].map(|one| one.join().unwrap());
    let mut statuses = answers.each_ref().map(|answer| answer.status);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{answers:?}");
    let late = answers.iter().find(|answer| answer.status == 409).unwrap().json();
    let conflict = &late["error"]["detail"]["conflicts"][0];
    assert_eq!((&conflict["id"], &conflict["rev"]), (&json!(1), &json!(2)), "{late}");
    assert!(conflict["cause"].as_str().unwrap().contains("taken already"), "{late}");
    let deck = state(&keeper);
    assert_eq!((count(&deck, "Quirion Ranger"), &deck["rev"]), (1, &json!(2)));
    // An edit on an old revision merges where it is about something else.
    let rename = json!({"deck_id": deck["deck_id"], "deck_rev": 1, "ops": [{"op": "rename", "name": "More Elves"}]});
    assert_eq!(done(&keeper, "/deck/edit", &rename)["name"], "More Elves");
    let again = keeper.client.post("/deck/edit", &json!({"deck_id": deck["deck_id"], "deck_rev": 1, "ops": [{"op": "rename", "name": "Fewer Elves"}]}));
    assert_eq!((again.status, again.code().as_str()), (409, "stale"), "{again:?}");
}

#[test]
fn an_agent_makes_loads_searches_and_exports_and_an_aborted_epoch_leaves_nothing() {
    let server = ModelServer::start().unwrap();
    let home = home_for(&server);
    let keeper = home.up();
    server.script([
        Reply::calls([("deck-create", json!({"name": "Mine", "commander": "Marwyn, the Nurturer", "cards": "1 Sol Ring\n1 Nonsense"}))]),
        Reply::calls([("deck-search_cards", json!({"query": "elf druid"})), ("deck-recommend", json!({})), ("deck-export", json!({}))]),
        propose(1, &[add("Elvish Mystic")]),
        Reply::text("Made."),
    ]);
    keeper.client.say("make a deck");
    let said = results(&server);
    assert!(said[0].contains("1 Nonsense"), "{said:?}");
    assert!(said[1].contains("Elvish Mystic") && !said[1].contains("Goblin"), "{said:?}");
    assert!(
        said[2].contains("does not know how good") && said[2].contains("Heritage Druid"),
        "{said:?}"
    );
    assert!(said[3].contains("1 Sol Ring"), "{said:?}");
    let deck = state(&keeper);
    assert_eq!(
        (&deck["name"], deck["proposals"].as_array().unwrap().len()),
        (&json!("Mine"), 1),
        "{deck}"
    );
    let decks = || keeper.client.read("/deck/list")["items"].as_array().unwrap().len();
    assert_eq!(decks(), 1);
    server.script([Reply::calls([("deck-create", json!({"name": "Never"}))]), Reply::status(400)]);
    keeper.client.post("/start-epoch?wait=1", &json!({"message": "another one"}));
    assert_eq!(decks(), 1, "what an epoch did that was aborted is not done");
    let list = keeper.client.read("/deck/list");
    assert_eq!(
        (&list["items"][0]["commander"], &list["items"][0]["open_proposals"]),
        (&json!("Marwyn, the Nurturer"), &json!(1))
    );
}

#[test]
fn without_cards_decks_load_and_change_and_say_what_is_missing() {
    let home = Home::new("");
    let keeper = home.up();
    let client = &keeper.client;
    assert_eq!(client.get("/deck/state").status, 404);
    for path in [
        "/deck/state?deck_id=nothing",
        "/deck/history?deck_id=nothing",
        "/deck/export?deck_id=nothing",
    ] {
        assert_eq!(client.get(path).status, 404, "{path}");
    }
    assert_eq!(client.post("/deck/load", &json!({"deck_id": "nothing"})).status, 404);
    assert_eq!(client.post("/deck/approve", &json!({"proposal_id": "nothing"})).status, 404);
    let deck = made(&keeper, "Elves");
    assert_eq!(deck["unparsed"].as_array().unwrap().len(), 5, "{deck}");
    assert_eq!(
        (&deck["legal"], &deck["legality"][0]["code"]),
        (&json!(false), &json!("cards_missing"))
    );
    assert!(
        deck["legality"][0]["message"].as_str().unwrap().contains("abide cards pull"),
        "{deck}"
    );
    let card =
        json!({"op": "add", "entry": {"card": {"id": "x", "name": "Some Card"}}, "count": 2});
    let deck = done(
        &keeper,
        "/deck/edit",
        &json!({"deck_id": deck["deck_id"], "deck_rev": 1, "ops": [card]}),
    );
    assert_eq!(
        (count(&deck, "Some Card"), &deck["cards"][0]["known"]),
        (2, &json!(false)),
        "{deck}"
    );
    assert_eq!(client.get("/deck/cards?q=elf").status, 503);
    let keeper = killed(&home, keeper);
    assert_eq!(count(&state(&keeper), "Some Card"), 2);
}
