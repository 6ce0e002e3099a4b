//! Rows of text in columns, for people.

use abide_domain::visible_line;

/// Lines with the columns aligned; the last column is not padded. Empty where there are no rows.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let clean = |cell: &String| visible_line(&cell.replace(['\n', '\t'], " ")).into_owned();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(clean).collect()).collect();
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let width = |column: usize| {
        let cells = rows.iter().chain([&head]).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    [&head].into_iter().chain(&rows).map(|row| line(row) + "\n").collect()
}

/// The beginning of a text, at most so many characters, with a mark where it was cut.
pub(crate) fn clip(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.into();
    }
    text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::{clip, table};

    #[test]
    fn columns_are_aligned_and_rows_stay_one_line() {
        let rows = [vec!["felix".into(), "a\nb".into()], vec!["x".into(), "é".into()]];
        assert_eq!(table(&["ID", "TEXT"], &rows), "ID     TEXT\nfelix  a b\nx      é\n");
        assert_eq!(table(&["ID"], &[]), "");
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("abcd", 4), "abcd");
    }
}
