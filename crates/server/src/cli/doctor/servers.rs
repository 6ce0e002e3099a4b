//! Rows of `abide doctor`: what servers of tools keep in their folders, where that is more than they may.

use crate::{
    agents::{server_disk_limit, too_much},
    cli::{
        context::Context,
        finding::{Finding, Verdict},
    },
};

const NAME: &str = "servers";

/// Measures all of them, whether or not a keeper runs; nothing where there are none.
pub(super) async fn check(context: &Context) -> Vec<Finding> {
    let Ok(config) = context.config() else { return Vec::new() };
    let mut findings = Vec::new();
    let mut total = 0_u64;
    let mut measured = 0_usize;
    for section in &config.settings.mcp {
        let Some(limit) = server_disk_limit(&context.home, section) else { continue };
        if let Some(excess) = limit.excess().await {
            let detail = format!("{}: {}", section.name, too_much(&excess, section));
            findings.push(Finding::new(NAME, Verdict::Warn, detail));
        } else if let Some(bytes) = limit.newest() {
            total = total.saturating_add(bytes);
            measured = measured.saturating_add(1);
        } else {
            let folder = context.home.server_folder(&section.name);
            let detail = format!("{}: {} cannot be measured", section.name, folder.display());
            findings.push(Finding::new(NAME, Verdict::Warn, detail));
        }
    }
    if findings.is_empty() && measured > 0 {
        let megabytes = total.div_ceil(1 << 20);
        let detail = format!(
            "the folders of {measured} servers of tools hold {megabytes} MB, each less than its `disk_mb`"
        );
        findings.push(Finding::new(NAME, Verdict::Ok, detail));
    }
    findings
}
