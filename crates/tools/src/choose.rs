//! Which tools a prompt shows with their schemas, where an agent has more of them than a prompt should hold.
//!
//! Every tool stays known by its name, one line a server; the likely ones stand there with their schemas, and `tools.find`
//! brings any other. Pure: the same tools and the same words give the same choice, whatever was chosen elsewhere. It must never
//! widen what a policy offers: whoever calls hands in only what may run. Asked by the engine before each turn.
//!
//! Search alone is not enough: plain BM25 over 200 tools of real servers has the needed one among its first 20 for .83 of
//! single steps and for .60 of whole tasks (LiveMCPBench), and a name that nobody sees is never asked for.
//!
//! Reading order: `query` (what is asked, what comes of it), this file; `pick` (which of the ranked ones are shown, in which order); `lines` (the names); `find`
//! (`tools.find`), `rank` (scores), `index` (words of tools), `terms` and `number` (how texts are cut and counted), `concepts` (words of like meaning), `meaning` (vectors, where they cost nothing), `hints` (what a text's look says).

mod concepts;
mod find;
mod hints;
mod index;
mod lines;
mod meaning;
mod nearest_names;
mod number;
mod pick;
mod query;
mod rank;
mod terms;

#[cfg(test)]
mod tests;

use abide_domain::tool::ToolSpec;

pub(crate) use self::nearest_names::nearest_names;
pub use self::{
    find::{
        FIND_BYTES_MAX, FIND_MATCHES_DEFAULT, FIND_MATCHES_MAX, FIND_NAMES_MAX, FindTools,
        FoundTools, ToolSearch, find_tools, names_found,
    },
    index::ToolIndex,
    meaning::ToolMeanings,
    query::{
        ALL_SHOWN_MAX, FIND_TOOL_NAME, LIKELY_BYTES_MAX, LIKELY_MAX, LIKELY_MIN, LINES_BYTES_MAX,
        QUERY_BYTES_MAX, SHOWN_BYTES_MAX, SHOWN_MAX, ToolChoice, ToolLimits, ToolQuery,
        USED_TOOLS_MAX, UsedTool,
    },
};

/// Chooses for a list that is asked once. Whoever asks about the same tools again keeps a [`ToolIndex`].
pub fn choose_tools(
    specs: &[ToolSpec],
    query: &ToolQuery<'_>,
    limits: &ToolLimits<'_>,
) -> ToolChoice {
    if limits.hold_all(specs) {
        // Nothing has to be ranked.
        return pick::all(specs);
    }
    ToolIndex::new(specs).choose(specs, query, limits)
}
