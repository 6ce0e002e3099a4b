//! The words that turn a statement into another one, in four languages.

use super::doubt::MeaningDoubt;

/// What a word does to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Operator {
    Asked,
    Reported,
    Condition,
    Negation,
    Hardly,
    Possible,
    Obliged,
    Able,
    Wanted,
    UsedTo,
    Past,
    Future,
    NoMore,
    Only,
    All,
    Some,
    Most,
    Seldom,
    Often,
    Almost,
    AtMost,
    AtLeast,
    More,
    Fewer,
    Before,
    After,
    Until,
    Since,
    Except,
    Between,
}

impl Operator {
    pub(super) const fn doubt(self) -> MeaningDoubt {
        match self {
            Self::Asked => MeaningDoubt::Question,
            Self::Reported => MeaningDoubt::Report,
            Self::Condition | Self::Except => MeaningDoubt::Condition,
            Self::Negation | Self::Hardly => MeaningDoubt::Denial,
            Self::Possible | Self::Obliged | Self::Able | Self::Wanted => MeaningDoubt::Certainty,
            Self::UsedTo
            | Self::Past
            | Self::Future
            | Self::NoMore
            | Self::Before
            | Self::After
            | Self::Until
            | Self::Since => MeaningDoubt::Time,
            Self::Only
            | Self::All
            | Self::Some
            | Self::Most
            | Self::Seldom
            | Self::Often
            | Self::Almost
            | Self::AtMost
            | Self::AtLeast
            | Self::More
            | Self::Fewer
            | Self::Between => MeaningDoubt::Quantity,
        }
    }

    /// Whether it holds for a whole sentence, wherever it stands in it.
    pub(super) const fn spans_sentence(self) -> bool {
        matches!(self, Self::Asked | Self::Reported | Self::Condition | Self::Possible)
    }
}

/// Phrases before words: the longer one counts.
const PHRASES: &[(&str, Operator)] = &[
    ("used to", Operator::UsedTo),
    ("in the past", Operator::UsedTo),
    ("going to", Operator::Future),
    ("about to", Operator::Future),
    ("no longer", Operator::NoMore),
    ("any more", Operator::NoMore),
    ("any longer", Operator::NoMore),
    ("at most", Operator::AtMost),
    ("at least", Operator::AtLeast),
    ("more than", Operator::More),
    ("less than", Operator::Fewer),
    ("fewer than", Operator::Fewer),
    ("up to", Operator::AtMost),
    ("as long as", Operator::Condition),
    ("in case", Operator::Condition),
    ("provided that", Operator::Condition),
    ("according to", Operator::Reported),
    ("supposed to", Operator::Obliged),
    ("have to", Operator::Obliged),
    ("has to", Operator::Obliged),
    ("had to", Operator::Obliged),
    ("need to", Operator::Obliged),
    ("needs to", Operator::Obliged),
    ("able to", Operator::Able),
    ("would like", Operator::Wanted),
    ("d like", Operator::Wanted),
    ("d love", Operator::Wanted),
    ("once a", Operator::Seldom),
    ("now and then", Operator::Seldom),
    ("nicht mehr", Operator::NoMore),
    ("mehr als", Operator::More),
    ("weniger als", Operator::Fewer),
    ("vielleicht", Operator::Possible),
    ("peut etre", Operator::Possible),
    ("peut-etre", Operator::Possible),
    ("au moins", Operator::AtLeast),
    ("au plus", Operator::AtMost),
    ("plus de", Operator::More),
    ("moins de", Operator::Fewer),
    ("tal vez", Operator::Possible),
    ("a lo mejor", Operator::Possible),
    ("al menos", Operator::AtLeast),
    ("como maximo", Operator::AtMost),
    ("mas de", Operator::More),
    ("menos de", Operator::Fewer),
    ("ya no", Operator::NoMore),
];

/// Words, without accents.
const WORDS: &[(Operator, &str)] = &[
    (
        Operator::Negation,
        "no not never none nobody nothing nowhere neither nor without cannot nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne ne pas jamais aucun aucune personne rien sans nunca jamas nadie nada ningun ninguna ninguno sin tampoco refuse refuses refused denies denied stopped quit avoid avoids",
    ),
    (Operator::Hardly, "hardly barely scarcely kaum guere apenas"),
    (
        Operator::Possible,
        "maybe perhaps possibly probably might may could likely unsure guess suppose wonder wondering wahrscheinlich konnte konnten moglicherweise probablement pourrait pourrais quiza quizas acaso probablemente podria seem seems apparently eventuell considering",
    ),
    (
        Operator::Obliged,
        "should must ought soll sollte muss mussen doit dois devrait debe debo deberia",
    ),
    (Operator::Able, "can kann konnen peut peux puede puedo"),
    (
        Operator::Wanted,
        "want wants wanted wish wishes hope hopes hoping plan plans planning intend intends would mochte mochten will_de hoffe hofft plane plant veux veut voudrais voudrait espere esperons quiere quiero quisiera espera dream dreams try tries trying considering thinking",
    ),
    (Operator::UsedTo, "formerly previously once früher fruher autrefois antes former ehemals"),
    (
        Operator::Future,
        "will shall tomorrow soon werde wirst wird werden vais va allons bientot voy vamos pronto gonna",
    ),
    (Operator::NoMore, "anymore"),
    (Operator::Only, "only just_only nur lediglich seulement solo solamente unico unica"),
    (
        Operator::All,
        "all every everyone everybody everything always each both alle alles jeder jede jedes immer tous toutes tout toujours chaque todos todas todo siempre cada whole entire any anyone anybody",
    ),
    (
        Operator::Some,
        "some someone somebody several few einige manche jemand quelques quelqu certains algunos algunas alguien",
    ),
    (
        Operator::Most,
        "most mostly usually generally meist meistens la_plupart surtout mayoria normalmente half",
    ),
    (
        Operator::Seldom,
        "sometimes rarely seldom occasionally manchmal selten parfois rarement a_veces raramente twice",
    ),
    (Operator::Often, "often frequently oft haufig souvent menudo"),
    (
        Operator::Almost,
        "almost nearly about around roughly approximately fast beinahe ungefahr presque environ casi aproximadamente",
    ),
    (Operator::AtMost, "maximum max hochstens"),
    (Operator::AtLeast, "minimum min mindestens"),
    (Operator::More, "above over exceeding beyond uber dessus encima"),
    (Operator::Fewer, "below under less fewer unter dessous debajo"),
    (Operator::Before, "before vor bevor avant antes_de"),
    (Operator::After, "after nach nachdem apres despues"),
    (Operator::Until, "until till by_time bis jusqu hasta"),
    (Operator::Since, "since seit depuis desde"),
    (Operator::Except, "except unless apart instead ausser statt sauf excepte excepto salvo"),
    (Operator::Between, "between zwischen entre"),
    (
        Operator::Condition,
        "if when whenever whether once_if wenn falls sobald ob quand lorsque cuando assuming suppose supposing pretend imagine otherwise else",
    ),
    (
        Operator::Reported,
        "said says say told tells thinks think thought believe believes believed claim claims claimed heard hear mentioned mentions read rumour rumor joke joking sagt sagte meint meinte denkt denke glaubt glaube gehort dit disait pense crois croit raconte dice dijo dicen piensa creo cree allegedly wrote writes asked asks ask",
    ),
];

/// The operator of a phrase that begins at a word, and how many words it has.
pub(super) fn phrase_at(words: &[String]) -> Option<(Operator, usize)> {
    let fits = |(phrase, operator): &(&str, Operator)| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        let there = words.get(..parts.len())?;
        there
            .iter()
            .zip(&parts)
            .all(|(word, part)| word == part)
            .then_some((*operator, parts.len()))
    };
    PHRASES.iter().filter_map(fits).max_by_key(|(_, length)| *length)
}

/// The operator of a word.
pub(super) fn operator_of(word: &str) -> Option<Operator> {
    WORDS.iter().find(|(_, words)| words.split(' ').any(|known| known == word)).map(|(op, _)| *op)
}
