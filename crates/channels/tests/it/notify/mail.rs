//! Mail, against a mail server.

use std::{fs, sync::Arc};

use abide_channels::{
    notify::{Email, EmailSettings, MailServer, MailTls},
    tls::{Trust, server_config},
};
use abide_domain::event::watchdog::Proof;
use abide_http::Secret;
use abide_watchdog::{Delivery, Notice, NoticeKind, Notifier as _};
use tokio_rustls::rustls::ServerConfig;

use super::{
    EPISODE, NOTICE, delivered,
    mail_server::{MailServerStub, Manners},
    notice, reason, resolved, stalled,
};
use crate::server::certificate_folder;

const PASSWORD: &str = "hunter2-hunter2";

fn settings(post: &MailServerStub, tls: MailTls) -> EmailSettings {
    EmailSettings {
        server: MailServer::new(&format!("localhost:{}", post.port), tls).unwrap(),
        login: None,
        from: "abide@house.example".to_owned(),
        to: vec!["ada@example.org".to_owned()],
        link: None,
        trust: Trust::System,
    }
}

/// A server without TLS, on this machine.
async fn plain(manners: Manners) -> (MailServerStub, EmailSettings) {
    let post = MailServerStub::new(manners).await;
    let settings = settings(&post, MailTls::Off);
    (post, settings)
}

/// A certificate for localhost, and who vouches for it.
fn certificate() -> Option<(Arc<ServerConfig>, Trust)> {
    let folder = certificate_folder()?;
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let config = server_config(&text("cert.pem"), &text("key.pem")).unwrap();
    Some((config, Trust::Authorities(text("ca.pem"))))
}

fn login() -> (String, Secret) {
    ("ada".to_owned(), Secret::new(PASSWORD))
}

/// What became of felix, over a server with these manners.
async fn failure(manners: Manners, change: impl FnOnce(&mut EmailSettings)) -> String {
    let (_post, mut settings) = plain(manners).await;
    change(&mut settings);
    let shown = format!("{settings:?}");
    assert!(!shown.contains(PASSWORD), "{shown}");
    let reason = reason(Email::new(settings).notify(stalled()).await);
    assert!(!reason.contains("hunter2"), "{reason}");
    reason
}

/// Headers, each on one line.
fn unfolded(head: &str) -> String {
    head.replace("\r\n ", " ")
}

#[tokio::test]
async fn a_stall_and_its_end_are_one_thread_in_the_mailbox() {
    let (post, settings) = plain(Manners::default()).await;
    let email = Email::new(settings);
    let taken = delivered(Proof::Sent, "email by localhost to 1 of 1");
    assert_eq!(email.notify(stalled()).await, taken);
    assert_eq!(email.notify(resolved()).await, taken);
    let told = post.received();
    assert_eq!(
        told.lines[..5],
        [
            "EHLO [127.0.0.1]",
            "MAIL FROM:<abide@house.example>",
            "RCPT TO:<ada@example.org>",
            "DATA",
            "QUIT",
        ]
    );
    let house = "house.example";
    let message = |index: usize, subject: &str, body: &str| {
        let (head, text) = told.messages[index].split_once("\r\n\r\n").unwrap();
        // Lines that are long are folded.
        assert_eq!(text.replace("=\r\n", ""), body);
        for expected in [
            format!("From: Abide <abide@{house}>"),
            "To: ada@example.org".to_owned(),
            format!("Subject: {subject}"),
            "Date: Fri, 27 Nov 2026 22:05:00 +0000".to_owned(),
            format!("Message-ID: <{NOTICE}@{house}>"),
            format!("In-Reply-To: <episode.{EPISODE}@{house}>"),
            format!("References: <episode.{EPISODE}@{house}>"),
            "Auto-Submitted: auto-generated".to_owned(),
            "MIME-Version: 1.0".to_owned(),
            "Content-Type: text/plain; charset=utf-8".to_owned(),
        ] {
            let head = unfolded(head);
            assert_eq!(
                head.lines().filter(|line| *line == expected).count(),
                1,
                "{expected}: {head}"
            );
        }
    };
    let stalled = "felix has stalled\r\nIt was to answer a message of ann on Telegram, 12 min ago.\r\nNothing has come from it since 21:59 (5 min).\r\nTried: its process answered, but the task does not move; it was paged (page 7f3a), without effect.\r\nYou can acknowledge it (also: abide watchdog ack 7f3a), abort its task, or restart it.\r\n";
    message(0, "felix has stalled", stalled);
    let over = "felix moves again\r\nThe stall lasted 5 min; it was to answer a message of ann on Telegram, 12 min ago.\r\n";
    message(1, "Re: felix has stalled", over);
}

#[tokio::test]
async fn what_is_not_ascii_is_encoded_and_no_text_ends_the_message_or_adds_a_header() {
    let (post, mut settings) = plain(Manners::default()).await;
    settings.link = Some("http://127.0.0.1:7717/".to_owned());
    settings.to.push("bob@example.org".to_owned());
    let email = Email::new(settings);
    let blind = |why: &str| notice(NoticeKind::Blind(why.to_owned()), Vec::new());
    email.notify(blind("x\r\n.\r\nRCPT TO:<eve@example.org>\r\nBcc: eve@example.org")).await;
    email.notify(blind("die Platte ist voll – schon wieder")).await;
    let told = post.received();
    assert_eq!(told.lines.iter().filter(|line| line.starts_with("RCPT")).count(), 4, "{told:?}");
    assert!(!told.lines.iter().any(|line| line.contains("eve@")), "{told:?}");
    let (head, body) = told.messages[0].split_once("\r\n\r\n").unwrap();
    let head = unfolded(head);
    assert!(head.contains("\r\nTo: ada@example.org, bob@example.org\r\n"), "{head}");
    let subject = "\r\nSubject: tickle-1: agents cannot be judged: x . RCPT TO:<eve@example.org> Bcc: eve@example.org\r\n";
    assert!(head.contains(subject), "{head}");
    assert!(!head.contains("\r\nBcc"), "{head}");
    assert_eq!(
        body,
        "tickle-1: agents cannot be judged: x\r\n.\r\nRCPT TO:<eve@example.org>\r\nBcc: eve@example.org\r\n\r\nhttp://127.0.0.1:7717/watchdog\r\n"
    );
    let (head, body) = told.messages[1].split_once("\r\n\r\n").unwrap();
    assert!(head.contains("\r\nSubject: tickle-1: agents cannot be judged: die Platte"), "{head}");
    assert!(head.contains("=?utf-8?b?") && told.messages[1].is_ascii(), "{head}");
    assert!(head.contains("\r\nContent-Transfer-Encoding: quoted-printable"), "{head}");
    let text = body.replace("=\r\n", "").replace("=E2=80=93", "–");
    assert_eq!(
        text,
        "tickle-1: agents cannot be judged: die Platte ist voll – schon wieder\r\n\r\nhttp://127.0.0.1:7717/watchdog\r\n"
    );
}

#[tokio::test]
async fn starttls_comes_before_anything_that_matters() {
    let Some((config, trust)) = certificate() else { return };
    let manners = Manners {
        tls: Some(config),
        ways: "LOGIN PLAIN",
        password: PASSWORD,
        ..Manners::default()
    };
    let post = MailServerStub::new(manners).await;
    let email = Email::new(EmailSettings {
        trust,
        login: Some(login()),
        ..settings(&post, MailTls::Starttls)
    });
    assert_eq!(
        email.notify(stalled()).await,
        delivered(Proof::Sent, "email by localhost to 1 of 1")
    );
    let lines = post.received().lines;
    assert_eq!(lines[..2], ["EHLO [127.0.0.1]", "STARTTLS"]);
    assert_eq!(lines[2], "+EHLO [127.0.0.1]");
    assert_eq!(lines[3], "+AUTH PLAIN AGFkYQBodW50ZXIyLWh1bnRlcjI=");
    assert!(lines[4..].iter().all(|line| line.starts_with('+')), "{lines:?}");
}

#[tokio::test]
async fn tls_from_the_start_and_the_older_login_work_too() {
    let Some((config, trust)) = certificate() else { return };
    let manners = Manners {
        tls: Some(config),
        is_implicit: true,
        ways: "CRAM-MD5 LOGIN",
        password: PASSWORD,
        ..Manners::default()
    };
    let post = MailServerStub::new(manners).await;
    let settings =
        EmailSettings { trust, login: Some(login()), ..settings(&post, MailTls::Implicit) };
    let taken = delivered(Proof::Sent, "email by localhost to 1 of 1");
    assert_eq!(Email::new(settings.clone()).notify(stalled()).await, taken);
    assert!(post.received().lines.iter().all(|line| line.starts_with('+')));
    // A certificate that nobody vouches for.
    let strange = EmailSettings { trust: Trust::System, ..settings };
    let reason = reason(Email::new(strange).notify(stalled()).await);
    assert!(reason.starts_with("localhost: the TLS handshake with it failed: "), "{reason}");
    assert_eq!(post.received().messages.len(), 1);
}

#[tokio::test]
async fn nothing_is_said_without_tls_that_was_to_be_said_with_it() {
    // A server that offers none, or one in between that takes the offer out.
    let post = MailServerStub::new(Manners { ways: "PLAIN", ..Manners::default() }).await;
    let email =
        Email::new(EmailSettings { login: Some(login()), ..settings(&post, MailTls::Starttls) });
    let failed = reason(email.notify(stalled()).await);
    assert!(failed.starts_with("localhost: it offers no STARTTLS"), "{failed}");
    assert_eq!(post.received().lines, ["EHLO [127.0.0.1]"]);

    // What was said before TLS is not taken for what is said after.
    let Some((config, trust)) = certificate() else { return };
    let injected = "250-post.example\r\n250 AUTH PLAIN\r\n";
    let post =
        MailServerStub::new(Manners { tls: Some(config), injected, ..Manners::default() }).await;
    let email = Email::new(EmailSettings {
        trust,
        login: Some(login()),
        ..settings(&post, MailTls::Starttls)
    });
    let failed = reason(email.notify(stalled()).await);
    assert!(failed.starts_with("localhost: the TLS handshake with it failed: "), "{failed}");
    assert_eq!(post.received().lines, ["EHLO [127.0.0.1]", "STARTTLS"]);
}

#[tokio::test]
async fn one_recipient_that_is_taken_is_enough_and_the_count_is_told() {
    let to = || vec!["nobody@here".to_owned(), "ada@example.org".to_owned()];
    let unknown = vec!["nobody@here"];
    let (post, mut settings) =
        plain(Manners { unknown: unknown.clone(), ..Manners::default() }).await;
    settings.to = to();
    assert_eq!(
        Email::new(settings).notify(stalled()).await,
        delivered(Proof::Sent, "email by localhost to 1 of 2")
    );
    assert_eq!(post.received().messages.len(), 1);
    let none = failure(Manners { unknown, ..Manners::default() }, |settings| {
        settings.to.truncate(0);
        settings.to.push("nobody@here".to_owned());
    });
    assert_eq!(none.await, "localhost: it refuses the recipient with 550 5.1.1");
}

#[tokio::test]
async fn every_refusal_is_numbers_and_no_words_of_the_server() {
    let manners = Manners { ways: "PLAIN", password: "other", ..Manners::default() };
    let with_login = |settings: &mut EmailSettings| settings.login = Some(login());
    assert_eq!(
        failure(manners, with_login).await,
        "localhost: it refuses the login with 535 5.7.8"
    );
    assert_eq!(
        failure(Manners { ways: "XOAUTH2", ..Manners::default() }, with_login).await,
        "localhost: it offers neither AUTH PLAIN nor AUTH LOGIN"
    );
    let cases = [
        (("", "554 5.3.2 hunter2 is not wanted\r\n"), "it refuses the connection with 554 5.3.2"),
        (("", "421 busy\r\n"), "it refuses the connection with 421"),
        (("MAIL", "452-4.3.1 no\r\n452 4.3.1 room\r\n"), "it refuses the sender with 452 4.3.1"),
        (("DATA", "451 4.7.1 later\r\n"), "it refuses the message with 451 4.7.1"),
        ((".", "550 5.7.1 hunter2\r\n"), "it refuses the message with 550 5.7.1"),
        (("MAIL", "(hangs up)"), "it closed the connection"),
        (("", "SSH-2.0-hunter2\r\n"), "what it sends is not SMTP"),
        (("", "(does not end)"), "what it sends is not SMTP"),
    ];
    for (instead, expected) in cases {
        let manners = Manners { instead: Some(instead), ..Manners::default() };
        let failed = failure(manners, |_| {}).await;
        assert_eq!(failed, format!("localhost: {expected}"), "{instead:?}");
    }
}

#[tokio::test]
async fn a_reply_of_too_many_lines_is_none() {
    let many = "250-and\r\n".repeat(5_000).leak();
    let manners = Manners { instead: Some(("EHLO", many)), ..Manners::default() };
    assert_eq!(failure(manners, |_| {}).await, "localhost: what it sends is not SMTP");
}

#[tokio::test]
async fn a_server_that_is_silent_is_given_up() {
    let (post, settings) =
        plain(Manners { instead: Some(("MAIL", "(is silent)")), ..Manners::default() }).await;
    let email = Email::new(settings);
    let sending = email.notify(stalled());
    tokio::pin!(sending);
    tokio::select! {
        delivery = &mut sending => panic!("{delivery:?}"),
        () = crate::wait::until("the command", async || {
            (post.received().lines.len() == 2).then_some(())
        }) => {}
    }
    tokio::time::pause();
    let failed = reason(sending.await);
    tokio::time::resume();
    assert_eq!(failed, "localhost: timed out after 9 s");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_reason() {
    let (post, settings) = plain(Manners::default()).await;
    drop(post);
    // Its socket is closed with its task, which ends at its next turn.
    let failed = crate::wait::until("its end", async || {
        let told: Notice = stalled();
        match Email::new(settings.clone()).notify(told).await {
            Delivery::Failed(reason) => Some(reason),
            Delivery::Delivered { .. } => None,
        }
    });
    let failed = failed.await;
    assert!(failed.starts_with("localhost: it "), "{failed}");
}
