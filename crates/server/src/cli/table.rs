//! Rows of text in columns, for people. Pure.
//!
//! Through a pipe all of each cell is there. At a terminal a table fits its width: columns of words are cut, the widest
//! first, and columns of names and ids, which are there to be copied, never. Where that is not enough, each row is told by
//! itself, a line a cell.

use abide_domain::{Timestamp, visible_line};

use super::{
    moment::relative_text,
    style::{Piece, Tone},
};

/// Between two columns.
const GAP: usize = 2;
/// Columns of words are cut to so much at least.
const WORDS_MIN: usize = 10;
/// A cell without a space that is longer than this holds words too, such as JSON. Ids are shorter.
const NAME_MAX: usize = 40;

/// Columns of times, which a person reads from now. Words of others are shown as they are, also where they are a time.
const TIMES: [&str; 9] =
    ["AT", "CREATED", "DEADLINE", "ENDS", "LAST EVIDENCE", "SINCE", "UNTIL", "WHEN", "WRITTEN"];

/// A table at a terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// Columns of the terminal.
    pub(crate) width: usize,
    /// Times are told from here.
    pub(crate) now: Timestamp,
}

/// Rows under the names of their columns.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A table; nothing is printed of one without rows.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> Table {
    Table { head: head.iter().map(|name| (*name).to_owned()).collect(), rows: rows.to_vec() }
}

impl Table {
    /// Its lines, the head first; as wide as it needs where there is no screen. The last column is not padded.
    pub(crate) fn lines(&self, screen: Option<Screen>) -> Vec<Vec<Piece>> {
        let Self { head, rows } = self;
        if rows.is_empty() { Vec::new() } else { laid_out(head, rows, screen) }
    }
}

fn laid_out(head: &[String], rows: &[Vec<String>], screen: Option<Screen>) -> Vec<Vec<Piece>> {
    let clean = |(name, cell): (&String, &String)| {
        let screen = screen.filter(|_| TIMES.contains(&name.as_str()));
        let time = screen.and_then(|screen| relative_text(cell, screen.now));
        time.unwrap_or_else(|| visible_line(&cell.replace(['\n', '\t'], " ")).into_owned())
    };
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| head.iter().zip(row).map(clean).collect()).collect();
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let mut widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(column, name)| {
            cells(column).map(|cell| columns(cell)).fold(columns(name), usize::max)
        })
        .collect();
    if let Some(screen) = screen {
        let has_words = |column: usize| {
            cells(column).any(|cell| cell.contains(' ') || columns(cell) > NAME_MAX)
        };
        let words: Vec<usize> = (0..head.len()).filter(|column| has_words(*column)).collect();
        if !fit(&mut widths, &words, screen.width) {
            return rows.iter().flat_map(|row| record(head, row)).collect();
        }
    }
    let head_line = line(head.iter().map(|name| (Tone::Dim, name.clone())), &widths);
    let lines = rows.into_iter().map(|row| {
        let toned = row.into_iter().zip(head).map(|(cell, name)| (tone_of(name, &cell), cell));
        line(toned, &widths)
    });
    std::iter::once(head_line).chain(lines).collect()
}

/// A row by itself: its first cell, and below it each other one with the name of its column, those without a value left out.
fn record(head: &[String], row: &[String]) -> Vec<Vec<Piece>> {
    let mut cells = head.iter().zip(row);
    let first = cells.next().map(|(_, cell)| vec![(Tone::Strong, cell.clone())]);
    let width = head.iter().map(|name| columns(name)).max().unwrap_or(0);
    let filled = cells.filter(|(_, cell)| !cell.is_empty() && *cell != "-");
    let rest = filled.map(|(name, cell)| {
        let room = " ".repeat(width.saturating_sub(columns(name)) + GAP);
        vec![(Tone::Dim, format!("  {name}{room}")), (tone_of(name, cell), cell.clone())]
    });
    first.into_iter().chain(rest).collect()
}

fn tone_of(name: &str, cell: &str) -> Tone {
    if name == "STATE" { Tone::of_state(cell) } else { Tone::Plain }
}

/// Makes columns of words narrower until all fit, the widest first; gives whether they do.
fn fit(widths: &mut [usize], words: &[usize], width: usize) -> bool {
    let gaps = GAP * widths.len().saturating_sub(1);
    while widths.iter().sum::<usize>() + gaps > width {
        let widest = words.iter().copied().max_by_key(|column| widths.get(*column).copied());
        match widest.and_then(|column| widths.get_mut(column)).filter(|wide| **wide > WORDS_MIN) {
            Some(wide) => *wide -= 1,
            None => return false,
        }
    }
    true
}

fn line(cells: impl Iterator<Item = Piece>, widths: &[usize]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::with_capacity(widths.len() * 2);
    for ((tone, cell), width) in cells.zip(widths) {
        let cell = clip_columns(&cell, *width);
        let room = width.saturating_sub(columns(&cell)) + GAP;
        pieces.extend([(tone, cell), (Tone::Plain, " ".repeat(room))]);
    }
    // Nothing stands behind the last word of a line.
    while pieces.last().is_some_and(|(_, text)| text.trim().is_empty()) {
        pieces.pop();
    }
    pieces
}

/// The beginning of a text, at most so many characters, with a mark where it was cut.
pub(crate) fn clip(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.into();
    }
    text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

/// The same by the columns that it takes at a terminal.
pub(super) fn clip_columns(text: &str, max: usize) -> String {
    if columns(text) <= max {
        return text.into();
    }
    let mut width = 0;
    let fits = text.chars().take_while(|c| {
        width += column_count(*c);
        width < max
    });
    fits.chain(['…']).collect()
}

/// Columns that a text takes at a terminal.
fn columns(text: &str) -> usize {
    text.chars().map(column_count).sum()
}

/// Columns of a character: none of marks that stand over another one, two of wide scripts and pictures (Unicode's East
/// Asian Width, in whole blocks).
fn column_count(c: char) -> usize {
    match u32::from(c) {
        0x0300..=0x036f | 0x1ab0..=0x1aff | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f => {
            0
        }
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::{Screen, Table, clip, columns, table};
    use crate::cli::style::{Tone, painted};

    fn lines(head: &[&str], rows: &[Vec<String>], width: usize) -> Vec<String> {
        let now: Timestamp = "2026-11-29T16:30:00Z".parse().unwrap();
        let lines = table(head, rows).lines(Some(Screen { width, now }));
        lines.iter().map(|line| painted(line, false)).collect()
    }

    fn piped(table: &Table) -> String {
        table.lines(None).iter().map(|line| painted(line, false) + "\n").collect()
    }

    #[test]
    fn columns_are_aligned_and_rows_stay_one_line() {
        let rows = [vec!["felix".into(), "a\nb".into()], vec!["x".into(), "é".into()]];
        assert_eq!(piped(&table(&["ID", "TEXT"], &rows)), "ID     TEXT\nfelix  a b\nx      é\n");
        assert_eq!(piped(&table(&["ID"], &[])), "");
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("abcd", 4), "abcd");
    }

    #[test]
    fn at_a_terminal_words_are_cut_to_its_width_and_ids_are_whole() {
        let id = "0193e0f0-0000-7000-8000-000000000000";
        let rows = [
            vec![id.to_owned(), "committed".into(), "what colour is the heron in winter?".into()],
            vec![id.to_owned(), "open".into(), "日本語の質問 is wide, so it is cut earlier".into()],
        ];
        let head = ["EPOCH", "STATE", "STIMULUS"];
        for width in [70, 80, 100] {
            let lines = lines(&head, &rows, width);
            assert!(lines.iter().all(|line| columns(line) <= width), "{width}: {lines:#?}");
            assert!(lines[1].starts_with(id) && lines[1].contains("what"), "{lines:#?}");
        }
        assert!(lines(&head, &rows, 70)[2].ends_with('…'));
        assert!(lines(&head, &rows, 200)[1].ends_with("winter?"), "nothing is cut without need");
        // Where there is no room, each is told by itself, and what can be copied stays.
        let narrow = lines(&head, &rows[1..], 50);
        let expected = format!(
            "{id}\n  STATE     open\n  STIMULUS  日本語の質問 is wide, so it is cut earlier"
        );
        assert_eq!(narrow.join("\n"), expected);
    }

    #[test]
    fn at_a_terminal_times_are_told_from_now_and_states_have_their_colour() {
        let rows =
            [vec!["idle".into(), "2026-11-29T16:25:00Z".into()], vec!["parked".into(), "-".into()]];
        let now: Timestamp = "2026-11-29T16:30:00Z".parse().unwrap();
        let states = table(&["STATE", "SINCE"], &rows);
        let found = states.lines(Some(Screen { width: 80, now }));
        assert_eq!(found[1][0], (Tone::Good, "idle".to_owned()));
        assert_eq!(found[2][0].0, Tone::Waiting);
        assert_eq!(painted(&found[1], false), "idle    5 min ago");
        assert_eq!(piped(&states).lines().nth(1), Some("idle    2026-11-29T16:25:00Z"));
    }
}
