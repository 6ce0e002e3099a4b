//! A report in words, for the terminal and the morning.

use std::{fmt::Write as _, time::Duration};

use super::{EpisodeEnd, EpisodeReport, WatchdogReport};

impl WatchdogReport {
    /// The report in lines.
    pub fn text(&self) -> String {
        let mut lines = vec![
            format!("From {} to {}", self.since, self.until),
            format!(
                "Ran without a person for {} at the longest, {} at the end; people acted {} times",
                span(self.alone_longest),
                span(self.alone_now),
                self.human_acts
            ),
            format!(
                "Scans: {}, of which {} could not judge; {} missed. House: {} starts, down for {}",
                self.scans,
                self.scans_blind,
                self.scans_missed,
                self.starts,
                span(self.down)
            ),
        ];
        if self.stalls == 0 {
            lines.push("Nobody stalled".into());
        } else {
            lines.push(self.stalls_in_words());
        }
        if self.episodes_left_out > 0 {
            lines.push(format!("  ({} earlier ones are not listed)", self.episodes_left_out));
        }
        lines.extend(self.episodes.iter().map(EpisodeReport::text));
        for (service, row) in &self.services {
            lines.push(format!("by {service}: {} told, {} attempts failed", row.taken, row.failed));
        }
        for (agent, row) in &self.agents {
            lines.push(format!(
                "{agent}: {} stimuli, {} replies, {} aborted, {} stalls, {} ends of its process",
                row.stimuli, row.committed, row.aborted, row.stalls, row.exits
            ));
        }
        lines.join("\n")
    }

    fn stalls_in_words(&self) -> String {
        let mut text = format!(
            "Stalls: {}; paged {} ({} not delivered), escalated {}, people told {} times",
            self.stalls, self.pages, self.pages_failed, self.escalations, self.notices
        );
        for (rung, count) in &self.resolved {
            let _infallible = write!(text, "; {count} over after the {}", rung.as_str());
        }
        if self.withdrawn > 0 {
            let _infallible = write!(text, "; {} withdrawn", self.withdrawn);
        }
        text
    }
}

impl EpisodeReport {
    fn text(&self) -> String {
        let lasted = self.ended_at.map(|end| self.silent_before + end.since(self.opened_at));
        let lasted = lasted.map(|lasted| format!(" after {}", span(lasted))).unwrap_or_default();
        let ending = match &self.ending {
            EpisodeEnd::Open => "still open".to_owned(),
            EpisodeEnd::Resolved(rung) => {
                format!("moved again{lasted}, after the {}", rung.as_str())
            }
            EpisodeEnd::Withdrawn(state) => format!("withdrawn{lasted}: {state}"),
        };
        let page = self.page.as_ref().map(|page| format!(", page {page}")).unwrap_or_default();
        let alive = if self.is_alive { ", answered the bell" } else { "" };
        let told = if self.is_escalated { ", a person was called" } else { "" };
        format!("  {} {}: {ending}{alive}{page}{told}", self.opened_at, self.agent)
    }
}

/// A span in its two largest units.
fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min"),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::span;

    #[test]
    fn spans_are_said_in_their_two_largest_units() {
        let words = [0, 59, 60, 3599, 3600, 86_399, 90_061].map(|s| span(Duration::from_secs(s)));
        assert_eq!(
            words,
            ["0 s", "59 s", "1 min", "59 min", "1 h 0 min", "23 h 59 min", "1 d 1 h"]
        );
    }
}
