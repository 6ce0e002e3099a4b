//! Names of matters that have one value at a time, and of values: months, days, numbers, states.

use super::word_list::WordList;

/// Different words for one matter that has one value.
pub(in crate::timeline) const SLOTS: &[(&str, &[&str])] = &[
    (
        "~phone",
        &[
            "phone",
            "mobile",
            "cell",
            "telephone",
            "telefon",
            "telefonnummer",
            "handynummer",
            "handy",
            "téléphone",
            "portable",
            "teléfono",
            "móvil",
        ],
    ),
    ("~deadline", &["deadline", "frist", "abgabefrist", "abgabe", "échéance", "plazo", "fällig"]),
    ("~launch", &["launch", "golive", "go-live", "lancement", "lanzamiento", "markteinführung"]),
    ("~price", &["price", "preis", "prix", "precio"]),
    ("~limit", &["limit", "maximum", "obergrenze", "limite", "límite", "máximo"]),
    ("~version", &["version", "versión"]),
    ("~room", &["room", "raum", "salle", "sala"]),
    ("~address", &["address", "adresse", "anschrift", "dirección"]),
    ("~employer", &["employer", "arbeitgeber", "employeur"]),
    (
        "~residence",
        &[
            "live",
            "lives",
            "wohne",
            "wohnt",
            "lebe",
            "habite",
            "vis",
            "vivo",
            "mudé",
            "umgezogen",
            "déménagé",
        ],
    ),
    ("~work", &["work", "works", "arbeite", "arbeitet", "travaille", "trabajo"]),
    ("~birthday", &["birthday", "geburtstag", "anniversaire", "cumpleaños"]),
];

/// What somebody is: one person at a time holds it.
pub(in crate::timeline) static ROLES: WordList = WordList::new(&[
    "head",
    "lead",
    "leader",
    "manager",
    "boss",
    "director",
    "ceo",
    "cto",
    "owner",
    "chair",
    "coordinator",
    "leiter",
    "leiterin",
    "chef",
    "chefin",
    "leitung",
    "directeur",
    "directrice",
    "responsable",
    "jefe",
    "jefa",
    "directora",
]);

/// Months, from January.
pub(in crate::timeline) const MONTHS: [&[&str]; 12] = [
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
pub(in crate::timeline) const WEEKDAYS: [&[&str]; 7] = [
    &["monday", "montag", "montags", "lundi", "lunes", "mondays"],
    &["tuesday", "dienstag", "dienstags", "mardi", "martes", "tuesdays"],
    &["wednesday", "mittwoch", "mittwochs", "mercredi", "miércoles", "wednesdays"],
    &["thursday", "donnerstag", "donnerstags", "jeudi", "jueves", "thursdays"],
    &["friday", "freitag", "freitags", "vendredi", "viernes", "fridays"],
    &["saturday", "samstag", "samstags", "samedi", "sábado", "saturdays"],
    &["sunday", "sonntag", "sonntags", "dimanche", "domingo", "sundays"],
];

/// Days by their distance from the day of the words.
pub(in crate::timeline) const NEAR_DAYS: &[(&str, i64)] = &[
    ("today", 0),
    ("tonight", 0),
    ("tomorrow", 1),
    ("heute", 0),
    ("morgen", 1),
    ("übermorgen", 2),
    ("aujourd'hui", 0),
    ("demain", 1),
    ("après-demain", 2),
    ("hoy", 0),
    ("mañana", 1),
];

/// Numbers in words.
pub(in crate::timeline) const NUMBERS: &[(&str, &str)] = &[
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("twenty", "20"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("fünf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("acht", "8"),
    ("neun", "9"),
    ("zehn", "10"),
    ("deux", "2"),
    ("trois", "3"),
    ("quatre", "4"),
    ("cinq", "5"),
    ("sept", "7"),
    ("huit", "8"),
    ("neuf", "9"),
    ("dix", "10"),
    ("dos", "2"),
    ("tres", "3"),
    ("cuatro", "4"),
    ("cinco", "5"),
    ("seis", "6"),
    ("siete", "7"),
    ("ocho", "8"),
    ("nueve", "9"),
    ("diez", "10"),
];

/// Words behind a number that make it a share.
pub(in crate::timeline) static PERCENT: WordList =
    WordList::new(&["%", "percent", "prozent", "pourcent", "pour", "por"]);
/// Words beside a number that make it money.
pub(in crate::timeline) static MONEY: WordList = WordList::new(&[
    "€", "$", "£", "euro", "euros", "eur", "dollar", "dollars", "dólares", "usd", "chf", "franken",
    "francs", "pounds",
]);
/// States that exclude each other.
pub(in crate::timeline) const STATES: &[(&str, &str)] = &[
    ("open", "open"),
    ("closed", "closed"),
    ("enabled", "on"),
    ("disabled", "off"),
    ("offen", "open"),
    ("geöffnet", "open"),
    ("geschlossen", "closed"),
    ("ouvert", "open"),
    ("ouverte", "open"),
    ("fermé", "closed"),
    ("fermée", "closed"),
    ("abierto", "open"),
    ("abierta", "open"),
    ("cerrado", "closed"),
    ("cerrada", "closed"),
    ("cancelled", "off"),
    ("canceled", "off"),
    ("abgesagt", "off"),
    ("annulé", "off"),
    ("annulée", "off"),
    ("cancelado", "off"),
    ("cancelada", "off"),
    ("aktiviert", "on"),
    ("deaktiviert", "off"),
    ("activé", "on"),
    ("désactivé", "off"),
    ("activado", "on"),
    ("desactivado", "off"),
];
/// Words before a name that something has.
pub(in crate::timeline) static CALLED: WordList = WordList::new(&[
    "called",
    "named",
    "heißt",
    "appelle",
    "llama",
    "renamed",
    "umbenannt",
    "renommé",
    "renommée",
]);
