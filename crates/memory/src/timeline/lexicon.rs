//! The word lists of the rules: corrections, verbs, names of days, in English, German, French and Spanish. All lower case.

/// Words that say that something is so from now on, and was otherwise.
pub(super) const CHANGE: &[&str] = &[
    "moved", "move", "moves", "changed", "changes", "shifted", "postponed", "delayed", "rescheduled", "slipped",
    "pushed", "renamed", "replaced", "raised", "lowered", "increased", "reduced", "updated", "switched",
    "verschoben", "verlegt", "geändert", "umbenannt", "vertagt", "vorgezogen", "erhöht", "gesenkt", "umgezogen",
    "reporté", "reportée", "déplacé", "déplacée", "décalé", "décalée", "changé", "avancé", "avancée", "repoussé",
    "repoussée", "renommé", "renommée", "déménagé", "cambió", "cambiado", "cambiada", "movió", "aplazó", "aplazado",
    "aplazada", "adelantó", "pospuso", "trasladó", "retrasó", "renombró", "renombrado", "mudé",
];

/// Words that say that this holds now.
pub(super) const NOW: &[&str] = &[
    "now", "instead", "jetzt", "nun", "stattdessen", "maintenant", "désormais", "dorénavant", "ahora", "new", "neue",
    "neuer", "neues", "neuen", "nouveau", "nouvelle", "nouvel", "nuevo", "nueva", "ab",
];

/// The same in more than one word.
pub(super) const NOW_PHRASES: &[&str] = &[
    "from now on", "as of now", "no longer", "any more", "anymore", "instead of", "rather than", "nicht mehr", "kein mehr",
    "statt", "anstatt", "von nun an", "ab jetzt", "ab sofort", "ne plus", "au lieu de", "au lieu du", "à la place", "à partir de maintenant",
    "ya no", "en vez de", "en lugar de", "a partir de ahora", "de ahora en adelante",
];

/// Words of somebody who corrects themselves; they count at the beginning of a sentence.
pub(super) const CORRECTION: &[&str] = &[
    "no", "actually", "sorry", "correction", "wait", "oops", "nein", "doch", "eigentlich", "korrektur", "moment",
    "pardon", "entschuldigung", "sondern", "non", "rectification", "désolé", "désolée", "plutôt", "corrección", "perdón", "espera",
    "rather",
];

/// The same in more than one word, anywhere.
pub(super) const CORRECTION_PHRASES: &[&str] = &[
    "i meant", "make that", "make it", "i mean", "ich meinte", "ich meine", "mach daraus", "sagen wir", "en fait", "je voulais dire", "disons",
    "mettons", "en realidad", "mejor dicho", "quise decir", "quería decir", "digamos", "que sean", "que sea",
];

/// Words that say that both hold, or that it held once.
pub(super) const AGAINST: &[&str] = &[
    "too", "also", "additionally", "another", "second", "formerly", "previously", "earlier", "once", "auch", "außerdem",
    "zusätzlich", "früher", "damals", "ehemals", "aussi", "également", "avant", "autrefois", "jadis", "también",
    "además", "antes", "antiguamente", "used", "was", "were", "war", "waren", "était", "étaient", "era", "fue", "had",
    "last", "letzte", "letzten", "letztes", "dernier", "dernière", "pasado", "pasada", "weiterer", "weitere", "weiteres", "autre", "otro", "otra",
];

/// Words of what is not so yet, or not sure.
pub(super) const HEDGE: &[&str] = &[
    "if", "maybe", "perhaps", "might", "may", "could", "would", "should", "possibly", "probably", "whether", "unless", "suppose",
    "propose", "suggest", "wenn", "falls", "vielleicht", "könnte", "könnten", "sollte", "sollten", "würde", "möglicherweise", "wahrscheinlich",
    "ob", "si", "peut-être", "pourrait", "pourrions", "devrait", "devrions", "probablement", "quizás", "quizá", "podría", "podríamos",
    "debería", "deberíamos", "probablemente", "thinks", "believes", "denkt", "glaubt", "meint", "pense", "croit", "piensa", "cree", "wants",
    "möchte", "veut", "quiere", "heard", "rumour", "rumor", "almost", "nearly", "wish", "hope", "hopes", "hoffe", "espère", "espero",
];

/// Words by which a speaker means themselves.
pub(super) const SPEAKER: &[&str] = &[
    "i", "my", "mine", "ich", "mein", "meine", "meinen", "meinem", "meiner", "je", "j", "mon", "ma", "mes", "yo", "mi", "mis",
    "vivo", "trabajo", "tengo", "mudé", "prefiero", "me",
];

/// Words that begin a rule: what its speaker wants kept.
pub(super) const RULE: &[&str] = &[
    "never", "always", "must", "nie", "niemals", "immer", "muss", "müssen", "jamais", "toujours", "doit", "doivent", "nunca", "siempre",
    "debe", "deben", "forbidden", "verboten", "interdit", "prohibido",
];

/// Words that deny.
pub(super) const DENIAL: &[&str] = &[
    "not", "no", "never", "don't", "doesn't", "isn't", "aren't", "won't", "can't", "cannot", "longer", "nicht", "kein", "keine", "keinen",
    "nie", "niemals", "ne", "n", "pas", "jamais", "plus", "nunca", "jamás", "ya",
];

/// Phrases that take back what was said, without a value of their own.
pub(super) const NO_LONGER: &[&str] = &["no longer", "any more", "anymore", "nicht mehr", "ya no"];

/// Verbs that part what is spoken of from what is said of it.
pub(super) const VERBS: &[&str] = &[
    "is", "are", "be", "been", "will", "has", "have", "was", "were", "gets", "starts", "begins", "begin", "takes", "happens",
    "costs", "cost", "runs", "opens", "closes", "ends", "lives", "live", "works", "work", "called", "named", "stays",
    "goes", "go", "going", "ship", "ships", "meet", "meets", "meeting's", "use", "uses", "eat", "eats", "drink", "like", "likes", "prefer", "prefers",
    "visited", "visit", "bought", "moved", "ist", "sind", "wird", "werden", "war", "waren", "hat", "haben", "findet", "beginnt", "startet", "kostet", "heißt",
    "wurde", "wurden", "liegt", "wohne", "wohnt", "lebe", "lebt", "arbeite", "arbeitet", "bleibt", "esse", "trinke", "mag", "nutzen", "nutze", "gilt", "est", "sont", "sera", "seront",
    "a", "commence", "coûte", "appelle", "habite", "vis", "travaille", "mange", "bois", "aime", "utilise", "utilisons", "était", "étaient", "era", "fue", "es", "son", "está", "están", "será", "serán",
    "empieza", "comienza", "cuesta", "llama", "ha", "vivo", "trabajo", "como", "bebo", "usamos", "se", "été", "sido", "am's",
];

/// Articles, pronouns and what else says nothing about the matter.
pub(super) const FILLERS: &[&str] = &[
    "the", "an", "this", "that", "these", "those", "our", "we", "us", "it", "they", "he", "she", "there", "please", "so", "ok", "okay",
    "well", "hi", "hello", "and", "but", "just", "all", "everybody", "only", "then", "back", "forward", "again", "place", "s", "m", "re", "d", "ll", "t", "l", "c", "n", "qu",
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "unser", "unsere", "unserer", "unseren", "wir", "uns", "es", "er", "sie",
    "statt", "und", "aber", "bitte", "also", "auf", "le", "la", "les", "un", "une", "notre", "nos", "nous", "ce", "cette", "c'", "ça", "il", "elle", "on", "et", "mais",
    "el", "los", "las", "una", "unos", "nuestro", "nuestra", "nosotros", "lo", "y", "pero", "este", "esta", "date", "datum", "termin", "fecha",
    "day", "tag", "jour", "día", "time", "uhrzeit", "uhr", "heure", "heures", "hora", "horas", "o'clock", "final", "current", "aktuell", "aktuelle", "aktueller", "actuel", "actuelle", "actual",
    "next", "nächste", "nächster", "prochain", "prochaine", "próximo", "próxima", "number", "nummer", "numéro", "número", "correct", "ist", "dir", "me", "you", "te", "nous", "up", "now", "to",
    "make", "meant", "mean", "meinte", "voulais", "dire", "disons", "mettons", "mejor", "dicho", "quise", "decir", "quería", "digamos",
    "remember", "note", "merke", "merk", "dass", "retiens", "que", "recuerda", "mehr", "sean", "sea", "sagen", "mach", "daraus", "fait", "realidad",
];

/// Words that join what is said more closely: what follows narrows what is spoken of.
pub(super) const OF: &[&str] = &[
    "of", "for", "with", "about", "von", "vom", "für", "mit", "über", "de", "du", "d'", "pour", "avec", "del", "para", "con", "sobre",
];

/// Words before a place, a time or a value.
pub(super) const AT: &[&str] = &[
    "on", "at", "in", "to", "from", "by", "until", "before", "after", "above", "below", "under", "over", "am", "um", "im", "an", "bis", "nach", "zu", "zum", "zur", "ab", "auf", "bei",
    "unter", "à", "au", "aux", "en", "dans", "avant", "après", "sur", "jusqu", "al", "a", "hasta", "por", "than",
];

/// Different words for one matter that has one value.
pub(super) const SLOTS: &[(&str, &[&str])] = &[
    ("~phone", &["phone", "mobile", "cell", "telephone", "telefon", "telefonnummer", "handynummer", "handy", "téléphone", "portable", "teléfono", "móvil"]),
    ("~deadline", &["deadline", "frist", "abgabefrist", "abgabe", "échéance", "plazo", "fällig"]),
    ("~launch", &["launch", "golive", "go-live", "lancement", "lanzamiento", "markteinführung"]),
    ("~price", &["price", "preis", "prix", "precio"]),
    ("~limit", &["limit", "maximum", "obergrenze", "limite", "límite", "máximo"]),
    ("~version", &["version", "versión"]),
    ("~room", &["room", "raum", "salle", "sala"]),
    ("~address", &["address", "adresse", "anschrift", "dirección"]),
    ("~employer", &["employer", "arbeitgeber", "employeur"]),
    ("~residence", &["live", "lives", "wohne", "wohnt", "lebe", "habite", "vis", "vivo", "mudé", "umgezogen", "déménagé"]),
    ("~work", &["work", "works", "arbeite", "arbeitet", "travaille", "trabajo"]),
    ("~birthday", &["birthday", "geburtstag", "anniversaire", "cumpleaños"]),
];

/// What somebody is: one person at a time holds it.
pub(super) const ROLES: &[&str] = &[
    "head", "lead", "leader", "manager", "boss", "director", "ceo", "cto", "owner", "chair", "coordinator", "leiter", "leiterin", "chef", "chefin",
    "leitung", "directeur", "directrice", "responsable", "jefe", "jefa", "directora",
];

/// Months, from January.
pub(super) const MONTHS: [&[&str]; 12] = [
    &["january", "jan", "januar", "janvier", "enero"],
    &["february", "feb", "februar", "février", "febrero"],
    &["march", "mar", "märz", "mars", "marzo"],
    &["april", "apr", "avril", "abril"],
    &["may", "mai", "mayo"],
    &["june", "jun", "juni", "juin", "junio"],
    &["july", "jul", "juli", "juillet", "julio"],
    &["august", "aug", "août", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre"],
    &["november", "nov", "novembre", "noviembre"],
    &["december", "dec", "dezember", "dez", "décembre", "diciembre"],
];

/// Days of the week, from Monday.
pub(super) const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "montag", "montags", "lundi", "lunes", "mondays"],
    &["tuesday", "dienstag", "dienstags", "mardi", "martes", "tuesdays"],
    &["wednesday", "mittwoch", "mittwochs", "mercredi", "miércoles", "wednesdays"],
    &["thursday", "donnerstag", "donnerstags", "jeudi", "jueves", "thursdays"],
    &["friday", "freitag", "freitags", "vendredi", "viernes", "fridays"],
    &["saturday", "samstag", "samstags", "samedi", "sábado", "saturdays"],
    &["sunday", "sonntag", "sonntags", "dimanche", "domingo", "sundays"],
];

/// Days by their distance from the day of the words.
pub(super) const NEAR_DAYS: &[(&str, i64)] = &[
    ("today", 0), ("tonight", 0), ("tomorrow", 1), ("heute", 0), ("morgen", 1), ("übermorgen", 2), ("aujourd'hui", 0), ("demain", 1),
    ("après-demain", 2), ("hoy", 0), ("mañana", 1),
];

/// Numbers in words.
pub(super) const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"), ("three", "3"), ("four", "4"), ("five", "5"), ("six", "6"), ("seven", "7"), ("eight", "8"), ("nine", "9"), ("ten", "10"),
    ("eleven", "11"), ("twelve", "12"), ("twenty", "20"), ("zwei", "2"), ("drei", "3"), ("vier", "4"), ("fünf", "5"), ("sechs", "6"), ("sieben", "7"), ("acht", "8"),
    ("neun", "9"), ("zehn", "10"), ("deux", "2"), ("trois", "3"), ("quatre", "4"), ("cinq", "5"), ("sept", "7"), ("huit", "8"), ("neuf", "9"),
    ("dix", "10"), ("dos", "2"), ("tres", "3"), ("cuatro", "4"), ("cinco", "5"), ("seis", "6"), ("siete", "7"), ("ocho", "8"), ("nueve", "9"),
    ("diez", "10"),
];

/// Words behind a number that make it a share.
pub(super) const PERCENT: &[&str] = &["%", "percent", "prozent", "pourcent", "pour", "por"];
/// Words beside a number that make it money.
pub(super) const MONEY: &[&str] = &[
    "€", "$", "£", "euro", "euros", "eur", "dollar", "dollars", "dólares", "usd", "chf", "franken", "francs", "pounds",
];
/// States that exclude each other.
pub(super) const STATES: &[(&str, &str)] = &[
    ("open", "open"), ("closed", "closed"), ("enabled", "on"), ("disabled", "off"), ("offen", "open"), ("geöffnet", "open"), ("geschlossen", "closed"),
    ("ouvert", "open"), ("ouverte", "open"), ("fermé", "closed"), ("fermée", "closed"), ("abierto", "open"), ("abierta", "open"), ("cerrado", "closed"),
    ("cerrada", "closed"), ("cancelled", "off"), ("canceled", "off"), ("abgesagt", "off"), ("annulé", "off"), ("annulée", "off"), ("cancelado", "off"), ("cancelada", "off"),
    ("aktiviert", "on"), ("deaktiviert", "off"), ("activé", "on"), ("désactivé", "off"), ("activado", "on"), ("desactivado", "off"),
];
/// Words before a name that something has.
pub(super) const CALLED: &[&str] = &["called", "named", "heißt", "appelle", "llama", "renamed", "umbenannt", "renommé", "renommée"];

/// Whether a list holds a word.
pub(super) fn is_in(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}
