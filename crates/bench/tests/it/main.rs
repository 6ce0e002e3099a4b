//! The crate through its public API: small plans give whole reports. Figures are not judged here; a shared machine would
//! fail any.

use abide_bench::{EpochPlan, LedgerPlan, Report, epoch, ledger};
use serde_json::Value;

fn ids(report: &Report) -> Vec<&'static str> {
    report.rows.iter().map(|row| row.id).collect()
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
        "rehydrate_house",
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
    let plan = EpochPlan { rounds: 1, epochs: 40, ..EpochPlan::new(folder.path().into(), None) };
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
    for id in ["epochs_1", "epochs_8", "epoch_old", "epoch_wide"] {
        assert!(row(id)["value"]["median"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(json["bench"], "epoch");
    assert!(json["machine"]["load_after"].is_number());
}
