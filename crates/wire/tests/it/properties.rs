//! What holds for any message, any cut and any bytes.

use abide_domain::Timestamp;
use abide_wire::{
    Body, CancelReason, Checkpoint, CheckpointAck, CheckpointReason, CheckpointRequest, Decision,
    Deframer, Direction, Evidence, EvolutionResult, Extra, Frame, FromAgent, Heartbeat, HotReload,
    Hypothesis, Message, Metrics, Payload, Ping, Pong, ProcessCancel, ProcessDelta,
    ProcessResponse, Raw, Restore, Shutdown, ToAgent, Version, WalAck, WalEntry, transcode,
};
use bytes::Bytes;
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{Index, select},
};
use serde_json::{Map, Number, Value};

use crate::{Either, End, good, malformed, read, through};

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |n| Number::from_f64(n).map(Value::Number)),
        "\\PC{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let pairs = vec(("\\PC{0,8}", inner.clone()), 0..5);
        prop_oneof![
            vec(inner, 0..5).prop_map(Value::from),
            pairs.prop_map(|pairs| pairs.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    vec(("[a-z]{0,8}", json()), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn raw_map() -> impl Strategy<Value = Raw> {
    object().prop_map(|object| Raw::from_json(&object))
}

fn extra() -> impl Strategy<Value = Extra> {
    let field = |value| Extra(vec![("x_extra".into(), value)]);
    option::of(raw_map()).prop_map(move |value| value.map_or_else(Extra::default, field))
}

fn entry() -> impl Strategy<Value = WalEntry> {
    (1..=u64::MAX, "[a-z_]{1,20}", raw_map(), extra()).prop_map(
        |(sequence, operation, params, extra)| WalEntry {
            extra,
            ..WalEntry::new(sequence, operation, params)
        },
    )
}

fn metrics() -> impl Strategy<Value = Metrics> {
    let measured = (option::of(-1e300..1e300), option::of(any::<u64>()), extra());
    measured.prop_map(|(avg_latency, memory_usage, extra)| Metrics {
        avg_latency,
        p50_latency: None,
        p95_latency: None,
        p99_latency: None,
        error_rate: None,
        memory_usage,
        throughput: None,
        active_tools: None,
        memory_blocks: None,
        extra,
    })
}

fn from_agent() -> impl Strategy<Value = FromAgent> {
    let voice = json().prop_filter("nil is the same as missing", |value| !value.is_null());
    prop_oneof![
        any::<u64>().prop_map(|p| Heartbeat { progress: Some(p) }.into()),
        any::<u64>().prop_map(|nonce| Pong { nonce }.into()),
        entry().prop_map(FromAgent::from),
        vec(entry(), 0..4).prop_map(FromAgent::from),
        metrics().prop_map(FromAgent::from),
        (raw_map(), any::<u64>()).prop_map(|(state, sequence)| {
            Checkpoint { state: Payload::Plain(state), wal_sequence: Some(sequence) }.into()
        }),
        ("[a-z0-9]{1,36}", "\\PC{0,60}", option::of(any::<bool>())).prop_map(
            |(request_id, text, thought)| ProcessDelta { request_id, text, thought }.into()
        ),
        ("[a-z0-9]{1,36}", voice).prop_map(|(request_id, voice)| ProcessResponse {
            request_id,
            voice,
            usage: None,
            provider_state: None,
        }
        .into()),
        (object(), option::of("[a-z]{0,9}"), vec("\\PC{0,9}", 0..3))
            .prop_map(|(body, claim_type, tags)| Evidence { body, claim_type, tags }.into()),
        ("\\PC{0,40}", "[a-z]{1,9}", "\\PC{0,99}").prop_map(|(reason, target, new_code)| {
            Hypothesis { reason, target, new_code, expected_improvement: None }.into()
        }),
    ]
}

fn to_agent() -> impl Strategy<Value = ToAgent> {
    let restore = ("[a-z0-9]{0,36}", raw_map(), vec(entry(), 0..4), any::<u64>());
    prop_oneof![
        any::<u64>().prop_map(|nonce| Ping { nonce }.into()),
        any::<u64>().prop_map(|sequence| WalAck { sequence }.into()),
        ("[a-z0-9]{1,36}", any::<u64>()).prop_map(|(checkpoint_id, size)| CheckpointAck {
            checkpoint_id,
            size
        }
        .into()),
        restore.prop_map(|(checkpoint_id, state, wal_entries, next)| {
            let state = Payload::Plain(state);
            Restore { checkpoint_id, state, wal_entries, next_sequence: Some(next) }.into()
        }),
        ("\\PC{0,99}", "[a-z]{1,9}", "[a-z0-9]{0,36}").prop_map(|(code, module, backup)| {
            HotReload { code, module, backup_checkpoint_id: backup }.into()
        }),
        ("\\PC{0,30}", any::<bool>()).prop_map(|(reason, create_checkpoint)| Shutdown {
            reason,
            create_checkpoint
        }
        .into()),
        select(CheckpointReason::ALL).prop_map(|reason| CheckpointRequest { reason }.into()),
        ("[a-z0-9]{1,36}", select(CancelReason::ALL))
            .prop_map(|(request_id, reason)| ProcessCancel { request_id, reason }.into()),
        (any::<bool>(), select(Decision::ALL), "\\PC{0,30}").prop_map(
            |(success, decision, reason)| {
                EvolutionResult { success, decision, metrics: None, reason }.into()
            }
        ),
    ]
}

fn message<B: Body + std::fmt::Debug>(
    body: impl Strategy<Value = B>,
) -> impl Strategy<Value = Message<B>> {
    let whole = (body, any::<i64>(), option::of(raw_map()), extra());
    whole.prop_map(|(body, micros, metadata, extra)| {
        let mut message = Message::new(Version::V3, Timestamp::from_micros(micros), body);
        message.envelope.metadata = metadata;
        message.envelope.extra = extra;
        message
    })
}

/// Cuts bytes at some places.
fn cut<'a>(bytes: &'a [u8], cuts: &[Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<_> = cuts.iter().map(|index| index.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

proptest! {
    #[test]
    fn messages_from_agents_come_back_as_they_went(message in message(from_agent())) {
        // Heartbeats with metadata are mostly too long, and say so.
        if message.encode().is_ok() {
            prop_assert_eq!(through(&message), Either::From(message));
        }
    }

    #[test]
    fn messages_to_agents_come_back_as_they_went(message in message(to_agent())) {
        prop_assert_eq!(through(&message), Either::To(message));
    }

    #[test]
    fn any_cut_gives_the_same_frames(
        messages in vec(message(to_agent()), 1..4),
        cuts in vec(any::<Index>(), 0..8),
    ) {
        let bytes: Vec<_> = messages.iter().flat_map(|m| m.encode().unwrap()).collect();
        let (read, end) = read(Direction::ToAgent, cut(&bytes, &cuts));
        prop_assert_eq!(end, End::Clean);
        let expected: Vec<_> = messages.into_iter().map(|m| Ok(Either::To(m))).collect();
        prop_assert_eq!(read, expected);
    }

    #[test]
    fn no_bytes_do_harm_and_memory_follows_what_came(
        bytes in vec(any::<u8>(), 0..600),
        length in option::of(0_u32..0x0700_0000),
        cuts in vec(any::<Index>(), 0..4),
    ) {
        let head = length.map(|length| length.to_be_bytes().to_vec()).unwrap_or_default();
        let bytes = [head, bytes].concat();
        for direction in [Direction::FromAgent, Direction::ToAgent] {
            let whole = read(direction, [&*bytes]);
            prop_assert_eq!(&whole.0, &read(direction, cut(&bytes, &cuts)).0);
            let mut deframer = Deframer::new(direction);
            let mut input = &*bytes;
            while let Ok(Some(_)) = deframer.take(&mut input) {}
            prop_assert!(deframer.held_bytes() <= 2 * bytes.len() + 64);
        }
    }

    #[test]
    fn a_changed_byte_does_no_harm(
        which in any::<Index>(),
        place in any::<Index>(),
        byte in any::<u8>(),
    ) {
        let mut vectors = good::vectors();
        vectors.extend(malformed::vectors());
        let vector = which.get(&vectors);
        let mut bytes = vector.bytes.clone();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        let (messages, _) = read(vector.direction, [&*bytes]);
        for message in messages.into_iter().flatten() {
            let again = message.encode();
            prop_assert_eq!(read(vector.direction, [&*again]).0, vec![Ok(message)]);
        }
    }

    #[test]
    fn transcoding_and_reading_agree_on_any_bytes(bytes in vec(any::<u8>(), 0..200)) {
        let mut line = Vec::new();
        let streamed = transcode(&bytes, &mut line);
        match Raw::parse(bytes).and_then(|raw| raw.to_json()) {
            Ok(value) => {
                prop_assert_eq!(streamed, Ok(()));
                prop_assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), value);
            }
            // A key that stands twice is seen by the tree alone.
            Err(_) => prop_assert!(line.is_empty() || streamed.is_ok()),
        }
    }

    #[test]
    fn json_survives_packing(value in json()) {
        let raw = Raw::from_json(&value);
        prop_assert_eq!(Raw::parse(raw.clone().into_bytes()), Ok(raw.clone()));
        prop_assert_eq!(raw.to_json(), Ok(value.clone()));
        let mut line = Vec::new();
        prop_assert_eq!(transcode(raw.as_bytes(), &mut line), Ok(()));
        prop_assert_eq!(String::from_utf8(line).unwrap(), value.to_string());
    }

    #[test]
    fn texts_are_escaped_as_json_does(text in "[ -~\t\n\\\\\"é🙂\u{0}-\u{1f}]{0,40}") {
        let mut line = Vec::new();
        let raw = Raw::from_json(&Value::from(&*text));
        prop_assert_eq!(transcode(raw.as_bytes(), &mut line), Ok(()));
        prop_assert_eq!(String::from_utf8(line).unwrap(), serde_json::to_string(&text).unwrap());
    }

    #[test]
    fn a_body_alone_is_taken_like_a_frame(bytes in vec(any::<u8>(), 0..200)) {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        let framed = [&length[..], &bytes].concat();
        let (messages, _) = read(Direction::FromAgent, [&*framed]);
        let alone = Frame::parse(Direction::FromAgent, Bytes::from(bytes))
            .and_then(|frame| Message::decode(&frame))
            .map(Either::From);
        prop_assert_eq!(messages, vec![alone]);
    }
}
