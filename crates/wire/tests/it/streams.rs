//! Frames over a pipe.

use abide_domain::Timestamp;
use abide_wire::{
    DeframeEvent, Direction, EncodeError, FrameReadError, FrameReader, FrameWriter, FromAgent,
    Heartbeat, Message, Ping, Raw, ToAgent, Version, WalAck, WriteError,
};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;

const NOW: Timestamp = Timestamp::from_micros(1_705_392_000_000_000);

fn ping(nonce: u64) -> Message<ToAgent> {
    Message::new(Version::V3, NOW, Ping { nonce })
}

fn message(event: Option<DeframeEvent>) -> Message<ToAgent> {
    match event {
        Some(DeframeEvent::Frame(frame)) => Message::decode(&frame).unwrap(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_is_sent_arrives_in_order_and_the_end_is_clean() {
    let (agent, keeper) = tokio::io::duplex(16);
    let mut reader = FrameReader::new(agent, Direction::ToAgent);
    let received = reader.received();
    let send = async move {
        let mut writer = FrameWriter::new(keeper);
        for nonce in 0..100 {
            writer.send(&ping(nonce)).await.unwrap();
        }
    };
    let receive = async {
        for nonce in 0..100 {
            assert_eq!(message(reader.next().await.unwrap()), ping(nonce));
        }
        assert!(reader.next().await.unwrap().is_none());
    };
    tokio::join!(send, receive);
    let sent: usize = (0..100).map(|nonce| ping(nonce).encode().unwrap().len()).sum();
    assert_eq!(received.get(), u64::try_from(sent).unwrap());
}

#[tokio::test]
async fn a_cancelled_sending_is_finished_by_the_next_one() {
    let (agent, keeper) = tokio::io::duplex(16);
    let mut writer = FrameWriter::new(keeper);
    let first = ping(1);
    tokio::select! {
        biased;
        _ = writer.send(&first) => panic!("the pipe holds 16 bytes"),
        () = std::future::ready(()) => {}
    }
    let mut reader = FrameReader::new(agent, Direction::ToAgent);
    let second = ping(2);
    let receive = async { [reader.next().await, reader.next().await] };
    let (sent, received) = tokio::join!(writer.send(&second), receive);
    sent.unwrap();
    assert_eq!(received.map(|event| message(event.unwrap())), [first, second]);
}

#[tokio::test]
async fn a_cancelled_reading_loses_nothing() {
    let (agent, mut keeper) = tokio::io::duplex(1024);
    let mut reader = FrameReader::new(agent, Direction::ToAgent);
    let bytes = ping(7).encode().unwrap();
    for byte in &bytes[..bytes.len() - 1] {
        keeper.write_all(&[*byte]).await.unwrap();
        tokio::select! {
            biased;
            event = reader.next() => panic!("{event:?}"),
            () = std::future::ready(()) => {}
        }
    }
    keeper.write_all(&bytes[bytes.len() - 1..]).await.unwrap();
    assert_eq!(message(reader.next().await.unwrap()), ping(7));
}

#[tokio::test]
async fn an_end_inside_a_frame_and_noise_are_different_errors() {
    let bytes = ping(7).encode().unwrap();
    let mut reader = FrameReader::new(&bytes[..9], Direction::ToAgent);
    assert!(matches!(reader.next().await, Err(FrameReadError::CutOff(cut)) if cut.received == 9));
    let noise = &b"Traceback (most recent call last):\n"[..];
    let mut reader = FrameReader::new(noise, Direction::FromAgent);
    let error = reader.next().await.unwrap_err().to_string();
    assert!(error.contains("Traceback (most recent call last)"), "{error}");
    assert!(error.contains("logs belong on stderr"), "{error}");
}

#[tokio::test]
async fn a_message_that_cannot_be_written_leaves_the_link_sound() {
    let (agent, keeper) = tokio::io::duplex(1024);
    let mut writer = FrameWriter::new(keeper);
    let old = Message::<ToAgent>::new(Version::V1, NOW, WalAck { sequence: 1 });
    let error = writer.send(&old).await.unwrap_err();
    assert!(matches!(error, WriteError::Encode(EncodeError::Version { .. })), "{error}");
    assert_eq!(error.to_string(), "a wal_ack cannot be sent in version 1: it came with version 3");
    let mut long = Message::<FromAgent>::new(Version::V3, NOW, Heartbeat { progress: Some(1) });
    long.envelope.metadata = Some(Raw::from_json(&json!({"x": "y".repeat(100)})));
    let error = writer.send(&long).await.unwrap_err().to_string();
    assert!(error.ends_with("bytes cannot be sent: at most 100"), "{error}");
    writer.send(&ping(1)).await.unwrap();
    drop(writer);
    let mut reader = FrameReader::new(agent, Direction::ToAgent);
    assert_eq!(message(reader.next().await.unwrap()), ping(1));
}
