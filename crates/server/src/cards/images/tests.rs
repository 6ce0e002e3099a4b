//! Pictures: once for all who ask, from disk afterwards, never of another kind or host, and not at all while the host says no.

use std::time::Duration;

use futures_util::future::join_all;
use tokio::time::Instant;

use super::{CardImageError, CardImages, CardPicture, ImageCache};
use crate::cards::{
    limits::{IMAGE_BYTES_MAX, IMAGE_INTERVAL},
    test_server::{Fault, FileServer, ServedFile},
};

const PATH: &str = "/normal/a.jpg?1";

fn jpeg(length: usize) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0];
    bytes.resize(length, b'x');
    bytes
}

struct Scene {
    server: FileServer,
    home: tempfile::TempDir,
}

impl Scene {
    async fn start() -> Self {
        let scene = Self { server: FileServer::start().await, home: tempfile::tempdir().unwrap() };
        scene.serve(PATH, "image/jpeg", jpeg(900));
        scene
    }

    fn serve(&self, path: &str, media_type: &'static str, bytes: Vec<u8>) {
        self.server.serve(path, ServedFile { bytes, media_type, ..ServedFile::default() });
    }

    fn images(&self) -> CardImages {
        CardImages::new(true, self.server.source(), self.home.path().join("cache/card-images"))
    }

    async fn get(&self, images: &CardImages, path: &str) -> Result<CardPicture, CardImageError> {
        images.get(&self.server.url(path)).await
    }
}

#[tokio::test]
async fn many_who_ask_share_one_download_and_later_ones_need_none() {
    let scene = Scene::start().await;
    let images = scene.images();
    let all = join_all((0..20).map(|_| scene.get(&images, PATH))).await;
    assert!(all.iter().all(|one| one.as_ref().unwrap().bytes.len() == 900));
    assert_eq!(scene.server.asked(PATH).len(), 1);
    assert_eq!(scene.get(&scene.images(), PATH).await.unwrap().media_type, "image/jpeg");
    assert!(scene.server.asked(PATH).is_empty(), "a keeper that starts anew has it on disk");
}

#[tokio::test]
async fn who_leaves_takes_nothing_from_the_others() {
    let scene = Scene::start().await;
    let images = scene.images();
    let first = scene.get(&images, PATH);
    drop(tokio::time::timeout(Duration::from_millis(1), first).await);
    assert_eq!(scene.get(&images, PATH).await.unwrap().bytes.len(), 900);
    assert!(images.inner.pending.lock().unwrap().len() <= 1, "what nobody waits for is let go");
}

#[tokio::test]
async fn only_pictures_of_a_known_kind_and_size_are_taken() {
    let scene = Scene::start().await;
    let images = scene.images();
    let png = b"\x89PNG\r\n\x1a\n and more".to_vec();
    let webp = b"RIFF1234WEBPVP8 ".to_vec();
    for (path, media_type, bytes) in [("/png", "image/png", png), ("/webp", "image/webp", webp)] {
        scene.serve(path, media_type, bytes);
        assert_eq!(scene.get(&images, path).await.unwrap().media_type, media_type);
    }
    let page = b"<!doctype html><script>".to_vec();
    let svg = b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec();
    let long = usize::try_from(IMAGE_BYTES_MAX).unwrap() + 1;
    for (path, media_type, bytes) in [
        ("/html", "text/html", page.clone()),
        ("/page-as-jpeg", "image/jpeg", page),
        ("/svg", "image/svg+xml", svg),
        ("/long", "image/jpeg", jpeg(long)),
        ("/short", "image/jpeg", jpeg(4)[..3].to_vec()),
    ] {
        scene.serve(path, media_type, bytes);
        let error = scene.get(&images, path).await.unwrap_err();
        assert!(matches!(error, CardImageError::Absent(_)), "{path}: {error}");
    }
    assert!(matches!(scene.get(&images, "/none").await, Err(CardImageError::Absent(_))));
    assert!(scene.get(&images, PATH).await.is_ok(), "none of that stops the others");
}

#[tokio::test]
async fn pictures_come_from_no_other_host() {
    let scene = Scene::start().await;
    let elsewhere = FileServer::start().await;
    elsewhere.serve(
        "/a",
        ServedFile { bytes: jpeg(99), media_type: "image/jpeg", ..ServedFile::default() },
    );
    let images = scene.images();
    let error = images.get(&elsewhere.url("/a")).await.unwrap_err();
    assert!(matches!(error, CardImageError::Absent(_)), "{error}");
    scene.server.spoil(PATH, [Fault::Refusal(301, vec![("location", elsewhere.url("/a"))])]);
    assert!(matches!(scene.get(&images, PATH).await, Err(CardImageError::Absent(_))));
    assert!(elsewhere.asked("/a").is_empty());
}

#[tokio::test]
async fn a_host_that_says_no_is_left_alone() {
    for fault in [
        Fault::Refusal(429, vec![("retry-after", "120".to_owned())]),
        Fault::Refusal(503, Vec::new()),
        Fault::Cut(10),
    ] {
        let scene = Scene::start().await;
        let images = scene.images();
        scene.serve("/kept", "image/jpeg", jpeg(50));
        scene.get(&images, "/kept").await.unwrap();
        scene.server.spoil(PATH, [fault.clone()]);
        let first = scene.get(&images, PATH).await.unwrap_err();
        let CardImageError::Unavailable { retry_after, .. } = first else { panic!("{first}") };
        assert!(retry_after >= Duration::from_secs(30), "{retry_after:?}");
        assert_eq!(scene.server.asked(PATH).len(), 1);
        scene.get(&images, PATH).await.unwrap_err();
        assert!(scene.server.asked(PATH).is_empty(), "{fault:?}");
        assert!(scene.get(&images, "/kept").await.is_ok(), "what is on disk is still shown");
    }
}

#[tokio::test]
async fn pictures_can_be_turned_off() {
    let scene = Scene::start().await;
    let images = CardImages::new(false, scene.server.source(), scene.home.path().join("x"));
    assert_eq!(scene.get(&images, PATH).await, Err(CardImageError::Off));
    assert!(!images.is_enabled() && scene.server.asked(PATH).is_empty());
    assert!(!scene.home.path().join("x").exists());
}

#[tokio::test(start_paused = true)]
async fn requests_are_a_tenth_of_a_second_apart() {
    let scene = Scene::start().await;
    let images = scene.images();
    let begin = Instant::now();
    join_all((0..11).map(|_| images.inner.wait_for_turn())).await;
    // Virtual time: only the waits count.
    assert!(begin.elapsed() >= IMAGE_INTERVAL * 10, "{:?}", begin.elapsed());
}

#[tokio::test]
async fn the_folder_has_bounds_and_damage_is_fetched_anew() {
    let scene = Scene::start().await;
    let folder = scene.home.path().join("small");
    let cache = ImageCache::bounded(folder.clone(), (10_000, 8));
    let images = CardImages::with_cache(true, scene.server.source(), cache);
    for number in 0..12 {
        let path = format!("/{number}");
        scene.serve(&path, "image/jpeg", jpeg(if number < 6 { 100 } else { 3_000 }));
        scene.get(&images, &path).await.unwrap();
    }
    let sizes = || -> Vec<u64> {
        let entries = std::fs::read_dir(&folder).unwrap();
        entries.map(|entry| entry.unwrap().metadata().unwrap().len()).collect()
    };
    assert!(sizes().iter().sum::<u64>() <= 10_000 && (1..=8).contains(&sizes().len()));
    assert!(scene.get(&images, "/11").await.is_ok());
    assert_eq!(scene.server.asked("/11").len(), 1, "the newest is still there");
    for entry in std::fs::read_dir(&folder).unwrap() {
        std::fs::write(entry.unwrap().path(), b"damaged, but as long as a picture").unwrap();
    }
    assert_eq!(scene.get(&images, "/11").await.unwrap().bytes.len(), 3_000);
}
