"""A league with default settings takes the folders that `bullring new` makes, as they are."""

import subprocess
from pathlib import Path

import docker
import pytest

from cli.local.new import Language, make_folder
from kits.images import tag_of as kit_tag
from league import wiring
from league.settings import LeagueSettings
from sandbox import owner
from sandbox.api import SubmissionRejected
from sandbox.base import BASES
from sandbox.base.make import BASE_TAG, LIBRARIES, make_base
from sandbox.base.make import tag_of as larger_tag
from sandbox.engine import Engine
from sandbox.intake import TAG, pinned, short_id
from sandbox.owner import Owner
from sandbox.packing import packed
from store import SubmissionKind
from tests.kits.toolchains import base_of
from tests.services import missing
from train import CardPolicy, write_bot

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(1500)]

ROOT = Path(__file__).resolve().parents[2]
USES = {
    "numpy": "import numpy\nassert int(numpy.arange(4).sum()) == 6\n",
    "onnx": "import numpy\nimport onnxruntime\nassert onnxruntime.get_available_providers()\n",
}
"""The first lines of bots that need what a larger base has."""


def test_every_base_that_we_can_make_is_allowed_by_default_and_one_is_needed() -> None:
    made = [BASE_TAG, *map(larger_tag, LIBRARIES)]
    made += [kit_tag(lang) for lang in Language if lang is not Language.PYTHON]
    assert {name.removesuffix(":latest") for name in made} == set(BASES)
    settings = LeagueSettings()
    assert settings.bases == BASES
    assert settings.needed_bases == ("bullring-base",)
    chosen = LeagueSettings(bases=("bullring-base", "bullring-ruby"))
    assert chosen.needed_bases == chosen.bases, "what an operator lists has to be there"


@pytest.mark.docker
async def test_a_base_that_is_not_made_is_left_out_unless_it_is_needed(
    docker_engine: docker.DockerClient, base_image: str
) -> None:
    engine = Engine()
    names = ("bullring-base", "bullring-never-made")
    try:
        assert list(await pinned(engine, names, ("bullring-base",))) == ["bullring-base"]
        with pytest.raises(Exception, match="bullring-never-made"):
            await pinned(engine, names)
    finally:
        engine.close()


async def accepted_by_default(folder: Path, data_dir: Path) -> str:
    """Send a folder to the workshop of a league with default settings; the report's words."""
    settings = LeagueSettings(data_dir=data_dir, sandbox="docker")
    mine = Owner()
    workshop = wiring.make_workshop(settings, mine)
    engine = Engine()
    try:
        taken = await workshop.take_in(SubmissionKind.BUILD_CONTEXT, "", packed(folder))
        report = await workshop.check(taken, ["six-nimmt"], lambda _: None)
        await engine.remove_image(f"{TAG}:{short_id(taken.image)}")
        assert report.ok, report.words()
        return report.words()
    except SubmissionRejected as refusal:
        pytest.fail(f"refused: {refusal}")
    finally:
        engine.close()
        mine.close()


@pytest.mark.docker
@pytest.mark.heavy
@pytest.mark.parametrize("language", Language)
async def test_a_new_folder_in_every_language_is_accepted_in_a_container(
    tmp_path: Path,
    state: Path,
    monkeypatch: pytest.MonkeyPatch,
    base_image: str,
    language: Language,
) -> None:
    monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    if language is not Language.PYTHON:
        base_of(language)
    folder = tmp_path / "mine"
    make_folder(folder, "mine", language, ["six-nimmt"])
    assert "ok" in await accepted_by_default(folder, tmp_path / "data")


@pytest.mark.docker
async def test_a_trained_bot_in_a_new_folder_is_accepted_in_a_container(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, base_image: str
) -> None:
    monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    folder = tmp_path / "mine"
    make_folder(folder, "mine", Language.PYTHON, ["six-nimmt"])
    write_bot(CardPolicy(1), folder / "bot.py")
    assert "ok" in await accepted_by_default(folder, tmp_path / "data")


@pytest.mark.docker
@pytest.mark.heavy
@pytest.mark.parametrize("larger", LIBRARIES)
async def test_a_bot_on_a_larger_base_has_its_libraries_and_plays_in_the_sandbox(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, base_image: str, larger: str
) -> None:
    monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    try:
        make_base(larger=larger)
    except (SystemExit, subprocess.CalledProcessError) as error:
        missing(f"the base {larger}", f"python -m sandbox.base.make {larger} ({error})")
    folder = tmp_path / "mine"
    make_folder(folder, "mine", Language.PYTHON, ["six-nimmt"])
    bot = folder / "bot.py"
    bot.write_text(USES[larger] + bot.read_text(encoding="utf-8"), encoding="utf-8")
    dockerfile = folder / "Dockerfile"
    text = dockerfile.read_text(encoding="utf-8")
    assert "bullring-base" in text
    dockerfile.write_text(text.replace("bullring-base", f"bullring-{larger}"), encoding="utf-8")
    assert "ok" in await accepted_by_default(folder, tmp_path / "data")


@pytest.mark.docker
async def test_libraries_in_the_folder_are_found_as_the_docs_say(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch, base_image: str
) -> None:
    monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    page = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("```dockerfile\n")
    folder = tmp_path / "mine"
    make_folder(folder, "mine", Language.PYTHON, ["six-nimmt"])
    (folder / "Dockerfile").write_text(rest.partition("```")[0], encoding="utf-8")
    (folder / "vendor" / "brought").mkdir(parents=True)
    (folder / "vendor" / "brought" / "__init__.py").write_text("ALONG = True\n")
    bot = folder / "bot.py"
    uses = "from brought import ALONG\nassert ALONG\n"
    bot.write_text(uses + bot.read_text(encoding="utf-8"), encoding="utf-8")
    assert "ok" in await accepted_by_default(folder, tmp_path / "data")
