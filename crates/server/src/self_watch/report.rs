//! Who is told when a part of the keeper stands still: the log, and every notifier, without the ledger, which may be what
//! hangs.

use std::{sync::Arc, time::Duration};

use abide_domain::Clock;
use abide_engine::Keeper;
use abide_watchdog::NotifyServices;
use tokio_util::sync::CancellationToken;

use super::{SelfWatch, StandingPart, notices::StandstillNotices};

/// How often it looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// What has worked again for so long is over.
const OVER_AFTER: u32 = 10;

/// Tells people.
#[derive(Debug)]
pub(crate) struct StandstillReporter {
    watch: SelfWatch,
    keeper: Keeper,
    notices: StandstillNotices,
    /// Whether a standstill was reported, and how often in a row nothing stood still since.
    reported: Option<u32>,
}

/// What it tells by.
#[derive(Debug)]
pub(crate) struct ReporterParts {
    /// What stands still.
    pub(crate) watch: SelfWatch,
    /// Whose lanes are looked at.
    pub(crate) keeper: Keeper,
    /// Who tells people.
    pub(crate) services: NotifyServices,
    /// The time of notices.
    pub(crate) clock: Arc<dyn Clock>,
}

impl StandstillReporter {
    /// Has told nobody yet.
    pub(crate) fn new(parts: ReporterParts) -> Self {
        let ReporterParts { watch, keeper, services, clock } = parts;
        let services = services.with_zone(keeper.services().settings.time_zone.clone());
        Self { watch, keeper, notices: StandstillNotices::new(services, clock), reported: None }
    }

    /// Works until it is told to stop.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        loop {
            let before = self.watch.now();
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            self.watch.note_return(before, LOOK_EVERY);
            let standing = find_standing(&self.watch, &self.keeper);
            self.judge(&standing);
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.notices.send_due() => {}
            }
        }
    }

    /// Says what is to be said, if anything.
    fn judge(&mut self, standing: &[StandingPart]) {
        match (standing.is_empty(), self.reported) {
            (false, None) => {
                self.reported = Some(0);
                let why = sentences(standing);
                tracing::error!(
                    event = "part_stands_still",
                    why,
                    "a part of the keeper stands still"
                );
                self.notices.begin(why);
            }
            (false, Some(_)) => self.reported = Some(0),
            (true, Some(quiet)) if quiet >= OVER_AFTER => {
                self.reported = None;
                tracing::info!(event = "parts_work_again", "all parts of the keeper work again");
                self.notices.end();
            }
            (true, quiet) => self.reported = quiet.map(|quiet| quiet + 1),
        }
    }
}

/// What stands still: parts by their clocks, and lanes by what each has to do and has had to do for how long.
pub(crate) fn find_standing(watch: &SelfWatch, keeper: &Keeper) -> Vec<StandingPart> {
    let mut standing = watch.standing();
    standing.extend(watch.standing_lanes(keeper.lane_tasks()));
    standing
}

/// All of it in one line.
pub(crate) fn sentences(standing: &[StandingPart]) -> String {
    let sentences: Vec<_> = standing.iter().map(StandingPart::sentence).collect();
    sentences.join("; ")
}
