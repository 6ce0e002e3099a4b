//! The IRCv3 capabilities of the server, as a set of bits.

/// What a client asked for beyond the old protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Caps(u32);

impl Caps {
    pub(super) const SASL: Self = Self(1);
    pub(super) const SERVER_TIME: Self = Self(1 << 1);
    pub(super) const MESSAGE_TAGS: Self = Self(1 << 2);
    pub(super) const ECHO_MESSAGE: Self = Self(1 << 3);
    pub(super) const LABELED_RESPONSE: Self = Self(1 << 4);
    pub(super) const BATCH: Self = Self(1 << 5);
    pub(super) const MULTI_PREFIX: Self = Self(1 << 6);
    pub(super) const ACCOUNT_TAG: Self = Self(1 << 7);
    pub(super) const EXTENDED_JOIN: Self = Self(1 << 8);
    pub(super) const USERHOST_IN_NAMES: Self = Self(1 << 9);
    pub(super) const AWAY_NOTIFY: Self = Self(1 << 10);
    pub(super) const CAP_NOTIFY: Self = Self(1 << 11);
    pub(super) const CHATHISTORY: Self = Self(1 << 12);
    pub(super) const MULTILINE: Self = Self(1 << 13);
    pub(super) const SETNAME: Self = Self(1 << 14);
    pub(super) const ACCOUNT_NOTIFY: Self = Self(1 << 15);
    pub(super) const STANDARD_REPLIES: Self = Self(1 << 16);
    pub(super) const READ_MARKER: Self = Self(1 << 17);
    pub(super) const SELF_MESSAGE: Self = Self(1 << 18);

    /// Every capability under its name.
    pub(super) const TABLE: [(&'static str, Self); 19] = [
        ("sasl", Self::SASL),
        ("server-time", Self::SERVER_TIME),
        ("message-tags", Self::MESSAGE_TAGS),
        ("echo-message", Self::ECHO_MESSAGE),
        ("labeled-response", Self::LABELED_RESPONSE),
        ("batch", Self::BATCH),
        ("multi-prefix", Self::MULTI_PREFIX),
        ("account-tag", Self::ACCOUNT_TAG),
        ("extended-join", Self::EXTENDED_JOIN),
        ("userhost-in-names", Self::USERHOST_IN_NAMES),
        ("away-notify", Self::AWAY_NOTIFY),
        ("cap-notify", Self::CAP_NOTIFY),
        ("draft/chathistory", Self::CHATHISTORY),
        ("draft/multiline", Self::MULTILINE),
        ("setname", Self::SETNAME),
        // An account is proven before the welcome and stays: there is nothing to notify of, and clients may ask for it.
        ("account-notify", Self::ACCOUNT_NOTIFY),
        ("standard-replies", Self::STANDARD_REPLIES),
        ("draft/read-marker", Self::READ_MARKER),
        // The older name for what other connections of the account said; its own words come back by `echo-message` alone.
        ("znc.in/self-message", Self::SELF_MESSAGE),
    ];
    /// Those that change how a line that goes to many is written.
    const WRITTEN: Self = Self(Self::SERVER_TIME.0 | Self::MESSAGE_TAGS.0 | Self::ACCOUNT_TAG.0);

    pub(super) const fn has(self, caps: Self) -> bool {
        self.0 & caps.0 == caps.0
    }

    pub(super) const fn with(self, caps: Self) -> Self {
        Self(self.0 | caps.0)
    }

    pub(super) const fn without(self, caps: Self) -> Self {
        Self(self.0 & !caps.0)
    }

    pub(super) const fn written(self) -> Self {
        Self(self.0 & Self::WRITTEN.0)
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::TABLE.iter().find(|(known, _)| *known == name).map(|(_, caps)| *caps)
    }
}
