//! What `[evolution]` names.

use abide_domain::evolution::EvolutionTarget;

use crate::config::{effective::Config, problem::Problem};

/// The changes that a person must approve are named as there are.
pub(super) fn check(config: &Config) -> Vec<Problem> {
    let named = &config.settings.evolution.approve;
    let unknown = named.iter().filter(|name| name.parse::<EvolutionTarget>().is_err());
    let problem = |name: &String| {
        let message =
            format!("has {name:?}; there are \"memory\", \"tools\", \"dsl\" and \"mind\"");
        config.problem("evolution.approve", &message)
    };
    unknown.map(problem).collect()
}
