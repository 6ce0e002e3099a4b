//! TLS for IRC and mail: a certificate for the server, trust for the client. The provider is ring, and the system says
//! whom to trust, as in `abide-http`.

use std::sync::Arc;

use rustls_platform_verifier::BuilderVerifierExt as _;
use tokio_rustls::rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

/// Says why TLS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A text is no PEM of the kind that is needed.
    #[error("the {what} is not valid PEM")]
    Pem {
        /// Which text.
        what: &'static str,
        /// Why not.
        #[source]
        source: tokio_rustls::rustls::pki_types::pem::Error,
    },
    /// Certificate and key do not make a configuration.
    #[error("TLS cannot be set up")]
    Setup(#[from] tokio_rustls::rustls::Error),
}

/// Whose certificates a client trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Those that the system trusts.
    System,
    /// These authorities alone, in PEM.
    Authorities(String),
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn certificates(pem: &str, what: &'static str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let certificates = CertificateDer::pem_slice_iter(pem.as_bytes());
    certificates.collect::<Result<_, _>>().map_err(|source| TlsError::Pem { what, source })
}

/// Makes the server's side from a certificate chain and its key, both PEM.
pub fn server_config(chain_pem: &str, key_pem: &str) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(chain_pem, "certificate chain")?;
    let key = PrivateKeyDer::from_pem_slice(key_pem.as_bytes())
        .map_err(|source| TlsError::Pem { what: "key", source })?;
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    Ok(Arc::new(config))
}

/// Makes the client's side.
pub(crate) fn client_config(trust: &Trust) -> Result<Arc<ClientConfig>, TlsError> {
    let builder =
        ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
    let config = match trust {
        Trust::System => builder.with_platform_verifier()?.with_no_client_auth(),
        Trust::Authorities(pem) => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates(pem, "authorities")? {
                roots.add(certificate)?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    Ok(Arc::new(config))
}
