//! What the library says about tracks, albums and files.

use std::{fmt, path::PathBuf, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// What a track is known by wherever it lies and however it is tagged: a digest of its audio. Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrackKey([u8; 16]);

/// Which picture a cover is. Written as 32 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoverDigest([u8; 16]);

/// The text is not a digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not 32 hexadecimal digits")]
pub struct MediaDigestError {
    /// The text as it came, cut to 64 characters.
    pub text: String,
}

macro_rules! digest {
    ($name:ident) => {
        impl $name {
            /// A digest from its bytes.
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// Its bytes.
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&hex::encode(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = MediaDigestError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let mut bytes = [0; 16];
                let error = |_| MediaDigestError { text: text.chars().take(64).collect() };
                hex::decode_to_slice(text, &mut bytes).map_err(error)?;
                Ok(Self(bytes))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}

digest!(TrackKey);
digest!(CoverDigest);

/// Whether a file is where the library last saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePresence {
    /// It was there at the last scan.
    Present,
    /// Its root was read, and it was not there. It is kept.
    Missing,
    /// Its root is not mounted, cannot be read or is no longer one.
    Offline,
}

/// One audio file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Track {
    /// Its number in this library file; a library that is built anew gives new ones.
    pub id: i64,
    /// What it is known by; none where the file could not be read.
    pub key: Option<TrackKey>,
    /// Its title; the name of the file without its ending where no tag has one.
    pub title: String,
    /// All its artists, in their order.
    pub artists: Vec<String>,
    /// Its album.
    pub album: Option<String>,
    /// Whose album it is.
    pub album_artist: Option<String>,
    /// What the album is asked for by.
    pub album_key: Option<String>,
    /// Number of the disc, from 1.
    pub disc: Option<u32>,
    /// Number on the disc, from 1.
    pub number: Option<u32>,
    /// Year of recording.
    pub year: Option<u32>,
    /// Length in milliseconds.
    pub duration_ms: Option<u64>,
    /// The kind of file, such as `flac`.
    pub format: String,
    /// Its cover.
    pub cover: Option<CoverDigest>,
    /// Whether it can be played now.
    pub presence: FilePresence,
    /// What is wrong with the file, if anything.
    pub problem: Option<String>,
    /// Where it lies. In JSON, what is not UTF-8 is replaced.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
}

/// A track as a queue or a playlist holds it: what it is known by, and what to show where no file has it any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackRef {
    /// What it is known by.
    pub key: TrackKey,
    /// Its title.
    pub title: String,
    /// Its artists.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artists: Vec<String>,
    /// Length in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl Track {
    /// The track for a queue or a playlist; none where its file could not be read.
    pub fn reference(&self) -> Option<TrackRef> {
        let (title, artists) = (self.title.clone(), self.artists.clone());
        Some(TrackRef { key: self.key?, title, artists, duration_ms: self.duration_ms })
    }
}

fn lossy<S: Serializer>(path: &std::path::Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// An album: all tracks of one album artist with one album's name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Album {
    /// What it is asked for by.
    pub key: String,
    /// Its name.
    pub title: String,
    /// Whose it is.
    pub artist: String,
    /// The earliest year of its tracks.
    pub year: Option<u32>,
    /// How many tracks there are.
    pub tracks: u32,
    /// How many discs there are.
    pub discs: u32,
    /// Length in milliseconds, of the tracks whose length is known.
    pub duration_ms: u64,
    /// A cover of its tracks.
    pub cover: Option<CoverDigest>,
}

/// A part of the matches of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrackPage {
    /// The tracks from the asked place on, best first.
    pub tracks: Vec<Track>,
    /// How many match, of those that were ranked.
    pub matches: usize,
    /// Whether more match than were ranked: more words find less.
    pub is_cut: bool,
}

/// A file that the scan could not read as it should.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileProblem {
    /// Where it lies.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// What is wrong.
    pub problem: String,
}

/// Whether a root could be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RootStatus {
    /// Where it is.
    #[serde(serialize_with = "lossy")]
    pub path: PathBuf,
    /// Why it is offline; none where it is not.
    pub offline: Option<String>,
}

/// How many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LibraryCounts {
    /// Files, missing ones included.
    pub files: u64,
    /// Files that are missing.
    pub missing: u64,
    /// Files with a problem.
    pub problems: u64,
    /// Albums.
    pub albums: u64,
}
