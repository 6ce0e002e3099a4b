//! Who is at the other end of a connection, as limits count it.

use std::{
    fmt,
    net::{IpAddr, Ipv6Addr},
};

/// An address as limits count it: an IPv4 address, or the first 64 bits of an IPv6 address, of which one host has as many
/// others as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(IpAddr);

/// The part of an IPv6 address that names a network.
const NETWORK_BITS: u128 = !0 << 64;

impl Peer {
    /// The peer behind an address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(v6) if !v6.is_loopback() => {
                Self(Ipv6Addr::from_bits(v6.to_bits() & NETWORK_BITS).into())
            }
            other => Self(other),
        }
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::Peer;

    #[test]
    fn a_network_of_one_host_is_one_peer() {
        let peer = |text: &str| Peer::of(text.parse().unwrap());
        assert_eq!(peer("2001:db8::1"), peer("2001:db8::ffff:2"));
        assert_ne!(peer("2001:db8::1"), peer("2001:db8:0:1::1"));
        assert_eq!(peer("::ffff:127.0.0.1"), peer("127.0.0.1"));
        assert_ne!(peer("127.0.0.1"), peer("127.0.0.2"));
        assert_ne!(peer("::1"), peer("::"));
    }
}
