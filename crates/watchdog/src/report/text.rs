//! A report in words, for the terminal and the morning.

use std::{fmt::Write as _, time::Duration};

use super::{EpisodeEnd, EpisodeReport, WatchdogReport};

impl WatchdogReport {
    /// The report in lines.
    pub fn text(&self) -> String {
        let mut lines = vec![
            format!("From {} to {}", self.since, self.until),
            format!(
                "Ran without a person for up to {}, for {} at the end; people acted {}",
                span(self.alone_longest),
                span(self.alone_now),
                count(self.human_acts, "time", "times")
            ),
            format!(
                "{}, {} of them blind, {} missed; the keeper started {} and was down for {}",
                count(self.scans, "scan", "scans"),
                self.scans_blind,
                self.scans_missed,
                count(self.starts, "time", "times"),
                span(self.down)
            ),
        ];
        if self.stalls == 0 {
            lines.push("No agent stalled".into());
        } else {
            lines.push(self.stalls_in_words());
        }
        if self.episodes_left_out > 0 {
            lines.push(format!(
                "  ({} not listed)",
                count(self.episodes_left_out, "earlier one", "earlier ones")
            ));
        }
        lines.extend(self.episodes.iter().map(EpisodeReport::text));
        for (service, row) in &self.services {
            lines.push(format!("{service}: {} delivered, {} failed", row.taken, row.failed));
        }
        for (agent, row) in &self.agents {
            lines.push(format!(
                "{agent}: {}, {}, {} aborted, {}, {}",
                count(row.stimuli, "stimulus", "stimuli"),
                count(row.committed, "reply", "replies"),
                row.aborted,
                count(row.stalls, "stall", "stalls"),
                count(row.exits, "process exit", "process exits")
            ));
        }
        lines.join("\n")
    }

    fn stalls_in_words(&self) -> String {
        let mut text = format!(
            "{}; {} ({} not delivered), {}, {}",
            count(self.stalls, "stall", "stalls"),
            count(self.pages, "page", "pages"),
            self.pages_failed,
            count(self.escalations, "escalation", "escalations"),
            count(self.notices, "notice delivered", "notices delivered")
        );
        for (rung, count) in &self.resolved {
            let _infallible = write!(text, "; {count} ended after the {}", rung.as_str());
        }
        if self.withdrawn > 0 {
            let _infallible = write!(text, "; {} ended without evidence", self.withdrawn);
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
            EpisodeEnd::Unanswered(why) => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                format!("its task was given up without an answer{lasted}{why}")
            }
            EpisodeEnd::Withdrawn(state) => {
                format!("the stall ended{lasted}: {}", state.replace('_', " "))
            }
        };
        let page = self.page.as_ref().map(|page| format!(", page {page}")).unwrap_or_default();
        let alive = if self.is_alive { ", answered the bell" } else { "" };
        let escalated = if self.is_escalated { ", escalated to a person" } else { "" };
        format!("  {} {}: {ending}{alive}{page}{escalated}", self.opened_at, self.agent)
    }
}

/// A number with its noun.
fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
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
