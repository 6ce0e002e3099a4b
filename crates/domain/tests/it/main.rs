//! The public rules of the domain, held against the specification.
