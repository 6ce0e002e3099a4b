//! The words of dates in English, German, French and Spanish, as phrases without accents and in lower case.
//!
//! The longest phrase wins at each place ([`super::lexer`]): `pasado mañana` is not `mañana`, `après-demain` is not `demain`.

use std::{collections::HashMap, sync::LazyLock};

use super::token::bare_words;

/// What a phrase means in a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// Nothing of a date.
    Other,
    /// It only looks like a word of a date: `guten Morgen`.
    Blocked,
    /// What follows comes again and again: `every`.
    Every,
    /// Digits, and how many of them.
    Digits(u32, usize),
    /// A number in words.
    Count(u32),
    /// `a` in English, `à` in French, `a` in Spanish.
    A,
    /// So many days from today.
    Day(i64),
    /// A part of a day.
    Part(DayPart),
    /// A part of a day that is so many days from today.
    PartOfDay(i64, DayPart),
    /// Monday is 0.
    Weekday(i8),
    /// `Dienstagabend`.
    PartOfWeekday(i8, DayPart),
    /// January is 1.
    Month(i8),
    /// A length of time.
    Unit(Unit),
    /// So many of a unit.
    Span(u32, Unit),
    /// Eight days in words: a week, or eight days.
    EightDays,
    /// `in`, before a length.
    In,
    /// `ago`, after a length.
    Ago,
    /// `vor`, `il y a`, `hace`, before a length.
    AgoBefore,
    /// `from now`, after a length.
    FromNow,
    /// `from`.
    From,
    /// `this`.
    This,
    /// `next`.
    Next,
    /// `last`.
    Last,
    /// `at`, before a time.
    At,
    /// `on` and articles, before a day.
    On,
    /// `le` and `el`, before a day or a number.
    Le,
    /// `on the`.
    OnThe,
    /// `of`.
    Of,
    /// Twelve o'clock at day.
    Noon,
    /// Twelve o'clock at night.
    Midnight,
    /// `o'clock`, `Uhr`, `heures`: hours of the clock, and hours as a length.
    Hours,
    /// Before noon; in German also `on`.
    Am,
    /// After noon.
    Pm,
    /// `halb`: half an hour before.
    HalfTo,
    /// So many minutes after the hour that follows; negative: before it.
    MinutesPast(i8),
    /// So many minutes after the hour that precedes.
    AndMinutes(i8),
    /// `st`, `nd`, `rd`, `th`, `er` after digits.
    Ordinal,
    /// Where in a span of time.
    Edge(Edge),
    /// The end of this month.
    MonthEnd,
    /// The weekend.
    Weekend,
    /// One sign.
    Sign(char),
}

/// A part of a day, as people name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DayPart {
    /// Before noon.
    Morning,
    /// After noon.
    Afternoon,
    /// After that.
    Evening,
    /// After that, into the next day.
    Night,
}

/// A unit of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Fortnight,
    Month,
    Year,
}

/// Where in a week, month or year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    Begin,
    Middle,
    End,
}

use self::{DayPart as P, Edge as E, Sense as S, Unit as U};

/// Phrases by their meaning, separated by `|`.
const PHRASES: &[(Sense, &str)] = &[
    (
        S::Blocked,
        "guten morgen|good morning|good evening|good night|guten abend|gute nacht|bonne nuit",
    ),
    (S::Blocked, "en fin|hier und da"),
    (
        S::Every,
        "every|each|jede|jeden|jedes|jeder|jedem|chaque|cada|los|tous les|toutes les|todos los|todas las",
    ),
    (S::Day(0), "today|heute|aujourd'hui|hoy|aujourdhui"),
    (S::Day(1), "tomorrow|morgen|demain|manana|tmrw"),
    (S::Day(-1), "yesterday|gestern|hier|ayer"),
    (
        S::Day(2),
        "the day after tomorrow|day after tomorrow|ubermorgen|uebermorgen|apres - demain|apres demain|pasado manana",
    ),
    (
        S::Day(-2),
        "the day before yesterday|day before yesterday|vorgestern|avant - hier|avant hier|anteayer|antes de ayer|antier",
    ),
    (S::Day(3), "uberubermorgen|ueberuebermorgen"),
    (S::Day(-3), "vorvorgestern"),
    (
        S::Day(7),
        "de hoy en ocho|hoy en ocho|aujourd'hui en huit|heute in acht tagen|d'aujourd'hui en huit",
    ),
    (S::Day(14), "de hoy en quince|heute in vierzehn tagen"),
    (S::PartOfDay(0, P::Evening), "tonight|this evening|heute abend|ce soir"),
    (S::PartOfDay(0, P::Night), "heute nacht|cette nuit|esta noche"),
    (
        S::PartOfDay(0, P::Morning),
        "this morning|heute morgen|heute fruh|heute frueh|heute vormittag|ce matin|esta manana",
    ),
    (
        S::PartOfDay(0, P::Afternoon),
        "this afternoon|heute nachmittag|cet apres - midi|cet apres midi|esta tarde",
    ),
    (S::PartOfDay(1, P::Morning), "morgen fruh|morgen frueh|morgen vormittag"),
    (S::PartOfDay(-1, P::Morning), "gestern morgen|gestern fruh|gestern vormittag"),
    (S::PartOfDay(-2, P::Morning), "vorgestern morgen"),
    (S::PartOfDay(2, P::Morning), "ubermorgen fruh"),
    (S::PartOfDay(-1, P::Night), "last night|anoche|la nuit derniere|letzte nacht"),
    (S::PartOfDay(-2, P::Night), "anteanoche|antes de anoche"),
    (
        S::Part(P::Morning),
        "morning|in the morning|am morgen|vormittag|vormittags|am vormittag|morgens|fruh|frueh|in der fruh|matin|du matin|le matin|au matin|por la manana|de la manana|en la manana|la manana|a la manana",
    ),
    (
        S::Part(P::Afternoon),
        "afternoon|in the afternoon|nachmittag|nachmittags|am nachmittag|apres - midi|apres midi|l'apres - midi|de l'apres - midi|de l'apres midi|por la tarde|de la tarde|en la tarde",
    ),
    (
        S::Part(P::Evening),
        "evening|in the evening|abend|abends|am abend|soir|du soir|le soir|au soir",
    ),
    (
        S::Part(P::Night),
        "night|at night|nacht|nachts|in der nacht|de la nuit|la nuit|por la noche|de la noche|en la noche",
    ),
    (S::Weekday(0), "monday|montag|lundi|lunes"),
    (S::Weekday(1), "tuesday|dienstag|mardi|martes"),
    (S::Weekday(2), "wednesday|mittwoch|mercredi|miercoles"),
    (S::Weekday(3), "thursday|donnerstag|jeudi|jueves"),
    (S::Weekday(4), "friday|freitag|vendredi|viernes"),
    (S::Weekday(5), "saturday|samstag|sonnabend|samedi|sabado"),
    (S::Weekday(6), "sunday|sonntag|dimanche|domingo"),
    (S::Month(1), "january|januar|janner|janvier|enero|jan"),
    (S::Month(2), "february|februar|feber|fevrier|febrero|feb"),
    (S::Month(3), "march|marz|maerz|mars|marzo"),
    (S::Month(4), "april|avril|abril|apr"),
    (S::Month(5), "may|mai|mayo"),
    (S::Month(6), "june|juni|juin|junio|jun"),
    (S::Month(7), "july|juli|juillet|julio|jul"),
    (S::Month(8), "august|aout|agosto|aug"),
    (S::Month(9), "september|septembre|septiembre|setiembre|sep|sept"),
    (S::Month(10), "october|oktober|octobre|octubre|oct|okt"),
    (S::Month(11), "november|novembre|noviembre|nov"),
    (S::Month(12), "december|dezember|decembre|diciembre|dec|dez"),
    (S::Unit(U::Second), "seconds|sekunde|sekunden|secondes|segundos"),
    (S::Unit(U::Minute), "minute|minutes|minuten|minuto|minutos|min|mins"),
    (S::Unit(U::Hour), "hour|hours|stunde|stunden|hora"),
    (
        S::Span(30, U::Minute),
        "half an hour|a half hour|einer halben stunde|eine halbe stunde|une demi - heure|une demi heure|media hora",
    ),
    (
        S::Span(15, U::Minute),
        "a quarter of an hour|einer viertelstunde|un quart d'heure|un cuarto de hora",
    ),
    (S::Span(1, U::Year), "un an"),
    (S::Span(14, U::Day), "quinze jours|quince dias"),
    (S::EightDays, "acht tagen|acht tage|huit jours|ocho dias"),
    (S::Unit(U::Day), "day|days|tag|tage|tagen|jour|jours|dia|dias"),
    (S::Unit(U::Week), "week|weeks|woche|wochen|semaine|semaines|semana|semanas"),
    (S::Unit(U::Fortnight), "fortnight|fortnights"),
    (S::Unit(U::Month), "month|months|monat|monate|monaten|monats|mois|mes|meses"),
    (S::Unit(U::Year), "year|years|jahr|jahre|jahren|jahres|an|ans|annee|annees|ano|anos"),
    (S::In, "in|im|within|dans|en|dentro de|d'ici|de aqui a"),
    (S::Ago, "ago|atras"),
    (S::AgoBefore, "vor|il y a|y a|hace"),
    (S::FromNow, "from now|from today|ab heute|ab jetzt|a partir de hoy|a partir d'aujourd'hui"),
    (S::From, "from|after|ab|a partir de|a partir du|desde"),
    (S::This, "this|diese|diesen|dieser|diesem|dieses|ce|cet|cette|este|esta"),
    (
        S::Next,
        "next|nachste|nachsten|nachster|nachstem|nachstes|naechste|naechsten|naechster|kommende|kommenden|kommender|prochain|prochaine|qui vient|que viene|que entra|proximo|proxima|this coming|the coming|coming",
    ),
    (
        S::Last,
        "last|letzte|letzten|letzter|letztem|letztes|vergangene|vergangenen|vergangener|vorige|vorigen|voriger|dernier|derniere|passe|passee|pasado|pasada|ultimo",
    ),
    (
        S::At,
        "at|@|around|about|by|until|till|um|gegen|vers|a las|a la|sobre las|hacia las|al|bis um|ab um",
    ),
    (S::Le, "le|el"),
    (S::OnThe, "on the|by the|until the|till the|since the"),
    (S::On, "on|the|den|dem|der|die|la|au|beim|bis|zu"),
    (S::Am, "zum|bis zum|vom|seit dem|ab dem"),
    (S::Of, "of|de|del|du|des|von|d"),
    (S::Noon, "noon|midday|mittag|mittags|am mittag|zu mittag|midi|mediodia"),
    (S::Midnight, "midnight|mitternacht|minuit|medianoche"),
    (S::Hours, "o'clock|oclock|uhr|heure|heures|h|horas|hs"),
    (S::Am, "am|a . m .|a . m"),
    (S::Pm, "pm|p . m .|p . m"),
    (S::HalfTo, "halb|um halb|gegen halb"),
    (S::MinutesPast(30), "half past"),
    (S::MinutesPast(15), "quarter past|a quarter past|viertel nach|um viertel nach"),
    (
        S::MinutesPast(-15),
        "quarter to|a quarter to|viertel vor|dreiviertel|um viertel vor|um dreiviertel",
    ),
    (S::AndMinutes(30), "et demie|et demi|y media"),
    (S::AndMinutes(15), "et quart|y cuarto"),
    (S::AndMinutes(-15), "moins le quart|moins quart|menos cuarto"),
    (S::Ordinal, "st|nd|rd|th|er"),
    (
        S::Edge(E::Begin),
        "beginning of|the beginning of|start of|the start of|early|anfang|debut|au debut de|au debut du|a principios de|principios de|a primeros de",
    ),
    (S::Edge(E::Middle), "middle of|the middle of|mid|mid -|mitte|mi -|a mediados de|mediados de"),
    (
        S::Edge(E::End),
        "end of|the end of|late|ende|am ende|fin|a la fin du|a la fin de|la fin du|la fin de|fin du|fin de|a finales de|finales de|a fines de|a fin de",
    ),
    (S::MonthEnd, "monatsende|zum monatsende|am monatsende|fin de mes|a fin de mes|fin de mois"),
    (S::Weekend, "weekend|week - end|wochenende|fin de semana|week end"),
    (S::Count(0), "zero|null"),
    (
        S::Count(1),
        "one|an|ein|eine|einem|einen|einer|eines|un|une|una|first|ersten|erste|premier|primero",
    ),
    (S::Count(2), "two|zwei|deux|dos|a couple of|a couple|second"),
    (S::Count(3), "three|drei|trois|tres|third"),
    (S::Count(4), "four|vier|quatre|cuatro"),
    (S::Count(5), "five|funf|fuenf|cinq|cinco"),
    (S::Count(6), "six|sechs|seis"),
    (S::Count(7), "seven|sieben|sept|siete"),
    (S::Count(8), "eight|acht|huit|ocho"),
    (S::Count(9), "nine|neun|neuf|nueve"),
    (S::Count(10), "ten|zehn|dix|diez"),
    (S::Count(11), "eleven|elf|onze|once"),
    (S::Count(12), "twelve|zwolf|zwoelf|douze|doce"),
    (S::Count(13), "thirteen|dreizehn|treize|trece"),
    (S::Count(14), "fourteen|vierzehn|quatorze|catorce"),
    (S::Count(15), "fifteen|funfzehn|fuenfzehn|quinze|quince"),
    (S::Count(16), "sixteen|sechzehn|seize|dieciseis"),
    (S::Count(17), "seventeen|siebzehn|dix - sept|diecisiete"),
    (S::Count(18), "eighteen|achtzehn|dix - huit|dieciocho"),
    (S::Count(19), "nineteen|neunzehn|dix - neuf|diecinueve"),
    (S::Count(20), "twenty|zwanzig|vingt|veinte"),
    (S::Count(24), "twenty - four|vierundzwanzig|vingt - quatre|veinticuatro"),
    (S::Count(30), "thirty|dreissig|trente|treinta"),
    (S::Count(40), "forty|vierzig|quarante|cuarenta"),
    (S::Count(45), "forty - five|funfundvierzig|quarante - cinq|cuarenta y cinco"),
    (S::Count(48), "forty - eight|achtundvierzig|quarante - huit|cuarenta y ocho"),
    (S::Count(50), "fifty|funfzig|cinquante|cincuenta"),
    (S::Count(60), "sixty|sechzig|soixante|sesenta"),
    (S::Count(90), "ninety|neunzig|noventa"),
    (S::A, "a"),
];

/// A phrase in words, and what it means.
pub(super) type Phrase = (Vec<String>, Sense);

/// The phrases by their first word, longest first.
static BY_FIRST_WORD: LazyLock<HashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases: HashMap<String, Vec<Phrase>> = HashMap::new();
    for (sense, texts) in PHRASES {
        for text in texts.split('|') {
            let words = bare_words(text);
            let Some(first) = words.first() else { continue };
            phrases.entry(first.clone()).or_default().push((words, *sense));
        }
    }
    for of_word in phrases.values_mut() {
        of_word.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    }
    phrases
});

/// The phrases that begin with a word, longest first.
pub(super) fn phrases(first: &str) -> &'static [Phrase] {
    BY_FIRST_WORD.get(first).map_or(&[], Vec::as_slice)
}

/// Weekdays that stand in one word with a part of the day: `Dienstagabend`.
pub(super) fn part_of_weekday(word: &str) -> Option<Sense> {
    const PARTS: [(&str, DayPart); 8] = [
        ("vormittag", P::Morning),
        ("nachmittag", P::Afternoon),
        ("mittag", P::Afternoon),
        ("abend", P::Evening),
        ("nacht", P::Night),
        ("morgen", P::Morning),
        ("fruh", P::Morning),
        ("frueh", P::Morning),
    ];
    PARTS.iter().find_map(|(ending, part)| {
        let day = word.strip_suffix(ending)?;
        let [(_, Sense::Weekday(day))] = phrases(day) else { return None };
        Some(Sense::PartOfWeekday(*day, *part))
    })
}

/// Whether a word goes on with a sentence and names nothing that could be counted.
pub(super) fn is_glue(word: &str) -> bool {
    const GLUE: &str = " and or but i we you he she they it is was at for because so if when to with will not please \
        und oder aber ich wir du er sie es ist war um fur mit wegen wenn ob kommt et ou mais je nous vous il elle on est pour \
        avec si que y o pero yo nosotros es fue para con porque ";
    GLUE.split_whitespace().any(|known| known == word)
}

/// Whether a word of a sentence says that it tells of the past; a hint, not a proof.
pub(super) fn tells_of_the_past(word: &str, written: &str) -> bool {
    const WORDS: &str = " was were did had went met saw came got said told bought left ate took made gave found called wrote \
        spoke war waren hatte hatten ging gingen kam kamen traf trafen sah sahen sagte wurde etait etaient avait avaient \
        fut vu dit fue fueron era eran estaba estuvo tuvo hubo vi vimos fui fuimos ";
    const NOT_PAST: &str =
        " gegen gehen geben gelten gewinnen gefallen gestern gesetzt need indeed hundred speed ";
    let has = |words: &str| words.split_whitespace().any(|known| known == word);
    if has(NOT_PAST) {
        return false;
    }
    let is_long = word.chars().count() > 5;
    has(WORDS)
        || (is_long && word.ends_with("ed"))
        || (is_long && word.starts_with("ge") && (word.ends_with('t') || word.ends_with("en")))
        || (is_long && written.ends_with('ó'))
}
