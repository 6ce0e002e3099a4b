//! What only a memory module has: passages as values and their accessors; and what Scheme hands to Rust because it is slow there,
//! sorts and the application of native functions. All of it reads what the call handed in, and nothing else.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use steel::{
    SteelErr, SteelVal,
    gc::ShareableMut as _,
    rerrs::ErrorKind,
    rvals::{Custom, IntoSteelVal as _, SteelString, as_underlying_type},
    steel_vm::{engine::Engine, register_fn::RegisterFn as _},
};

use crate::{
    features::PassageFeatures,
    passage::{RankRequest, RankedPassage},
};

/// A passage as Scheme holds it.
struct PassageValue {
    id: isize,
    text: SteelString,
    speaker: SteelString,
    role: SteelString,
    at: f64,
    features: [f64; PassageFeatures::NAMES.len()],
}

impl Custom for PassageValue {}

/// Who asks in the call that runs.
#[derive(Clone, Default)]
pub(super) struct Asker(Arc<Mutex<Option<String>>>);

impl Asker {
    pub(super) fn set(&self, name: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }

    /// The name, or false where nobody knows it.
    fn value(&self) -> SteelVal {
        match self.0.lock().unwrap_or_else(PoisonError::into_inner).as_deref() {
            Some(name) => SteelVal::StringV(name.into()),
            None => SteelVal::BoolV(false),
        }
    }
}

type Accessor = fn(&[SteelVal]) -> Result<SteelVal, SteelErr>;

/// Gives an engine the accessors.
pub(super) fn install(engine: &mut Engine, asker: &Asker) {
    let accessors: [(&str, Accessor); 6] = [
        ("passage-id", |arguments| of_passage(arguments, |p| SteelVal::IntV(p.id))),
        ("passage-text", |arguments| of_passage(arguments, |p| SteelVal::StringV(p.text.clone()))),
        ("passage-speaker", |arguments| {
            of_passage(arguments, |p| SteelVal::StringV(p.speaker.clone()))
        }),
        ("passage-role", |arguments| of_passage(arguments, |p| SteelVal::SymbolV(p.role.clone()))),
        ("passage-at", |arguments| of_passage(arguments, |p| SteelVal::NumV(p.at))),
        ("feature", feature),
    ];
    for (name, accessor) in accessors {
        engine.register_value(name, SteelVal::FuncV(accessor));
    }
    let asker = asker.clone();
    engine.register_fn("asker", move || asker.value());
}

/// Gives an engine what the prelude leaves to Rust; every kind of module has it.
pub(super) fn install_helpers(engine: &mut Engine) {
    engine.register_value("#%sort-descending", SteelVal::FuncV(sort_descending));
    engine.register_value("#%sort-keys", SteelVal::FuncV(sort_keys));
    engine.register_value("#%map-native", SteelVal::FuncV(map_native));
}

/// What a function of ours or of the engine gives for each item, in order; void where the function is a module's own, which only the
/// engine can call.
fn map_native(arguments: &[SteelVal]) -> Result<SteelVal, SteelErr> {
    let [SteelVal::FuncV(function), SteelVal::ListV(items)] = arguments else {
        return Ok(SteelVal::Void);
    };
    let mapped = items.iter().map(|item| function(std::slice::from_ref(item)));
    Ok(SteelVal::ListV(mapped.collect::<Result<_, SteelErr>>()?))
}

/// The arguments of `rank`; the texts leave the request, whose ids stay.
pub(super) fn arguments(request: &mut RankRequest) -> Result<Vec<SteelVal>, SteelErr> {
    let person: SteelString = "person".into();
    let agent: SteelString = "agent".into();
    let passages = request.passages.iter_mut().map(|passage| {
        let role = if passage.role.name() == "agent" { &agent } else { &person };
        passage_value(passage, role.clone())
    });
    let passages = passages.collect::<Result<_, SteelErr>>()?;
    let question = SteelVal::StringV(mem::take(&mut request.question).into());
    Ok(vec![question, SteelVal::ListV(passages), SteelVal::NumV(request.now)])
}

fn passage_value(passage: &mut RankedPassage, role: SteelString) -> Result<SteelVal, SteelErr> {
    PassageValue {
        id: isize::try_from(passage.id).unwrap_or(isize::MAX),
        text: mem::take(&mut passage.text).into(),
        speaker: mem::take(&mut passage.speaker).into(),
        role,
        at: passage.at,
        features: passage.features.values(),
    }
    .into_steelval()
}

fn of_passage(
    arguments: &[SteelVal],
    read: fn(&PassageValue) -> SteelVal,
) -> Result<SteelVal, SteelErr> {
    let [SteelVal::Custom(value)] = arguments else {
        return Err(wrong("a passage is needed, and nothing else"));
    };
    let value = value.read();
    let passage = as_underlying_type::<PassageValue>(value.as_ref());
    passage.map(read).ok_or_else(|| wrong("a passage is needed"))
}

fn feature(arguments: &[SteelVal]) -> Result<SteelVal, SteelErr> {
    let [SteelVal::Custom(value), SteelVal::SymbolV(name)] = arguments else {
        return Err(wrong("feature needs a passage and the name of a feature, such as 'score"));
    };
    let value = value.read();
    let passage = as_underlying_type::<PassageValue>(value.as_ref());
    let passage = passage.ok_or_else(|| wrong("feature needs a passage"))?;
    let place = PassageFeatures::NAMES.iter().position(|known| *known == name.as_str());
    let number = place.and_then(|place| passage.features.get(place));
    number
        .map(|number| SteelVal::NumV(*number))
        .ok_or_else(|| wrong(format!("there is no feature `{}`", name.as_str())))
}

/// Items by their keys, the greatest first; equal ones in their order.
fn sort_descending(arguments: &[SteelVal]) -> Result<SteelVal, SteelErr> {
    let [SteelVal::ListV(keys), SteelVal::ListV(items)] = arguments else {
        return Err(wrong("sort-by-descending needs a function and a list"));
    };
    let mut keyed = Vec::with_capacity(items.len());
    for (key, item) in keys.iter().zip(items.iter()) {
        let key = number(key).ok_or_else(|| {
            wrong("sort-by-descending: the function must give a number for every item")
        })?;
        keyed.push((key, item));
    }
    // None is NaN, so that every pair has an order.
    keyed.sort_by(|(one, _), (other, _)| {
        other.partial_cmp(one).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(SteelVal::ListV(keyed.into_iter().map(|(_, item)| item.clone()).collect()))
}

fn number(value: &SteelVal) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "an order by keys; those that large are equal")]
    match value {
        SteelVal::NumV(number) => (!number.is_nan()).then_some(*number),
        SteelVal::IntV(number) => Some(*number as f64),
        SteelVal::Rational(number) => Some(f64::from(*number.numer()) / f64::from(*number.denom())),
        _ => None,
    }
}

/// Keys of a map in an order of their own: numbers, then texts, then symbols, then what else there is as it is written.
fn sort_keys(arguments: &[SteelVal]) -> Result<SteelVal, SteelErr> {
    let [SteelVal::ListV(keys)] = arguments else {
        return Err(wrong("a map is needed"));
    };
    let mut ranked: Vec<(u8, isize, String, &SteelVal)> = keys.iter().map(ranked_key).collect();
    ranked.sort_by(|one, other| (one.0, one.1, &one.2).cmp(&(other.0, other.1, &other.2)));
    Ok(SteelVal::ListV(ranked.into_iter().map(|(.., key)| key.clone()).collect()))
}

fn ranked_key(key: &SteelVal) -> (u8, isize, String, &SteelVal) {
    match key {
        SteelVal::IntV(number) => (0, *number, String::new(), key),
        SteelVal::StringV(text) => (1, 0, text.as_str().to_owned(), key),
        SteelVal::SymbolV(text) => (2, 0, text.as_str().to_owned(), key),
        other => (3, 0, other.to_string(), key),
    }
}

pub(super) fn wrong(message: impl Into<String>) -> SteelErr {
    SteelErr::new(ErrorKind::Generic, message.into())
}
