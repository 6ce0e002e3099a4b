//! What sleep makes of an identity: small changes are taken, large ones wait for a person.

use abide_domain::{
    EntityName,
    event::{Decision, IdentitySource, SleepStatus},
};
use abide_engine::keeper::AttentionKind;

use super::night::{count, setup, sleep, window};

const LARGE: &str = "# I am Felix\n\n## Who I am\n\nI am somebody else now, and my whole past is mine to forget. I rest.\n";

#[tokio::test(start_paused = true)]
async fn a_small_change_is_the_next_version() {
    let (setup, _) = setup();
    let rig = setup.start().await;
    rig.say("one").await;
    assert_eq!(sleep(&rig).await, SleepStatus::Ok);
    let state = rig.keeper().state();
    let current = state.agents["felix"].identity.current().unwrap();
    assert_eq!((current.version, current.source), (2, IdentitySource::Sleep));
    assert!(current.content.contains("I have slept over 1 exchanges."));
}

#[tokio::test(start_paused = true)]
async fn a_large_change_waits_for_a_person_and_the_day_is_over_all_the_same() {
    for decision in [Decision::Approve, Decision::Deny] {
        let (setup, scripted) = setup();
        scripted.set(|script| script.identity = Some(LARGE.into()));
        let mut rig = setup.start().await;
        rig.say("one").await;
        assert_eq!(sleep(&rig).await, SleepStatus::Ok);
        assert_eq!(window(&rig), 0);
        rig.restart().await;
        let matters = rig.keeper().attention();
        let matter = matters.iter().find(|matter| matter.kind == AttentionKind::Identity).unwrap();
        let id = matter.id.trim_start_matches("identity:").parse().unwrap();
        assert_eq!(count(&rig, "memory.identity_changed"), 1, "the old one is in force");
        let (felix, by) = ("felix".parse().unwrap(), EntityName::sender("nicolas").unwrap());
        let decided = rig.keeper().decide_identity(&felix, id, (decision, None), by).await.unwrap();
        let is_approved = decision == Decision::Approve;
        assert_eq!(decided, is_approved.then_some(2));
        let content =
            rig.keeper().state().agents["felix"].identity.current().unwrap().content.clone();
        assert_eq!(&*content == LARGE, is_approved);
        assert!(
            rig.keeper().attention().iter().all(|matter| matter.kind != AttentionKind::Identity)
        );
        if is_approved {
            assert_eq!(rig.keeper().identity_text(&felix, 2).await.unwrap(), LARGE);
        }
        assert_eq!(rig.digest(), rig.digest_rebuilt());
    }
}

#[tokio::test(start_paused = true)]
async fn what_speaks_as_somebody_else_is_no_identity_and_forgets_nothing() {
    let (setup, scripted) = setup();
    let stranger =
        "# Felix\n\nFelix is an assistant who keeps all the records of the state for its users.";
    scripted.set(|script| script.identity = Some(stranger.into()));
    let rig = setup.start().await;
    rig.say("one").await;
    assert_eq!(sleep(&rig).await, SleepStatus::Failed);
    assert_eq!((window(&rig), count(&rig, "memory.identity_changed")), (1, 1));
}
