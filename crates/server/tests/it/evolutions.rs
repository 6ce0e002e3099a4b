//! Changes of agents as people see and answer them, over HTTP and by commands. What a trial measures stands in the ledger before the
//! keeper starts: the machine itself is tested where it is.

use std::{fs, process::Output};

use abide_domain::{
    EntityName, EvolutionId, Timestamp,
    event::{
        ComparedLeg, ComparedPair, Event, EvolutionBackedUp, EvolutionCheckpointed,
        EvolutionCompared, EvolutionDecided, EvolutionDecision, EvolutionKept, EvolutionProposed,
        EvolutionReloaded, EvolutionShadowStarted, EvolutionStageBegun, EvolutionValidated,
    },
};
use abide_ledger::Draft;
use abide_testkit::SeededIds;
use serde_json::{Value, json};

use crate::{
    access::rights::create,
    client::Client,
    home::{Home, Keeper},
    process::past::write_events,
};

const ON: &str = "[evolution]\nenabled = true\n";
const TWO: &str = "[[agent]]\nid = \"felix\"\n[[agent]]\nid = \"ivy\"\n";
pub(crate) const CODE: &str = "(define (rank question passages now) (map car passages))";

/// A change that stands in a ledger, as far as its trial.
pub(crate) struct Past {
    id: EvolutionId,
    drafts: Vec<Draft>,
}

impl Past {
    /// One that was measured on three pairs and waits for a person.
    pub(crate) fn waiting(seed: u64) -> Self {
        Self::waiting_with(seed, CODE)
    }

    fn waiting_with(seed: u64, code: &str) -> Self {
        let id =
            EvolutionId::new(&SeededIds::new(seed), Timestamp::from_micros(1_700_000_000_000_000));
        let mut past = Self { id, drafts: Vec::new() };
        past.write(EvolutionProposed {
            evolution_id: id,
            run: None,
            reason: "rank by age".into(),
            target: "memory_system".into(),
            code: code.into(),
            change: [].into(),
            expected: [("time".to_owned(), -0.2)].into(),
            trial: None,
        });
        past.write(EvolutionValidated {
            evolution_id: id,
            adds: vec![],
            code_sha256: "ab".repeat(32),
            notes: vec!["defines rank".into()],
        });
        let checkpoint_id = None;
        past.write(EvolutionCheckpointed { evolution_id: id, record_seq: 1, checkpoint_id });
        past.write(EvolutionShadowStarted { evolution_id: id, seed: 7, requests: 3, attempt: 1 });
        past.compare(["a", "b"]);
        past.compare(["c"]);
        past.write(EvolutionDecided {
            evolution_id: id,
            decision: EvolutionDecision::Marginal,
            reason: "14 % quicker, 3 pairs".into(),
            measured: [("time".to_owned(), -0.14)].into(),
            needs_person: true,
        });
        past
    }

    /// One that was put in force and kept.
    fn kept(seed: u64) -> Self {
        Self::kept_with(seed, CODE)
    }

    /// The same with this code.
    pub(crate) fn kept_with(seed: u64, code: &str) -> Self {
        let mut past = Self::waiting_with(seed, code);
        let id = past.id;
        past.drafts.pop();
        past.write(EvolutionDecided {
            evolution_id: id,
            decision: EvolutionDecision::Promoted,
            reason: "14 % quicker".into(),
            measured: [].into(),
            needs_person: false,
        });
        past.write(EvolutionBackedUp { evolution_id: id, previous: None, checkpoint_id: None });
        let code_sha256 = "ab".repeat(32);
        past.write(EvolutionReloaded { evolution_id: id, code_sha256, percent: 10 });
        past.compare(["d"]);
        past.write(EvolutionStageBegun { evolution_id: id, percent: 100 });
        past.write(EvolutionKept { evolution_id: id, reason: "no worse".into() });
        past
    }

    fn compare<const N: usize>(&mut self, requests: [&str; N]) {
        let leg = |wall_us| ComparedLeg {
            wall_us,
            cpu_us: 9,
            memory_bytes: 64,
            ..ComparedLeg::default()
        };
        let pair = |request: &str| ComparedPair {
            request: request.into(),
            candidate_first: false,
            main: leg(100),
            candidate: leg(86),
            agrees: Some(request != "b"),
            divergence: (request == "b").then(|| "it leaves out passage 7".into()),
            judge: None,
        };
        let pairs = requests.into_iter().map(pair).collect();
        self.write(EvolutionCompared { evolution_id: self.id, pairs });
    }

    fn write(&mut self, event: impl Into<Event>) {
        let entity = EntityName::sender("felix").unwrap();
        self.drafts.push(Draft {
            entity,
            author: EntityName::keeper(),
            epoch: None,
            event: event.into(),
        });
    }

    /// Puts it into the ledger of a home; gives its id.
    pub(crate) fn into_ledger_of(self, home: &Home) -> String {
        write_events(home, self.drafts);
        self.id.to_string()
    }
}

fn proposal() -> Value {
    json!({"citizen": "felix", "target": "memory", "code": CODE, "reason": "quicker", "expected": {"time": -0.15}})
}

fn path(id: &str, action: &str) -> String {
    format!("/evolutions/{id}/{action}")
}

fn ids(client: &Client, query: &str) -> Vec<String> {
    let found = client.read(&format!("/evolutions{query}"));
    let items = found["items"].as_array().unwrap().iter();
    items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
}

fn matters(keeper: &Keeper) -> Vec<Value> {
    let found = keeper.client.read("/attention");
    let items = found["items"].as_array().unwrap().iter();
    items.filter(|item| item["kind"] == "evolution").cloned().collect()
}

fn words(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_proposal_is_an_event_of_whoever_holds_the_token_and_outlives_a_kill() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let keeper = home.up();
    let ann = create(&home, "ann", &["admin"], &[]);
    let client = Client::new(keeper.address, Some(ann));
    let proposed = client.post("/evolutions", &proposal());
    assert_eq!(proposed.status, 201, "{}", proposed.text);
    let item = proposed.json();
    assert_eq!(
        (&item["citizen"], &item["target"], &item["by"]),
        (&json!("felix"), &json!("memory_system"), &json!("@ann"))
    );
    assert_eq!((&item["predicted"], &item["previous"]), (&json!({"time": -0.15}), &Value::Null));
    let id = item["id"].as_str().unwrap();
    keeper.kill();

    let keeper = home.up();
    assert_eq!(ids(&keeper.client, "?citizen=felix"), [id]);
    assert!(ids(&keeper.client, "?citizen=ivy").is_empty());
    let shown = keeper.client.read(&format!("/evolutions/{id}"));
    assert_eq!((&shown["code"], &shown["code_before"]), (&json!(CODE), &Value::Null));
    assert_eq!(shown["story"][0]["text"], "proposed: quicker");
    assert_eq!(shown["events"][0], shown["story"][0]["seq"]);
}

#[test]
fn what_was_measured_is_shown_pair_by_pair_and_waits_under_attention_for_one_answer() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let id = Past::waiting(1).into_ledger_of(&home);
    let keeper = home.up();
    let client = &keeper.client;
    assert_eq!(ids(client, "?state=awaits_approval"), std::slice::from_ref(&id));
    assert!(ids(client, "?state=kept").is_empty());
    let shown = client.read(&format!("/evolutions/{id}"));
    assert_eq!(
        (&shown["state"], &shown["verdict"], &shown["pairs"], &shown["requests"]),
        (&json!("awaits_approval"), &json!("marginal"), &json!(3), &json!(3))
    );
    assert_eq!(shown["measured"], json!({"time": -0.14}));
    let compared = shown["compared"].as_array().unwrap();
    assert_eq!(compared.len(), 3);
    assert_eq!((&compared[1]["request"], &compared[1]["agrees"]), (&json!("b"), &json!(false)));
    assert_eq!(compared[1]["divergence"], "it leaves out passage 7");
    assert_eq!(
        (&compared[2]["main"]["wall_us"], &compared[2]["stage_percent"]),
        (&json!(100), &Value::Null)
    );
    let story = shown["story"].as_array().unwrap().iter();
    let story: Vec<_> = story.map(|line| line["text"].as_str().unwrap()).collect();
    assert_eq!(story.len(), 6, "comparisons that follow each other are one line: {story:?}");
    assert!(story[4].starts_with("3 pairs compared: 2 agree, 1 differ"), "{story:?}");

    let [matter] = &matters(&keeper)[..] else { panic!("{:?}", matters(&keeper)) };
    assert_eq!(
        matter["summary"],
        "felix: a change of memory waits for a yes: 14 % quicker, 3 pairs"
    );
    let labels = matter["actions"].as_array().unwrap().iter();
    let labels: Vec<_> = labels.map(|action| action["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["Approve", "Reject", "Show"]);
    let rejects = matter["actions"][1]["path"].as_str().unwrap();

    for wrong in ["rollback", "nothing"] {
        let refused = client.post(&path(&id, wrong), &json!({}));
        assert_eq!(refused.status, if wrong == "rollback" { 409 } else { 404 }, "{}", refused.text);
    }
    let rejected = client.post(rejects, &json!({"reason": "not before the weekend"}));
    assert_eq!(rejected.status, 200, "{}", rejected.text);
    assert_eq!(rejected.json()["state"], "rejected");
    assert_eq!(rejected.json()["why"], "not before the weekend");
    assert!(matters(&keeper).is_empty());
    for late in ["approve", "reject", "abort", "rollback"] {
        let refused = client.post(&path(&id, late), &json!({}));
        assert_eq!((refused.status, &*refused.code()), (409, "illegal_move"), "{late}");
    }
}

#[test]
fn what_is_kept_can_be_rolled_back_once_and_not_aborted() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let kept = Past::kept(2).into_ledger_of(&home);
    let keeper = home.up();
    let client = &keeper.client;
    let shown = client.read(&format!("/evolutions/{kept}"));
    assert_eq!((&shown["state"], &shown["in_force"]), (&json!("kept"), &json!(true)));
    let stages = shown["compared"].as_array().unwrap().iter();
    let stages: Vec<_> = stages.map(|pair| pair["stage_percent"].clone()).collect();
    assert_eq!(stages, [Value::Null, Value::Null, Value::Null, json!(10)]);
    assert_eq!(client.post(&path(&kept, "abort"), &json!({})).status, 409);
    let back = client.post(&path(&kept, "rollback"), &json!({}));
    assert_eq!(back.status, 200, "{}", back.text);
    assert_eq!(
        (&back.json()["state"], &back.json()["in_force"]),
        (&json!("rolled_back"), &json!(false))
    );
    assert_eq!(client.post(&path(&kept, "rollback"), &json!({})).status, 409);
}

#[test]
fn who_may_read_propose_and_answer_is_as_the_token_says() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let id = Past::waiting(3).into_ledger_of(&home);
    let keeper = home.up();
    let holder = |name: &str, scopes: &[&str]| {
        Client::new(keeper.address, Some(create(&home, name, scopes, &[])))
    };
    let one = format!("/evolutions/{id}");
    let of_felix = "/evolutions?citizen=felix";
    let felix = holder("fay", &["read:felix"]);
    assert_eq!((felix.get(of_felix).status, felix.get(&one).status), (200, 200));
    assert_eq!(felix.get("/evolutions").status, 403);
    let ivy = holder("ines", &["read:ivy"]);
    assert_eq!((ivy.get(of_felix).status, ivy.get(&one).status), (403, 403));
    let reader = holder("rita", &["read", "say"]);
    assert_eq!((reader.get("/evolutions").status, reader.get(&one).status), (200, 200));
    for client in [&felix, &ivy, &reader, &keeper.client.anonymous()] {
        for action in ["approve", "reject", "abort", "rollback"] {
            assert!(matches!(client.post(&path(&id, action), &json!({})).status, 401 | 403));
        }
        assert!(matches!(client.post("/evolutions", &proposal()).status, 401 | 403));
    }
    let approver = holder("abe", &["approve"]);
    assert_eq!(approver.post("/evolutions", &proposal()).status, 403);
    let approved = approver.post(&path(&id, "approve"), &json!({"reason": "fine"}));
    assert_eq!((approved.status, &approved.json()["state"]), (200, &json!("accepted")));
    let shown = keeper.client.read(&one);
    let mut answers = shown["story"].as_array().unwrap().iter();
    let answered = answers.find(|line| line["kind"] == "evolution.answered").unwrap();
    assert_eq!((&answered["by"], &answered["text"]), (&json!("@abe"), &json!("approved: fine")));
}

#[test]
fn what_is_invalid_is_refused_by_its_place() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let keeper = home.up();
    let client = &keeper.client;
    for (key, value, place) in [
        ("target", json!("thresholds"), "target"),
        ("code", json!(" "), "code"),
        ("reason", json!(""), "reason"),
        ("reason", json!(7), "reason"),
        ("change", json!({"model": "m"}), "change"),
        ("trial", json!({"last": 7}), "trial.last"),
        ("trial", json!({"budget_usd": -1}), "trial.budget_usd"),
        ("trial", json!({"alpha": 0.5}), "trial"),
    ] {
        let mut body = proposal();
        body[key] = value;
        let refused = client.post("/evolutions", &body);
        assert_eq!(refused.status, 422, "{}", refused.text);
        let found = refused.json()["error"]["details"][0]["path"].as_str().unwrap().to_owned();
        assert!(found.starts_with(place), "{place}: {}", refused.text);
    }
    let mut nobody = proposal();
    nobody["citizen"] = json!("nobody");
    assert_eq!(client.post("/evolutions", &nobody).status, 404);
    let long = json!({"reason": "x".repeat(1_001)});
    let unknown = "0193e0f0-0000-7000-8000-000000000000";
    assert_eq!(client.post(&path(unknown, "abort"), &long).status, 422);
    assert_eq!(client.post(&path(unknown, "abort"), &json!({})).status, 404);
    assert_eq!(client.get("/evolutions?state=nowhere").status, 400);
    assert!(ids(client, "").is_empty());
}

#[test]
fn where_changes_are_off_nothing_is_proposed_and_all_is_taken_back() {
    let home = Home::new(TWO);
    let kept = Past::kept(4).into_ledger_of(&home);
    let waiting = Past::waiting(5).into_ledger_of(&home);
    let keeper = home.up();
    for (path, body) in
        [("/evolutions".to_owned(), proposal()), (path(&waiting, "approve"), json!({}))]
    {
        let refused = keeper.client.post(&path, &body);
        assert_eq!((refused.status, &*refused.code()), (409, "evolution_off"), "{}", refused.text);
        assert!(
            refused.text.contains("abide config set evolution.enabled true"),
            "{}",
            refused.text
        );
    }
    assert_eq!(keeper.client.post(&path(&kept, "rollback"), &json!({})).status, 200);
}

#[test]
fn pages_of_the_list_stay_where_they_were_while_changes_are_added() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let past: Vec<_> = (10..13).map(|seed| Past::kept(seed).into_ledger_of(&home)).collect();
    let keeper = home.up();
    let first = keeper.client.read("/evolutions?limit=2");
    let of = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of(&first), [past[2].clone(), past[1].clone()]);
    assert_eq!(keeper.client.post("/evolutions", &proposal()).status, 201);
    let next = first["next"].as_str().unwrap();
    let last = keeper.client.read(&format!("/evolutions?limit=2&cursor={next}"));
    assert_eq!((of(&last), &last["next"]), (vec![past[0].clone()], &Value::Null));
}

#[test]
fn commands_propose_tell_and_answer() {
    let home = Home::new(&format!("{ON}{TWO}"));
    let waiting = Past::waiting(6).into_ledger_of(&home);
    let _keeper = home.up();
    let file = home.path().join("rank.scm");
    fs::write(&file, CODE).unwrap();
    let file = file.to_str().unwrap();
    let arguments =
        ["evolve", "propose", file, "--target", "memory", "--reason", "age", "--agent", "ivy"];
    let proposed = words(&home.run(arguments));
    let id = proposed.lines().next().unwrap().to_owned();
    let listed = words(&home.run(["evolve", "ls", "--agent", "ivy"]));
    assert!(
        listed.lines().any(|line| line.starts_with(&id) && line.contains("memory_system")),
        "{listed}"
    );

    // Ids of one moment begin alike: the seeded one is of another.
    let short = &waiting[..13];
    let shown = words(&home.run(["evolve", "show", short, "--code"]));
    for said in [
        "felix · memory_system · awaits approval",
        "@keeper  proposed: rank by age",
        "-14.0 %",
        CODE,
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    let approved = words(&home.run(["evolve", "approve", short, "--reason", "go on"]));
    assert!(approved.contains("accepted"), "{approved}");
    let json = home.run(["evolve", "show", short, "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["id"], waiting.as_str());

    let again = home.run(["evolve", "approve", short]);
    let said = String::from_utf8_lossy(&again.stderr);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    assert!(said.contains("abide evolve show"), "{said}");
    let unknown = home.run(["evolve", "show", "ffff"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("abide evolve ls"), "{unknown:?}");
    let wrong =
        ["evolve", "propose", file, "--target", "memory", "--reason", "x", "--expect", "time"];
    assert_eq!(home.run(wrong).status.code(), Some(2));
}
