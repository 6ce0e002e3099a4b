//! Which words are of a person, and which of the project and the world: a rule over words in English, German, French and
//! Spanish.
//!
//! It errs towards private: a text in another language, a question, a word of a person's life or a secret is not shared. It
//! must never read who said the words or who asks.

use std::{collections::HashMap, sync::LazyLock};

/// Words by which a speaker means themselves.
const FIRST_PERSON: &[&str] = &[
    "i", "me", "my", "mine", "myself", "ich", "mich", "mir", "mein", "meine", "meinen", "meinem",
    "meiner", "meines", "je", "moi", "mon", "ma", "mes", "mien", "mienne", "yo", "mi", "mis",
    "mío", "mía", "míos", "mías", "conmigo", "soy", "estoy", "tengo", "vivo", "quiero", "voy",
    "necesito", "prefiero", "puedo", "nací", "cumplo", "gano", "llamo", "io", "mio", "mia", "miei",
    "meu", "minha", "meus", "minhas", "ik", "mijn", "mij",
];

/// Words by which a speaker means the agent: what is agreed between the two.
const SECOND_PERSON: &[&str] = &[
    "you", "your", "yours", "yourself", "du", "dich", "dir", "dein", "deine", "deinen", "deinem",
    "deiner", "tu", "toi", "ton", "ta", "tes", "vous", "votre", "vos", "usted", "tú", "tus",
    "contigo",
];

/// Words of people's lives: family, health, money, home.
const PERSONAL: &[&str] = &[
    "wife",
    "husband",
    "spouse",
    "girlfriend",
    "boyfriend",
    "fiancé",
    "fiancée",
    "mother",
    "father",
    "mom",
    "mum",
    "dad",
    "son",
    "daughter",
    "sister",
    "brother",
    "kids",
    "family",
    "birthday",
    "born",
    "married",
    "divorce",
    "divorced",
    "pregnant",
    "pregnancy",
    "sick",
    "illness",
    "disease",
    "cancer",
    "therapy",
    "therapist",
    "doctor",
    "hospital",
    "medication",
    "depression",
    "depressed",
    "salary",
    "wage",
    "wages",
    "debt",
    "debts",
    "loan",
    "mortgage",
    "bank",
    "iban",
    "passport",
    "religion",
    "gay",
    "lesbian",
    "lives",
    "phone",
    "quits",
    "quit",
    "resigns",
    "resigned",
    "allergic",
    "allergy",
    "ehefrau",
    "ehemann",
    "freundin",
    "mutter",
    "vater",
    "sohn",
    "tochter",
    "schwester",
    "bruder",
    "familie",
    "geburtstag",
    "geboren",
    "verheiratet",
    "geschieden",
    "scheidung",
    "schwanger",
    "krank",
    "krankheit",
    "krebs",
    "arzt",
    "ärztin",
    "krankenhaus",
    "gehalt",
    "lohn",
    "schulden",
    "kredit",
    "konto",
    "kontonummer",
    "telefonnummer",
    "handynummer",
    "handy",
    "wohnt",
    "allergisch",
    "mari",
    "épouse",
    "époux",
    "copine",
    "copain",
    "mère",
    "père",
    "fils",
    "fille",
    "sœur",
    "soeur",
    "frère",
    "famille",
    "anniversaire",
    "né",
    "née",
    "marié",
    "mariée",
    "divorcé",
    "divorcée",
    "enceinte",
    "malade",
    "maladie",
    "médecin",
    "hôpital",
    "salaire",
    "dette",
    "dettes",
    "banque",
    "téléphone",
    "habite",
    "habitent",
    "esposa",
    "esposo",
    "marido",
    "novia",
    "novio",
    "madre",
    "padre",
    "hijo",
    "hija",
    "hermana",
    "hermano",
    "familia",
    "cumpleaños",
    "nació",
    "casado",
    "casada",
    "divorcio",
    "divorciado",
    "divorciada",
    "embarazada",
    "enfermo",
    "enferma",
    "enfermedad",
    "cáncer",
    "médico",
    "sueldo",
    "salario",
    "deuda",
    "deudas",
    "banco",
    "cuenta",
    "teléfono",
    "móvil",
    "vive",
];

/// Words of secrets, and marks that something is not for others.
const SECRET: &[&str] = &[
    "password",
    "passwords",
    "passphrase",
    "passcode",
    "pin",
    "secret",
    "secrets",
    "token",
    "tokens",
    "credential",
    "credentials",
    "cvv",
    "otp",
    "private",
    "privately",
    "confidential",
    "confidentially",
    "passwort",
    "kennwort",
    "geheim",
    "geheimnis",
    "vertraulich",
    "privat",
    "zugangscode",
    "türcode",
    "geheimzahl",
    "confidentiel",
    "confidentielle",
    "privé",
    "privée",
    "secrète",
    "contraseña",
    "clave",
    "secreto",
    "secreta",
    "confidencial",
    "privado",
    "privada",
];

/// The same in more than one word.
const SECRET_PHRASES: &[&str] = &[
    "don't tell",
    "do not tell",
    "dont tell",
    "tell no one",
    "tell nobody",
    "between us",
    "between you",
    "to yourself",
    "off the record",
    "don't share",
    "do not share",
    "api key",
    "private key",
    "unter uns",
    "nicht weitersagen",
    "sag es niemand",
    "sags niemand",
    "erzähl es niemand",
    "für dich behalten",
    "behalte es für dich",
    "mot de passe",
    "entre nous",
    "ne le dis",
    "ne dis",
    "pour toi",
    "à personne",
    "entre nosotros",
    "no se lo digas",
    "no lo digas",
    "a nadie",
    "no lo cuentes",
];

/// Words that tell which of the four languages a text is in.
const FUNCTION_WORDS: &[&str] = &[
    "the", "is", "are", "was", "a", "an", "at", "to", "of", "on", "in", "for", "and", "no", "not",
    "from", "by", "will", "with", "der", "die", "das", "ist", "sind", "nicht", "kein", "keine",
    "am", "im", "für", "und", "ein", "eine", "auf", "um", "vom", "von", "mit", "le", "les", "est",
    "du", "au", "un", "une", "pas", "et", "pour", "avec", "el", "los", "las", "es", "del", "al",
    "una", "y", "en", "con", "la", "de",
];

/// A word of so many digits is a number of somebody's: a phone, an account.
const NUMBER_DIGITS_MIN: usize = 7;
/// So many groups of digits beside each other are one such number.
const NUMBER_GROUPS_MIN: usize = 4;
/// A code of so many digits opens something.
const CODE_DIGITS_MIN: usize = 3;
/// Words that say that a number beside them opens something.
const CODES: &[&str] = &["code", "codes", "kode", "código", "combination", "kombination"];

/// What a word says of whom it is about; several may come together.
mod class {
    pub(super) const FIRST: u8 = 1;
    pub(super) const SECOND: u8 = 2;
    pub(super) const PERSONAL: u8 = 4;
    pub(super) const SECRET: u8 = 8;
    pub(super) const CODE: u8 = 16;
    pub(super) const FUNCTION: u8 = 32;
}

/// All words of the lists with their classes: every passage of a long life is looked at when memory is loaded.
static CLASSES: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let lists = [
        (FIRST_PERSON, class::FIRST),
        (SECOND_PERSON, class::SECOND),
        (PERSONAL, class::PERSONAL),
        (SECRET, class::SECRET),
        (CODES, class::CODE),
        (FUNCTION_WORDS, class::FUNCTION),
    ];
    let mut classes = HashMap::new();
    for (words, class) in lists {
        for word in words {
            *classes.entry(*word).or_insert(0) |= class;
        }
    }
    classes
});

/// What the words of a text say of whom it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wording {
    /// It tells of the project or the world and nobody marked it private: it may be told to others.
    pub is_shared_matter: bool,
    /// It is about its own speaker ("my birthday is …"), about the one who is spoken to, or of somebody's life.
    pub speaks_of_a_person: bool,
}

impl Wording {
    /// Reads a text. Of what no person said (`is_of_person` is false), the speaker's "I" and "you" count for nothing.
    pub fn of(text: &str, is_of_person: bool) -> Self {
        let lower = text.to_lowercase().replace('\u{2019}', "'");
        let found = classes(&lower);
        let has = |class: u8| found & class != 0;
        let is_personal = has(class::FIRST | class::SECOND);
        let is_asked = is_of_person && lower.contains(['?', '¿']);
        let is_withheld =
            (is_of_person && is_personal) || is_asked || has(class::PERSONAL | class::SECRET);
        let is_shared_matter = !is_withheld
            && has(class::FUNCTION)
            && !SECRET_PHRASES.iter().any(|phrase| has_phrase(&lower, phrase))
            && !holds_number(&lower, has(class::CODE));
        Self { is_shared_matter, speaks_of_a_person: is_personal || has(class::PERSONAL) }
    }
}

/// Whether a text tells of the project or the world and nobody marked it private.
pub fn is_shared_matter(text: &str, is_of_person: bool) -> bool {
    Wording::of(text, is_of_person).is_shared_matter
}

/// The classes of all words of a text.
fn classes(lower: &str) -> u8 {
    pieces(lower).fold(0, |found, piece| {
        found
            | match piece.strip_suffix('\'') {
                // "j'ai", "m'appelle"; but not the metres of "5 m".
                Some("j" | "m") => class::FIRST,
                Some(piece) => CLASSES.get(piece).copied().unwrap_or(0),
                None => CLASSES.get(piece).copied().unwrap_or(0),
            }
    })
}

/// Whether a question is about the one who asks: "When is my birthday?".
pub fn is_about_oneself(question: &str) -> bool {
    const OWN: [&str; 28] = [
        "my",
        "mine",
        "myself",
        "mein",
        "meine",
        "meinen",
        "meinem",
        "meiner",
        "meines",
        "mon",
        "ma",
        "mes",
        "mi",
        "mis",
        "mío",
        "mía",
        "am i",
        "do i",
        "did i",
        "have i",
        "bin ich",
        "habe ich",
        "wohne ich",
        "suis-je",
        "j'habite",
        "soy yo",
        "vivo",
        "i live",
    ];
    let lower = question.to_lowercase().replace('\u{2019}', "'");
    let (phrases, single): (Vec<_>, Vec<_>) =
        OWN.into_iter().partition(|own| own.contains([' ', '-', '\'']));
    pieces(&lower).any(|piece| single.contains(&piece))
        || phrases.iter().any(|phrase| has_phrase(&lower, phrase))
}

/// The pieces of a text between signs; an apostrophe ends a piece and stays at its end.
fn pieces(lower: &str) -> impl Iterator<Item = &str> {
    lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .flat_map(|word| word.split_inclusive('\''))
        .filter(|piece| !piece.is_empty())
}

fn has_phrase(lower: &str, phrase: &str) -> bool {
    let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    lower.match_indices(phrase).any(|(at, found)| {
        let (before, after) = (lower.get(..at), lower.get(at + found.len()..));
        outside(before.and_then(|text| text.chars().next_back()))
            && (outside(after.and_then(|text| text.chars().next())) || phrase.ends_with("niemand"))
    })
}

/// Whether a text holds a number of somebody's, or a code.
fn holds_number(lower: &str, is_code: bool) -> bool {
    let mut groups = 0;
    for piece in lower.split(|c: char| !c.is_alphanumeric()).filter(|piece| !piece.is_empty()) {
        let digits = piece.chars().filter(char::is_ascii_digit).count();
        let is_number = digits == piece.chars().count();
        groups = if is_number { groups + 1 } else { 0 };
        let is_long = digits >= NUMBER_DIGITS_MIN || (is_code && digits >= CODE_DIGITS_MIN);
        if is_long || groups >= NUMBER_GROUPS_MIN {
            return true;
        }
    }
    false
}
