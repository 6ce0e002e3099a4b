//! Which of the ranked tools are shown, and in which order.
//!
//! What is always there comes first, then what was found, then what the previous turn had, then what is likely, until a
//! limit is reached. The order in the prompt is another one: see [`ToolChoice`].

use std::collections::BTreeSet;

use abide_domain::tool::ToolSpec;

use super::{
    index::ToolIndex,
    lines::name_lines,
    query::{ToolChoice, ToolLimits, ToolQuery, bytes_of},
    rank,
};

/// All of them, by name.
pub(super) fn all(specs: &[ToolSpec]) -> ToolChoice {
    ToolChoice { full: by_name(specs, 0..specs.len()), ..ToolChoice::default() }
}

impl ToolIndex {
    /// Chooses what a prompt shows. `specs` is the list that the index was made of.
    pub fn choose(
        &self,
        specs: &[ToolSpec],
        query: &ToolQuery<'_>,
        limits: &ToolLimits<'_>,
    ) -> ToolChoice {
        if limits.hold_all(specs) {
            return all(specs);
        }
        let ranked = if query.shown.is_empty() { rank::likely(self, query) } else { Vec::new() };
        choose(specs, self, query, limits, &ranked)
    }
}

/// Chooses by a ranking.
fn choose(
    specs: &[ToolSpec],
    index: &ToolIndex,
    query: &ToolQuery<'_>,
    limits: &ToolLimits<'_>,
    ranked: &[usize],
) -> ToolChoice {
    let places = |names: &[String]| -> Vec<usize> {
        names.iter().filter_map(|name| index.place_of.get(name).copied()).collect()
    };
    let is_always = |place: &usize| {
        specs
            .get(*place)
            .is_some_and(|spec| limits.always.iter().any(|start| spec.name.starts_with(start)))
    };
    let always = by_name(specs, (0..specs.len()).filter(is_always));
    let (found, shown) = (places(query.found), places(query.shown));
    let likely = ranked.iter().copied().filter(|place| !is_always(place));
    let likely = within_bytes(specs, limits, likely);
    let mut room = Room { specs, limits, taken: BTreeSet::new(), bytes: 0 };
    // Of what was found, the newest first.
    let wanted = always.into_iter().chain(found.into_iter().rev()).chain(shown.iter().copied());
    for place in wanted.chain(likely) {
        room.take(place);
    }
    let mut full: Vec<usize> = Vec::new();
    for place in shown.into_iter().filter(|place| room.taken.contains(place)) {
        if !full.contains(&place) {
            full.push(place);
        }
    }
    let others = room.taken.iter().copied().filter(|place| !full.contains(place));
    let others = by_name(specs, others);
    full.extend(others);
    let (names, unlisted) = name_lines(specs, limits.lines_bytes_max);
    ToolChoice { full, names, unlisted }
}

/// The first ones of a ranking: so many in any case, and more where they are small. One that is too large ends it, so that none stands
/// there whose place is behind one that does not.
fn within_bytes(
    specs: &[ToolSpec],
    limits: &ToolLimits<'_>,
    ranked: impl Iterator<Item = usize>,
) -> Vec<usize> {
    let mut bytes = 0_usize;
    let fits = |(number, place): &(usize, usize)| {
        bytes = bytes.saturating_add(specs.get(*place).map_or(0, bytes_of));
        *number < limits.likely_min || bytes <= limits.likely_bytes_max
    };
    ranked.take(limits.likely_max).enumerate().take_while(fits).map(|(_, place)| place).collect()
}

/// What fits.
struct Room<'a> {
    specs: &'a [ToolSpec],
    limits: &'a ToolLimits<'a>,
    taken: BTreeSet<usize>,
    bytes: usize,
}

impl Room<'_> {
    fn take(&mut self, place: usize) {
        let Some(spec) = self.specs.get(place) else { return };
        if self.taken.len() >= self.limits.shown_max || self.taken.contains(&place) {
            return;
        }
        let bytes = self.bytes.saturating_add(bytes_of(spec));
        if bytes <= self.limits.shown_bytes_max {
            self.bytes = bytes;
            self.taken.insert(place);
        }
    }
}

fn by_name(specs: &[ToolSpec], places: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut places: Vec<usize> = places.collect();
    places.sort_by_key(|place| (specs.get(*place).map(|spec| spec.name.as_str()), *place));
    places
}
