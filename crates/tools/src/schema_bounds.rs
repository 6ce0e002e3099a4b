//! Whether a schema that others wrote can be used to check arguments at a bounded cost. Pure, and itself bounded: nothing here calls
//! itself. A server of tools writes such schemas, and an agent for the tools that it makes.
//!
//! The size of a schema says little: references let 4 KB of text stand for more steps than a computer can ever take, or for a step
//! that never ends. What counts is how often one value of the arguments is held against a schema. Schemas that apply to the same
//! value (`allOf`, `$ref`, …) add up; of those that apply to the members of an object, only the ones that can meet the same member
//! do. A definition that contains itself is allowed where this count stays low down to the greatest depth of arguments.

use std::collections::{BTreeMap, HashMap};

use abide_domain::limits::{SCHEMA_DEPTH_MAX, SCHEMA_NODES_MAX};
use jsonschema::Validator;
use serde_json::{Map, Value};

/// Longest path of schemas, references followed up to the first repetition.
const PATH_MAX: usize = SCHEMA_DEPTH_MAX * 4;
/// Longest path of schemas that apply to one and the same value.
const IN_PLACE_PATH_MAX: usize = SCHEMA_DEPTH_MAX * 2;
/// Longest path of schemas in one check, over all depths of the arguments. The checks call each other, and of 3,300 of them a stack of
/// 2 MiB overflowed in a build without optimisation.
const CHECK_PATH_MAX: usize = 1_000;
/// How deep arguments can be nested: the limit of the parser.
const ARGUMENTS_DEPTH_MAX: usize = 128;
/// How much more a schema with `unevaluated…` costs: it looks at those in place again to know what they covered, and at theirs.
const UNEVALUATED_WEIGHT: usize = 3;

/// Most schemas that are looked at for all depths, over all places of a value.
const HEADS_SIZE_MAX: usize = SCHEMA_NODES_MAX * 5;

/// Keywords with one schema, or a list of them, for the same value.
const IN_PLACE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
/// Keywords with schemas by name for the same value.
const IN_PLACE_BY_NAME: [&str; 2] = ["dependentSchemas", "dependencies"];

/// Says why a schema costs too much to use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum SchemaBoundsError {
    /// It refers to something that is not in it.
    #[error("it refers to `{0}`: only `#` and `#/…` are followed")]
    Away(String),
    /// It refers to nothing.
    #[error("it refers to `{0}`, where there is no schema")]
    Nowhere(String),
    /// It uses a keyword whose target depends on the way to it.
    #[error("it uses `{0}`, which is not followed")]
    Dynamic(&'static str),
    /// A part of it has an address of its own, from which references would count.
    #[error("a part of it has an `{0}` of its own")]
    OwnAddress(&'static str),
    /// A check of it would never end.
    #[error("it contains itself for one and the same value: a check would never end")]
    Endless,
    /// It is too long where one part refers to the next.
    #[error("it has more than {0} schemas on one path")]
    Path(usize),
    /// It is too large where its references are written out.
    #[error("it has more than {SCHEMA_NODES_MAX} schemas with its references written out")]
    Unfolded,
    /// It is too much work for one value.
    #[error(
        "it contains itself such that one value may be checked more than {SCHEMA_NODES_MAX} times"
    )]
    Visits,
}

/// Compiles the schema of a tool's arguments. The error says in words why it cannot be used.
pub fn compile_schema(schema: &Value) -> Result<Validator, String> {
    check_bounds(schema).map_err(|error| error.to_string())?;
    jsonschema::validator_for(schema).map_err(|error| error.to_string())
}

/// Checks that every check against a schema ends soon.
fn check_bounds(schema: &Value) -> Result<(), SchemaBoundsError> {
    let graph = Graph::read(schema)?;
    graph.check_unfolded()?;
    let ranks = graph.in_place_ranks()?;
    graph.check_visits(&ranks)
}

/// One schema and those that it applies.
#[derive(Default)]
struct Node<'a> {
    in_place: Vec<usize>,
    properties: HashMap<&'a str, usize>,
    /// Of `patternProperties`: any of them may meet any name.
    patterns: Vec<usize>,
    /// For members that `properties` does not name.
    other_members: Vec<usize>,
    names: Vec<usize>,
    prefix: Vec<usize>,
    other_items: Vec<usize>,
    contains: Vec<usize>,
    has_unevaluated: bool,
}

impl Node<'_> {
    fn weight(&self) -> usize {
        if self.has_unevaluated { UNEVALUATED_WEIGHT } else { 1 }
    }

    fn targets(&self) -> impl Iterator<Item = usize> {
        self.in_place.iter().copied().chain(self.inner())
    }

    /// Those for what stands within the value.
    fn inner(&self) -> impl Iterator<Item = usize> {
        let lists = [
            &self.patterns,
            &self.other_members,
            &self.names,
            &self.prefix,
            &self.other_items,
            &self.contains,
        ];
        lists.into_iter().flatten().chain(self.properties.values()).copied()
    }
}

/// All schemas that a check can reach; the first is the whole one.
struct Graph<'a> {
    root: &'a Value,
    nodes: Vec<Node<'a>>,
    /// Those that are still to be read, in the order of `nodes`.
    values: Vec<&'a Value>,
    /// Which schema stands where in memory: it is read once, whoever refers to it.
    known: HashMap<*const Value, usize>,
}

impl<'a> Graph<'a> {
    fn read(root: &'a Value) -> Result<Self, SchemaBoundsError> {
        let mut graph = Self { root, nodes: Vec::new(), values: Vec::new(), known: HashMap::new() };
        graph.index(root);
        let mut next = 0;
        while let Some(value) = graph.values.get(next).copied() {
            let node = graph.read_node(value, next == 0)?;
            graph.nodes.push(node);
            next += 1;
        }
        Ok(graph)
    }

    fn index(&mut self, value: &'a Value) -> usize {
        let new = self.values.len();
        let index = *self.known.entry(std::ptr::from_ref(value)).or_insert(new);
        if index == new {
            self.values.push(value);
        }
        index
    }

    /// The one schema or the list of schemas under a keyword.
    fn indices(&mut self, value: Option<&'a Value>) -> Vec<usize> {
        match value {
            Some(Value::Array(items)) => items.iter().map(|item| self.index(item)).collect(),
            Some(item) => vec![self.index(item)],
            None => Vec::new(),
        }
    }

    fn read_node(
        &mut self,
        value: &'a Value,
        is_root: bool,
    ) -> Result<Node<'a>, SchemaBoundsError> {
        let mut node = Node::default();
        let Value::Object(object) = value else { return Ok(node) };
        for keyword in ["$dynamicRef", "$recursiveRef"] {
            if object.contains_key(keyword) {
                return Err(SchemaBoundsError::Dynamic(keyword));
            }
        }
        if !is_root {
            check_address(object)?;
        }
        for keyword in IN_PLACE {
            node.in_place.extend(self.indices(object.get(keyword)));
        }
        for keyword in IN_PLACE_BY_NAME {
            let named = object.get(keyword).and_then(Value::as_object);
            node.in_place.extend(named.into_iter().flat_map(Map::values).map(|v| self.index(v)));
        }
        if let Some(reference) = object.get("$ref") {
            let target = self.follow(reference)?;
            node.in_place.push(self.index(target));
        }
        self.read_members(object, &mut node);
        self.read_items(object, &mut node);
        Ok(node)
    }

    fn read_members(&mut self, object: &'a Map<String, Value>, node: &mut Node<'a>) {
        if let Some(Value::Object(properties)) = object.get("properties") {
            for (name, value) in properties {
                node.properties.insert(name, self.index(value));
            }
        }
        if let Some(Value::Object(patterns)) = object.get("patternProperties") {
            node.patterns = patterns.values().map(|value| self.index(value)).collect();
        }
        node.other_members = self.indices(object.get("additionalProperties"));
        node.other_members.extend(self.indices(object.get("unevaluatedProperties")));
        node.names = self.indices(object.get("propertyNames"));
        node.has_unevaluated =
            object.contains_key("unevaluatedProperties") || object.contains_key("unevaluatedItems");
    }

    fn read_items(&mut self, object: &'a Map<String, Value>, node: &mut Node<'a>) {
        node.prefix = self.indices(object.get("prefixItems"));
        let items = object.get("items");
        let items_read = self.indices(items);
        // Older drafts list here what newer ones list under `prefixItems`.
        if items.is_some_and(Value::is_array) && node.prefix.is_empty() {
            node.prefix = items_read;
        } else {
            node.other_items = items_read;
        }
        node.other_items.extend(self.indices(object.get("additionalItems")));
        node.other_items.extend(self.indices(object.get("unevaluatedItems")));
        node.contains = self.indices(object.get("contains"));
    }

    /// The schema that a `$ref` means.
    fn follow(&self, reference: &Value) -> Result<&'a Value, SchemaBoundsError> {
        let shown = || reference.as_str().unwrap_or("(no text)").chars().take(200).collect();
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        let Some(pointer) = pointer else { return Err(SchemaBoundsError::Away(shown())) };
        let pointer =
            percent_decoded(pointer).ok_or_else(|| SchemaBoundsError::Nowhere(shown()))?;
        if pointer.is_empty() {
            return Ok(self.root);
        }
        let Some(pointer) = pointer.strip_prefix('/') else {
            return Err(SchemaBoundsError::Away(shown()));
        };
        let mut value = self.root;
        for step in pointer.split('/') {
            let step = step.replace("~1", "/").replace("~0", "~");
            value = match value {
                Value::Object(object) => object.get(&step),
                Value::Array(items) => step.parse().ok().and_then(|at: usize| items.get(at)),
                _ => None,
            }
            .ok_or_else(|| SchemaBoundsError::Nowhere(shown()))?;
            if let Value::Object(object) = value {
                check_address(object)?;
            }
        }
        match value {
            Value::Object(_) | Value::Bool(_) => Ok(value),
            _ => Err(SchemaBoundsError::Nowhere(shown())),
        }
    }

    /// Counts the schemas with all references written out, each up to where it would contain itself, and the longest path of them.
    fn check_unfolded(&self) -> Result<(), SchemaBoundsError> {
        // A count and a longest path of each one that was counted.
        let mut counted: Vec<Option<(usize, usize)>> = vec![None; self.nodes.len()];
        let mut is_open = vec![false; self.nodes.len()];
        set(&mut is_open, 0, true);
        let mut stack = vec![Walk::new(0, self.nodes.first())];
        while let Some(walk) = stack.last_mut() {
            let Some(target) = walk.left.pop() else {
                let (node, count, path) = (walk.node, walk.count, walk.path);
                stack.pop();
                if count > SCHEMA_NODES_MAX {
                    return Err(SchemaBoundsError::Unfolded);
                }
                set(&mut counted, node, Some((count, path)));
                set(&mut is_open, node, false);
                if let Some(outer) = stack.last_mut() {
                    outer.add(count, path);
                }
                continue;
            };
            let known = counted.get(target).copied().flatten();
            if let Some((count, path)) = known {
                walk.add(count, path);
            } else if is_open.get(target) == Some(&true) {
                walk.add(1, 1);
            } else {
                set(&mut is_open, target, true);
                stack.push(Walk::new(target, self.nodes.get(target)));
            }
            if stack.len() > PATH_MAX || stack.last().is_some_and(|walk| walk.path > PATH_MAX) {
                return Err(SchemaBoundsError::Path(PATH_MAX));
            }
        }
        Ok(())
    }

    /// The place of each schema in an order in which it comes before those that it applies in place.
    fn in_place_ranks(&self) -> Result<Vec<usize>, SchemaBoundsError> {
        let mut users = vec![0_usize; self.nodes.len()];
        for target in self.nodes.iter().flat_map(|node| &node.in_place) {
            let more = at(&users, *target) + 1;
            set(&mut users, *target, more);
        }
        let mut lengths = vec![1_usize; self.nodes.len()];
        let mut ranks = vec![0_usize; self.nodes.len()];
        let mut order: Vec<usize> =
            (0..users.len()).filter(|index| at(&users, *index) == 0).collect();
        let mut next = 0;
        while let Some(index) = order.get(next).copied() {
            set(&mut ranks, index, next);
            next += 1;
            let length = at(&lengths, index) + 1;
            for target in self.nodes.get(index).into_iter().flat_map(|node| &node.in_place) {
                let left = at(&users, *target) - 1;
                set(&mut users, *target, left);
                let longest = at(&lengths, *target).max(length);
                set(&mut lengths, *target, longest);
                if left == 0 {
                    order.push(*target);
                }
            }
        }
        if order.len() < self.nodes.len() {
            return Err(SchemaBoundsError::Endless);
        }
        if lengths.iter().any(|length| *length > IN_PLACE_PATH_MAX) {
            return Err(SchemaBoundsError::Path(IN_PLACE_PATH_MAX));
        }
        Ok(ranks)
    }

    /// The schema that one which is nothing but a reference stands for, and how many references lead there.
    fn meant(&self, index: usize) -> (usize, usize) {
        let (mut meant, mut steps) = (index, 0);
        // In place nothing contains itself any more.
        while let Some(node) = self.nodes.get(meant)
            && let [target] = node.in_place.as_slice()
            && node.targets().count() == 1
            && !node.has_unevaluated
        {
            meant = *target;
            steps += 1;
        }
        (meant, steps)
    }

    /// The schemas that a value is held against first: the whole one, and those for what stands within another value.
    fn heads(&self, meant: &[usize], ranks: &[usize]) -> Result<Heads<'_>, SchemaBoundsError> {
        let mut by_rank = vec![0; ranks.len()];
        for (index, rank) in ranks.iter().enumerate() {
            set(&mut by_rank, *rank, index);
        }
        let (mut heads, mut left, mut size) = (HashMap::new(), vec![at(meant, 0)], 0_usize);
        while let Some(index) = left.pop() {
            if heads.contains_key(&index) {
                continue;
            }
            let head = Head::read(self, index, ranks, &by_rank);
            size = size.saturating_add(head.size(self));
            if size > HEADS_SIZE_MAX {
                return Err(SchemaBoundsError::Unfolded);
            }
            left.extend(head.nodes(self).flat_map(Node::inner).map(|target| at(meant, target)));
            heads.insert(index, head);
        }
        Ok(heads)
    }

    /// Counts how often one value at each depth may be checked, and on how long a path, and refuses too much.
    fn check_visits(&self, ranks: &[usize]) -> Result<(), SchemaBoundsError> {
        let (meant, steps): (Vec<usize>, Vec<usize>) =
            (0..self.nodes.len()).map(|index| self.meant(index)).unzip();
        let heads = self.heads(&meant, ranks)?;
        let root = at(&meant, 0);
        let (mut visits, mut paths) = (vec![0; self.nodes.len()], vec![0; self.nodes.len()]);
        for (index, head) in &heads {
            let here =
                head.applied.iter().fold(0_usize, |sum, (_, times)| sum.saturating_add(*times));
            set(&mut visits, *index, here.min(SCHEMA_NODES_MAX + 1));
            set(&mut paths, *index, head.path);
        }
        for _ in 0..=ARGUMENTS_DEPTH_MAX {
            if at(&visits, root) > SCHEMA_NODES_MAX {
                return Err(SchemaBoundsError::Visits);
            }
            if at(&paths, root) > CHECK_PATH_MAX {
                return Err(SchemaBoundsError::Path(CHECK_PATH_MAX));
            }
            // What is one step deeper, seen from one step higher.
            let inner: Vec<usize> = meant.iter().map(|index| at(&visits, *index)).collect();
            let inner_paths: Vec<usize> =
                meant.iter().zip(&steps).map(|(index, steps)| at(&paths, *index) + steps).collect();
            for (index, head) in &heads {
                set(&mut visits, *index, head.visits(self, &inner).min(SCHEMA_NODES_MAX + 1));
                let targets = head.nodes(self).flat_map(Node::inner);
                let longest = targets.map(|target| at(&inner_paths, target)).max();
                set(&mut paths, *index, head.path + longest.unwrap_or(0));
            }
        }
        Ok(())
    }
}

type Heads<'a> = HashMap<usize, Head<'a>>;

/// A schema with all that it applies in place: together they meet one value.
struct Head<'a> {
    /// Each schema, and how often it is applied.
    applied: Vec<(usize, usize)>,
    /// By name: who of them says something about that member, and what.
    members: HashMap<&'a str, Vec<(usize, usize, usize)>>,
    /// The same by position in a list.
    positions: HashMap<usize, Vec<(usize, usize, usize)>>,
    /// The longest path of them.
    path: usize,
}

impl<'a> Head<'a> {
    fn read(graph: &Graph<'a>, index: usize, ranks: &[usize], by_rank: &[usize]) -> Self {
        let mut head = Self {
            applied: Vec::new(),
            members: HashMap::new(),
            positions: HashMap::new(),
            path: 0,
        };
        let mut waiting = BTreeMap::from([(at(ranks, index), (1_usize, 1_usize))]);
        while let Some((rank, (times, path))) = waiting.pop_first() {
            head.path = head.path.max(path);
            let index = at(by_rank, rank);
            head.applied.push((index, times));
            let Some(node) = graph.nodes.get(index) else { continue };
            for (name, target) in &node.properties {
                head.members.entry(*name).or_default().push((index, times, *target));
            }
            for (position, target) in node.prefix.iter().enumerate() {
                head.positions.entry(position).or_default().push((index, times, *target));
            }
            for target in &node.in_place {
                let (count, longest) = waiting.entry(at(ranks, *target)).or_default();
                *longest = (*longest).max(path + 1);
                let more = times.saturating_mul(node.weight());
                *count = count.saturating_add(more).min(SCHEMA_NODES_MAX + 1);
            }
        }
        head
    }

    fn nodes<'g>(&self, graph: &'g Graph<'a>) -> impl Iterator<Item = &'g Node<'a>> {
        self.applied.iter().filter_map(|(index, _)| graph.nodes.get(*index))
    }

    fn size(&self, graph: &Graph<'a>) -> usize {
        self.nodes(graph).map(|node| 1 + node.targets().count()).sum()
    }

    /// How often one value that stands deeper may be checked, at most over all places, by how often it is from one step on.
    fn visits(&self, graph: &Graph<'a>, inner: &[usize]) -> usize {
        let sum =
            |targets: &[usize]| targets.iter().map(|target| at(inner, *target)).sum::<usize>();
        let node = |index: usize| graph.nodes.get(index);
        let total = |of: &dyn Fn(&Node<'_>) -> usize| -> usize {
            let each =
                self.applied.iter().filter_map(|(index, times)| Some((node(*index)?, times)));
            each.map(|(node, times)| times.saturating_mul(of(node))).sum()
        };
        let other_members = total(&|node| sum(&node.patterns) + sum(&node.other_members));
        let other_items = total(&|node| sum(&node.contains) + sum(&node.other_items));
        let names = total(&|node| sum(&node.names));
        let member = self.members.values().map(|named| {
            named.iter().fold(other_members, |count, (index, times, target)| {
                let replaced = node(*index).map_or(0, |node| sum(&node.other_members));
                (count + times * at(inner, *target)).saturating_sub(times * replaced)
            })
        });
        let position = self.positions.values().map(|placed| {
            placed.iter().fold(other_items, |count, (index, times, target)| {
                // Which of both counts is a question of the draft.
                let replaced = node(*index).map_or(0, |node| sum(&node.other_items));
                count + times * at(inner, *target).saturating_sub(replaced)
            })
        });
        member.chain(position).fold(other_members.max(other_items).max(names), usize::max)
    }
}

/// A part with an address of its own is the base of the references in it.
fn check_address(object: &Map<String, Value>) -> Result<(), SchemaBoundsError> {
    for keyword in ["$id", "id"] {
        let address = object.get(keyword).and_then(Value::as_str);
        if address.is_some_and(|address| !address.starts_with('#')) {
            return Err(SchemaBoundsError::OwnAddress(keyword));
        }
    }
    Ok(())
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            decoded.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let value = digit(bytes.next())? * 16 + digit(bytes.next())?;
        decoded.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(decoded).ok()
}

/// The entry of a list that has one for each schema.
fn at(list: &[usize], index: usize) -> usize {
    list.get(index).copied().unwrap_or_default()
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

/// A schema whose parts are being counted.
struct Walk {
    node: usize,
    left: Vec<usize>,
    count: usize,
    path: usize,
}

impl Walk {
    fn new(index: usize, node: Option<&Node<'_>>) -> Self {
        let left = node.map(|node| node.targets().collect()).unwrap_or_default();
        Self { node: index, left, count: 1, path: 1 }
    }

    fn add(&mut self, count: usize, path: usize) {
        self.count = self.count.saturating_add(count);
        self.path = self.path.max(path.saturating_add(1));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{SchemaBoundsError, check_bounds};

    /// Definitions `d0`, `d1`, … of which each is made with a reference to the next; the last is a text.
    fn chain(steps: usize, step: impl Fn(Value) -> Value) -> Value {
        let mut defs = serde_json::Map::new();
        for at in 0..steps {
            let next = format!("#/$defs/d{}", at + 1);
            defs.insert(format!("d{at}"), step(json!({"$ref": next})));
        }
        defs.insert(format!("d{steps}"), json!({"type": "string"}));
        json!({"properties": {"p": {"$ref": "#/$defs/d0"}}, "$defs": defs})
    }

    #[test]
    fn schemas_that_contain_themselves_as_data_does_are_allowed() {
        let it = || json!({"$ref": "#/$defs/it"});
        let with =
            |it: Value| json!({"properties": {"p": {"$ref": "#/$defs/it"}}, "$defs": {"it": it}});
        let tree =
            json!({"properties": {"left": it(), "right": it()}, "additionalProperties": false});
        let list = json!({"anyOf": [{"type": "null"}, {"properties": {"next": it()}}]});
        let any = json!({"anyOf": [
            {"type": "string"},
            {"type": "array", "items": it()},
            {"type": "object", "additionalProperties": it()},
        ]});
        let filter = json!({"oneOf": [
            {"properties": {"and": {"type": "array", "items": it()}}},
            {"properties": {"or": {"type": "array", "items": it()}}},
            {"properties": {"not": it()}},
        ]});
        let mutual = json!({
            "properties": {"a": {"$ref": "#/definitions/a~1%62"}},
            "definitions": {
                "a/b": {"properties": {"b": {"$ref": "#/definitions/b"}}},
                "b": {"properties": {"a": {"$ref": "#/definitions/a~1b"}}},
            },
        });
        let mut often = json!({"$defs": {"it": {"enum": ["a", "b"]}}, "properties": {}});
        for at in 0..50 {
            often["properties"][format!("p{at}")] = it();
        }
        let itself =
            json!({"$id": "https://a.example/root", "properties": {"next": {"$ref": "#"}}});
        let named = json!({"properties": {"$ref": {"type": "string"}, "id": {"type": "string"}}});
        let texts = json!({"properties": {"p": {"enum": [{"$ref": "http://a.example"}]}}});
        let schemas =
            [with(tree), with(list), with(any), with(filter), mutual, often, itself, named, texts];
        for schema in schemas {
            assert_eq!(check_bounds(&schema), Ok(()), "{schema}");
        }
    }

    #[test]
    fn schemas_whose_check_would_not_end_are_refused() {
        use SchemaBoundsError as E;
        let twice = |next: Value| json!({"allOf": [next, next]});
        let root = json!({"$ref": "#"});
        let elsewhere = "http://a.example/schema.json";
        let polynomial = chain(40, |next| json!({"items": {}, "allOf": [next]}));
        let mut degrees = polynomial;
        for at in 0..40 {
            let itself = format!("#/$defs/d{at}");
            degrees["$defs"][format!("d{at}")]["items"] = json!({"$ref": itself});
        }
        let mut long = chain(12, |next| json!({"anyOf": [next]}));
        long["$defs"]["d12"] = json!({"properties": {"p": root}});
        let mut long_references = chain(24, |next| next);
        long_references["$defs"]["d24"] = json!({"properties": {"p": root}});
        let table = [
            (chain(20, twice), E::Unfolded),
            (chain(40, twice), E::Unfolded),
            (chain(40, |next| json!({"properties": {"a": next, "b": next}})), E::Unfolded),
            (json!({"allOf": [root]}), E::Endless),
            (root.clone(), E::Endless),
            (json!({"if": {"dependentSchemas": {"a": {"not": root}}}}), E::Endless),
            (json!({"items": {"allOf": [root, root]}}), E::Visits),
            (json!({"anyOf": [{"items": root}, {"contains": root}]}), E::Visits),
            (json!({"properties": {"a": root}, "patternProperties": {"a": root}}), E::Visits),
            (json!({"prefixItems": [root], "contains": root}), E::Visits),
            (
                json!({"allOf": [{"properties": {"a": root}}], "unevaluatedProperties": false}),
                E::Visits,
            ),
            (degrees, E::Visits),
            (json!({"properties": {"p": {"$ref": elsewhere}}}), E::Away(elsewhere.into())),
            (json!({"items": {"$ref": "#anchor"}}), E::Away("#anchor".into())),
            (json!({"items": {"$ref": "#/$defs/no"}}), E::Nowhere("#/$defs/no".into())),
            (json!({"items": {"$dynamicRef": "#a"}}), E::Dynamic("$dynamicRef")),
            (json!({"items": {"$recursiveRef": "#"}}), E::Dynamic("$recursiveRef")),
            (json!({"items": {"$id": "b", "allOf": [{"$ref": "#"}]}}), E::OwnAddress("$id")),
            (chain(10_000, |next| next), E::Path(super::PATH_MAX)),
            (chain(150, |next| next), E::Path(super::IN_PLACE_PATH_MAX)),
            (long, E::Path(super::CHECK_PATH_MAX)),
            (long_references, E::Path(super::CHECK_PATH_MAX)),
        ];
        for (schema, error) in table {
            let shown: String = schema.to_string().chars().take(300).collect();
            assert_eq!(check_bounds(&schema), Err(error), "{shown}");
        }
    }
}
