//! Sockets: a lost one is found again, with the state given back.

use abide_sdk::Address;
use tokio::net::{TcpListener, UnixListener};

use crate::{
    keeper::{Keeper, Store},
    remember, texts,
};

#[tokio::test]
async fn a_lost_unix_socket_is_sought_again_and_the_state_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keeper.sock");
    let listener = UnixListener::bind(&path).unwrap();
    let agent = texts().at(Address::Unix(path)).token("secret");
    let running = std::thread::spawn(move || agent.run(remember));
    let mut store = Store::default();
    for (text, whole) in [("a", "a"), ("b", "a b"), ("c", "a b c")] {
        let (input, output) = listener.accept().await.unwrap().0.into_split();
        let mut keeper = Keeper::new(input, output, store);
        let hello = keeper.open().await;
        assert_eq!(hello.token.unwrap().expose(), "secret");
        keeper.ask("r1", text).await;
        assert_eq!(keeper.answer("r1").await, whole);
        if text == "c" {
            keeper.shut_down(false).await;
            keeper.wait_for_end().await;
        }
        store = keeper.into_store();
    }
    running.join().unwrap().unwrap();
}

#[tokio::test]
async fn an_agent_that_is_refused_over_tcp_ends() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let agent = texts().at(Address::Tcp(place)).token("wrong");
    let debug = format!("{agent:?}");
    assert!(!debug.contains("wrong"), "{debug}");
    let running = std::thread::spawn(move || agent.run(remember));
    let (input, output) = listener.accept().await.unwrap().0.into_split();
    let mut keeper = Keeper::new(input, output, Store::default());
    keeper.next().await.unwrap();
    keeper.complain("INVALID_MESSAGE").await;
    assert!(running.join().unwrap().unwrap_err().to_string().contains("refused"));
}
