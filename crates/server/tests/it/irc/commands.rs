//! Commands: the language in a query to the house, and those that begin with `!`.

use abide_testkit::ModelServer;
use serde_json::json;

use super::{FELIX, OPEN, enter, home_for};
use crate::home::Home;

const STILL: &str = "[keeper]\ntick_interval = \"1h\"\n";

#[test]
fn the_command_language_is_carried_out_as_the_account_in_a_query_to_the_house() {
    let home = Home::new(&format!("{STILL}{OPEN}"));
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    let mut give = |command: &str, lines: &[&str]| {
        ann.say("abide", command);
        for line in lines {
            assert_eq!(ann.hear("abide"), *line, "{command}");
        }
    };
    give(r"\stdout read: last 10", &["No stdout entries for @ann yet"]);
    give(r"\stdout write: Tests are running ---", &["Written at tick 0"]);
    give(
        r"\stdout two --- \stdout read: last 10",
        &[
            "Written at tick 0",
            "Last 2 stdout entries for @ann:",
            "  [tick 0] Tests are running",
            "  [tick 0] two",
        ],
    );
    give(
        r"\stdout write: ---",
        &[r"ERROR: No content to write. Usage: \stdout write: message ---"],
    );
    give(r"\stdout read: soon", &["ERROR: Unknown read pattern 'soon'. Try: last 10"]);
    give(r"\say @felix hello ---", &["Said to @felix"]);
    give(r"\dance ---", &[r"ERROR: Unknown command 'dance'. Try: \help ---"]);
    let mut say = |text: &str| {
        ann.say("abide", text);
        ann.hear("abide")
    };
    assert!(say("hello").starts_with("I run commands"));
    ann.say("#abide", r"@abide \stdout read: last 10");
    assert!(ann.hear("abide").contains("Commands work in a private message"));
    let answer = keeper.client.post("/stdout", &json!({"as": "ann", "command": "read:"}));
    assert!(answer.json()["output"].as_str().unwrap().contains("Tests are running"));
    let ledger = home.ledger();
    let written = ledger.iter().find(|line| line["kind"] == "stdout.written").unwrap();
    assert_eq!((&written["entity"], &written["author"]), (&json!("@ann"), &json!("@ann")));
    let is_said = |line: &serde_json::Value| line["kind"] == "channel.said";
    let kept = ledger.iter().filter(|line| is_said(line)).count();
    assert_eq!(kept, 1, "lines to the keeper are recorded only by what they did");
}

#[test]
fn bangs_act_as_the_routes_do_and_are_answered_in_place() {
    let model = ModelServer::start().unwrap();
    let watched = "[watchdog]\nenabled = true\n";
    let home = home_for(&model, &format!("{watched}{FELIX}"));
    let keeper = home.up();
    let mut ann = enter(&home, &keeper, "ann");
    ann.say("#abide", "!help");
    ann.until("!status: the state of the keeper");
    ann.until("/invite NICK #channel");
    ann.say("#abide", "!agents");
    ann.until("felix: idle");
    ann.say("#abide", "!status");
    ann.until("ok, seq ");
    ann.until("watchdog: ");
    ann.say("#abide", "!silence felix 30m being rebuilt");
    ann.until("Nobody is paged about felix until ");
    ann.say("#abide", "!silence nobody");
    ann.until("There is no agent nobody.");
    ann.say("#abide", "!ack");
    ann.until("There is no such episode, or it is over.");
    ann.say("#abide", "!abort");
    ann.until("No epoch is open.");
    ann.say("#abide", "!ungate felix");
    ann.until("felix now gets every line in #abide");
    ann.say("abide", "!status");
    ann.until(" PRIVMSG ann :abide ");
    let silences = keeper.client.read("/watchdog")["silences"].clone();
    assert_eq!(silences[0]["agent"], "felix", "{silences}");
    let ledger = home.ledger();
    let silenced = ledger.iter().find(|line| line["kind"] == "watchdog.silenced").unwrap();
    assert_eq!(silenced["author"], "@ann");
    assert_eq!(silenced["data"]["reason"], "being rebuilt");
}
