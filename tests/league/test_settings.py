"""Settings that make no sense are refused in one sentence, by the name that was typed."""

import pytest

from dashboard.settings import Settings
from league.errors import Malformed
from league.settings import LeagueSettings


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("BULLRING_BASES", "bullring-base", "a JSON list"),
        ("BULLRING_BASES", "", "a JSON list"),
        ("BULLRING_BASES", "[1]", "a JSON list"),
        ("BULLRING_BASES", '["bullring-base", 1]', "entry 2 is a valid string"),
        ("BULLRING_BASES", '"bullring-base"', "a JSON list"),
        ("BULLRING_BASES", '{"bullring-base": 1}', "a JSON list"),
        ("BULLRING_REGISTRIES", "{", "a JSON list"),
        ("BULLRING_REGISTRIES", "7", "a JSON list"),
        ("BULLRING_RUNTIME", '["runsc"]', "text of the form"),
        ("BULLRING_LEASE_SECONDS", "soon", "a valid number"),
        ("BULLRING_SLOTS", "0", "greater than or equal to 1"),
        ("BULLRING_SANDBOX", "jail", "'process' or 'docker'"),
        ("BULLRING_REVIEWS", "perhaps", "a valid boolean"),
    ],
)
def test_nonsense_is_refused_with_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Malformed) as refused:
        LeagueSettings()
    words = str(refused.value)
    assert words.startswith(f"{name}: got ")
    assert "expected" in words
    assert expected in words
    assert "unset it" in words


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("BULLRING_PAGE_LIMIT", "often", "60/minute"),
        ("BULLRING_BASE_URL", "bullring.example", "https://bullring.example"),
        ("BULLRING_SIGN_UP", "maybe", "'open', 'invitation' or 'closed'"),
    ],
)
def test_the_pages_refuse_theirs_likewise(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(Malformed, match=f"^{name}: got ") as refused:
        Settings()
    assert expected in str(refused.value)


def test_lists_are_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BULLRING_BASES", '["bullring-base"]')
    assert LeagueSettings().bases == ("bullring-base",)
