//! What people set about tools while the keeper runs: in force from the next call on, after any restart, and never against what the
//! configuration denies.

use abide_domain::{
    EntityName,
    event::{Decision, PolicySetting, ToolPolicyChanged},
    limits::TOOL_SETTINGS_MAX,
    tool::Outcome,
    turn::TurnRequest,
};
use abide_engine::keeper::{ToolPolicyOrder, ToolPolicyOrderError};
use abide_ledger::Draft;
use abide_testkit::rig::{Rig, RigAnswer, Setup, TestTool, call, say};
use serde_json::json;

fn ann() -> EntityName {
    "@ann".parse().unwrap()
}

async fn set(
    rig: &Rig,
    (tool, agent): (&str, Option<&str>),
    policy: Option<PolicySetting>,
) -> Result<Option<PolicySetting>, ToolPolicyOrderError> {
    let agent = agent.map(|agent| agent.parse().unwrap());
    let order = ToolPolicyOrder { tool: tool.into(), agent, policy };
    rig.keeper().set_tool_policy(order, ann()).await.map(|set| set.before)
}

fn pushes(request: &TurnRequest, _: usize) -> RigAnswer {
    match request.turn {
        1 => call("world.push", json!({})),
        _ => say("so"),
    }
}

fn shows(request: &TurnRequest, tool: &str) -> bool {
    request.tools.iter().any(|shown| shown.name == tool)
}

#[tokio::test(start_paused = true)]
async fn a_setting_is_in_force_at_once_and_after_a_restart_until_it_is_taken_back() {
    let mut rig = Setup::new(pushes).tool(TestTool::world("world.push")).start().await;
    let push = ("world.push", None);
    assert_eq!(set(&rig, push, Some(PolicySetting::Deny)).await.unwrap(), None);
    let epoch = rig.say("push").await;
    assert_eq!((rig.runs(), rig.outcomes_of(epoch.id)), (0, vec![Outcome::Denied]));
    assert!(!shows(&rig.asked()[0], "world.push"), "no mind is shown it");
    let told = rig.tool_results_shown()[0].clone();
    assert!(told.content.contains("a person denied `world.push`"), "{}", told.content);

    let digest = rig.keeper().state_digest();
    rig.restart().await;
    assert_eq!(rig.keeper().state_digest(), digest);
    let epoch = rig.say("push").await;
    assert_eq!(rig.outcomes_of(epoch.id), [Outcome::Denied]);

    let before = set(&rig, push, Some(PolicySetting::Ask)).await.unwrap();
    assert_eq!(before, Some(PolicySetting::Deny), "what undoes it");
    assert_ne!(rig.keeper().state_digest(), digest);
    let epoch = rig.begin_interactive("push").await;
    rig.until(epoch, "approval.requested").await;
    rig.decide(rig.pending_approval().unwrap().0, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    assert_eq!(rig.runs(), 1);

    set(&rig, push, None).await.unwrap();
    rig.say("push").await;
    assert_eq!(rig.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_does_not_run_by_a_yes_after_its_tool_was_denied() {
    let rig = Setup::new(pushes).tool(TestTool::world("world.push")).start().await;
    let push = ("world.push", None);
    set(&rig, push, Some(PolicySetting::Ask)).await.unwrap();
    let epoch = rig.begin_interactive("push").await;
    rig.until(epoch, "approval.requested").await;
    set(&rig, push, Some(PolicySetting::Deny)).await.unwrap();
    rig.decide(rig.pending_approval().unwrap().0, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    assert_eq!((rig.runs(), rig.outcomes_of(epoch)), (0, vec![Outcome::Denied]));
}

#[tokio::test(start_paused = true)]
async fn an_epoch_that_runs_follows_with_its_next_prompt_and_its_next_call() {
    let script = |request: &TurnRequest, _| match request.turn {
        1 => call("world.ask", json!({})),
        2 => call("world.push", json!({})),
        _ => say("so"),
    };
    let setup = Setup::new(script).tool(TestTool::world("world.ask"));
    let setup = setup.tool(TestTool::world("world.push"));
    let rig = setup.with(|setup| setup.ask = vec!["world.ask"]).start().await;
    let epoch = rig.begin_interactive("push").await;
    rig.until(epoch, "approval.requested").await;
    set(&rig, ("world.push", None), Some(PolicySetting::Deny)).await.unwrap();
    rig.decide(rig.pending_approval().unwrap().0, Decision::Approve, None).await.unwrap();
    rig.ended(epoch).await;
    assert_eq!(rig.outcomes_of(epoch), [Outcome::Ok, Outcome::Denied]);
    let shown: Vec<bool> = rig.asked().iter().map(|request| shows(request, "world.push")).collect();
    assert_eq!(shown, [true, false, false]);
}

#[tokio::test(start_paused = true)]
async fn a_setting_for_one_agent_goes_before_that_for_all_and_is_no_other_agent_s() {
    let setup = Setup::new(pushes).tool(TestTool::world("world.push"));
    let rig = setup.with(|setup| setup.agents = vec!["felix", "ida"]).start().await;
    set(&rig, ("world.push", None), Some(PolicySetting::Deny)).await.unwrap();
    set(&rig, ("world.push", Some("felix")), Some(PolicySetting::Allow)).await.unwrap();
    let may = |agent: &str| {
        let agent = rig.keeper().agent(agent).unwrap();
        rig.keeper().policy_of(&agent).offers("world.push")
    };
    assert_eq!((may("felix"), may("ida")), (true, false));
    rig.say("push").await;
    assert_eq!(rig.runs(), 1);
    set(&rig, ("world.push", Some("felix")), None).await.unwrap();
    assert_eq!((may("felix"), may("ida")), (false, false));
    let error = set(&rig, ("world.push", Some("nobody")), Some(PolicySetting::Ask)).await;
    assert!(error.unwrap_err().to_string().contains("no agent `nobody`"));
}

#[tokio::test(start_paused = true)]
async fn what_the_configuration_denies_cannot_be_set_and_what_is_no_tool_neither() {
    let setup = Setup::new(pushes).tool(TestTool::world("world.push"));
    let rig = setup.with(|setup| setup.deny = vec!["world.*"]).start().await;
    let error = set(&rig, ("world.push", None), Some(PolicySetting::Allow)).await.unwrap_err();
    assert!(error.to_string().contains("`world.*` in `tools.deny`"), "{error}");
    assert!(set(&rig, ("world.push", Some("felix")), Some(PolicySetting::Ask)).await.is_err());
    let error = set(&rig, ("world.pusch", None), Some(PolicySetting::Ask)).await.unwrap_err();
    assert!(error.to_string().contains("world.push"), "{error}");
    let epoch = rig.say("push").await;
    assert_eq!(rig.outcomes_of(epoch.id), [Outcome::Denied]);
    assert_eq!(rig.keeper().state().tool_settings.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_another_made_has_what_is_set_for_its_maker() {
    let mut rig = Setup::new(pushes).tool(TestTool::world("world.push")).start().await;
    set(&rig, ("world.push", Some("felix")), Some(PolicySetting::Deny)).await.unwrap();
    rig.tell("felix", r"\spawn @kid a small helper ---").await.unwrap();
    rig.take_in().await;
    rig.say_to("kid", "push").await;
    assert_eq!(rig.runs(), 0);
    let kid = "kid".parse().unwrap();
    let of_kid = || {
        let state = rig.keeper().state();
        state.tool_settings_of(&kid).get("world.push").map(|set| set.policy)
    };
    assert_eq!(of_kid(), Some(PolicySetting::Deny));
    let nobody = "ida".parse().unwrap();
    assert!(rig.keeper().state().tool_settings_of(&nobody).is_empty());
}

#[tokio::test(start_paused = true)]
async fn there_are_so_many_settings_and_no_more_and_one_of_what_is_gone_can_be_taken_back() {
    let rig = Setup::new(pushes).tool(TestTool::world("world.push")).start().await;
    let gone = |number: usize| ToolPolicyChanged {
        tool: format!("gone.tool_{number}"),
        agent: None,
        policy: Some(PolicySetting::Ask),
        before: None,
    };
    let drafts = (0..TOOL_SETTINGS_MAX).map(|number| Draft {
        entity: EntityName::keeper(),
        author: ann(),
        epoch: None,
        event: gone(number).into(),
    });
    let ledger = rig.keeper().ledger().clone();
    let appended = ledger.append(drafts.collect()).await.unwrap();
    rig.keeper().services().view.applied(appended.last_seq).await;
    let deny = Some(PolicySetting::Deny);
    let refused = set(&rig, ("world.push", None), deny).await.unwrap_err();
    assert!(matches!(refused, ToolPolicyOrderError::TooMany), "{refused}");
    set(&rig, ("gone.tool_7", None), None).await.unwrap();
    set(&rig, ("world.push", None), deny).await.unwrap();
    assert_eq!(rig.keeper().state().tool_settings.count(), TOOL_SETTINGS_MAX);
}

#[tokio::test(start_paused = true)]
async fn a_call_of_a_tool_that_is_not_there_is_answered_with_those_that_the_mind_may_use() {
    let script = |request: &TurnRequest, _| match request.turn {
        1 => call("world.pusch", json!({})),
        _ => say("so"),
    };
    let tools = |setup: Setup| {
        let setup = setup.tool(TestTool::world("world.push"));
        setup.tool(TestTool::world("world.pushed"))
    };
    // Where a pattern allows it, and where no list names it.
    for allow in [vec!["*"], vec!["world.push"]] {
        let setup = tools(Setup::new(script)).with(|setup| {
            setup.allow = allow.clone();
            setup.deny = vec!["world.pushed"];
        });
        let rig = setup.start().await;
        rig.say("push").await;
        let told = rig.tool_results_shown()[0].content.clone();
        assert!(told.contains("`world.pusch`") && told.contains("`world.push`"), "{told}");
        assert!(!told.contains("world.pushed") && !told.contains("arguments"), "{told}");
    }
}
