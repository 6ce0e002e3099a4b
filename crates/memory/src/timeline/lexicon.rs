//! The word lists of the rules: corrections, verbs, names of days, in English, German, French and Spanish. All lower case.

mod attributes;
mod grammar;
mod index;
mod matters;
mod word_list;

pub(super) use self::attributes::{ATTRIBUTES, Attribute, OTHERS, TIMES};
pub(super) use self::grammar::{AT, FILLERS, OF, VERBS};
pub(super) use self::index::{
    attributes_of, day_near, month, number_of, own_stems, state_of, stem, weekday,
};
pub(super) use self::matters::{
    CALLED, MONEY, MONTHS, NEAR_DAYS, NUMBERS, PERCENT, ROLES, SLOTS, STATES, WEEKDAYS,
};
pub(super) use self::word_list::{PhraseList, WordList};

/// Words that say that something is so from now on, and was otherwise.
pub(super) static CHANGE: WordList = WordList::new(&[
    "moved",
    "move",
    "moves",
    "changed",
    "changes",
    "shifted",
    "postponed",
    "delayed",
    "rescheduled",
    "slipped",
    "pushed",
    "renamed",
    "replaced",
    "raised",
    "lowered",
    "increased",
    "reduced",
    "updated",
    "switched",
    "verschoben",
    "verlegt",
    "geändert",
    "umbenannt",
    "vertagt",
    "vorgezogen",
    "erhöht",
    "gesenkt",
    "umgezogen",
    "reporté",
    "reportée",
    "déplacé",
    "déplacée",
    "décalé",
    "décalée",
    "changé",
    "avancé",
    "avancée",
    "repoussé",
    "repoussée",
    "renommé",
    "renommée",
    "déménagé",
    "cambió",
    "cambiado",
    "cambiada",
    "movió",
    "aplazó",
    "aplazado",
    "aplazada",
    "adelantó",
    "pospuso",
    "trasladó",
    "retrasó",
    "renombró",
    "renombrado",
    "mudé",
]);

/// Words that say that this holds now.
pub(super) static NOW: WordList = WordList::new(&[
    "now",
    "instead",
    "jetzt",
    "nun",
    "stattdessen",
    "latest",
    "newest",
    "since",
    "finally",
    "recently",
    "nowadays",
    "henceforth",
    "neuerdings",
    "inzwischen",
    "mittlerweile",
    "künftig",
    "dorénavant",
    "últimamente",
    "maintenant",
    "désormais",
    "ahora",
    "new",
    "neue",
    "neuer",
    "neues",
    "neuen",
    "nouveau",
    "nouvelle",
    "nouvel",
    "nuevo",
    "nueva",
    "ab",
]);

/// The same in more than one word.
pub(super) static NOW_PHRASES: PhraseList = PhraseList::new(&[
    "from now on",
    "as of now",
    "these days",
    "from today",
    "from tomorrow",
    "from this month",
    "from this week",
    "from next month",
    "from next week",
    "as of today",
    "took over",
    "takes over",
    "has taken over",
    "ab heute",
    "ab morgen",
    "ab diesem monat",
    "ab dem",
    "seit heute",
    "seit kurzem",
    "à compter de",
    "à partir de",
    "dès aujourd",
    "ces jours",
    "desde hoy",
    "desde ahora",
    "a partir de",
    "hoy en día",
    "no longer",
    "any more",
    "anymore",
    "instead of",
    "rather than",
    "nicht mehr",
    "kein mehr",
    "statt",
    "anstatt",
    "von nun an",
    "ab jetzt",
    "ab sofort",
    "ne plus",
    "au lieu de",
    "au lieu du",
    "à la place",
    "à partir de maintenant",
    "ya no",
    "en vez de",
    "en lugar de",
    "a partir de ahora",
    "de ahora en adelante",
]);

/// Words of somebody who corrects themselves; they count at the beginning of a sentence.
pub(super) static CORRECTION: WordList = WordList::new(&[
    "no",
    "actually",
    "sorry",
    "correction",
    "wait",
    "oops",
    "nein",
    "doch",
    "eigentlich",
    "korrektur",
    "moment",
    "pardon",
    "entschuldigung",
    "sondern",
    "non",
    "rectification",
    "désolé",
    "désolée",
    "plutôt",
    "corrección",
    "perdón",
    "espera",
    "rather",
]);

/// The same in more than one word, anywhere.
pub(super) static CORRECTION_PHRASES: PhraseList = PhraseList::new(&[
    "i meant",
    "make that",
    "make it",
    "i mean",
    "ich meinte",
    "ich meine",
    "mach daraus",
    "sagen wir",
    "en fait",
    "je voulais dire",
    "disons",
    "mettons",
    "en realidad",
    "mejor dicho",
    "quise decir",
    "quería decir",
    "digamos",
    "que sean",
    "que sea",
]);

/// Words that say that both hold, or that it held once.
pub(super) static AGAINST: WordList = WordList::new(&[
    "too",
    "also",
    "additionally",
    "another",
    "second",
    "formerly",
    "previously",
    "earlier",
    "once",
    "auch",
    "außerdem",
    "zusätzlich",
    "früher",
    "damals",
    "ehemals",
    "aussi",
    "également",
    "avant",
    "autrefois",
    "jadis",
    "también",
    "además",
    "antes",
    "antiguamente",
    "used",
    "was",
    "were",
    "war",
    "waren",
    "était",
    "étaient",
    "era",
    "fue",
    "had",
    "last",
    "letzte",
    "letzten",
    "letztes",
    "dernier",
    "dernière",
    "pasado",
    "pasada",
    "weiterer",
    "weitere",
    "weiteres",
    "autre",
    "otro",
    "otra",
]);

/// Words of what is not so yet, or not sure.
pub(super) static HEDGE: WordList = WordList::new(&[
    "if",
    "maybe",
    "perhaps",
    "might",
    "may",
    "could",
    "would",
    "should",
    "possibly",
    "probably",
    "whether",
    "unless",
    "suppose",
    "propose",
    "suggest",
    "wenn",
    "falls",
    "vielleicht",
    "könnte",
    "könnten",
    "sollte",
    "sollten",
    "würde",
    "möglicherweise",
    "wahrscheinlich",
    "ob",
    "si",
    "peut-être",
    "pourrait",
    "pourrions",
    "devrait",
    "devrions",
    "probablement",
    "quizás",
    "quizá",
    "podría",
    "podríamos",
    "debería",
    "deberíamos",
    "probablemente",
    "thinks",
    "believes",
    "denkt",
    "glaubt",
    "meint",
    "pense",
    "croit",
    "piensa",
    "cree",
    "wants",
    "möchte",
    "veut",
    "quiere",
    "heard",
    "rumour",
    "rumor",
    "almost",
    "nearly",
    "wish",
    "hope",
    "hopes",
    "hoffe",
    "espère",
    "espero",
]);

/// Words by which a speaker means themselves.
pub(super) static SPEAKER: WordList = WordList::new(&[
    "i", "my", "mine", "ich", "mein", "meine", "meinen", "meinem", "meiner", "je", "j", "mon",
    "ma", "mes", "yo", "mi", "mis", "vivo", "trabajo", "tengo", "mudé", "prefiero", "me",
]);

/// Words by which speakers mean themselves and others with them.
pub(super) static TOGETHER: WordList = WordList::new(&[
    "we", "our", "ours", "us", "wir", "unser", "unsere", "unseren", "uns", "nous", "notre", "nos",
    "nosotros", "nuestro", "nuestra",
]);

/// Words with which a change is announced.
pub(super) static PLANS: WordList = WordList::new(&[
    "change",
    "plan",
    "plans",
    "update",
    "news",
    "änderung",
    "planänderung",
    "changement",
    "cambio",
    "novedad",
]);

/// Words for what was just spoken of.
pub(super) static PRONOUNS: WordList = WordList::new(&[
    "it", "that", "this", "es", "das", "c", "ce", "c'est", "eso", "esto", "mine", "he", "she",
    "his", "her", "its",
]);

/// Words that take back what their speaker said.
pub(super) static MISTAKE: WordList = WordList::new(&[
    "wrong",
    "mistake",
    "mistaken",
    "typo",
    "outdated",
    "falsch",
    "vertan",
    "irrtum",
    "veraltet",
    "trompé",
    "trompée",
    "erreur",
    "equivoqué",
    "error",
    "incorrecto",
    "incorrect",
    "correct",
    "corrected",
]);

/// Words before the day from which on something holds.
pub(super) static SINCE: WordList =
    WordList::new(&["from", "since", "of", "ab", "seit", "dès", "depuis", "desde", "de"]);

/// Words right before the name of a place or a machine.
pub(super) static DESIGNATORS: WordList = WordList::new(&[
    "room", "hall", "raum", "saal", "salle", "sala", "server", "host", "node", "serveur",
    "servidor",
]);

/// Words between a word of work and the name of an employer.
pub(super) static FOR: WordList =
    WordList::new(&["for", "with", "für", "mit", "pour", "avec", "para", "con", "bei", "chez"]);

/// Words before those.
pub(super) static WORKING: WordList = WordList::new(&[
    "work",
    "works",
    "working",
    "worked",
    "job",
    "employed",
    "been",
    "am",
    "m",
    "hired",
    "arbeite",
    "arbeitet",
    "angestellt",
    "bin",
    "travaille",
    "employé",
    "employée",
    "suis",
    "trabajo",
    "empleado",
    "empleada",
    "estoy",
]);

/// Words for where somebody lives.
pub(super) static HOMES: WordList = WordList::new(&[
    "home",
    "flat",
    "apartment",
    "house",
    "residence",
    "address",
    "wohnung",
    "zuhause",
    "haus",
    "adresse",
    "appartement",
    "maison",
    "logement",
    "piso",
    "casa",
    "dirección",
]);

/// Words behind the name of a place of which something is said.
pub(super) static WHERE: WordList = WordList::new(&["where", "wo", "où", "donde"]);

/// Words before the name of a person.
pub(super) static TITLES: WordList = WordList::new(&[
    "dr",
    "mr",
    "mrs",
    "ms",
    "prof",
    "professor",
    "herr",
    "frau",
    "mme",
    "mlle",
    "señor",
    "señora",
    "sr",
    "sra",
    "doctor",
    "doctora",
    "docteur",
]);

/// Words that begin a rule: what its speaker wants kept.
pub(super) static RULE: WordList = WordList::new(&[
    "never",
    "always",
    "must",
    "nie",
    "niemals",
    "immer",
    "muss",
    "müssen",
    "jamais",
    "toujours",
    "doit",
    "doivent",
    "nunca",
    "siempre",
    "debe",
    "deben",
    "forbidden",
    "verboten",
    "interdit",
    "prohibido",
]);

/// Words that deny.
pub(super) static DENIAL: WordList = WordList::new(&[
    "not", "no", "never", "don't", "doesn't", "isn't", "aren't", "won't", "can't", "cannot",
    "longer", "nicht", "kein", "keine", "keinen", "nie", "niemals", "ne", "n", "pas", "jamais",
    "plus", "nunca", "jamás", "ya",
]);

/// Phrases that take back what was said, without a value of their own.
pub(super) static NO_LONGER: PhraseList =
    PhraseList::new(&["no longer", "any more", "anymore", "nicht mehr", "ya no"]);

/// Words that say of the value beside them that it is not so.
pub(super) static NEGATION: WordList = WordList::new(&[
    "not", "don't", "doesn't", "isn't", "aren't", "won't", "never", "nicht", "kein", "keine",
    "keinen", "nie", "niemals", "pas", "jamais", "nunca", "jamás",
]);
