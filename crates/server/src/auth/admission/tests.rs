//! Tests of who is admitted.

use std::time::Duration;

use abide_domain::Timestamp;
use http::{HeaderMap, Method};

use super::{Admission, AdmissionError, CSRF_HEADER, Credentials, Requirement};
use crate::{
    auth::{Caller, Credential, NamedToken, NamedTokens, Scopes, Token},
    config::Environment,
    home::Home,
};

const NOW: Timestamp = Timestamp::from_micros(1_700_000_000_000_000);
const DAY: Duration = Duration::from_hours(24);

struct Fixture {
    _folder: tempfile::TempDir,
    home: Home,
    token: Token,
    admission: Admission,
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::resolve(Some(folder.path().into()), &Environment::default()).unwrap();
    let token = Token::load_or_create(&home).unwrap();
    let admission = Admission::new(home.clone(), &token, 7717, Requirement::Token);
    Fixture { _folder: folder, home, token, admission }
}

fn check_at(
    admission: &Admission,
    method: &Method,
    pairs: &[(&'static str, String)],
    now: Timestamp,
) -> Result<Caller, AdmissionError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.insert(*name, value.parse().unwrap());
    }
    admission.check(Credentials { method, headers: &headers }, now)
}

fn check(
    admission: &Admission,
    method: &Method,
    pairs: &[(&'static str, String)],
) -> Result<Caller, AdmissionError> {
    check_at(admission, method, pairs, NOW)
}

fn bearer(token: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {token}"))
}

fn cookie_of(admission: &Admission, code: &str) -> (&'static str, String) {
    let set = admission.sign_in(code, Duration::ZERO, NOW).unwrap();
    assert!(set.contains("; HttpOnly; SameSite=Strict; Path=/"), "{set}");
    ("cookie", format!("other=1; {}", set.split(';').next().unwrap()))
}

impl Fixture {
    /// Makes a named token that ends a day from now.
    fn named(&self, name: &str, scopes: &str) -> Token {
        let token = Token::generate();
        let mut named = NamedTokens::load(&self.home).unwrap();
        let scopes = Scopes::of_texts(&[scopes.to_owned()]);
        let known = NamedToken::new(name, &token, &scopes, NOW);
        named.add(NamedToken { expires_at: Some(NOW.plus(DAY)), ..known }).unwrap();
        named.store(&self.home).unwrap();
        token
    }

    fn revoke(&self, name: &str) {
        let mut named = NamedTokens::load(&self.home).unwrap();
        named.revoke(name).unwrap();
        named.store(&self.home).unwrap();
    }
}

#[test]
fn a_token_passes_and_anything_else_does_not() {
    let Fixture { admission, token, _folder, .. } = fixture();
    let get = |pairs: &[_]| check(&admission, &Method::GET, pairs);
    let owner = get(&[bearer(token.expose())]).unwrap();
    assert!(owner.is_owner() && owner.scopes().is_admin());
    assert_eq!(get(&[]).unwrap_err(), AdmissionError::Missing);
    for wrong in ["", "x", &token.expose()[1..], &format!("{} ", token.expose().to_uppercase())] {
        assert_eq!(get(&[bearer(wrong)]).unwrap_err(), AdmissionError::Wrong, "{wrong:?}");
    }
    let without_scheme = ("authorization", token.expose().into());
    assert_eq!(get(&[without_scheme]).unwrap_err(), AdmissionError::Wrong);
}

#[test]
fn a_browser_reads_with_its_cookie_and_writes_with_its_csrf_value() {
    let Fixture { admission, _folder, .. } = fixture();
    let code = admission.link_for_owner(Duration::ZERO);
    let pair = cookie_of(&admission, &code);
    assert_eq!(admission.sign_in(&code, Duration::ZERO, NOW), None, "a code works once");
    let caller = check(&admission, &Method::GET, std::slice::from_ref(&pair)).unwrap();
    let Credential::Cookie(session, _) = caller.credential().clone() else { panic!() };
    let refused = check(&admission, &Method::POST, std::slice::from_ref(&pair));
    assert_eq!(refused.unwrap_err(), AdmissionError::Csrf);
    let wrong = (CSRF_HEADER, "1".to_owned());
    let refused = check(&admission, &Method::POST, &[pair.clone(), wrong]);
    assert_eq!(refused.unwrap_err(), AdmissionError::Csrf);
    let csrf = (CSRF_HEADER, session.csrf.clone());
    assert!(check(&admission, &Method::DELETE, &[pair.clone(), csrf]).is_ok());
    let forged = ("cookie", "abide_7717=9999999999.00.00".to_owned());
    let refused = check(&admission, &Method::GET, &[forged]);
    assert_eq!(refused.unwrap_err(), AdmissionError::Wrong);
    admission.sign_out(&caller);
    assert!(!admission.still_admits(&caller, NOW));
    let refused = check(&admission, &Method::GET, &[pair]);
    assert_eq!(refused.unwrap_err(), AdmissionError::Wrong, "signed out");
}

#[test]
fn a_named_token_counts_from_its_making_to_its_revocation_and_so_does_all_that_it_opened() {
    let fixture = fixture();
    let admission = &fixture.admission;
    let get = |pair| check(admission, &Method::GET, &[pair]);
    let laptop = fixture.named("laptop", "read");
    let caller = get(bearer(laptop.expose())).unwrap();
    assert_eq!((caller.name(), caller.scopes().texts()), ("laptop", vec!["read".to_owned()]));
    let cookie = cookie_of(admission, &admission.link_for(&caller, Duration::ZERO));
    let browser = get(cookie.clone()).unwrap();
    assert_eq!((browser.name(), browser.scopes().is_admin()), ("laptop", false));
    let unused = admission.link_for(&browser, Duration::ZERO);
    assert!(admission.still_admits(&caller, NOW) && admission.still_admits(&browser, NOW));
    fixture.revoke("laptop");
    assert_eq!(get(bearer(laptop.expose())).unwrap_err(), AdmissionError::Wrong);
    assert_eq!(get(cookie.clone()).unwrap_err(), AdmissionError::Wrong);
    assert!(!admission.still_admits(&caller, NOW) && !admission.still_admits(&browser, NOW));
    assert_eq!(admission.sign_in(&unused, Duration::ZERO, NOW), None);
    fixture.named("laptop", "read");
    assert_eq!(get(cookie).unwrap_err(), AdmissionError::Wrong, "another token of that name");
}

#[test]
fn a_named_token_ends_at_its_time_with_all_that_it_opened() {
    let fixture = fixture();
    let admission = &fixture.admission;
    let laptop = fixture.named("laptop", "read");
    let get = |pair, now| check_at(admission, &Method::GET, &[pair], now);
    let caller = get(bearer(laptop.expose()), NOW).unwrap();
    let cookie = cookie_of(admission, &admission.link_for(&caller, Duration::ZERO));
    let unused = admission.link_for(&caller, Duration::ZERO);
    let end = NOW.plus(DAY);
    assert!(get(cookie.clone(), NOW).is_ok());
    assert_eq!(get(bearer(laptop.expose()), end).unwrap_err(), AdmissionError::Wrong);
    assert_eq!(get(cookie, end).unwrap_err(), AdmissionError::Wrong);
    assert!(!admission.still_admits(&caller, end));
    assert_eq!(admission.sign_in(&unused, Duration::ZERO, end), None);
}

#[test]
fn a_token_under_a_name_of_abide_itself_opens_nothing() {
    let fixture = fixture();
    for name in ["keeper", "system", "user", "tickle-1"] {
        let token = fixture.named(name, "admin");
        let refused = check(&fixture.admission, &Method::GET, &[bearer(token.expose())]);
        assert_eq!(refused.unwrap_err(), AdmissionError::Wrong, "{name}");
    }
}

#[test]
fn where_no_token_is_required_everybody_is_the_owner_and_a_token_still_names_its_holder() {
    let fixture = fixture();
    let laptop = fixture.named("laptop", "read");
    let open = Admission::new(fixture.home.clone(), &fixture.token, 7717, Requirement::Nothing);
    assert!(check(&open, &Method::POST, &[]).unwrap().is_owner());
    assert!(check(&open, &Method::GET, &[bearer("x")]).unwrap().is_owner());
    let caller = check(&open, &Method::GET, &[bearer(laptop.expose())]).unwrap();
    assert_eq!(caller.name(), "laptop");
}
