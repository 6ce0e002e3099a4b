//! The link: pipes that are not Scheme's, a home that is not there, and ends of every kind.

use std::{process::Stdio, time::Duration};

use abide_modules::{
    ModuleCallError, ModuleClient, ModuleEndedError, ModuleKind, limits::MESSAGE_BYTES_MAX,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, duplex};

use crate::world::{AMPLE, Process, request};

/// EV-27: on a disk that cannot be written to it starts as well.
#[tokio::test]
async fn without_a_home_and_without_an_environment_a_process_starts_and_makes_no_folder() {
    let folder = std::env::temp_dir().join(format!("abide-modules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = Process::command();
    let mut process = Process::from(command.env_clear().current_dir(&folder));
    let base = ModuleKind::Memory.base_code();
    process.client.load(ModuleKind::Memory, base, AMPLE).await.unwrap();
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
    drop(process);
    let mut command = Process::command();
    let command = command.env_clear().env("HOME", &folder).env("XDG_DATA_HOME", &folder);
    let mut process = Process::from(command);
    process.client.load(ModuleKind::Memory, base, AMPLE).await.unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    std::fs::remove_dir(&folder).unwrap();
    let mut command = Process::command();
    let nowhere = "/proc";
    let command = command.env("HOME", nowhere).env("TMPDIR", nowhere).current_dir(nowhere);
    let mut process = Process::from(command);
    process.client.load(ModuleKind::Memory, base, AMPLE).await.unwrap();
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
}

/// EV-19: whatever is displayed or read, no message is harmed.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_standard_input_and_output_are_not_the_pipes_of_the_messages() {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    let id = process.child.id().unwrap();
    let leads = |descriptor: u32| {
        let link = std::fs::read_link(format!("/proc/{id}/fd/{descriptor}")).unwrap();
        link.to_string_lossy().into_owned()
    };
    assert_eq!(leads(0), "/dev/null");
    assert_eq!(leads(1), leads(2));
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
}

#[tokio::test]
async fn a_line_that_is_no_message_ends_the_process() {
    let long = vec![b' '; MESSAGE_BYTES_MAX + 1];
    for line in [&b"nonsense\n"[..], b"{\"id\":1}\n", b"{\"id\":1,\"call\":{}}\n", &long] {
        let mut command = Process::command();
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // The process may be gone before all is written.
        let _written = input.write_all(line).await;
        let mut output = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut output).await.unwrap();
        assert_eq!(output, b"");
        assert!(!child.wait().await.unwrap().success());
    }
}

#[tokio::test]
async fn the_end_of_its_input_ends_a_process_in_peace() {
    let mut process = Process::start();
    let base = ModuleKind::Memory.base_code();
    process.client.load(ModuleKind::Memory, base, AMPLE).await.unwrap();
    let Process { mut child, client } = process;
    drop(client);
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test]
async fn a_killed_process_is_gone_for_every_later_call() {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    process.child.kill().await.unwrap();
    for _ in 0..2 {
        let asked = process.client.rank(request(&[(1, 0.1)]), AMPLE).await;
        assert!(
            matches!(asked, Err(ModuleCallError::Ended(ModuleEndedError::Gone(_)))),
            "{asked:?}"
        );
    }
}

/// What a client makes of a peer that answers with this.
async fn end(answer: &str) -> ModuleEndedError {
    let (near, far) = duplex(1 << 16);
    let (reader, writer) = tokio::io::split(near);
    let mut client = ModuleClient::new(reader, writer);
    let (mut far_reader, mut far_writer) = tokio::io::split(far);
    far_writer.write_all(answer.as_bytes()).await.unwrap();
    let asked = client.rank(request(&[(1, 0.1)]), Duration::from_secs(1)).await;
    let Err(ModuleCallError::Ended(ended)) = asked else { panic!("{answer}: {asked:?}") };
    assert_eq!(client.ended(), Some(&ended));
    let again = client.expand_command("say", "it", AMPLE).await;
    assert_eq!(again, Err(ModuleCallError::Ended(ended.clone())));
    let mut sent = [0; 1];
    far_reader.read_exact(&mut sent).await.unwrap();
    ended
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_none_ends_the_link() {
    for answer in [
        "{\"id\":2,\"ok\":{\"ids\":[1]}}\n",
        "{\"id\":1,\"ok\":{\"ids\":[2]}}\n",
        "{\"id\":1,\"ok\":{\"text\":\"x\"}}\n",
        "{\"id\":1}\n",
        "{\"id\":1,\"ok\":{\"ids\":[1]},\"error\":{\"kind\":\"time\",\"message\":\"\"}}\n",
        "{\"id\":1,\"ok\":{\"ids\":[1]},\"more\":1}\n",
        "nonsense\n",
    ] {
        let ended = end(answer).await;
        assert!(matches!(ended, ModuleEndedError::Broken(_)), "{answer}: {ended:?}");
    }
    let ended = end("{\"id\":1,").await;
    assert_eq!(ended, ModuleEndedError::Deadline(Duration::from_secs(1)));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_given_up_ends_the_link() {
    let (near, _far) = duplex(1 << 16);
    let (reader, writer) = tokio::io::split(near);
    let mut client = ModuleClient::new(BufReader::new(reader), writer);
    let asked = client.rank(request(&[(1, 0.1)]), AMPLE);
    assert!(tokio::time::timeout(Duration::from_secs(1), asked).await.is_err());
    assert_eq!(client.ended(), Some(&ModuleEndedError::GivenUp));
}

#[tokio::test]
async fn a_request_that_cannot_be_asked_leaves_the_link_as_it_was() {
    let mut process = Process::with_memory(ModuleKind::Memory.base_code()).await;
    let many: Vec<(u64, f64)> = (0..101).map(|id| (id, 0.0)).collect();
    for asked in [
        request(&many),
        request(&[(1, 0.1), (1, 0.2)]),
        request(&[(1, f64::NAN)]),
        request(&[(u64::MAX, 0.0)]),
    ] {
        let asked = process.client.rank(asked, AMPLE).await;
        assert!(matches!(asked, Err(ModuleCallError::Request(_))), "{asked:?}");
    }
    assert_eq!(process.order(request(&[(1, 0.1), (2, 0.2)])).await, [2, 1]);
}
