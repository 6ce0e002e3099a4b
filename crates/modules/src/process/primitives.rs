//! The allow-list: every primitive of the engine that a module may use, by name, and nothing else. An engine that begins
//! empty gets these and our prelude. Nothing here starts a thread or a program, reads a file, the environment, a clock or
//! random numbers, loads or evaluates code, catches errors (and so an interrupt), or has an order that differs from one
//! run to the next.

use steel::{
    SteelVal,
    steel_vm::{
        engine::Engine,
        primitives::{
            CONSTANTS_MODULE, EQUALITY_MODULE, IDENTITY_MODULE, LIST_MODULE, MAP_MODULE,
            NUMBER_MODULE, ORD_MODULE, STRING_MODULE, SYMBOL_MODULE, VECTOR_MODULE,
        },
    },
};

/// What an engine has before anything is given to it and that a module may use.
#[cfg(test)]
pub(super) const BEFOREHAND: &str = "error";

const NUMBERS: &str = "
    + - * / abs quotient remainder modulo floor ceiling round truncate sqrt square exp log expt sin
    cos atan exact inexact exact->inexact inexact->exact exact? inexact? zero? positive? negative?
    even? odd? nan? finite? infinite?";
const ORDER: &str = "< > <= >=";
const EQUALITY: &str = "= eq? eqv? equal?";
const KINDS: &str = "
    not number? integer? real? exact-integer? string? symbol? list? vector? hash? boolean? char?
    procedure? void?";
const LISTS: &str = "
    list cons car cdr first second third rest last length append reverse list-ref list-tail take
    empty? pair? member memq list-contains range apply list->string list->vector";
const STRINGS: &str = "
    string make-string string-append string-length string-ref substring string=? string<? string>?
    string<=? string>=? string-ci=? string-upcase string-downcase string-foldcase string-contains?
    starts-with? ends-with? trim trim-start trim-end split-whitespace split-many split-once
    string-replace string-join string->number number->string string->list string->symbol char-upcase
    char-downcase char-whitespace? char-digit? char=? char<? char>? char->integer integer->char";
const SYMBOLS: &str = "symbol->string symbol=?";
/// `hash->list` and its like are ours: the engine's follow an order that differs from one process to the next.
const MAPS: &str = "
    hash hash-insert hash-ref hash-try-get hash-contains? hash-remove hash-length hash-empty?
    hash-union";
const VECTORS: &str = "null? vector make-vector vector-ref vector-set! vector-length";
const CONSTANTS: &str = "void";
/// What the prelude alone uses, under a name that no module can write.
const HIDDEN: &[(&str, &str)] = &[("hash-keys->list", "#%hash-keys")];

/// Every name of the allow-list.
#[cfg(test)]
pub(super) fn allowed() -> impl Iterator<Item = &'static str> {
    [NUMBERS, ORDER, EQUALITY, KINDS, LISTS, STRINGS, SYMBOLS, MAPS, VECTORS, CONSTANTS]
        .into_iter()
        .flat_map(str::split_whitespace)
        .chain([BEFOREHAND])
}

/// Gives an empty engine what stands in the list; the error is the name that this version of the engine lacks.
pub(super) fn install(engine: &mut Engine) -> Result<(), &'static str> {
    let groups: [(Lookup, &'static str); 10] = [
        (|name| NUMBER_MODULE.with(|module| module.try_get_ref(name)), NUMBERS),
        (|name| ORD_MODULE.with(|module| module.try_get_ref(name)), ORDER),
        (|name| EQUALITY_MODULE.with(|module| module.try_get_ref(name)), EQUALITY),
        (|name| IDENTITY_MODULE.with(|module| module.try_get_ref(name)), KINDS),
        (|name| LIST_MODULE.with(|module| module.try_get_ref(name)), LISTS),
        (|name| STRING_MODULE.with(|module| module.try_get_ref(name)), STRINGS),
        (|name| SYMBOL_MODULE.with(|module| module.try_get_ref(name)), SYMBOLS),
        (|name| MAP_MODULE.with(|module| module.try_get_ref(name)), MAPS),
        (|name| VECTOR_MODULE.with(|module| module.try_get_ref(name)), VECTORS),
        (|name| CONSTANTS_MODULE.with(|module| module.try_get_ref(name)), CONSTANTS),
    ];
    for (lookup, names) in groups {
        for name in names.split_whitespace() {
            engine.register_value(name, lookup(name).ok_or(name)?);
        }
    }
    for (name, hidden) in HIDDEN {
        let value = MAP_MODULE.with(|module| module.try_get_ref(name));
        engine.register_value(hidden, value.ok_or(*name)?);
    }
    Ok(())
}

type Lookup = fn(&str) -> Option<SteelVal>;
