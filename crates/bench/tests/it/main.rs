//! The crate through its public API: small plans give whole reports. Figures are not judged here; a shared machine would
//! fail any.

mod memory;
mod truth;

use std::{path::PathBuf, time::Duration};

use abide_bench::{
    BenchReport, Deaths, EpochPlan, EvolutionPlan, LedgerPlan, QueryPlan, RecoveryPlan, WirePlan,
    epoch, evolution, ledger, query, recovery, wire,
};
use serde_json::Value;

fn ids(report: &BenchReport) -> Vec<&'static str> {
    report.rows.iter().map(|row| row.id).collect()
}

#[test]
fn the_query_bench_reports_every_row_and_every_answer_agrees_with_the_rivals() {
    let folder = tempfile::tempdir().unwrap();
    let plan = QueryPlan { rounds: 1, entries: 16_000, ..QueryPlan::new(folder.path().into()) };
    let report = query(&plan, &|_| {}).unwrap();
    // What is installed beside it differs between machines.
    let rivals = ["_jq", "_mapped"];
    let ours: Vec<_> =
        ids(&report).into_iter().filter(|id| rivals.iter().all(|end| !id.ends_with(end))).collect();
    let expected = [
        "last_10_warm_hundredth",
        "last_10_cold_hundredth",
        "last_10_cold_hundredth_worst",
        "last_10_warm_tenth",
        "last_10_cold_tenth",
        "last_10_cold_tenth_worst",
        "last_10_warm",
        "last_10_cold",
        "last_10_cold_worst",
        "text_first",
        "text_rare",
        "text_absent",
        "text_common",
        "text_newest",
        "condition_range_text",
        "condition_rare",
        "condition_every",
        "ticks",
        "ledger_text_rare",
        "ledger_text_absent",
        "ledger_text_newest",
    ];
    assert_eq!(ours, expected);
    assert!(report.rows.iter().all(|row| row.value.median > 0.0), "{report}");
}

#[test]
fn the_ledger_bench_reports_every_row_with_its_reference() {
    let folder = tempfile::tempdir().unwrap();
    let plan = LedgerPlan { rounds: 1, epochs: 60, ..LedgerPlan::new(folder.path().into()) };
    let report = ledger(&plan, &|_| {}).unwrap();
    let expected = [
        "lone_append",
        "lone_append_filled",
        "writers_64",
        "writers_64_filled",
        "writers_64_sqlite",
        "in_flight_4096",
        "in_flight_4096_formed",
        "writers_4096",
        "rehydrate",
        "rehydrate_entries",
        "rehydrate_state",
        "feed",
        "query_epoch",
        "query_epoch_p99",
    ];
    assert_eq!(ids(&report), expected);
    assert!(report.rows.iter().all(|row| row.value.median > 0.0), "{report}");
    assert!(report.rows.iter().filter(|row| row.bar.is_some()).count() >= 5);
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the scratch is left");
}

#[test]
fn the_epoch_bench_reports_paces_growth_and_syncs() {
    let folder = tempfile::tempdir().unwrap();
    let child = Some(env!("CARGO_BIN_EXE_bench-child").into());
    let plan =
        EpochPlan { rounds: 1, epochs: 40, child, ..EpochPlan::new(folder.path().into(), None) };
    let report = epoch(&plan, &|_| {}).unwrap();
    let json: Value = serde_json::to_value(&report).unwrap();
    let row = |id: &str| {
        let rows = json["rows"].as_array().unwrap();
        rows.iter().find(|row| row["id"] == id).unwrap_or_else(|| panic!("no row {id}")).clone()
    };
    let syncs = row("epoch_syncs_1")["value"]["median"].as_f64().unwrap();
    // Acceptance, intent and commit must each have been waited for.
    assert!(syncs >= 3.0, "{syncs} syncs an epoch");
    let grown = row("epoch_bytes_grown")["reference"]["ratio"]["median"].as_f64().unwrap();
    assert!((0.5..1.5).contains(&grown), "{grown}");
    let piped = row("epoch_server_tool")["reference"]["value"]["median"].as_f64().unwrap();
    assert!(piped > 0.0, "a server of tools was called");
    for id in ["epochs_1", "epochs_8", "epoch_old", "epoch_wide"] {
        assert!(row(id)["value"]["median"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(json["bench"], "epoch");
    assert!(json["machine"]["load_after"].is_number());
}

const MESSAGES: [&str; 5] = ["heartbeat", "wal_entry", "wal_batch", "request", "checkpoint"];

#[test]
fn without_an_sdk_the_wire_bench_measures_ours_and_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let plan = WirePlan { rounds: 1, ..WirePlan::new(folder.path().into(), &[]) };
    let heard = std::cell::RefCell::new(Vec::new());
    let report = wire(&plan, &|what| heard.borrow_mut().push(what.to_owned())).unwrap();
    let mut expected: Vec<_> = MESSAGES.map(|name| format!("wire_{name}")).into();
    expected.extend(["frame_line".into(), "frame_transcode".into()]);
    assert_eq!(ids(&report), expected);
    assert!(report.rows.iter().all(|row| row.value.median > 0.0), "{report}");
    let note = report.rows[0].note.as_deref().unwrap();
    for rival in ["msgpack for Python", "@msgpack/msgpack"] {
        let missing = format!("not compared with {rival}: no source tree");
        assert!(note.contains(&missing), "{note}");
        assert!(heard.borrow().iter().any(|what| what.starts_with(&missing)));
    }
}

#[test]
fn an_sdk_that_was_not_installed_is_named_with_what_installs_it() {
    let folder = tempfile::tempdir().unwrap();
    let tree = folder.path().join("tree");
    std::fs::create_dir_all(tree.join("sdk/python")).unwrap();
    std::fs::write(tree.join("sdk/python/pyproject.toml"), "").unwrap();
    let plan = WirePlan::new(folder.path().into(), &[tree.join("sdk/python")]);
    assert_eq!(plan.tree, Some(tree));
    let report = wire(&WirePlan { rounds: 1, ..plan }, &|_| {}).unwrap();
    let note = report.rows[0].note.as_deref().unwrap();
    for script in ["scripts/sdk python", "scripts/sdk typescript"] {
        assert!(note.contains(script), "{note}");
    }
}

/// Needs what `scripts/sdk` installs; where only a part of it is there, that part is compared.
#[test]
fn the_wire_bench_compares_ours_with_the_rivals_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let plan = WirePlan { rounds: 1, ..WirePlan::new(folder.path().into(), &[here]) };
    let tree = plan.tree.clone().unwrap();
    let report = wire(&plan, &|_| {}).unwrap();
    let rivals = [
        ("python", tree.join("target/sdk-python/ready")),
        ("javascript", tree.join("sdk/typescript/node_modules/@msgpack/msgpack/package.json")),
    ];
    for (rival, sign) in rivals {
        for message in MESSAGES {
            let id = format!("wire_{message}_{rival}");
            let row = report.rows.iter().find(|row| row.id == id);
            assert!(row.is_some() || !sign.is_file(), "{id}: {report}");
            let ratio = row.and_then(|row| row.reference.as_ref()).map(|found| found.ratio.median);
            assert!(ratio.is_none_or(|ratio| ratio > 0.0));
        }
    }
}

/// The plan with everything small; the children are this crate's own program.
fn small_recovery(folder: PathBuf) -> RecoveryPlan {
    RecoveryPlan {
        rounds: 2,
        small: Deaths { bytes: 1_000, kills: 2 },
        large: Deaths { bytes: 200_000, kills: 1 },
        frames: 5,
        sleepers: 3,
        rest_after: Duration::from_millis(300),
        ..RecoveryPlan::new(folder, env!("CARGO_BIN_EXE_bench-child").into())
    }
}

#[test]
fn the_recovery_bench_kills_restores_wakes_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let report = recovery(&small_recovery(folder.path().into()), &|_| {}).unwrap();
    let expected = [
        "restart_word",
        "restart_word_p99",
        "recovery_small",
        "recovery_small_p99",
        "recovery_large",
        "recovery_large_p99",
        "checkpoint_durable",
        "checkpoint_ordered",
        "frame_above",
        "frame_trip",
        "frame_trip_p99",
        "hot_reload",
        "rest_rss",
        "wake",
        "wake_p99",
    ];
    // Where the machine can confine a process, that stands before all others.
    let confined = ["restart_word_confined", "recovery_confined", "recovery_confined_p99"];
    let ids = ids(&report);
    let is_confined = ids.starts_with(&confined);
    assert_eq!(ids.get(if is_confined { confined.len() } else { 0 }..).unwrap(), expected);
    assert!(report.rows.iter().all(|row| row.value.samples == 2), "{report}");
    // Memory of so few agents, and what is above a reference, may be anything.
    let sure = report.rows.iter().filter(|row| !["rest_rss", "frame_above"].contains(&row.id));
    for row in sure {
        assert!(row.value.min > 0.0, "{row:?}");
        assert!(row.reference.as_ref().is_some_and(|found| found.value.min > 0.0), "{row:?}");
    }
    let barred = report.rows.iter().filter(|row| row.bar.is_some()).count();
    assert_eq!(barred, 5 + usize::from(is_confined));
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "the scratch is left");
}

#[test]
fn a_program_that_is_no_agent_is_no_figure() {
    let folder = tempfile::tempdir().unwrap();
    let plan = RecoveryPlan { binary: "/nowhere".into(), ..small_recovery(folder.path().into()) };
    let error = recovery(&plan, &|_| {}).unwrap_err();
    assert_eq!(error.to_string(), "cannot start a child");
}

#[test]
fn the_evolution_bench_calls_modules_beside_bare_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let child = PathBuf::from(env!("CARGO_BIN_EXE_bench-child"));
    let plan = EvolutionPlan {
        rounds: 1,
        calls: 5,
        binary: None,
        ..EvolutionPlan::new(folder.path().into(), child)
    };
    let report = evolution(&plan, &|_| {}).unwrap();
    assert_eq!(ids(&report), ["module_call", "module_call_few"]);
    for row in &report.rows {
        assert!(row.value.min > 0.0 && row.reference.as_ref().unwrap().value.min > 0.0, "{row:?}");
    }
}
