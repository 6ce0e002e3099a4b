//! Name look-ups that are checked at connect time: if any address of a name is not allowed, none is used.
//!
//! The connection then goes to exactly the addresses that were checked; a second look-up (and with it a name that
//! answers differently the second time) does not happen.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::AddressPolicy;

/// Finds the addresses of a name.
pub trait NameLookup: Send + Sync + fmt::Debug {
    /// All addresses of `host`.
    fn lookup(&self, host: String)
    -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;
}

/// The system's own look-up.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl NameLookup for SystemLookup {
    fn lookup(
        &self,
        host: String,
    ) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((host, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}

/// An address that the policy does not allow; the HTTP library's error carries it as a cause.
#[derive(Debug, thiserror::Error)]
#[error("the address {address} is not allowed")]
pub(crate) struct RefusedAddressError {
    pub(crate) address: IpAddr,
}

/// The resolver that the connections use.
#[derive(Debug)]
pub(crate) struct CheckedResolver {
    pub(crate) policy: AddressPolicy,
    pub(crate) lookup: Arc<dyn NameLookup>,
}

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let policy = self.policy;
        let looking = self.lookup.lookup(name.as_str().to_owned());
        Box::pin(async move {
            let addresses = looking.await?;
            if let Some(&address) = addresses.iter().find(|&&address| !policy.permits(address)) {
                return Err(RefusedAddressError { address }.into());
            }
            if addresses.is_empty() {
                return Err(
                    io::Error::new(io::ErrorKind::NotFound, "the name has no address").into()
                );
            }
            // Port 0 stands for the URL's own.
            let sockets = addresses.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(Box::new(sockets) as Addrs)
        })
    }
}
