"""How the parts of a league are put together."""

from pathlib import Path

from league.settings import LeagueSettings
from league.wiring import open_store


def test_a_new_data_folder_is_for_its_own_account_alone(tmp_path: Path) -> None:
    settings = LeagueSettings(data_dir=tmp_path / "leagues" / "cup")
    database = open_store(settings)
    database.blobs.write([b"{}"])
    database.close()
    assert settings.data_dir.stat().st_mode & 0o777 == 0o700


def test_a_data_folder_that_is_there_keeps_the_mode_its_owner_chose(tmp_path: Path) -> None:
    tmp_path.chmod(0o750)
    open_store(LeagueSettings(data_dir=tmp_path)).close()
    assert tmp_path.stat().st_mode & 0o777 == 0o750
