//! The data of events, out of the sources of `domain`: structs and enums that serde derives, and no others.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fmt::Write as _,
    path::Path,
};

use syn::{
    Attribute, Fields, GenericArgument, Item, PathArguments, Token, Type, braced, parenthesized,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use super::comment::comment;

/// Types that write themselves as something else than their fields.
const WRITTEN_AS: [(&str, &str); 4] =
    [("Value", "Json"), ("Timestamp", "string"), ("EntityName", "string"), ("MemoryRef", "string")];

/// What the sources say.
#[derive(Default)]
pub(super) struct Sources {
    types: BTreeMap<String, Item>,
    kinds: BTreeMap<String, Kind>,
}

struct Kind {
    about: String,
    data: String,
}

/// The inside of an `event_group!`.
struct Group(Vec<(String, Kind)>);

impl Parse for Group {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.call(Attribute::parse_outer)?;
        input.parse::<syn::Ident>()?;
        let (content, inside);
        braced!(content in input);
        inside = &content;
        let mut kinds = Vec::new();
        while !inside.is_empty() {
            let about = docs(&inside.call(Attribute::parse_outer)?);
            inside.parse::<syn::Ident>()?;
            let data;
            parenthesized!(data in inside);
            let data = data.parse::<syn::Ident>()?.to_string();
            inside.parse::<Token![=]>()?;
            let name = inside.parse::<syn::LitStr>()?.value();
            inside.parse::<syn::Ident>()?;
            inside.parse::<syn::LitInt>()?;
            inside.parse::<Option<Token![,]>>()?;
            kinds.push((name, Kind { about, data }));
        }
        Ok(Self(kinds))
    }
}

impl Sources {
    /// Reads all files of a folder.
    pub(super) fn read(folder: &Path) -> Self {
        let mut sources = Self::default();
        let mut folders = VecDeque::from([folder.to_owned()]);
        while let Some(folder) = folders.pop_front() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push_back(path);
                } else {
                    sources.add(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        sources
    }

    fn add(&mut self, text: &str) {
        for item in syn::parse_file(text).unwrap().items {
            match &item {
                Item::Macro(called) if called.mac.path.is_ident("event_group") => {
                    let Group(kinds) = called.mac.parse_body().unwrap();
                    self.kinds.extend(kinds);
                }
                Item::Struct(one) if is_written(&one.attrs) => {
                    self.types.insert(one.ident.to_string(), item);
                }
                Item::Enum(one) if is_written(&one.attrs) => {
                    self.types.insert(one.ident.to_string(), item);
                }
                _ => {}
            }
        }
    }

    /// All kinds, in the order of their names.
    pub(super) fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.keys().map(String::as_str)
    }
}

/// Writes the data of every kind, and whatever types it needs.
pub(super) fn write(out: &mut String, sources: &Sources, taken: &BTreeSet<String>) {
    let mut wanted: VecDeque<String> =
        sources.kinds.values().map(|kind| kind.data.clone()).collect();
    let mut done = BTreeSet::new();
    let mut written = BTreeMap::new();
    while let Some(name) = wanted.pop_front() {
        if !done.insert(name.clone()) {
            continue;
        }
        assert!(!taken.contains(&name), "{name} is a type of the routes and of the events");
        let mut text = String::new();
        let mut scope = Scope { sources, wanted: &mut wanted };
        match sources.types.get(&name).unwrap() {
            Item::Struct(one) => scope.object(&mut text, one),
            Item::Enum(one) => scope.choice(&mut text, one),
            _ => {}
        }
        written.insert(name, text);
    }
    out.extend(written.into_values());
    out.push_str("/** The data of an event, by its kind. */\nexport interface EventData {\n");
    for (name, kind) in &sources.kinds {
        comment(out, "  ", &kind.about);
        writeln!(out, "  \"{name}\": {};", kind.data).unwrap();
    }
    out.push_str("}\n\nexport type EventKind = keyof EventData;\n\n/** Every kind, with one line about it. */\n");
    out.push_str("export const EVENT_KINDS: Record<EventKind, string> = {\n");
    for (name, kind) in &sources.kinds {
        writeln!(out, "  \"{name}\": {:?},", kind.about).unwrap();
    }
    out.push_str("};\n");
}

struct Scope<'s> {
    sources: &'s Sources,
    wanted: &'s mut VecDeque<String>,
}

impl Scope<'_> {
    fn object(&mut self, out: &mut String, one: &syn::ItemStruct) {
        comment(out, "", &docs(&one.attrs));
        if let Fields::Unnamed(fields) = &one.fields {
            let inner = fields
                .unnamed
                .first()
                .map_or_else(|| "Json".to_owned(), |field| self.shape(&field.ty));
            writeln!(out, "export type {} = {inner};\n", one.ident).unwrap();
            return;
        }
        writeln!(out, "export interface {} {{", one.ident).unwrap();
        for field in &one.fields {
            let serde = serde_of(&field.attrs);
            let name =
                serde.get("rename").cloned().or_else(|| Some(field.ident.as_ref()?.to_string()));
            let mark = if serde.contains_key("skip_serializing_if") { "?" } else { "" };
            comment(out, "  ", &docs(&field.attrs));
            let mut shape = self.shape(&field.ty);
            if !mark.is_empty() {
                shape = shape.trim_end_matches(" | null").to_owned();
            }
            writeln!(out, "  {}{mark}: {shape};", name.unwrap_or_default()).unwrap();
        }
        out.push_str("}\n\n");
    }

    fn choice(&mut self, out: &mut String, one: &syn::ItemEnum) {
        comment(out, "", &docs(&one.attrs));
        let serde = serde_of(&one.attrs);
        let rule = serde.get("rename_all").map_or("", String::as_str);
        let variants = one.variants.iter().map(|variant| {
            let name = serde_of(&variant.attrs).get("rename").cloned();
            let name = name.unwrap_or_else(|| renamed(&variant.ident.to_string(), rule));
            let Fields::Unnamed(fields) = &variant.fields else {
                return format!("{name:?}");
            };
            match (serde.get("tag"), fields.unnamed.first()) {
                (Some(tag), Some(field)) => {
                    format!("({{ {tag}: {name:?} }} & {})", self.shape(&field.ty))
                }
                _ => "Json".to_owned(),
            }
        });
        let variants: Vec<_> = variants.collect();
        writeln!(out, "export type {} = {};\n", one.ident, variants.join(" | ")).unwrap();
    }

    fn shape(&mut self, of: &Type) -> String {
        let Type::Path(path) = of else { return "Json".to_owned() };
        let Some(last) = path.path.segments.last() else { return "Json".to_owned() };
        let inner = self.arguments(&last.arguments);
        let first = inner.first().cloned().unwrap_or_default();
        match last.ident.to_string().as_str() {
            "Option" => format!("{first} | null"),
            "Arc" | "Box" => first,
            "Vec" if first.contains(' ') => format!("({first})[]"),
            "Vec" => format!("{first}[]"),
            "BTreeMap" => {
                format!("{{ [key: string]: {} }}", inner.last().cloned().unwrap_or_default())
            }
            "bool" => "boolean".to_owned(),
            "u8" | "u16" | "u32" | "u64" | "i64" | "f32" | "f64" | "usize" => "number".to_owned(),
            "String" | "str" => "string".to_owned(),
            // Ids are written as text, all of them.
            id if id.ends_with("Id") && !self.sources.types.contains_key(id) => "string".to_owned(),
            name => self.named(name),
        }
    }

    /// What stands between the angle brackets of a type.
    fn arguments(&mut self, arguments: &PathArguments) -> Vec<String> {
        let PathArguments::AngleBracketed(arguments) = arguments else { return Vec::new() };
        let types = arguments.args.iter().filter_map(|argument| match argument {
            GenericArgument::Type(Type::Slice(slice)) => Some((&*slice.elem, "[]")),
            GenericArgument::Type(one) => Some((one, "")),
            _ => None,
        });
        types.map(|(one, mark)| self.shape(one) + mark).collect()
    }

    fn named(&mut self, name: &str) -> String {
        if let Some((_, written)) = WRITTEN_AS.iter().find(|(known, _)| *known == name) {
            return (*written).to_owned();
        }
        if self.sources.types.contains_key(name) {
            self.wanted.push_back(name.to_owned());
            return name.to_owned();
        }
        // It writes itself in a way that only its code knows; all such types of the domain are names.
        "string".to_owned()
    }
}

fn is_written(attributes: &[Attribute]) -> bool {
    let derives = attributes.iter().filter(|one| one.path().is_ident("derive"));
    let names = derives.filter_map(|one| {
        one.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated).ok()
    });
    names.flatten().any(|path| path.segments.last().is_some_and(|last| last.ident == "Serialize"))
}

fn docs(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|one| match &one.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    lines.map(|line| line.trim().to_owned()).collect::<Vec<_>>().join(" ")
}

/// The serde attributes of one thing: their names, with their values where they have some.
fn serde_of(attributes: &[Attribute]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for attribute in attributes.iter().filter(|one| one.path().is_ident("serde")) {
        attribute
            .parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
                let value = match meta.value() {
                    Ok(value) => value.parse::<syn::LitStr>()?.value(),
                    Err(_) => String::new(),
                };
                found.insert(name, value);
                Ok(())
            })
            .unwrap();
    }
    found
}

fn renamed(name: &str, rule: &str) -> String {
    match rule {
        "lowercase" => name.to_lowercase(),
        "UPPERCASE" => name.to_uppercase(),
        "snake_case" | "SCREAMING_SNAKE_CASE" => {
            let mut out = String::new();
            for (at, letter) in name.chars().enumerate() {
                if at > 0 && letter.is_uppercase() {
                    out.push('_');
                }
                out.push(letter);
            }
            if rule == "snake_case" { out.to_lowercase() } else { out.to_uppercase() }
        }
        _ => name.to_owned(),
    }
}
