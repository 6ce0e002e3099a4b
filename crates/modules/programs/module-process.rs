//! A process of modules, as `abide module` is one: for the tests of this crate. The first argument, where there is one, is
//! the most bytes of memory that it may map.

use abide_modules::{ServeError, serve_process};
use rustix::process::{Resource, Rlimit, setrlimit};

fn main() -> Result<(), ServeError> {
    if let Some(bytes) = std::env::args().nth(1).and_then(|bytes| bytes.parse().ok()) {
        let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
        setrlimit(Resource::As, limit).map_err(|error| ServeError::Pipe(error.into()))?;
    }
    serve_process()
}
