//! One line of Scryfall's bulk data as a card with one printing. Read loosely: what is missing is left out, unknown fields are
//! passed over. Without an id, a name or a layout there is no card.

use serde_json::Value;

use crate::{
    card::{Card, CardFace, CardImage, CardPrices, CardPrinting, CommanderStatus, OracleId},
    colour::{Colour, ColourSet},
};

/// Why a line is no card.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardLineError {
    /// It is no JSON object.
    #[error("the line is no JSON object")]
    NotAnObject,
    /// It lacks a field that every card has.
    #[error("the line has no `{0}`")]
    Missing(&'static str),
}

/// Reads a line. The card has exactly one printing.
///
/// # Errors
/// The line is no JSON object, or lacks `oracle_id`, `name`, `layout`, `set` or `collector_number`.
pub(crate) fn read_line(line: &str) -> Result<Card, CardLineError> {
    let line: Value = serde_json::from_str(line).map_err(|_| CardLineError::NotAnObject)?;
    if !line.is_object() {
        return Err(CardLineError::NotAnObject);
    }
    let layout = text(&line, "layout").ok_or(CardLineError::Missing("layout"))?;
    let is_reversible = layout == "reversible_card";
    let first_face = list(&line, "card_faces").next();
    let id = text(&line, "oracle_id")
        .or_else(|| first_face.and_then(|face| text(face, "oracle_id")))
        .ok_or(CardLineError::Missing("oracle_id"))?;
    let printed = text(&line, "name").ok_or(CardLineError::Missing("name"))?;
    let mut faces: Vec<CardFace> = list(&line, "card_faces").map(read_face).collect();
    let mut other_names = Vec::new();
    let mut name = printed;
    if is_reversible {
        // Both sides show the same card, and only they say which.
        faces.truncate(1);
        if let Some(face) = faces.first() {
            other_names.push(printed.to_owned());
            name = first_face.and_then(|face| text(face, "name")).unwrap_or(printed);
            debug_assert_eq!(face.name, name);
        }
    }
    let name = name.to_owned();
    let mut faces = faces.into_iter();
    let front = faces.next().unwrap_or_else(|| read_face(&line));
    let printing = read_printing(&line)?;
    Ok(Card {
        id: OracleId::new(id),
        layout: if is_reversible { "normal" } else { layout }.to_owned(),
        mana_value: whole(&line, "cmc")
            .or_else(|| first_face.and_then(|face| whole(face, "cmc")))
            .unwrap_or_default(),
        colours: colours(&line, "colors")
            .or_else(|| first_face.and_then(|face| colours(face, "colors")))
            .unwrap_or_default(),
        identity: colours(&line, "color_identity").unwrap_or_default(),
        keywords: list(&line, "keywords").filter_map(Value::as_str).map(str::to_owned).collect(),
        commander: status(&line),
        game_changer: flag(&line, "game_changer"),
        is_meld_result: is_meld_result(&line, &name),
        front,
        other_faces: faces.collect(),
        name,
        other_names,
        images: read_images(&line),
        printings: vec![printing],
    })
}

/// The pictures of all sides. Stand-ins for pictures that nobody has made yet are none.
fn read_images(line: &Value) -> Vec<CardImage> {
    if matches!(text(line, "image_status"), Some("missing" | "placeholder")) {
        return Vec::new();
    }
    let image = |value: &Value| {
        let urls = value.get("image_uris")?;
        let (normal, small) = (text(urls, "normal"), text(urls, "small"));
        Some(CardImage::new(normal.or(small)?, small.or(normal)?))
    };
    // Two sides have a picture each, two halves have one.
    match image(line) {
        Some(image) => vec![image],
        None => list(line, "card_faces").map_while(image).collect(),
    }
}

fn read_face(face: &Value) -> CardFace {
    let field = |key| text(face, key).unwrap_or_default().to_owned();
    CardFace {
        name: field("name"),
        mana_cost: field("mana_cost"),
        type_line: field("type_line"),
        text: field("oracle_text"),
        power: text(face, "power").map(str::to_owned),
        toughness: text(face, "toughness").map(str::to_owned),
    }
}

fn read_printing(line: &Value) -> Result<CardPrinting, CardLineError> {
    let prices = line.get("prices").unwrap_or(&Value::Null);
    let price = |key| text(prices, key).and_then(hundredths);
    let number_of = |key| line.get(key).and_then(Value::as_u64).and_then(|id| id.try_into().ok());
    Ok(CardPrinting {
        set: text(line, "set").ok_or(CardLineError::Missing("set"))?.to_lowercase(),
        number: text(line, "collector_number")
            .ok_or(CardLineError::Missing("collector_number"))?
            .to_owned(),
        is_digital: flag(line, "digital"),
        own_name: own_name(line),
        prices: CardPrices {
            usd: price("usd"),
            usd_foil: price("usd_foil"),
            usd_etched: price("usd_etched"),
            eur: price("eur"),
            eur_foil: price("eur_foil"),
            eur_etched: price("eur_etched"),
            tix: price("tix"),
        },
        mtgo_id: number_of("mtgo_id"),
        mtgo_foil_id: number_of("mtgo_foil_id"),
    })
}

/// What an English printing calls the card, where that is not its name. What other languages call it is no name of ours.
fn own_name(line: &Value) -> Option<String> {
    if text(line, "lang").is_some_and(|language| language != "en") {
        return None;
    }
    let named = |value: &Value| {
        text(value, "flavor_name").or_else(|| text(value, "printed_name")).map(str::to_owned)
    };
    named(line).or_else(|| {
        let names: Option<Vec<String>> = list(line, "card_faces").map(named).collect();
        names.filter(|names| !names.is_empty()).map(|names| names.join(" // "))
    })
}

fn status(line: &Value) -> CommanderStatus {
    match line.get("legalities").and_then(|formats| text(formats, "commander")) {
        Some("legal") => CommanderStatus::Legal,
        Some("banned") => CommanderStatus::Banned,
        Some("restricted") => CommanderStatus::Restricted,
        _ => CommanderStatus::NotLegal,
    }
}

/// Whether two other cards meld into this one.
fn is_meld_result(line: &Value, name: &str) -> bool {
    list(line, "all_parts").any(|part| {
        text(part, "component") == Some("meld_result") && text(part, "name") == Some(name)
    })
}

/// `"1.5"` as 150.
fn hundredths(price: &str) -> Option<u32> {
    let (whole, part) = price.split_once('.').unwrap_or((price, ""));
    let whole: u32 = whole.parse().ok()?;
    let mut digits = part.chars().map(|digit| digit.to_digit(10));
    let tens = digits.next().unwrap_or(Some(0))?;
    let ones = digits.next().unwrap_or(Some(0))?;
    whole.checked_mul(100)?.checked_add(tens * 10 + ones)
}

fn colours(value: &Value, key: &str) -> Option<ColourSet> {
    let letters = value.get(key)?.as_array()?.iter().filter_map(Value::as_str);
    Some(letters.filter_map(|text| Colour::from_letter(text.chars().next()?)).collect())
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A number without its fraction, which only cards for fun have.
fn whole(value: &Value, key: &str) -> Option<u32> {
    format!("{:.0}", value.get(key)?.as_f64()?.floor()).parse().ok()
}

fn flag(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or_default()
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::{CardLineError, hundredths, read_line};
    use crate::card::CardImageSize;

    #[test]
    fn prices_are_read_as_hundredths() {
        let cases = [
            ("1.50", Some(150)),
            ("0.02", Some(2)),
            ("12", Some(1_200)),
            ("0.5", Some(50)),
            ("1.999", Some(199)),
            ("", None),
            ("free", None),
            ("-1", None),
            ("99999999999", None),
        ];
        for (price, wanted) in cases {
            assert_eq!(hundredths(price), wanted, "{price}");
        }
    }

    #[test]
    fn lines_without_what_every_card_has_are_no_cards() {
        let cases = [
            ("", CardLineError::NotAnObject),
            ("[]", CardLineError::NotAnObject),
            ("{\"layout\":1}", CardLineError::Missing("layout")),
            ("{\"layout\":\"normal\"}", CardLineError::Missing("oracle_id")),
            (r#"{"layout":"normal","oracle_id":"a"}"#, CardLineError::Missing("name")),
            (r#"{"layout":"normal","oracle_id":"a","name":"A"}"#, CardLineError::Missing("set")),
            (
                r#"{"layout":"normal","oracle_id":"a","name":"A","set":"x"}"#,
                CardLineError::Missing("collector_number"),
            ),
        ];
        for (line, wanted) in cases {
            assert_eq!(read_line(line), Err(wanted), "{line}");
        }
    }

    #[test]
    fn each_side_has_its_pictures_and_halves_share_one() {
        let read = |rest: &str| {
            let head =
                r#""layout":"normal","oracle_id":"a","name":"A","set":"x","collector_number":"1""#;
            read_line(&format!("{{{head},{rest}}}")).unwrap().images
        };
        let uris = |side: &str| {
            format!(
                r#""image_uris":{{"small":"https://c/small/{side}.jpg?1","normal":"https://c/normal/{side}.jpg?1"}}"#
            )
        };
        let sides = read(&format!(r#""card_faces":[{{{}}},{{{}}}]"#, uris("front"), uris("back")));
        let small: Vec<_> = sides.iter().map(|side| side.url(CardImageSize::Small)).collect();
        assert_eq!(small, ["https://c/small/front.jpg?1", "https://c/small/back.jpg?1"]);
        assert!(sides.iter().all(|side| side.small.is_none()), "the small URL follows");
        let halves = read(&format!(r#"{},"card_faces":[{{}},{{}}]"#, uris("front")));
        assert_eq!(halves[0].url(CardImageSize::Normal), "https://c/normal/front.jpg?1");
        assert_eq!(halves.len(), 1);
        let odd = read(r#""image_uris":{"small":"https://c/s.jpg","normal":"https://c/n.jpg"}"#);
        assert_eq!(odd[0].url(CardImageSize::Small), "https://c/s.jpg");
        for status in ["missing", "placeholder"] {
            let none = read(&format!(r#""image_status":"{status}",{}"#, uris("front")));
            assert!(none.is_empty(), "{status}");
        }
        assert!(read(r#""image_uris":{"png":"x"},"card_faces":7"#).is_empty());
    }

    #[test]
    fn odd_fields_are_left_out() {
        let line = r#"{"layout":"normal","oracle_id":"a","name":"A","set":"X","collector_number":"1","cmc":"x",
            "colors":[1,"Q","U"],"card_faces":{},"prices":[],"legalities":"legal","keywords":[null,"Flying"],"mtgo_id":-4}"#;
        let card = read_line(line).unwrap();
        assert_eq!((card.mana_value, card.colours.to_string()), (0, "blue".to_owned()));
        assert_eq!((card.keywords.len(), card.printings[0].mtgo_id), (1, None));
        assert_eq!(card.printings[0].set, "x");
    }
}
