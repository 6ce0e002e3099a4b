//! How like each tool is to what is asked, by meaning: the vectors of its name and description against that of the words.
//!
//! Only where a vector costs next to nothing, which is a static table on this machine: a choice of tools must not wait for a model.
//! A tool's vector is kept by its text, so that the same tools cost once. Asked by the engine when an epoch begins; where there are no
//! vectors, words alone decide.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use abide_domain::tool::ToolSpec;
use abide_memory::{Embedder, VectorKind};

use super::{number::float, query::QUERY_BYTES_MAX, terms::split_name};

/// Bytes of a tool's description that its vector is made of: what it does stands at the beginning.
const DESCRIPTION_BYTES_MAX: usize = 600;
/// Vectors of tools that are kept; beyond, all are made anew.
const KEPT_MAX: usize = 4_096;

/// The vectors of tools.
#[derive(Debug)]
pub struct ToolMeanings {
    embedder: Arc<dyn Embedder>,
    known: Mutex<HashMap<String, Arc<[f32]>>>,
}

impl ToolMeanings {
    /// With this embedder; none where its vectors cost a request or the work of a model.
    pub fn new(embedder: Arc<dyn Embedder>) -> Option<Self> {
        (embedder.model().kind == VectorKind::Static)
            .then(|| Self { embedder, known: Mutex::default() })
    }

    /// How like each of the tools is to a text, from -1 to 1, in their order; empty where there are no vectors.
    pub async fn likeness(&self, specs: &[ToolSpec], text: &str) -> Vec<f64> {
        let texts: Vec<String> = specs.iter().map(text_of).collect();
        let Some(vectors) = self.vectors(&texts).await else { return Vec::new() };
        let asked = self.embedder.embed(&[start_of(text, QUERY_BYTES_MAX)]).await;
        let Some(asked) = asked.ok().and_then(|mut all| all.pop()) else { return Vec::new() };
        vectors.iter().map(|vector| cosine(&asked, vector)).collect()
    }

    /// The vectors of these texts; those that are not known yet are made.
    async fn vectors(&self, texts: &[String]) -> Option<Vec<Arc<[f32]>>> {
        let missing: Vec<&str> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            texts.iter().map(String::as_str).filter(|text| !known.contains_key(*text)).collect()
        };
        let made = if missing.is_empty() {
            Vec::new()
        } else {
            self.embedder.embed(&missing).await.ok().filter(|made| made.len() == missing.len())?
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() + made.len() > KEPT_MAX {
            known.retain(|text, _| texts.contains(text));
        }
        known.extend(missing.into_iter().map(str::to_owned).zip(made.into_iter().map(Arc::from)));
        texts.iter().map(|text| known.get(text).cloned()).collect()
    }
}

/// What a tool's vector is made of: the words of its name, then what it does.
fn text_of(spec: &ToolSpec) -> String {
    let (server, own) = split_name(&spec.name);
    let words = format!("{server} {own}").replace(['_', '.'], " ");
    format!("{words}. {}", start_of(&spec.description, DESCRIPTION_BYTES_MAX))
}

/// The whole characters of the first so many bytes.
fn start_of(text: &str, bytes_max: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes_max)).unwrap_or(text)
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 && a.len() == b.len() { dot(a, b) / length } else { 0.0 }
}

/// How much a place in one order is worth, against the first.
const PLACE_HALVES: f64 = 10.0;
/// What the order by meaning counts against the one by words.
const OF_MEANING: f64 = 1.0;

/// One order of two: by words, and by meaning (reciprocal ranks). What words do not find, meaning may.
pub(super) fn fuse(by_words: &[usize], likeness: &[f64]) -> Vec<usize> {
    let mut by_meaning: Vec<usize> = (0..likeness.len()).collect();
    let like = |place: usize| likeness.get(place).copied().unwrap_or_default();
    by_meaning.sort_by(|a, b| like(*b).total_cmp(&like(*a)).then_with(|| a.cmp(b)));
    let mut scores = vec![0.0; likeness.len()];
    for (order, weight) in [(by_words, 1.0), (&*by_meaning, OF_MEANING)] {
        for (rank, place) in order.iter().enumerate() {
            if let Some(score) = scores.get_mut(*place) {
                *score += weight / (PLACE_HALVES + float(rank));
            }
        }
    }
    let score = |place: usize| scores.get(place).copied().unwrap_or_default();
    by_meaning.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then_with(|| a.cmp(b)));
    by_meaning
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    };

    use abide_domain::tool::{EffectClass, ToolSpec};
    use abide_memory::{Embedder, EmbedderError, VectorKind, VectorModel};
    use futures_util::future::BoxFuture;
    use serde_json::json;

    use super::{ToolMeanings, fuse};

    /// Knows two meanings: money, and all else.
    #[derive(Debug)]
    struct TwoMeanings {
        kind: VectorKind,
        made: AtomicUsize,
    }

    impl Embedder for TwoMeanings {
        fn model(&self) -> VectorModel {
            VectorModel { name: "two".into(), id: "two".into(), dimensions: 2, kind: self.kind }
        }

        fn embed<'a>(
            &'a self,
            texts: &'a [&'a str],
        ) -> BoxFuture<'a, Result<Vec<Vec<f32>>, EmbedderError>> {
            self.made.fetch_add(texts.len(), Ordering::Relaxed);
            let is_money = |text: &str| text.contains("invoice") || text.contains("paid");
            let vector = |text: &&str| {
                if is_money(text) { vec![1.0, 0.1] } else { vec![0.0, 1.0] }
            };
            Box::pin(std::future::ready(Ok(texts.iter().map(vector).collect())))
        }
    }

    fn spec(name: &str, description: &str) -> ToolSpec {
        ToolSpec {
            name: name.into(),
            description: description.into(),
            parameters: json!({"type": "object"}),
            effect: EffectClass::Read,
            idempotent: true,
        }
    }

    #[tokio::test]
    async fn tools_are_like_what_is_asked_and_each_costs_once() {
        let embedder = Arc::new(TwoMeanings { kind: VectorKind::Static, made: 0.into() });
        let meanings = ToolMeanings::new(Arc::clone(&embedder) as Arc<dyn Embedder>).unwrap();
        let specs = [spec("books.list_invoices", "Lists them"), spec("door.lock", "Locks it")];
        let like = meanings.likeness(&specs, "who has not paid?").await;
        assert!(like.len() == 2 && like[0] > 0.9 && like[1] < 0.5, "{like:?}");
        assert_eq!(embedder.made.load(Ordering::Relaxed), 3);
        meanings.likeness(&specs, "close up").await;
        assert_eq!(embedder.made.load(Ordering::Relaxed), 4, "only the words are new");
    }

    #[test]
    fn vectors_that_cost_are_not_asked_for() {
        let contextual = TwoMeanings { kind: VectorKind::Contextual, made: 0.into() };
        assert!(ToolMeanings::new(Arc::new(contextual)).is_none());
    }

    #[test]
    fn what_both_orders_have_near_their_top_stands_first_and_nothing_is_lost() {
        assert_eq!(fuse(&[2, 0], &[0.1, 0.9, 0.8]), [2, 0, 1]);
        assert_eq!(fuse(&[], &[0.1, 0.9]), [1, 0]);
    }
}
