//! The words of all tools, cut once: which tool has which word, in which of its parts.
//!
//! Parts count differently: a word of the name says more than one in the text of a parameter. A weighted count over all parts
//! goes into one formula (BM25F), so that a word in three parts is not three words.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::tool::ToolSpec;
use serde_json::Value;

use super::{
    number::float,
    terms::{split_name, terms, trigrams},
};

/// Words of one tool that are looked at, so that a schema of megabytes costs no more than a long one.
const TERMS_A_TOOL_MAX: usize = 1_000;
/// Bytes of one text of a tool that are looked at.
const TEXT_BYTES_MAX: usize = 8 * 1024;
/// How deep a schema is read.
const DEPTH_MAX: usize = 6;

/// How much a word counts by where it stands, and how much the length of that part takes away (0 to 1).
const NAME: Part = Part { weight: 3.0, shortening: 0.3 };
const SERVER: Part = Part { weight: 1.5, shortening: 0.0 };
const DESCRIPTION: Part = Part { weight: 1.5, shortening: 0.5 };
const PARAMETER_NAMES: Part = Part { weight: 0.7, shortening: 0.6 };
const PARAMETER_TEXTS: Part = Part { weight: 0.4, shortening: 0.75 };
const PARTS: [Part; 5] = [NAME, SERVER, DESCRIPTION, PARAMETER_NAMES, PARAMETER_TEXTS];

#[derive(Clone, Copy, Debug)]
struct Part {
    weight: f64,
    shortening: f64,
}

/// The words of a list of tools, for many questions about the same list.
#[derive(Clone, Debug, Default)]
pub struct ToolIndex {
    /// For each word the tools that have it, with its weighted count there.
    pub(super) postings: BTreeMap<String, Vec<(usize, f64)>>,
    /// The trigrams of each word.
    pub(super) shapes: BTreeMap<String, BTreeSet<[char; 3]>>,
    /// For each tool the number of its server.
    pub(super) server_of: Vec<usize>,
    /// How many servers there are.
    pub(super) servers: usize,
    /// The places of names.
    pub(super) place_of: BTreeMap<String, usize>,
    /// The names that one may write in a text, in small letters: with and without the server.
    pub(super) written: Vec<[String; 2]>,
}

impl ToolIndex {
    /// Cuts the texts of a list.
    pub fn new(specs: &[ToolSpec]) -> Self {
        let cut: Vec<[Vec<String>; 5]> = specs.iter().map(parts_of).collect();
        let averages = averages(&cut);
        let mut index = Self::default();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, (spec, parts)) in specs.iter().zip(&cut).enumerate() {
            let next = numbers.len();
            let (server, own) = split_name(&spec.name);
            index.server_of.push(*numbers.entry(server).or_insert(next));
            index.place_of.entry(spec.name.clone()).or_insert(place);
            index.written.push([spec.name.to_lowercase(), own.to_lowercase()]);
            for (term, count) in weigh(parts, &averages) {
                index.postings.entry(term).or_default().push((place, count));
            }
        }
        index.servers = numbers.len();
        index.shapes = index.postings.keys().map(|term| (term.clone(), trigrams(term))).collect();
        index
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.server_of.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.server_of.is_empty()
    }
}

/// The words of a tool by their parts, in the order of `PARTS`.
fn parts_of(spec: &ToolSpec) -> [Vec<String>; 5] {
    let (server, own) = split_name(&spec.name);
    let mut parameters = Parameters::default();
    parameters.read(&spec.parameters, 0);
    let mut parts = [
        terms(own),
        terms(server),
        terms(head(&spec.description)),
        terms(head(&parameters.names)),
        terms(head(&parameters.texts)),
    ];
    for part in &mut parts {
        part.truncate(TERMS_A_TOOL_MAX);
    }
    parts
}

fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(TEXT_BYTES_MAX)).unwrap_or_default()
}

/// Names and texts of parameters, those within objects and lists too.
#[derive(Debug, Default)]
struct Parameters {
    names: String,
    texts: String,
}

impl Parameters {
    fn read(&mut self, schema: &Value, depth: usize) {
        if depth > DEPTH_MAX || self.names.len() + self.texts.len() > 2 * TEXT_BYTES_MAX {
            return;
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, inner) in properties.into_iter().flatten() {
            add(&mut self.names, name);
            self.read(inner, depth + 1);
        }
        if depth > 0 {
            add(&mut self.texts, text(schema, "description"));
            add(&mut self.texts, text(schema, "title"));
            let values = schema.get("enum").and_then(Value::as_array);
            for value in values.into_iter().flatten().filter_map(Value::as_str) {
                add(&mut self.texts, value);
            }
        }
        if let Some(items) = schema.get("items") {
            self.read(items, depth + 1);
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            let choices = schema.get(key).and_then(Value::as_array);
            choices.into_iter().flatten().for_each(|choice| self.read(choice, depth + 1));
        }
    }
}

fn add(texts: &mut String, text: &str) {
    texts.push_str(text);
    texts.push(' ');
}

fn text<'a>(schema: &'a Value, key: &str) -> &'a str {
    schema.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The average number of words of each part; never 0.
fn averages(cut: &[[Vec<String>; 5]]) -> [f64; 5] {
    let mut averages = [0.0; 5];
    for parts in cut {
        for (average, part) in averages.iter_mut().zip(parts) {
            *average += float(part.len());
        }
    }
    averages.map(|sum: f64| (sum / float(cut.len().max(1))).max(1.0))
}

/// The weighted count of each word of a tool.
fn weigh(parts: &[Vec<String>; 5], averages: &[f64; 5]) -> BTreeMap<String, f64> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for ((part, words), average) in PARTS.iter().zip(parts).zip(averages) {
        let length = 1.0 - part.shortening + part.shortening * float(words.len()) / average;
        for word in words {
            *counts.entry(word.clone()).or_default() += part.weight / length;
        }
    }
    counts
}
