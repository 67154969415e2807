"""Webhooks: messages reach a public address once; addresses inside are never called."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from typing import Any

import pytest

import store
from league.errors import LeagueRefusal
from league.notices import inbox, webhooks
from league.notices.webhooks import WebhookFailed, is_public, post
from store import Store


class Receiver(HTTPServer):
    """Keeps what it is sent; answers with `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[dict[str, Any]] = []
        self.status = 204

    @property
    def url(self) -> str:
        return f"http://localhost:{self.server_port}/hook?a=1"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append(
            {"path": self.path, "host": self.headers["Host"], **json.loads(body)}
        )
        self.send_response(self.server.status)
        self.send_header("Location", "http://127.0.0.1:1/inside")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
        *("::1", "fe80::1", "fd00::1", "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1"),
        *("224.0.0.1", "2001:0:53aa:64c::1", "64:ff9b:1::a00:1"),
        *("fec0::1", "::7f00:1", "::ffff:0:7f00:1"),
    ],
)
def test_addresses_inside_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", ["9.9.9.9", "2620:fe::fe"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(ip_address(address))


def test_a_message_arrives_as_json(receiver: Receiver) -> None:
    post(receiver.url, {"kind": "hello"}, allowed=lambda _: True)
    assert receiver.got == [
        {"path": "/hook?a=1", "host": f"localhost:{receiver.server_port}", "kind": "hello"}
    ]


def test_loopback_is_refused_unless_a_test_allows_it(receiver: Receiver) -> None:
    with pytest.raises(WebhookFailed, match="not on the public internet"):
        post(receiver.url, {})
    assert receiver.got == []


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status = 302
    with pytest.raises(WebhookFailed, match="302"):
        post(receiver.url, {}, allowed=lambda _: True)
    assert len(receiver.got) == 1


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://example.org/",
        "http://",
        "http://user@example.org/",
        "http://example.org:99999/",
        "http://exam\r\nple.org/",
        "http://example.org/" + 500 * "a",
        "nonsense",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(WebhookFailed):
        post(url, {}, allowed=lambda _: pytest.fail("it was looked up and judged"))


def test_each_message_of_an_owner_with_a_webhook_is_sent_once(database: Store) -> None:
    sent: list[tuple[str, object]] = []

    def send(url: str, body: dict[str, Any]) -> None:
        sent.append((url, body["title"]))

    with database.write() as session:
        with_hook = store.accounts.add_owner(session, "ada")
        with_hook.webhook = "https://example.org/ada"
        without = store.accounts.add_owner(session, "bob")
        for owner, title in ((with_hook, "one"), (without, "two"), (with_hook, "three")):
            store.inbox.tell(session, owner.id, "test", title)
    assert inbox.pending(database)
    assert inbox.send_all(database, send) == 2
    assert sent == [("https://example.org/ada", "one"), ("https://example.org/ada", "three")]
    assert not inbox.pending(database)
    assert inbox.send_all(database, send) == 0


def test_a_failing_webhook_loses_the_copy_and_not_the_message(database: Store) -> None:
    def fail(url: str, body: dict[str, Any]) -> None:
        raise webhooks.WebhookFailed("down")

    with database.write() as session:
        owner = store.accounts.add_owner(session, "ada")
        owner.webhook = "https://example.org/"
        store.inbox.tell(session, owner.id, "test", "one")
    assert inbox.send_all(database, fail) == 0
    assert not inbox.pending(database)
    with database.read() as session:
        assert store.inbox.unread(session, owner.id) == 1


def test_an_owner_chooses_the_webhook_and_the_audit_log_keeps_its_secret(database: Store) -> None:
    with database.write() as session:
        ada = store.accounts.add_owner(session, "ada").id
        inbox.set_webhook(session, ada, "https://9.9.9.9/hooks/very-secret")
    with pytest.raises(LeagueRefusal, match="without a user name"), database.write() as session:
        inbox.set_webhook(session, ada, "https://ada:secret@example.org/")
    with database.read() as session:
        assert store.present(session, store.Owner, ada).webhook is not None
        [entry] = store.audit.page(session, subject="owner", subject_id=ada)
    assert (entry.action, entry.detail) == ("owner.webhook", {"host": "9.9.9.9"})


@pytest.mark.parametrize(
    "inside",
    ["http://127.0.0.1:9/", "http://[::1]/", "http://169.254.169.254/x", "http://localhost/"],
)
def test_an_address_inside_is_refused_when_it_is_set(database: Store, inside: str) -> None:
    with database.write() as session:
        ada = store.accounts.add_owner(session, "ada").id
    with (
        pytest.raises(LeagueRefusal, match="not on the public internet"),
        database.write() as session,
    ):
        inbox.set_webhook(session, ada, inside)
    with database.read() as session:
        assert store.present(session, store.Owner, ada).webhook is None
