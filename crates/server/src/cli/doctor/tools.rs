//! What `abide doctor --tools` says of the services behind tools, and of what commands and skills need.

use std::sync::Arc;

use abide_workspace::Skills;

use crate::{
    agents::check_services,
    cli::{
        context::Context,
        finding::{Finding, Verdict},
    },
    config::Environment,
    system::SystemClock,
};

const NAME: &str = "tools";

/// A line for each service and each folder that is no skill.
pub(super) async fn check(context: &Context) -> Vec<Finding> {
    let Ok(config) = context.config() else { return Vec::new() };
    let environment = Environment::of_process();
    let clock = Arc::new(SystemClock::new());
    let checks = check_services(&context.home, &config.settings, &environment, clock).await;
    let mut findings: Vec<Finding> = match checks {
        Ok(checks) => checks
            .into_iter()
            .map(|check| {
                let verdict = if check.works { Verdict::Ok } else { Verdict::Warn };
                Finding::new(NAME, verdict, format!("{}: {}", check.service, check.text))
            })
            .collect(),
        Err(error) => vec![Finding::failed(NAME, &error)],
    };
    let skills = Skills::read(&[context.home.skills_folder()]);
    findings.extend(
        skills
            .problems
            .iter()
            .map(|problem| Finding::new(NAME, Verdict::Warn, problem.to_string())),
    );
    findings
}
