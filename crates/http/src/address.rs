//! Which addresses a client may connect to: the guard against requests that are steered into the local network.
//!
//! A pure table. It is asked for literal addresses before a request is sent and for every answer of a name look-up at
//! connect time, so that a name cannot change its mind between check and use.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

/// Where a client may connect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressPolicy {
    /// Public addresses only: for URLs that come from models, pages or people outside.
    Public,
    /// Public addresses and this machine.
    PublicOrLoopback,
    /// Any address: for URLs that the operator wrote into the configuration.
    Any,
}

impl AddressPolicy {
    /// Whether a connection to `address` is allowed.
    pub fn permits(self, address: IpAddr) -> bool {
        match self {
            Self::Any => true,
            Self::Public => is_public(address),
            Self::PublicOrLoopback => is_public(address) || address.to_canonical().is_loopback(),
        }
    }
}

impl fmt::Display for AddressPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "public addresses",
            Self::PublicOrLoopback => "public addresses and this machine",
            Self::Any => "any address",
        })
    }
}

/// Whether an address belongs to the public Internet: no private, local, shared, documentation, benchmark, multicast
/// or reserved range, and no IPv6 form that carries such an IPv4 address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 168, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (198, 18..=19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    )
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let octets = address.octets();
    match address.segments() {
        // IPv4-mapped, and NAT64's well-known prefix: as the IPv4 address inside.
        [0, 0, 0, 0, 0, 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            let [.., a, b, c, d] = octets;
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // 6to4: as the IPv4 address inside.
        [0x2002, ..] => {
            let [_, _, a, b, c, d, ..] = octets;
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Teredo, benchmarks, documentation.
        [0x2001, 0 | 2 | 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => false,
        // Whatever lies outside the global unicast range 2000::/3 is local, multicast, reserved or unset.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::{AddressPolicy, is_public};

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn only_the_public_internet_is_public() {
        let public = "1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 \
            128.0.0.1 169.253.0.1 172.15.255.255 172.32.0.0 192.0.1.1 192.167.0.1 192.169.0.1 198.17.0.1 198.20.0.0 \
            223.255.255.255 2606:4700::1111 2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1";
        let refused = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 \
            127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 \
            198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 \
            fc00::1 fdff::1 fe80::1 febf::1 fec0::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 \
            ::ffff:169.254.169.254 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808 2002:7f00:1::1 2002:a00:1::1 \
            2002:c0a8:101:: 2001:db8::1 2001::1 100::1 3fff::1 5f00::1";
        for text in public.split_whitespace() {
            assert!(is_public(address(text)), "{text} is public");
        }
        for text in refused.split_whitespace() {
            assert!(!is_public(address(text)), "{text} is not public");
        }
    }

    #[test]
    fn each_policy_permits_what_its_name_says() {
        let cases = [
            ("8.8.8.8", [true, true, true]),
            ("127.0.0.1", [false, true, true]),
            ("::1", [false, true, true]),
            ("::ffff:127.0.0.1", [false, true, true]),
            ("192.168.0.1", [false, false, true]),
            ("169.254.169.254", [false, false, true]),
        ];
        for (text, expected) in cases {
            let policies =
                [AddressPolicy::Public, AddressPolicy::PublicOrLoopback, AddressPolicy::Any];
            assert_eq!(policies.map(|policy| policy.permits(address(text))), expected, "{text}");
        }
    }
}
