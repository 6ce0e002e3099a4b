//! What a tree may use, as its processes feel it.

use abide_supervisor::{ProcessEnd, ProcessLimits};

use super::world::{Running, exists, role, script, whole};

#[tokio::test]
async fn memory_beyond_the_limit_is_refused() {
    let mut eater = role("eater");
    assert_eq!(whole(&eater).await.1, ProcessEnd::Code(0));
    eater.limits.memory_bytes = Some(256 << 20);
    let ended = whole(&eater).await.1;
    // By the allocator; or by the kernel, where a control group counts what is used.
    assert!(
        [ProcessEnd::Code(3), ProcessEnd::Code(0), ProcessEnd::Signal(9)].contains(&ended),
        "{ended:?}"
    );
    if ended == ProcessEnd::Code(0) {
        assert!(std::path::Path::new("/sys/fs/cgroup/cgroup.controllers").exists());
    }
}

#[tokio::test]
async fn an_agent_that_spins_is_ended_by_its_limit_of_processor_time() {
    let mut spinner = role("spinner");
    spinner.limits.cpu_seconds = Some(1);
    assert_eq!(whole(&spinner).await.1, ProcessEnd::Signal(24));
}

#[tokio::test]
async fn files_beyond_the_limit_cannot_be_opened() {
    let mut opener = role("opener");
    opener.limits.files = Some(20);
    assert_eq!(whole(&opener).await.0.trim(), "20");
}

#[tokio::test]
async fn a_process_that_writes_too_large_a_file_is_ended_or_told_by_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large");
    let mut order = script(&format!("exec dd if=/dev/zero of={} bs=64k count=64", file.display()));
    order.limits.disk_bytes = Some(1 << 20);
    assert_eq!(whole(&order).await.1, ProcessEnd::Signal(25));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 1 << 20);

    let text = format!("trap '' XFSZ; dd if=/dev/zero of={} bs=64k count=64", file.display());
    let mut order = script(&text);
    order.limits.disk_bytes = Some(1 << 20);
    assert_eq!(whole(&order).await.1, ProcessEnd::Code(1), "it goes on, and knows");
}

#[tokio::test]
async fn a_limit_cannot_be_undone_by_the_agent_and_reaches_its_children() {
    let mut order = script("ulimit -Hn; ulimit -Ht; sh -c 'ulimit -n; ulimit -t'");
    order.limits =
        ProcessLimits { cpu_seconds: Some(60), files: Some(50), ..ProcessLimits::default() };
    let (text, _) = whole(&order).await;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["50", "65", "50", "60"]);
}

#[tokio::test]
async fn a_limit_that_is_too_small_for_any_program_is_a_reason_not_to_start() {
    let mut order = script("true");
    order.limits.files = Some(3);
    let reason = "the limit of open files is 3, and must be at least 16";
    assert_eq!(whole(&order).await.1, ProcessEnd::NotStarted(reason.into()));
}

#[tokio::test]
async fn a_tree_at_its_limits_is_still_ended_whole() {
    let mut order = script("trap '' XCPU; sleep 600 & setsid sleep 600 & echo $! && read x");
    order.limits = ProcessLimits {
        memory_bytes: Some(16 << 20),
        cpu_seconds: Some(1),
        files: Some(16),
        disk_bytes: Some(1 << 20),
    };
    let mut running = Running::start(&order);
    let away = running.pids().await[0];
    running.process.kill();
    assert_eq!(running.process.ended().await, ProcessEnd::Signal(9));
    assert!(!exists(away));
}
