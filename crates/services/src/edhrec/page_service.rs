//! EDHREC's pages: the JSON host first, the site's own data where that has none. One request a second, kept for days.

use std::time::Duration;

use abide_http::{ClientSettings, Request};
use abide_tools::{ToolError, ToolErrorKind};
use serde_json::Value;

use super::settings::EdhrecSettings;
use crate::{
    answer::status_error,
    disk_cache::DiskCache,
    limits::{EDHREC_AGE_MAX, EDHREC_AGE_MIN, EDHREC_INTERVAL},
    service_client::{ServiceClient, client_for, pace_of, service_url},
};

const NAME: &str = "EDHREC";
/// What holds the number of the site's present build.
const BUILD_MARK: &str = "\"buildId\":\"";
/// Longest number of a build, in bytes.
const BUILD_BYTES_MAX: usize = 100;

/// The service.
#[derive(Debug)]
pub(super) struct PageService {
    json_url: String,
    site_url: String,
    service: ServiceClient,
    cache: DiskCache,
    page_age: Duration,
}

impl PageService {
    pub(super) fn new(settings: &EdhrecSettings, http: &ClientSettings) -> Self {
        let mut paces = pace_of(&settings.json_url, EDHREC_INTERVAL);
        let of_site = pace_of(&settings.site_url, EDHREC_INTERVAL);
        paces.extend(of_site.into_iter().filter(|pace| {
            pace_of(&settings.json_url, EDHREC_INTERVAL).iter().all(|json| json.host != pace.host)
        }));
        Self {
            json_url: settings.json_url.clone(),
            site_url: settings.site_url.clone(),
            service: ServiceClient {
                name: NAME,
                client: client_for(http, settings.addresses, paces),
            },
            cache: DiskCache::new(&settings.cache, http.clock.clone()),
            page_age: settings.page_age.clamp(EDHREC_AGE_MIN, EDHREC_AGE_MAX),
        }
    }

    /// The page of a path such as `commanders/krenko-mob-boss`.
    pub(super) async fn page(&self, path: &str) -> Result<Value, ToolError> {
        let key = format!("edhrec {path}");
        if let Some(page) = self.cache.get(&key, self.page_age).await {
            return Ok(page);
        }
        let url = service_url(&self.json_url, &format!("pages/{path}.json"), &[])?;
        let page = match self.ask(&url).await {
            Ok(page) => page,
            Err(error) if error.kind == ToolErrorKind::RateLimited => return Err(error),
            Err(first) => self.page_of_site(path).await.map_err(|second| worst(first, second))?,
        };
        self.cache.put(&key, page.clone()).await;
        Ok(page)
    }

    async fn ask(&self, url: &str) -> Result<Value, ToolError> {
        let answer = self.service.send(Request::get(url).accept("application/json")).await?;
        match answer.status.as_u16() {
            200 => self.service.parse(answer.body).await,
            // The JSON host says "forbidden" of pages that do not exist.
            403 | 404 => Err(ToolError::of(ToolErrorKind::NotFound, "EDHREC has no such page")),
            _ => Err(status_error(NAME, &answer, self.service.now())),
        }
    }

    /// The same tree out of the site's own data.
    async fn page_of_site(&self, path: &str) -> Result<Value, ToolError> {
        let front = self.service.send(Request::get(service_url(&self.site_url, "", &[])?)).await?;
        if !front.status.is_success() {
            return Err(status_error(NAME, &front, self.service.now()));
        }
        let build = build_of(&String::from_utf8_lossy(&front.body)).ok_or_else(|| {
            let message = "EDHREC's site has changed: the number of its build was not found";
            ToolError::of(ToolErrorKind::Unreadable, message)
        })?;
        let url = service_url(&self.site_url, &format!("_next/data/{build}/{path}.json"), &[])?;
        let mut page = self.ask(&url).await?;
        match page.pointer_mut("/pageProps/data").map(Value::take) {
            Some(tree) => Ok(tree),
            None => Err(ToolError::of(ToolErrorKind::NotFound, "EDHREC has no such page")),
        }
    }
}

/// Of two failures the one that says more: that there is no page is worth telling only where both say so.
fn worst(first: ToolError, second: ToolError) -> ToolError {
    if first.kind == ToolErrorKind::NotFound { second } else { first }
}

fn build_of(front: &str) -> Option<String> {
    let (_, rest) = front.split_once(BUILD_MARK)?;
    let (build, _) = rest.split_once('"')?;
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let fits = !build.is_empty() && build.len() <= BUILD_BYTES_MAX && build.chars().all(is_word);
    fits.then(|| build.to_owned())
}

#[cfg(test)]
mod tests {
    use super::build_of;

    #[test]
    fn the_number_of_the_build_is_one_word() {
        let front =
            "<script id=\"__NEXT_DATA__\">{\"page\":\"/\",\"buildId\":\"aB-1_z\",\"x\":1}</script>";
        assert_eq!(build_of(front).as_deref(), Some("aB-1_z"));
        for odd in ["", "\"buildId\":\"", "\"buildId\":\"../../x\"", "\"buildId\":\"\""] {
            assert_eq!(build_of(odd), None, "{odd}");
        }
    }
}
