//! The few tags that legality asks about, out of Scryfall's file of all tags: those, and what lies below them. All others would be
//! most of the memory of a keeper with decks.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::Path,
};

use abide_deck::USED_TAGS;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use super::limits::{TAG_FILE_BYTES_MAX, TAG_LINE_BYTES_MAX, TAGS_BYTES_MAX, TAGS_MAX};

/// A tag without its cards.
#[derive(Debug, Deserialize)]
struct TagNode {
    id: String,
    slug: String,
    #[serde(default)]
    child_ids: Vec<String>,
}

/// A tag as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct KeptTag {
    id: String,
    slug: String,
    #[serde(default)]
    child_ids: Vec<String>,
    #[serde(default)]
    taggings: Vec<KeptTagging>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptTagging {
    oracle_id: String,
}

/// The lines of the tags that are kept, out of a file in gzip. Lines that are no tags are passed over.
///
/// Errors: those of the system; `InvalidData` where it is no whole gzip, is too large, or has none of those tags.
pub(super) fn kept_tags(
    path: &Path,
    open: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<String> {
    let mut nodes: BTreeMap<String, TagNode> = BTreeMap::new();
    each_line(open(path)?, |line| {
        if let Ok(node) = serde_json::from_slice::<TagNode>(line) {
            nodes.insert(node.id.clone(), node);
        }
        if nodes.len() > TAGS_MAX { Err(too_large()) } else { Ok(()) }
    })?;
    let kept = with_children(&nodes);
    if kept.is_empty() {
        return Err(invalid(&format!("it has no tag {}", USED_TAGS.join(", "))));
    }
    let mut lines = String::new();
    each_line(open(path)?, |line| {
        let is_kept =
            serde_json::from_slice::<TagNode>(line).is_ok_and(|node| kept.contains(&node.id));
        let tag = is_kept.then(|| serde_json::from_slice::<KeptTag>(line).ok()).flatten();
        if let Some(tag) = tag {
            lines.push_str(&serde_json::to_string(&tag)?);
            lines.push('\n');
        }
        let is_long = u64::try_from(lines.len()).is_ok_and(|bytes| bytes > TAGS_BYTES_MAX);
        if is_long { Err(too_large()) } else { Ok(()) }
    })?;
    Ok(lines)
}

/// The ids of the tags that are used, and of all below them.
fn with_children(nodes: &BTreeMap<String, TagNode>) -> BTreeSet<String> {
    let mut kept = BTreeSet::new();
    let used = nodes.values().filter(|node| USED_TAGS.contains(&node.slug.as_str()));
    let mut open: Vec<&TagNode> = used.collect();
    while let Some(node) = open.pop() {
        if kept.insert(node.id.clone()) {
            open.extend(node.child_ids.iter().filter_map(|id| nodes.get(id)));
        }
    }
    kept
}

fn each_line(file: File, mut line: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut unpacked = BufReader::new(MultiGzDecoder::new(file).take(TAG_FILE_BYTES_MAX));
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if unpacked.by_ref().take(TAG_LINE_BYTES_MAX).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        if u64::try_from(bytes.len()).is_ok_and(|length| length == TAG_LINE_BYTES_MAX) {
            return Err(too_large());
        }
        line(&bytes)?;
    }
    if unpacked.get_ref().limit() == 0 { Err(too_large()) } else { Ok(()) }
}

fn too_large() -> io::Error {
    invalid("it is larger than any file of tags")
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
