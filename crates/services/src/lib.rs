//! Tools for services outside the keeper, one file each: the web, feeds, cards and decks, games, the music player of this machine.
//!
//! Everything goes out through [`abide_http`], within a time and a cap of its own. What comes back is text of others: it is
//! cleaned of what is not seen, marked as data and, where it is long, not kept. No key is ever part of an error or a result.
//!
//! ```
//! # use std::{sync::Arc, time::Duration};
//! # use abide_domain::{Clock, Timestamp};
//! use abide_http::{AddressPolicy, ClientSettings};
//! use abide_services::{AllowedHosts, InternetSettings, internet_tools};
//!
//! # #[derive(Debug)]
//! # struct FixedClock;
//! # impl Clock for FixedClock {
//! #     fn now(&self) -> Timestamp { Timestamp::default() }
//! #     fn monotonic(&self) -> Duration { Duration::ZERO }
//! # }
//! let http = ClientSettings::new(AddressPolicy::Public, Arc::new(FixedClock));
//! let allowed = AllowedHosts::parse(&["example.org", "*.wikipedia.org"])?;
//! let tools = internet_tools(&InternetSettings { allowed, ..InternetSettings::default() }, &http);
//! let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
//! assert_eq!(names, ["internet.search", "internet.fetch", "internet.list_allowed"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Reading order: `internet`, `rss`, `scryfall`, `edhrec`, `steam` (settings, tools, check of each), `media`, then what they share:
//! `service_client`, `guarded_client` (redirects) and `answer` (requests), `document` (bytes to text), `allow_list`, `disk_cache`, `foreign_text`, `limits`.

mod internet;
mod rss;

mod scryfall;

mod edhrec;

mod steam;

mod media;

mod answer;
mod guarded_client;
mod service_check;
mod service_client;

mod document;

mod allow_list;
mod disk_cache;
mod foreign_text;
mod limits;
mod tool_spec;

pub use allow_list::{AllowedHosts, AllowedHostsError};
pub use disk_cache::DiskCacheSettings;
pub use edhrec::{EdhrecSettings, GetRecommendations, check_edhrec, edhrec_tools};
pub use internet::{
    FetchPage, InternetSettings, ListAllowed, RecordedSearch, SearchBackend, SearchWeb, WebQuery,
    WebResult, WebResults, check_internet, internet_tools,
};
pub use media::{
    MEDIA_TOOL_NAMES, MusicAct, MusicChoice, MusicControl, MusicPlace, PauseMusic, PlayMusic,
    PlayNext, QueueMusic, SearchMusic, SetVolume, ShowMusic, media_tools,
};
pub use rss::{
    CheckFeeds, ExportOpml, FetchFeed, ImportOpml, ListFeeds, RssSettings, SubscribeFeed,
    UnsubscribeFeed, check_rss, rss_tools,
};
pub use scryfall::{GetCardDetails, ScryfallSettings, SearchCards, check_scryfall, scryfall_tools};
pub use service_check::ServiceCheck;
pub use steam::{
    GetInstalled, GetLibrary, GetRecentGames, ResolveId, SteamSettings, check_steam, steam_tools,
};
