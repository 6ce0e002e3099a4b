//! The configuration in the engine's terms.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::{Zone, event::WakeScheduled};
use abide_engine::{
    AgentSchedule, EpochSettings, KnownPeople, context::History, schedule::Schedule,
    sleep::SleepSettings,
};

use crate::{
    auth::NamedTokens,
    config::{AgentSection, HistoryKind, NetworkSection, ScheduleSection, Settings},
    home::Home,
};

/// The stimuli that come by the clock.
pub(super) fn schedules(settings: &Settings) -> Vec<AgentSchedule> {
    let of = |agent: &AgentSection, (index, schedule): (usize, &ScheduleSection)| {
        let (name, content) = (schedule.name(index), schedule.content.as_str().into());
        let cron = schedule.cron.clone().unwrap_or_default();
        // Both were parsed before, when the configuration was checked.
        let at = schedule.at.as_deref().and_then(|at| at.parse().ok());
        Some(AgentSchedule {
            agent: agent.id.clone(),
            when: at.map(Schedule::once).map_or_else(|| cron.parse().ok(), Some)?,
            scheduled: WakeScheduled { name, cron, at, content },
        })
    };
    let each = |agent: &AgentSection| {
        agent.schedule.iter().enumerate().filter_map(|one| of(agent, one)).collect::<Vec<_>>()
    };
    settings.agents.iter().flat_map(each).collect()
}

/// Limits, budget and sleep; `drain` is how long a stopping keeper lets running epochs finish.
pub(super) fn epoch_settings(settings: &Settings, home: &Home, drain: Duration) -> EpochSettings {
    // A microsecond is to a second what a microdollar is to a dollar, and this conversion checks its range.
    let budget = Duration::try_from_secs_f64(settings.budget.usd_day).unwrap_or(Duration::MAX);
    let budget = u64::try_from(budget.as_micros()).unwrap_or(u64::MAX);
    EpochSettings {
        limits: settings.limits(),
        context_tokens_max: settings.context.tokens_max,
        history: match settings.context.history {
            HistoryKind::Agent => History::Agent,
            HistoryKind::Session => History::Session,
        },
        time_zone: Zone::utc(),
        budget_microusd_day: (budget > 0).then_some(budget),
        drain,
        sleep: Some(SleepSettings {
            idle: settings.sleep.idle.0,
            epochs_min: settings.sleep.epochs_min,
            // It was parsed before, when the configuration was checked.
            at: settings.sleep.at.parse().ok(),
            tokens_max: settings.context.tokens_max,
        }),
        people: known_people(settings, home.clone()),
    }
}

/// The people that the configuration and the tokens name.
fn known_people(settings: &Settings, home: Home) -> KnownPeople {
    let partners = settings.agents.iter().flat_map(|agent| &agent.partners);
    let partners = partners.map(|partner| partner.id.to_lowercase());
    let on_irc = settings.irc.networks.iter().flat_map(NetworkSection::people);
    let on_irc = on_irc.map(|known| known.person.bare().to_owned());
    let configured: BTreeSet<String> = partners.chain(on_irc).collect();
    let has_token = move |name: &str| {
        let tokens = NamedTokens::load(&home);
        tokens.is_ok_and(|tokens| tokens.get(name).is_some())
    };
    KnownPeople::new(move |name| configured.contains(name) || has_token(name))
}
