//! The configuration in the engine's terms.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::{Sharing, Zone, envelope::TELEGRAM_SESSION, event::WakeScheduled};
use abide_engine::{
    AgentSchedule, EpochSettings, KnownPeople,
    context::History,
    schedule::{Schedule, moment},
    sleep::SleepSettings,
};

use crate::{
    auth::NamedTokens,
    config::{
        AgentSection, Config, HistoryKind, NetworkSection, ScheduleSection, Settings, SharingKind,
    },
    home::Home,
};

/// The stimuli that come by the clock.
pub(super) fn schedules(settings: &Settings, keeper: &Zone) -> Vec<AgentSchedule> {
    let of = |agent: &AgentSection, (index, schedule): (usize, &ScheduleSection)| {
        let (name, content) = (schedule.name(index), schedule.content.as_str().into());
        let cron = schedule.cron.clone().unwrap_or_default();
        let zone = schedule.zone(keeper);
        // Both were parsed before, when the configuration was checked.
        let at = schedule.at.as_deref().and_then(|at| moment(at, &zone).ok());
        let parsed = || cron.parse().ok().map(|schedule: Schedule| schedule.in_zone(&zone));
        let when = at.map(Schedule::once).or_else(parsed)?;
        // What stands with an offset is the same moment everywhere, and UTC is what no zone means.
        let is_local = at.is_none() && zone != Zone::utc();
        let time_zone = is_local.then(|| zone.name().to_owned());
        let session = schedule.chat.as_ref().map(|chat| format!("{TELEGRAM_SESSION}{chat}"));
        let scheduled = WakeScheduled { name, cron, time_zone, at, content, session };
        Some(AgentSchedule { agent: agent.id.clone(), when, scheduled })
    };
    let each = |agent: &AgentSection| {
        agent.schedule.iter().enumerate().filter_map(|one| of(agent, one)).collect::<Vec<_>>()
    };
    settings.agents.iter().flat_map(each).collect()
}

/// Limits, budget and sleep; `drain` is how long a stopping keeper lets running epochs finish.
pub(super) fn epoch_settings(config: &Config, home: &Home, drain: Duration) -> EpochSettings {
    let settings = &config.settings;
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
        sharing: match settings.memory.sharing {
            SharingKind::Agent => Sharing::Agent,
            SharingKind::Person => Sharing::Person,
            SharingKind::Channel => Sharing::Channel,
        },
        budget_microusd_day: (budget > 0).then_some(budget),
        drain,
        sleep: Some(SleepSettings {
            idle: settings.sleep.idle.0,
            epochs_min: settings.sleep.epochs_min,
            // It was parsed before, when the configuration was checked.
            at: settings.sleep.at.parse().ok().map(|at: Schedule| at.in_zone(&config.zone)),
            tokens_max: settings.context.tokens_max,
        }),
        time_zone: config.zone.clone(),
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
