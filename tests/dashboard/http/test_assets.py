"""Static files as they are sent: style sheets in parts, one hash for them all."""

from pathlib import Path

from dashboard.http.assets import Assets
from dashboard.http.styles import style_sheet


def test_a_folder_of_styles_is_sent_as_one_sheet_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "css/site").mkdir(parents=True)
    (tmp_path / "css/site/b.css").write_text("b {}\n")
    (tmp_path / "css/site/a.css").write_text("a {}\n")
    (tmp_path / "css/tokens.css").write_text("t {}\n")
    assets = Assets(tmp_path)
    assert sorted(assets.files) == ["css/site.css", "css/tokens.css"]
    assert assets.files["css/site.css"].body == b"a {}\n\nb {}\n"
    assert style_sheet("tokens", tmp_path) == "t {}\n"
    (tmp_path / "css/site/a.css").write_text("a { color: red }\n")
    assert Assets(tmp_path).version != assets.version


def test_styles_stay_in_parts_that_one_can_read() -> None:
    root = Path(__file__).resolve().parents[3] / "dashboard/static/css"
    long = {
        path.name: count
        for path in root.rglob("*.css")
        if (count := len(path.read_text().splitlines())) > 400
    }
    assert long == {}
