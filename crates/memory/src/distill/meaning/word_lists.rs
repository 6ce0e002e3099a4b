//! The words of four languages that say who is meant, that carry no claim, and that may stand before a statement. Without
//! accents, in lower case.

pub(super) const FIRST: &str =
    "i me myself we us ourselves ich mich mir wir uns je j moi nous yo nosotros nosotras";
pub(super) const FIRST_POSSESSIVE: &str = "my mine our ours mein meine meinen meinem meiner unser unsere unseren mon ma mes notre nos mi mis nuestro nuestra";
pub(super) const SECOND: &str = "you du dich dir sie vous tu te usted ustedes";
pub(super) const SECOND_POSSESSIVE: &str =
    "your yours dein deine deinen ihr votre vos ton ta tes su tus";
pub(super) const THIRD_POSSESSIVE: &str =
    "his her hers their theirs its sein seine seinen ihre ihren leur son sa ses sus";
pub(super) const BE: &str =
    "am is are be being bin bist ist sind sein suis est sont es soy eres son somos estoy esta m re";
pub(super) const BE_PAST: &str =
    "was were been war waren gewesen etait etais ete era eran fue fui estaba";
pub(super) const HAVE: &str =
    "have has having ve habe hat haben ai as a_avoir ont avons tengo tiene tenemos he_haber ha";
pub(super) const HAVE_PAST: &str = "had hatte hatten avait avais tenia tenian";
pub(super) const DO: &str = "do does doing";
/// What changes nothing, in either.
pub(super) const LIGHT: &str = "the a an in at on of s and also too really actually just currently now please well so very quite still already yes yeah ok okay hi hello hey oh ah \
    der die das den dem des ein eine einen einem einer im am auch ja doch wirklich jetzt gerade und \
    le la les l un une des du d aussi vraiment maintenant oui et en au aux dans \
    el los las una del al tambien ahora si_yes y";
/// Verbs whose past has no ending.
pub(super) const PAST_FORMS: &str = "went bought came left sold made took got began wrote drove gave met paid told thought knew grew kept lost won ate spoke broke chose flew \
    became built sent spent taught felt found held led ran saw stood understood wore drank slept swam sang forgot fell caught brought fought hid rode rose shook stole threw woke";
/// What may stand before a statement.
pub(super) const LEADS: &[&str] = &[
    "remember that ",
    "remember: ",
    "remember, ",
    "remember ",
    "please remember that ",
    "please remember ",
    "don't forget that ",
    "do not forget that ",
    "note that ",
    "note: ",
    "keep in mind that ",
    "for the record, ",
    "for the record: ",
    "by the way, ",
    "by the way: ",
    "by the way ",
    "btw ",
    "btw, ",
    "fyi ",
    "fyi, ",
    "fyi: ",
    "no, ",
    "yes, ",
    "sorry, ",
    "actually, ",
    "nein, ",
    "non, ",
    "hi, ",
    "hello, ",
    "update: ",
    "correction: ",
    "from now on, ",
    "from now on ",
];

/// Whether a word stands in a list.
pub(super) fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}
