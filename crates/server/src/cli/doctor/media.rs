//! A row of `abide doctor` where music folders are configured: whether they can be read, and whether mpv is found.

use std::time::Duration;

use tokio::time::timeout;

use crate::{
    cli::{
        context::Context,
        finding::{Finding, Verdict},
    },
    config::MediaPlayer,
    media::{MusicBackend, MusicSettings},
};

const NAME: &str = "media";
/// How long a folder may take to answer: one on a network may never do.
const LOOK_MAX: Duration = Duration::from_secs(5);

/// One line; none where there are no folders.
pub(super) async fn check(context: &Context) -> Option<Finding> {
    let config = context.config().ok()?;
    let section = &config.settings.media;
    let settings = MusicSettings::new(section, &context.home, &context.environment);
    let roots = settings.roots().to_vec();
    if roots.is_empty() {
        return None;
    }
    let count = roots.len();
    let look = tokio::task::spawn_blocking(move || {
        let unread = roots.into_iter().filter_map(|root| {
            let error = std::fs::read_dir(&root).err()?;
            Some(format!("{} cannot be read: {error}", root.display()))
        });
        unread.collect::<Vec<_>>()
    });
    let mut wrong = match timeout(LOOK_MAX, look).await {
        Ok(Ok(unread)) => unread,
        _ => vec!["the music folders give no answer; see whether they are mounted".to_owned()],
    };
    let mut verdict = if wrong.is_empty() { Verdict::Ok } else { Verdict::Warn };
    let player = match settings.backend {
        MusicBackend::Mpv => {
            if let Some(program) = settings.program() {
                format!("mpv is {}", program.display())
            } else {
                let is_demanded = section.player == MediaPlayer::Mpv;
                verdict = if is_demanded { Verdict::Fail } else { Verdict::Warn };
                let program = settings.mpv.program.display();
                wrong.push(format!(
                    "the program {program} was not found: install mpv, or set `program` or `player` under [media]"
                ));
                "nothing can be played".to_owned()
            }
        }
        MusicBackend::Silent => "the player makes no sound".to_owned(),
        MusicBackend::Off => "the player is off".to_owned(),
    };
    let folders = if count == 1 { "1 folder".to_owned() } else { format!("{count} folders") };
    let said = [format!("{folders} of music"), player].into_iter().chain(wrong);
    Some(Finding::new(NAME, verdict, said.collect::<Vec<_>>().join("; ")))
}
