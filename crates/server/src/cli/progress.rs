//! A progress bar on stderr, in one line: for long work, and only where a person watches.

use super::terminal::Terminal;

/// Cells of the bar.
const CELLS: u64 = 30;

/// A bar. Cleared when it is dropped.
#[derive(Debug)]
pub(crate) struct Progress {
    terminal: Terminal,
    /// The line that is drawn, so that none is drawn twice.
    drawn: String,
}

impl Progress {
    /// A bar that is not drawn yet.
    pub(crate) fn new(terminal: &Terminal) -> Self {
        Self { terminal: terminal.clone(), drawn: String::new() }
    }

    /// Draws the progress, where that changes the line.
    pub(crate) fn show(&mut self, what: &str, done: u64, all: u64) {
        let line = bar(what, done, all);
        if line != self.drawn {
            self.terminal.redraw(&line);
            self.drawn = line;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if !self.drawn.is_empty() {
            self.terminal.redraw("");
        }
    }
}

fn bar(what: &str, done: u64, all: u64) -> String {
    let (all, done) = (all.max(1), done.min(all.max(1)));
    let part = |of: u64| u64::try_from(u128::from(done) * u128::from(of) / u128::from(all));
    let full = part(CELLS).unwrap_or(0);
    let cells: String = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' }).collect();
    format!("{what}  {cells} {:>3} %", part(100).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::bar;

    #[test]
    fn a_bar_fills_from_nothing_to_all() {
        assert_eq!(bar("a", 0, 0), format!("a  {}   0 %", "░".repeat(30)));
        assert_eq!(bar("a", 5, 10), format!("a  {}{}  50 %", "█".repeat(15), "░".repeat(15)));
        assert_eq!(bar("a", 11, 10), format!("a  {} 100 %", "█".repeat(30)));
        assert!(bar("a", u64::MAX - 1, u64::MAX).ends_with(" 99 %"));
    }
}
