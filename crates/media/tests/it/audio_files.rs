//! Small audio files, made byte by byte: silence that is different in each file, with whatever tags a test wants.

/// Frames of an MP3 (26 ms each) of silence; `number` makes the audio one of its own.
pub(crate) fn mp3_audio(frames: usize, number: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(frames * 417);
    for frame in 0..frames {
        let mut one = vec![0; 417];
        one[..4].copy_from_slice(&[0xff, 0xfb, 0x90, 0x00]);
        // Behind the side information there is nothing that a decoder looks at.
        one[400..408].copy_from_slice(&number.to_be_bytes());
        one[408..416].copy_from_slice(&(frame as u64).to_be_bytes());
        bytes.extend(one);
    }
    bytes
}

/// A frame of an ID3v2 tag with text in UTF-8 (3), Latin-1 (0) or UTF-16 (1).
pub(crate) fn id3_text(id: &str, encoding: u8, text: &[u8]) -> Vec<u8> {
    let mut body = vec![encoding];
    body.extend(text);
    id3_frame(id, &body)
}

/// A frame of an ID3v2 tag; shorter than 128 bytes or not, its size is that of version 2.4.
pub(crate) fn id3_frame(id: &str, body: &[u8]) -> Vec<u8> {
    let mut frame = id.as_bytes().to_vec();
    frame.extend(synchsafe(body.len()));
    frame.extend([0, 0]);
    frame.extend(body);
    frame
}

/// A picture as a frame of an ID3v2 tag.
pub(crate) fn id3_picture(picture: &[u8]) -> Vec<u8> {
    let mut body = b"\0image/png\0\x03\0".to_vec();
    body.extend(picture);
    id3_frame("APIC", &body)
}

/// An ID3v2.4 tag of frames.
pub(crate) fn id3(frames: &[Vec<u8>]) -> Vec<u8> {
    let body = frames.concat();
    let mut tag = b"ID3\x04\0\0".to_vec();
    tag.extend(synchsafe(body.len()));
    tag.extend(body);
    tag
}

fn synchsafe(size: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| u8::try_from((size >> shift) & 0x7f).unwrap_or(0))
}

/// What a made track is tagged with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tags<'a> {
    pub(crate) title: &'a str,
    pub(crate) artist: &'a str,
    pub(crate) album: &'a str,
    pub(crate) album_artist: &'a str,
    pub(crate) number: &'a str,
    pub(crate) disc: &'a str,
    pub(crate) date: &'a str,
}

/// The frames of the tags that are not empty.
pub(crate) fn id3_frames(tags: &Tags<'_>) -> Vec<Vec<u8>> {
    let all = [
        ("TIT2", tags.title),
        ("TPE1", tags.artist),
        ("TALB", tags.album),
        ("TPE2", tags.album_artist),
        ("TRCK", tags.number),
        ("TPOS", tags.disc),
        ("TDRC", tags.date),
    ];
    let set = all.into_iter().filter(|(_, text)| !text.is_empty());
    set.map(|(id, text)| id3_text(id, 3, text.as_bytes())).collect()
}

/// An MP3 with tags.
pub(crate) fn mp3(tags: &Tags<'_>, frames: usize, number: u64) -> Vec<u8> {
    [id3(&id3_frames(tags)), mp3_audio(frames, number)].concat()
}

/// A FLAC file whose frames are no audio, with comments.
pub(crate) fn flac(comments: &[(&str, &str)], picture: Option<&[u8]>, number: u64) -> Vec<u8> {
    let mut stream = vec![0x10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0];
    // 44100 Hz, 2 channels, 16 bits, 441000 samples: 10 seconds.
    stream.extend([0x0a, 0xc4, 0x42, 0xf0, 0x00, 0x06, 0xba, 0xa8]);
    stream.extend([0; 16]);
    let mut vorbis = 0_u32.to_le_bytes().to_vec();
    vorbis.extend(u32::try_from(comments.len()).unwrap_or(0).to_le_bytes());
    for (name, value) in comments {
        let comment = format!("{name}={value}");
        vorbis.extend(u32::try_from(comment.len()).unwrap_or(0).to_le_bytes());
        vorbis.extend(comment.as_bytes());
    }
    let mut bytes = b"fLaC".to_vec();
    bytes.extend(flac_block(0, &stream));
    if let Some(picture) = picture {
        let mut body = 3_u32.to_be_bytes().to_vec();
        for text in ["image/png", ""] {
            body.extend(u32::try_from(text.len()).unwrap_or(0).to_be_bytes());
            body.extend(text.as_bytes());
        }
        body.extend([0; 16]);
        body.extend(u32::try_from(picture.len()).unwrap_or(0).to_be_bytes());
        body.extend(picture);
        bytes.extend(flac_block(6, &body));
    }
    bytes.extend(flac_block(0x84, &vorbis));
    bytes.extend(b"\xff\xf8");
    bytes.extend(number.to_be_bytes().repeat(64));
    bytes
}

fn flac_block(kind: u8, body: &[u8]) -> Vec<u8> {
    let [_, a, b, c] = u32::try_from(body.len()).unwrap_or(0).to_be_bytes();
    [&[kind, a, b, c], body].concat()
}

/// A WAV file of quiet noise of its own, 8000 samples of 8 bits a second.
pub(crate) fn wav(seconds: f64, number: u64) -> Vec<u8> {
    let samples = (seconds * 8_000.0) as u32;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + samples).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(8_000_u32.to_le_bytes());
    bytes.extend(8_000_u32.to_le_bytes());
    bytes.extend(b"\x01\0\x08\0data");
    bytes.extend(samples.to_le_bytes());
    let mut state = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bytes.extend((0..samples).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        120 + (state % 16) as u8
    }));
    bytes
}

/// A PNG as far as its first bytes say, of so many bytes.
pub(crate) fn png(bytes: usize, number: u8) -> Vec<u8> {
    let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
    picture.resize(bytes.max(8), number);
    picture
}
