//! What the document of this interface says of every route: its scope, and every refusal that it may answer with.
//!
//! Groups name the refusals of their own; what the guard, the address check and the reader of bodies refuse is the same
//! everywhere and is added here, each with the one shape of errors. A test asks every route and holds its answers against this.

use http::StatusCode;
use utoipa::openapi::{
    Content, OpenApi, Ref, RefOr,
    extensions::Extensions,
    path::{Operation, ParameterIn},
    response::Response,
    security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme},
};

use crate::auth::Right;

/// What operations say of the scope that they need.
pub(super) const SCOPE_FIELD: &str = "x-abide-scope";
const ERROR_BODY: &str = "ErrorBody";
const JSON: &str = "application/json";

/// Says of both ways to sign in, and of each route its scope and its refusals.
pub(super) fn complete(document: &mut OpenApi, routes: &[(&str, &str, Right)]) {
    let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let cookie = ApiKey::Cookie(ApiKeyValue::new("abide_<port>"));
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(token));
    components.add_security_scheme("cookie", SecurityScheme::ApiKey(cookie));
    for (method, path, right) in routes {
        let Some(item) = document.paths.paths.get_mut(*path) else { continue };
        let operation = match *method {
            "get" => item.get.as_mut(),
            "post" => item.post.as_mut(),
            "put" => item.put.as_mut(),
            "patch" => item.patch.as_mut(),
            "delete" => item.delete.as_mut(),
            _ => None,
        };
        if let Some(operation) = operation {
            declare_scope(operation, *right);
            declare_refusals(operation, method, *right);
        }
    }
}

fn declare_scope(operation: &mut Operation, right: Right) {
    let scope = Extensions::builder().add(SCOPE_FIELD, right.name());
    operation.extensions = Some(scope.build());
    if right == Right::Open {
        operation.security = Some(Vec::new());
    }
}

fn declare_refusals(operation: &mut Operation, method: &str, right: Right) {
    for status in refusals(operation, method, right) {
        let code = status.as_str().to_owned();
        operation.responses.responses.entry(code).or_insert_with(|| RefOr::T(Response::default()));
    }
    for (code, response) in &mut operation.responses.responses {
        let (Ok(status), RefOr::T(response)) = (code.parse::<StatusCode>(), response) else {
            continue;
        };
        if response.description.is_empty() {
            describe(status).clone_into(&mut response.description);
        }
        if response.content.is_empty() && (status.is_client_error() || status.is_server_error()) {
            let body = Content::new(Some(RefOr::<utoipa::openapi::Schema>::Ref(
                Ref::from_schema_name(ERROR_BODY),
            )));
            response.content.insert(JSON.to_owned(), RefOr::T(body));
        }
    }
}

/// What a route refuses with beside what its group names.
fn refusals(operation: &Operation, method: &str, right: Right) -> Vec<StatusCode> {
    let mut statuses = vec![
        StatusCode::BAD_REQUEST,
        StatusCode::FORBIDDEN,
        StatusCode::MISDIRECTED_REQUEST,
        StatusCode::INTERNAL_SERVER_ERROR,
    ];
    let names_a_thing = |parameter: &utoipa::openapi::path::Parameter| {
        matches!(parameter.parameter_in, ParameterIn::Path) || parameter.name == "citizen"
    };
    let parameters = operation.parameters.iter().flatten();
    let mut parameters = parameters.filter_map(|parameter| match parameter {
        RefOr::T(parameter) => Some(parameter),
        RefOr::Ref(_) => None,
    });
    if parameters.any(names_a_thing) {
        statuses.push(StatusCode::NOT_FOUND);
    }
    if operation.request_body.is_some() {
        // A body may name an agent too.
        statuses.extend([
            StatusCode::NOT_FOUND,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::UNPROCESSABLE_ENTITY,
        ]);
    }
    if method != "get" {
        statuses.extend([StatusCode::UNSUPPORTED_MEDIA_TYPE, StatusCode::SERVICE_UNAVAILABLE]);
    }
    if right != Right::Open {
        statuses.extend([
            StatusCode::UNAUTHORIZED,
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::SERVICE_UNAVAILABLE,
        ]);
    }
    statuses
}

/// What a status means here.
fn describe(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200 => "Done",
        201 => "Made",
        202 => "Recorded; it will be done",
        204 => "Done; there is nothing to tell",
        303 => "Elsewhere, for a browser",
        304 => "Not changed since the caller read it",
        400 => "The request cannot be read: its path, a query parameter, or its JSON",
        401 => "No token or cookie, or one that is not valid",
        403 => "The token may not do this, or the request comes from a page of another origin",
        404 => "There is no such thing",
        409 => "It does not fit the present state",
        413 => "The body is too long",
        415 => "The body is not sent as JSON",
        421 => "The Host header names another host",
        422 => "It can be read and breaks a rule",
        423 => "The agent is busy, and the caller did not want to wait",
        429 => "Too often, or too much waits already; Retry-After says when",
        500 => "A defect, or a disk that cannot be read",
        503 => "Not now: the keeper is starting, stopping, or cannot write; Retry-After says when",
        504 => "It goes on, and the caller waited long enough",
        _ => "",
    }
}
