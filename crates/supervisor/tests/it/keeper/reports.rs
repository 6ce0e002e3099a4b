//! What agents report: evidence, measurements, faults, proposals. None of it without bound.

use std::collections::BTreeMap;

use abide_domain::event::{AgentEvent, Event, EvolutionDecision, EvolutionEvent, FaultSource};
use abide_supervisor::SupervisorSettings;
use abide_wire::{Decision, EvolutionResult};

use super::world::{Home, agent, felix, quick};

#[tokio::test]
async fn evidence_is_the_agents_own_and_bounded() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("evidence 5000").await.unwrap();
    let first = |event: &Event| match event {
        Event::Agent(AgentEvent::EvidenceReported(evidence)) => Some(evidence.clone()),
        _ => None,
    };
    let evidence = keeper.until("evidence", first).await;
    assert_eq!((&*evidence.claim_type, evidence.tags), ("observation", vec!["trial".into()]));
    keeper.ask("list").await.unwrap();
    let ledger = keeper.ledger.clone();
    keeper.stop().await;
    let records = ledger.records(1).map(|record| record.unwrap());
    let mut authors = BTreeMap::new();
    for record in records.filter(|record| record.kind() == "agent.evidence_reported") {
        *authors.entry(record.author().to_owned()).or_insert(0) += 1;
    }
    assert_eq!(authors, BTreeMap::from([("@felix".to_owned(), 120)]));
}

#[tokio::test]
async fn measurements_are_shown_newest_and_written_down_now_and_then() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    assert_eq!(keeper.supervisor.metrics(&felix()), None);
    keeper.ask("metrics 20").await.unwrap();
    let metrics = keeper.supervisor.metrics(&felix()).unwrap();
    assert_eq!(metrics.values.get("avg_latency"), Some(&19.0));
    assert_eq!(metrics.values.get("memory_usage"), Some(&1000.0));
    let events = keeper.stop().await;
    let measured = events.iter().filter(|event| event.kind().name == "agent.measured");
    assert_eq!(measured.count(), 1);
}

#[tokio::test]
async fn faults_are_recorded_with_the_number_left_out() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("errors 1000").await.unwrap();
    keeper.ask("gap").await.unwrap();
    let events = keeper.stop().await;
    let faults: Vec<_> = events
        .into_iter()
        .filter_map(|event| match event {
            Event::Agent(AgentEvent::Faulted(fault)) => Some((fault.source, fault.code)),
            _ => None,
        })
        .collect();
    let told = (FaultSource::Agent, "TOOL_FAILED".to_owned());
    let gap = (FaultSource::Protocol, "SEQUENCE_GAP".to_owned());
    assert_eq!(faults, [told.clone(), told.clone(), told, gap]);
}

#[tokio::test]
async fn a_failed_attempt_is_the_engines_to_record() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("fail MODEL_OVERLOADED busy").await.unwrap_err();
    keeper.ask("list").await.unwrap();
    let events = keeper.stop().await;
    assert!(events.iter().all(|event| event.kind().name != "agent.faulted"));
}

#[tokio::test]
async fn proposals_are_recorded_and_one_that_cannot_be_code_is_answered_at_once() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let result = EvolutionResult {
        success: true,
        decision: Decision::Promoted,
        metrics: None,
        reason: "it is quicker".into(),
    };
    // Before its first turn no process runs; after an end the next one may be there already.
    let early = keeper.supervisor.say_evolution_result(&felix(), result.clone()).await;
    assert!(early.is_err(), "nobody is there who could hear it");
    keeper.ask("evolve (def (search q) q)").await.unwrap();
    keeper.ask("evolve ").await.unwrap();
    keeper.supervisor.say_evolution_result(&felix(), result).await.unwrap();
    keeper.ask("exit 0").await.unwrap_err();
    let exit = keeper.exit().await;
    let said: Vec<_> = exit.last_words.iter().filter(|l| l.starts_with("evolution")).collect();
    assert_eq!(said.len(), 2, "{exit:?}");
    assert!(said[0].contains("no code") && said[1].contains("quicker"), "{said:?}");
    let events = keeper.stop().await;
    let mut proposed = Vec::new();
    let mut decided = Vec::new();
    for event in events {
        match event {
            Event::Evolution(EvolutionEvent::Proposed(event)) => {
                proposed.push((event.evolution_id, event.code));
            }
            Event::Evolution(EvolutionEvent::Decided(event)) => {
                assert_eq!(event.decision, EvolutionDecision::Rejected);
                decided.push((event.evolution_id, event.reason));
            }
            _ => {}
        }
    }
    assert_eq!(proposed.len(), 2);
    assert_eq!(proposed[0].1, "(def (search q) q)");
    assert_eq!(decided.len(), 1, "the other is for whoever tries it: {decided:?}");
    assert_eq!(decided[0].0, proposed[1].0);
    assert!(decided[0].1.contains("no code"), "{decided:?}");
}

#[tokio::test]
async fn a_full_log_is_said_and_a_checkpoint_makes_room() {
    let home = Home::new();
    let mut settings = SupervisorSettings { ..quick() };
    settings.private.checkpoint_entries = 50;
    let keeper = home.keeper(agent(&[]), settings);
    keeper.ask("log 60").await.unwrap();
    let status = keeper.until_status("a checkpoint", |s| s.checkpoint.is_some()).await;
    assert!(status.checkpoint.unwrap().wal_sequence >= 50);
    keeper.ask("log 60").await.unwrap();
    assert_eq!(keeper.notes().await.len(), 120);
    keeper.stop().await;
}

#[tokio::test]
async fn checkpoints_without_end_are_refused_and_the_old_one_stays() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    keeper.ask("note one").await.unwrap();
    keeper.ask("checkpoint 500").await.unwrap();
    let flood = |event: &Event| match event {
        Event::Agent(AgentEvent::Faulted(fault)) if fault.code == "CHECKPOINT_FLOOD" => {
            Some(fault.message.clone())
        }
        _ => None,
    };
    let told = keeper.until("a refusal", flood).await;
    assert!(told.contains("that is too often; try again in"), "{told}");
    keeper.supervisor.checkpoint(&felix()).await.expect("one that the keeper asks for is stored");
    let events = keeper.stop().await;
    let stored = events.iter().filter(|event| event.kind().name == "agent.checkpointed").count();
    assert!((60..70).contains(&stored), "{stored}");
}

#[tokio::test]
async fn large_proposals_are_recorded_only_so_far() {
    let home = Home::new();
    let keeper = home.keeper(agent(&[]), quick());
    let code = format!("(a {})", "x".repeat(9_000));
    for _ in 0..60 {
        keeper.ask(&format!("evolve {code}")).await.unwrap();
    }
    let events = keeper.stop().await;
    let proposed = events.iter().filter(|event| event.kind().name == "evolution.proposed").count();
    assert!((30..40).contains(&proposed), "{proposed}");
    let flood = events.iter().any(|event| {
        matches!(event, Event::Agent(AgentEvent::Faulted(fault)) if fault.code == "EVOLUTION_FLOOD")
    });
    assert!(flood);
}
