//! What people and projects have one of, and the many ways in which people speak of it, in English, German, French and
//! Spanish. Who says "I live in Lyon" and later "we moved to Nantes" speaks of one matter without a word in common.
//!
//! Words stand behind each other with a space between; `_` joins the words of a phrase.

use super::word_list::WordList;
use crate::timeline::value_kind::ValueKind::{
    self, Address, Date, Money, Month, Name, Number, Phone, Weekday,
};

/// Something that has one value at a time.
#[derive(Debug)]
pub(in crate::timeline) struct Attribute {
    /// Whether a person has it: then only their own later words replace it.
    pub(in crate::timeline) is_personal: bool,
    /// The types of its value.
    pub(in crate::timeline) kinds: &'static [ValueKind],
    /// Words by which it is spoken of, one or several in a row.
    pub(in crate::timeline) words: &'static str,
    /// Words that stand beside those and say nothing of whose it is.
    pub(in crate::timeline) around: &'static str,
    /// Words that say that it changed.
    pub(in crate::timeline) changes: &'static str,
}

impl Attribute {
    /// Its own words and those around it, each by itself.
    pub(in crate::timeline) fn all_words(&self) -> impl Iterator<Item = &'static str> {
        self.words
            .split_whitespace()
            .chain(self.around.split_whitespace())
            .flat_map(|word| word.split('_'))
    }

    /// Whether a word or a phrase says that it changed.
    pub(in crate::timeline) fn is_change(&self, phrase: &str) -> bool {
        self.changes.split_whitespace().any(|change| change.split('_').eq(phrase.split(' ')))
    }

    /// The words and phrases that say that it changed.
    pub(in crate::timeline) fn change_phrases(&self) -> impl Iterator<Item = String> {
        self.changes
            .split(' ')
            .filter(|phrase| !phrase.is_empty())
            .map(|phrase| phrase.replace('_', " "))
    }
}

/// All of them.
pub(in crate::timeline) static ATTRIBUTES: &[Attribute] = &[
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "live lives living home address adresse anschrift dirección flat apartment house \
            residence town city move moved moving relocated relocate settled removal rent based \
            settle wohne wohnt wohnen wohnung zuhause lebe umgezogen umzug gezogen haus habite vis \
            appartement maison logement déménagé déménagement installé installée installés vivo casa \
            piso mudé mudado mudamos mudanza instalé",
        around: "everything boxes furniture place new keys van old finally weekend",
        changes: "removal relocated settled umzug gezogen déménagement installé installée installés mudado \
            mudamos mudanza instalé",
    },
    Attribute {
        is_personal: true,
        kinds: &[Phone, Number],
        words: "phone mobile cell telephone number call reach ring dial text sim operator operators line \
            handset telefon telefonnummer handynummer handy nummer anrufen erreichbar erreichst \
            téléphone portable numéro appelle appelez joindre opérateur teléfono móvil número \
            llámame llama operador",
        around: "card carrier contract provider karte carte tarjeta anbieter way best people urgent",
        changes: "switched gewechselt changé cambiado",
    },
    Attribute {
        is_personal: true,
        kinds: &[Address],
        words: "mail e-mail email address inbox write reach adresse schreib postfach écris courriel \
            correo dirección escríbeme",
        around: "",
        changes: "",
    },
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "work works working job employer employed employs company firm join joined hired hire \
            quit resigned been_with am_with m_with employment payroll arbeite arbeitgeber stelle \
            firma angefangen gekündigt angestellt travaille employeur poste emploi embauché \
            embauchée rejoint trabajo empleo empresa contratado contratada empecé",
        around: "started desk career",
        changes: "quit joined hired resigned started gekündigt angefangen embauché embauchée rejoint \
            contratado contratada empecé",
    },
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "dentist teeth tooth dental fillings zahnarzt zahnärztin zähne dentiste dents dentista \
            dientes",
        around: "look looks after care practice practices praxis cabinet consulta",
        changes: "took_over takes_over taken_over übernommen übernimmt repris reprend se_ocupa",
    },
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "doctor physician gp arzt ärztin hausarzt hausärztin médecin docteur médico médica \
            doctora",
        around: "look looks after care practice practices surgery praxis cabinet",
        changes: "took_over takes_over taken_over übernommen übernimmt repris reprend",
    },
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "dog puppy pup hound terrier spaniel poodle hund welpe hündin chien chienne chiot perro \
            perra cachorro",
        around: "",
        changes: "",
    },
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "cat kitten tomcat katze kater kätzchen chat chatte chaton gato gata gatito",
        around: "",
        changes: "",
    },
    Attribute {
        is_personal: true,
        kinds: &[Number, Name],
        words: "desk seat seated sit sits sitting workplace schreibtisch sitze arbeitsplatz assis assise \
            escritorio",
        around: "put facilities place platz bureau mesa sitio",
        changes: "put seated umgesetzt",
    },
    Attribute {
        is_personal: true,
        kinds: &[Date],
        words: "birthday born birth geburtstag geboren anniversaire né née cumpleaños nací",
        around: "",
        changes: "born geboren né née nací",
    },
    Attribute {
        is_personal: true,
        kinds: &[Name],
        words: "car drive drives auto wagen fahre voiture conduis coche conduzco",
        around: "",
        changes: "bought gekauft acheté compré",
    },
    Attribute {
        is_personal: false,
        kinds: &[Money, Number],
        words: "price cost costs costing charge charges charged fee fees bill bills billed invoice \
            invoiced pay pays paying ask asks wants vendor supplier seller dealer licence license \
            subscription renegotiated tariff tariffs preis kostet kosten gebühr lizenz rechnung \
            verlangt zahlen anbieter prix coûte coût tarif facture demande payons fournisseur precio \
            cuesta coste tarifa licencia factura pide pagamos proveedor",
        around: "asking want demand demands quote quoted amount rate euros renewal renew budget",
        changes: "renegotiated renewal tariffs neu_verhandelt renégocié renegociado",
    },
    Attribute {
        is_personal: false,
        kinds: &[Date, Weekday, Month],
        words: "launch launches launched release released releases rollout launching releasing planned \
            scheduled ship ships shipping live golive go-live start starts debut opens lancement \
            lance sort sortie lanzamiento lanza salida veröffentlicht veröffentlichung \
            markteinführung startet",
        around: "see out public customers date sale",
        changes: "",
    },
    Attribute {
        is_personal: false,
        kinds: &[Date, Weekday, Month],
        words: "deadline due submit submission hand cutoff frist abgabefrist abgabe fällig échéance \
            rendu rendre plazo entrega entregar",
        around: "",
        changes: "",
    },
    Attribute {
        is_personal: false,
        kinds: &[Name, Number],
        words: "meeting meet meets gather gathers get-together together round session room hall venue \
            sit sits held huddle besprechung treffen treffpunkt raum saal sitzung réunion réunit \
            réunissons salle retrouve retrouvons reunión reunimos sala",
        around: "projector facilities",
        changes: "",
    },
    Attribute {
        is_personal: false,
        kinds: &[Name, Address, Number],
        words: "server host machine staged staging deploy deployed deploys runs hosted instance rechner \
            läuft serveur tourne hébergé servidor corre alojado",
        around: "test box node run",
        changes: "",
    },
];

/// Relatives, friends and groups: what is theirs is not the speaker's.
pub(in crate::timeline) static OTHERS: WordList = WordList::new(&[
    "sister",
    "brother",
    "mother",
    "father",
    "mum",
    "mom",
    "dad",
    "parents",
    "wife",
    "husband",
    "partner",
    "girlfriend",
    "boyfriend",
    "son",
    "daughter",
    "child",
    "children",
    "kids",
    "aunt",
    "uncle",
    "cousin",
    "niece",
    "nephew",
    "grandma",
    "grandpa",
    "grandmother",
    "grandfather",
    "friend",
    "friends",
    "neighbour",
    "neighbor",
    "colleague",
    "boss",
    "manager",
    "team",
    "office",
    "school",
    "bank",
    "landlord",
    "roommate",
    "flatmate",
    "schwester",
    "bruder",
    "mutter",
    "vater",
    "eltern",
    "frau",
    "mann",
    "sohn",
    "tochter",
    "kind",
    "kinder",
    "tante",
    "onkel",
    "freund",
    "freundin",
    "freunde",
    "nachbar",
    "nachbarin",
    "kollege",
    "kollegin",
    "chef",
    "chefin",
    "büro",
    "schule",
    "sœur",
    "soeur",
    "frère",
    "mère",
    "père",
    "parents",
    "femme",
    "mari",
    "fils",
    "fille",
    "enfants",
    "oncle",
    "ami",
    "amie",
    "amis",
    "voisin",
    "voisine",
    "collègue",
    "école",
    "hermana",
    "hermano",
    "madre",
    "padre",
    "padres",
    "mujer",
    "marido",
    "hijo",
    "hija",
    "hijos",
    "tía",
    "tío",
    "amigo",
    "amiga",
    "amigos",
    "vecino",
    "vecina",
    "compañero",
    "compañera",
    "jefe",
    "jefa",
    "oficina",
    "escuela",
]);

/// Words of time that say nothing of the matter.
pub(in crate::timeline) static TIMES: WordList = WordList::new(&[
    "last",
    "past",
    "recently",
    "ago",
    "letzte",
    "letzten",
    "letzter",
    "dernier",
    "dernière",
    "pasado",
    "pasada",
    "récemment",
    "kürzlich",
    "month",
    "week",
    "weekend",
    "year",
    "today",
    "tonight",
    "tomorrow",
    "yesterday",
    "morning",
    "evening",
    "monat",
    "woche",
    "wochenende",
    "jahr",
    "heute",
    "gestern",
    "mois",
    "semaine",
    "année",
    "hier",
    "mes",
    "semana",
    "año",
    "ayer",
    "day",
    "days",
    "onward",
    "onwards",
]);
