//! `probe.*`: one line a real execution, also of a call that is cut.

use std::fs;

use abide_domain::tool::EffectClass;
use abide_tools::{PROBE_BLOB_BYTES_MAX, Registry};
use serde_json::json;

use crate::bench::{Broken, content, run, run_unchecked};

#[test]
fn each_execution_is_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("probe.txt");
    let registry = Registry::builtin(Some(&path)).unwrap();
    for n in 1..=3 {
        let arguments = json!({"line": format!("line {n}")});
        let output = run(&registry, &Broken, "probe.append", &arguments).unwrap();
        assert_eq!(content(&output), json!({"lines": n}));
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "line 1\nline 2\nline 3\n");
    let error = run(&registry, &Broken, "probe.append", &json!({"line": "a\nb"})).unwrap_err();
    assert_eq!(error.message, "line: must be one line");
    let tool = registry.get("probe.append").unwrap();
    assert_eq!(tool.spec().effect, EffectClass::World);
    for (arguments, idempotent) in [
        (json!({"line": ""}), false),
        (json!({"line": "", "idempotent": false}), false),
        (json!({"line": "", "idempotent": true}), true),
    ] {
        assert_eq!(tool.idempotent(&arguments), idempotent);
    }
}

#[test]
fn a_call_that_is_cut_in_its_sleep_has_had_its_effect_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("probe.txt");
    let registry = Registry::builtin(Some(&path)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _entered = runtime.enter();
    let arguments = json!({"line": "cut", "sleep_ms": 600_000});
    assert!(run_unchecked(&registry, &Broken, "probe.append", &arguments).is_none());
    assert_eq!(fs::read_to_string(&path).unwrap(), "cut\n");
}

#[test]
fn a_line_that_cannot_be_written_is_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::builtin(Some(folder.path())).unwrap();
    let error = run(&registry, &Broken, "probe.append", &json!({"line": "x"})).unwrap_err();
    assert!(error.message.starts_with("the probe file could not be written"), "{error}");
}

#[test]
fn blobs_have_their_size_and_failures_their_words() {
    let registry = Registry::builtin(Some("unused".as_ref())).unwrap();
    for (bytes, ethereal) in [(0, false), (33, true), (100_000, false)] {
        let arguments = json!({"bytes": bytes, "ethereal": ethereal});
        let output = run(&registry, &Broken, "probe.blob", &arguments).unwrap();
        assert_eq!((output.content.len(), output.ethereal.is_some()), (bytes, ethereal));
    }
    let too_large = json!({"bytes": PROBE_BLOB_BYTES_MAX + 1});
    assert!(registry.validate("probe.blob", &too_large).is_err());
    let error = run(&registry, &Broken, "probe.fail", &json!({"message": "boom"})).unwrap_err();
    assert_eq!(error.message, "boom");
}

#[test]
fn without_a_probe_file_there_are_no_probes() {
    let registry = Registry::builtin(None).unwrap();
    assert!(registry.specs().all(|spec| !spec.name.starts_with("probe.")));
}
