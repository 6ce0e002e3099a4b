//! What can be read of JSON whose end is missing: the open text is closed where it was cut, then every open list and object.

use serde_json::Value;

/// Longest nesting that is closed; deeper JSON is not read.
const DEPTH_MAX: usize = 64;

/// Where the reading of the head stands.
#[derive(Debug, Default)]
struct Scan {
    closers: Vec<u8>,
    is_in_text: bool,
    is_escaped: bool,
    /// The end of the last whole item outside texts: where everything before can be closed, and what closes it.
    safe: Option<(usize, Vec<u8>)>,
    /// Where the last item began inside the open text: it may be cut here, too.
    text_start: usize,
}

/// The value that the head of a JSON text says, as far as it goes. None where nothing can be made of it.
pub(crate) fn read_cut_json(head: &[u8]) -> Option<Value> {
    let scan = scan(head)?;
    closed_text(head, &scan).or_else(|| closed_before(head, &scan))
}

fn scan(head: &[u8]) -> Option<Scan> {
    let mut scan = Scan::default();
    for (index, byte) in head.iter().enumerate() {
        if scan.is_in_text {
            match byte {
                _ if scan.is_escaped => scan.is_escaped = false,
                b'\\' => scan.is_escaped = true,
                b'"' => scan.is_in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => (scan.is_in_text, scan.text_start) = (true, index),
            b'{' => scan.closers.push(b'}'),
            b'[' => scan.closers.push(b']'),
            b'}' | b']' => {
                scan.closers.pop()?;
            }
            b',' => scan.safe = Some((index, scan.closers.clone())),
            _ => {}
        }
        if scan.closers.len() > DEPTH_MAX {
            return None;
        }
    }
    Some(scan)
}

/// Where the cut is inside of a text that is a value: what there is of it, closed.
fn closed_text(head: &[u8], scan: &Scan) -> Option<Value> {
    if !scan.is_in_text {
        return None;
    }
    let text = head.get(scan.text_start + 1..)?;
    // A cut character or escape goes: the longest of them is `\uXXXX\uXXXX`.
    (0..=12.min(text.len())).find_map(|short| {
        let end = head.len() - short;
        let mut whole = head.get(..end)?.to_vec();
        whole.push(b'"');
        whole.extend(scan.closers.iter().rev());
        serde_json::from_slice(&whole).ok()
    })
}

/// What stands before the last comma, closed.
fn closed_before(head: &[u8], scan: &Scan) -> Option<Value> {
    let (end, closers) = scan.safe.as_ref()?;
    let mut whole = head.get(..*end)?.to_vec();
    whole.extend(closers.iter().rev());
    serde_json::from_slice(&whole).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::read_cut_json;

    #[test]
    fn a_cut_text_ends_where_it_was_cut() {
        let whole = r#"{"a":[{"type":"text","text":"abc\u00e9\ud83e\udd80 end"#;
        assert_eq!(
            read_cut_json(whole.as_bytes()).unwrap(),
            json!({"a": [{"type": "text", "text": "abcé🦀 end"}]})
        );
        let half_escape = &whole[..whole.find(r"\udd80").unwrap() + 3];
        assert_eq!(
            read_cut_json(half_escape.as_bytes()).unwrap(),
            json!({"a": [{"type": "text", "text": "abcé"}]})
        );
    }

    #[test]
    fn a_cut_key_or_number_goes_with_its_item() {
        assert_eq!(read_cut_json(br#"{"a":1,"b":[1,2"#).unwrap(), json!({"a": 1, "b": [1]}));
        assert_eq!(read_cut_json(br#"{"a":1,"bc"#).unwrap(), json!({"a": 1}));
        assert_eq!(read_cut_json(b"not json at all"), None);
        assert_eq!(read_cut_json(&[b'['; 10_000]), None);
    }
}
