//! What sleep wrote into files is a projection: deleted, it comes back byte for byte.

use super::night::{config, credulous, dream_files, facts, say, sleep};
use crate::home::Home;

#[test]
fn identity_dreams_and_facts_come_back_from_the_ledger() {
    let server = credulous();
    let home = Home::new(&config(&server));
    let keeper = home.up();
    for text in ["I live in Berlin.", "We use Postgres for billing."] {
        say(&keeper.client, "nicolas", text);
        assert_eq!(sleep(&keeper.client)["status"], "ok");
    }
    let (known, digest) =
        (facts(&keeper.client), keeper.client.read("/snapshot")["state_digest"].clone());
    assert_eq!(keeper.stop(), Some(0));
    let folder = home.path().join("agents/felix");
    let (dreams, identity) =
        (dream_files(&home), std::fs::read(folder.join("identity.md")).unwrap());
    assert_eq!(dreams.len(), 2);
    std::fs::remove_dir_all(&folder).unwrap();
    let keeper = home.up();
    assert_eq!(
        (facts(&keeper.client), &keeper.client.read("/snapshot")["state_digest"]),
        (known, &digest)
    );
    assert_eq!(dream_files(&home), dreams);
    assert_eq!(std::fs::read(folder.join("identity.md")).unwrap(), identity);
    // One that is forgotten goes; one that a person wrote into is kept aside.
    let names: Vec<&String> = dreams.keys().collect();
    let gone = keeper.client.attempt("DELETE", &format!("/dreams/{}", names[0]), &[], "").unwrap();
    assert_eq!(gone.status, 204);
    assert_eq!(keeper.stop(), Some(0));
    std::fs::write(folder.join("dreams").join(names[1]), "mine").unwrap();
    let keeper = home.up();
    let files = dream_files(&home);
    assert!(!files.contains_key(names[0]));
    assert_eq!(files.get(names[1]), dreams.get(names[1]));
    assert!(files.values().any(|content| content == b"mine"), "{files:?}");
    assert_eq!(keeper.stop(), Some(0));
}
