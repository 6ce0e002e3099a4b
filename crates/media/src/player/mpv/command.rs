//! The closed list of what mpv is asked. Nothing else can be said to it: its protocol could run programs and open anything.

use std::{io::Write as _, os::unix::ffi::OsStrExt as _, path::Path, time::Duration};

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum MpvCommand<'a> {
    /// Plays a file from a place on, instead of all others.
    Load { path: &'a Path, from: Duration },
    /// Puts a file behind the present one, or plays it where there is none.
    Append { path: &'a Path },
    /// Drops all files but the present one.
    ClearNext,
    /// Ends the present file and drops all others.
    Stop,
    /// Pauses, or goes on.
    SetPause(bool),
    /// In percent.
    SetVolume(u8),
    /// From the beginning of the file.
    Seek(Duration),
    /// Where it is, in seconds.
    GetPosition,
    /// How long the file is, in seconds.
    GetDuration,
    /// Says from now on when it pauses or goes on.
    ObservePause,
}

impl MpvCommand<'_> {
    /// One line of mpv's protocol. Names of files go in as their own bytes, UTF-8 or not, as mpv takes them.
    pub(super) fn to_line(&self, request: u64) -> Vec<u8> {
        let mut line = br#"{"command":"#.to_vec();
        match self {
            Self::Load { path, from } => {
                line.extend(br#"{"name":"loadfile","flags":"replace","url":"#);
                push_path(&mut line, path);
                // Named, as the order of arguments changed in 0.38.
                let _infallible = write!(
                    line,
                    r#","options":"start={}.{:03}"}}"#,
                    from.as_secs(),
                    from.subsec_millis()
                );
            }
            Self::Append { path } => {
                line.extend(br#"{"name":"loadfile","flags":"append-play","url":"#);
                push_path(&mut line, path);
                line.push(b'}');
            }
            Self::ClearNext => line.extend(br#"["playlist-clear"]"#),
            Self::Stop => line.extend(br#"["stop"]"#),
            Self::SetPause(is_paused) => {
                let _infallible = write!(line, r#"["set_property","pause",{is_paused}]"#);
            }
            Self::SetVolume(percent) => {
                let percent = (*percent).min(100);
                let _infallible = write!(line, r#"["set_property","volume",{percent}]"#);
            }
            Self::Seek(to) => {
                let (seconds, millis) = (to.as_secs(), to.subsec_millis());
                let _infallible =
                    write!(line, r#"["seek",{seconds}.{millis:03},"absolute+exact"]"#);
            }
            Self::GetPosition => line.extend(br#"["get_property","time-pos"]"#),
            Self::GetDuration => line.extend(br#"["get_property","duration"]"#),
            Self::ObservePause => line.extend(br#"["observe_property",1,"pause"]"#),
        }
        let _infallible = writeln!(line, r#","request_id":{request}}}"#);
        line
    }
}

/// A JSON string of the bytes of a path.
fn push_path(line: &mut Vec<u8>, path: &Path) {
    line.push(b'"');
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            0..0x20 => {
                let _infallible = write!(line, "\\u{byte:04x}");
            }
            _ => line.push(*byte),
        }
    }
    line.push(b'"');
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _, path::Path, time::Duration};

    use super::MpvCommand;

    #[test]
    fn a_command_is_one_line_whatever_the_name_of_the_file() {
        let path = Path::new(OsStr::from_bytes(b"/m/a\"b\\c\n\xe9.flac"));
        let line = MpvCommand::Load { path, from: Duration::from_millis(12_005) }.to_line(7);
        let expected = b"{\"command\":{\"name\":\"loadfile\",\"flags\":\"replace\",\"url\":\"/m/a\\\"b\\\\c\\u000a\xe9.flac\",\"options\":\"start=12.005\"},\"request_id\":7}\n";
        assert_eq!(line, expected, "{}", String::from_utf8_lossy(&line));
        let commands = [
            MpvCommand::Append { path: Path::new("/a") },
            MpvCommand::ClearNext,
            MpvCommand::Stop,
            MpvCommand::SetPause(true),
            MpvCommand::SetVolume(150),
            MpvCommand::Seek(Duration::from_millis(61_050)),
            MpvCommand::GetPosition,
            MpvCommand::GetDuration,
            MpvCommand::ObservePause,
        ];
        for command in commands {
            let line = command.to_line(1);
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(value["request_id"], 1, "{value}");
            assert!(!value.to_string().contains("150"), "{value}");
        }
    }
}
