//! Who may read whose log (decision 47): by the route, by the command line, by the owner's own command.

use serde_json::{Value, json};

use super::{refusal, run, still_home};
use crate::client::Client;

fn revoke(client: &Client, body: &Value) -> u16 {
    let headers = [("content-type", "application/json")];
    client.send("DELETE", "/stdout/grants", &headers, &body.to_string()).status
}

#[test]
fn a_log_is_read_by_its_owner_and_by_those_whom_a_grant_names_while_it_holds() {
    let home = still_home();
    let keeper = home.up();
    let client = &keeper.client;
    run(client, "@bob", "a secret of @bob");
    let reads = [
        "read: @bob last 5",
        "read: last 5 of @bob",
        "between: @bob 0 9",
        "query: ?(tick >= 0) @bob",
    ];
    for read in reads {
        assert!(refusal(client, "@alice", read).contains("may not read"), "{read}");
        run(client, "@bob", read);
    }
    let body = json!({"reader": "@alice", "owner": "bob"});
    let granted = client.post("/stdout/grants", &body);
    assert_eq!(
        (granted.status, granted.json()),
        (200, json!({"reader": "@alice", "owner": "@bob"}))
    );
    for read in reads {
        assert!(run(client, "@alice", read).contains("a secret of @bob"), "{read}");
    }
    assert!(refusal(client, "@bob", "read: @alice").contains("may not read"), "one way only");
    assert!(refusal(client, "@carol", "read: @bob").contains("may not read"), "one reader only");
    assert_eq!(
        client.read("/stdout/grants")["items"],
        json!([{"reader": "@alice", "owner": "@bob"}])
    );
    assert_eq!(revoke(client, &body), 204);
    assert_eq!(revoke(client, &body), 404);
    for read in reads {
        assert!(refusal(client, "@alice", read).contains("may not read"), "{read}");
    }
    assert_eq!(client.read("/stdout/grants")["items"], json!([]));
    let kinds: Vec<Value> = home.ledger().iter().map(|line| line["kind"].clone()).collect();
    let of = |kind: &str| kinds.iter().filter(|found| **found == kind).count();
    assert_eq!((of("stdout.granted"), of("stdout.revoked")), (1, 1));
}

#[test]
fn grants_are_durable_and_what_does_not_fit_is_refused() {
    let home = still_home();
    let keeper = home.up();
    for (body, part) in [
        (json!({"reader": "@a", "owner": "@a"}), "Everybody may read its own"),
        (json!({"reader": "@a"}), "owner: is missing"),
        (json!({"reader": "a b", "owner": "@b"}), "reader must be"),
        (json!({"reader": "@a", "owner": "@keeper"}), "as which nobody can act"),
        (json!({"reader": "@a", "owner": "@b", "for": "1h"}), "unknown field"),
    ] {
        let answer = keeper.client.post("/stdout/grants", &body);
        assert_eq!(answer.status, 422, "{body}: {answer:?}");
        assert!(answer.text.contains(part), "{body}: {answer:?}");
    }
    assert_eq!(run(&keeper.client, "@ann", r"\grant @bob ---"), "@bob may read the stdout of @ann");
    keeper.kill();
    let keeper = home.up();
    assert_eq!(run(&keeper.client, "@bob", "read: @ann"), "No stdout entries for @ann yet");
    let revoked = run(&keeper.client, "@ann", r"\revoke @bob ---");
    assert_eq!(revoked, "@bob may not read the stdout of @ann any more");
    assert!(refusal(&keeper.client, "@bob", "read: @ann").contains("may not read"));
}

#[test]
fn the_command_line_grants_lists_and_takes_back() {
    let home = still_home();
    let keeper = home.up();
    let words = |output: &std::process::Output| String::from_utf8(output.stderr.clone()).unwrap();
    let granted = home.run(["stdout", "grant", "@ann", "@bob"]);
    assert!(granted.status.success() && granted.stdout.is_empty(), "{granted:?}");
    assert_eq!(words(&granted), "@ann may read the stdout of @bob\n");
    keeper.kill();
    let _keeper = home.up();
    let listed = home.run(["stdout", "grants"]);
    assert_eq!(String::from_utf8(listed.stdout).unwrap(), "@ann may read the stdout of @bob\n");
    let read = home.run(["stdout", "--as", "@ann", "read: @bob"]);
    assert!(read.status.success(), "{read:?}");
    let revoked = home.run(["stdout", "revoke", "@ann", "@bob"]);
    assert!(revoked.status.success(), "{revoked:?}");
    let again = home.run(["stdout", "revoke", "@ann", "@bob"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(words(&again).contains("there is no grant `@ann of @bob`"), "{again:?}");
}
