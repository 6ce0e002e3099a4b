//! The five colours of Magic, and sets of them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A colour, written as its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum Colour {
    /// White.
    #[serde(rename = "W")]
    White,
    /// Blue.
    #[serde(rename = "U")]
    Blue,
    /// Black.
    #[serde(rename = "B")]
    Black,
    /// Red.
    #[serde(rename = "R")]
    Red,
    /// Green.
    #[serde(rename = "G")]
    Green,
}

impl Colour {
    /// All colours in their usual order.
    pub const ALL: [Self; 5] = [Self::White, Self::Blue, Self::Black, Self::Red, Self::Green];

    /// Its letter in mana symbols.
    pub const fn letter(self) -> char {
        match self {
            Self::White => 'W',
            Self::Blue => 'U',
            Self::Black => 'B',
            Self::Red => 'R',
            Self::Green => 'G',
        }
    }

    /// Its name in English.
    pub const fn name(self) -> &'static str {
        match self {
            Self::White => "white",
            Self::Blue => "blue",
            Self::Black => "black",
            Self::Red => "red",
            Self::Green => "green",
        }
    }

    /// The colour of a letter, in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|colour| colour.letter() == letter.to_ascii_uppercase())
    }

    const fn bit(self) -> u8 {
        match self {
            Self::White => 1,
            Self::Blue => 2,
            Self::Black => 4,
            Self::Red => 8,
            Self::Green => 16,
        }
    }
}

/// A set of colours; serialised as a list of letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColourSet(u8);

impl ColourSet {
    /// No colour.
    pub const NONE: Self = Self(0);

    /// Whether a colour is in it.
    pub const fn contains(self, colour: Colour) -> bool {
        self.0 & colour.bit() != 0
    }

    /// With another colour.
    #[must_use]
    pub const fn with(self, colour: Colour) -> Self {
        Self(self.0 | colour.bit())
    }

    /// The colours of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The colours that the other lacks.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// How many there are.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its colours in their usual order.
    pub fn colours(self) -> impl Iterator<Item = Colour> {
        Colour::ALL.into_iter().filter(move |colour| self.contains(*colour))
    }
}

impl FromIterator<Colour> for ColourSet {
    fn from_iter<I: IntoIterator<Item = Colour>>(colours: I) -> Self {
        colours.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Display for ColourSet {
    /// "white and blue", "colourless".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.colours().map(Colour::name).collect();
        match names.split_last() {
            None => f.write_str("colourless"),
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} and {last}", rest.join(", ")),
        }
    }
}

impl Serialize for ColourSet {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.colours())
    }
}

impl<'de> Deserialize<'de> for ColourSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Colour>::deserialize(deserializer)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Colour, ColourSet};

    #[test]
    fn sets_are_written_in_the_usual_order() {
        let set: ColourSet = [Colour::Green, Colour::White, Colour::Blue].into_iter().collect();
        assert_eq!(set.to_string(), "white, blue and green");
        assert_eq!(serde_json::to_string(&set).unwrap(), r#"["W","U","G"]"#);
        assert_eq!(serde_json::from_str::<ColourSet>(r#"["G","U","W"]"#).unwrap(), set);
        assert_eq!(ColourSet::NONE.to_string(), "colourless");
        assert_eq!(set.without(ColourSet::NONE.with(Colour::Blue)).len(), 2);
    }
}
