//! An agent on a network outside; the network is another keeper's server.

use abide_testkit::{ModelServer, Reply};

use super::{FELIX, OPEN, address, enter, home_for};
use crate::home::{Home, Keeper};

/// Waits until the agent of the keeper is on its network.
fn until_online(keeper: &Keeper) {
    loop {
        let health = keeper.client.read("/health");
        if health["irc"]["networks"][0]["state"] == "online" {
            return;
        }
    }
}

#[test]
fn an_agent_answers_on_a_network_outside_those_whom_it_knows_and_nobody_else() {
    // The other house's own agent is called otherwise, and its accounts are the network's.
    let network = Home::new(&format!("{OPEN}[[agent]]\nid = \"otto\"\nmind = \"reflex\"\n"));
    let other = network.up();
    let at = address(&other);
    let port = at.rsplit(':').next().unwrap();
    let model = ModelServer::start().unwrap();
    model.script([Reply::text("Hello out there."), Reply::text("And to you alone.")]);
    let seat = format!(
        "[[irc.network]]\nname = \"yonder\"\nhost = \"127.0.0.1\"\nport = {port}\ntls = false\nagent = \"felix\"\n\
         nick = \"felix-out\"\naccount = \"felix-out\"\npassword_env = \"YONDER\"\nchannels = [\"#abide\"]\n\
         people = [\"ann=nicolas\"]\n"
    );
    let home = home_for(&model, &format!("{seat}{FELIX}"));
    let keeper = home.up_with(&[("YONDER", network.token())]);
    until_online(&keeper);
    let mut ann = enter(&network, &other, "ann");
    let mut bob = enter(&network, &other, "bob");
    bob.say("#abide", "@felix-out do you know me?");
    ann.until("do you know me?");
    ann.say("#abide", "@felix-out hello");
    assert_eq!(ann.hear("felix-out"), "ann: Hello out there.");
    ann.say("felix-out", "psst");
    assert_eq!(ann.hear("felix-out"), "And to you alone.");
    let ledger = home.ledger();
    let stimuli: Vec<_> =
        ledger.iter().filter(|line| line["kind"] == "stimulus.accepted").collect();
    let of = |index: usize| {
        let data = &stimuli[index]["data"];
        (data["sender"].as_str().unwrap(), data["session_id"].as_str().unwrap())
    };
    assert_eq!(stimuli.len(), 2, "whom it does not know it does not hear");
    assert_eq!(of(0), ("nicolas", "irc:yonder/#abide"));
    assert_eq!(of(1), ("nicolas", "irc:yonder/nicolas"));
    let is_kept = |text: &str| ledger.iter().any(|line| line.to_string().contains(text));
    assert!(is_kept("@felix-out hello") && !is_kept("do you know me?"), "strangers' words");
    assert!(!is_kept(&network.token()));
}
