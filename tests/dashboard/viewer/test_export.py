"""One-file exports: the joiner, and hostile text in names."""

from pathlib import Path
from typing import Any

import pytest

from dashboard.viewer import build_payload, export_html
from dashboard.viewer.export import ENTRY, JoinError, embed_json, join_modules
from tests.dashboard.viewer.samples import sample

HOSTILE = "x/</script><script>alert(1)</script><!--\u2028'\"&"


def write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.js").write_text(text)
    return folder / "main.js"


def test_modules_are_joined_in_the_order_in_which_they_are_needed(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { a } from "./a.js";\nimport { b } from "./b.js";\nuse(a, b);\n',
        a='import {\n  b,\n} from "./b.js";\nexport const a = b + 1;\n',
        b="const hidden = 1;\nexport function b() {}\nexport class C {}\n",
    )
    joined = join_modules(main)
    assert joined.count("function b() {}") == 1
    assert joined.index("function b()") < joined.index("const a = b + 1") < joined.index("use(a")
    assert "return { b, C };" in joined
    assert "import" not in joined
    assert "export" not in joined


@pytest.mark.parametrize(
    "line",
    [
        'import b from "./b.js";\n',
        'import * as b from "./b.js";\n',
        'import { b as c } from "./b.js";\n',
        'import "./b.js";\n',
        "export default 1;\n",
        "export { a };\n",
        'export * from "./b.js";\n',
    ],
)
def test_forms_that_the_joiner_does_not_know_are_refused(tmp_path: Path, line: str) -> None:
    with pytest.raises(JoinError, match=r"main\.js"):
        join_modules(write(tmp_path, main=line, b="export const b = 1;\n"))


def test_a_circle_of_imports_is_refused(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        main='import { a } from "./a.js";\nexport const m = a;\n',
        a='import { m } from "./main.js";\nexport const a = m;\n',
    )
    with pytest.raises(JoinError, match="break the circle"):
        join_modules(main)


def test_the_viewers_own_modules_can_be_joined() -> None:
    joined = join_modules(ENTRY)
    names = {path.name for path in ENTRY.parent.glob("*.js")}
    assert joined.count("(() => {") >= len(names)
    assert 'customElements.define("bull-replay"' in joined


def test_no_text_in_a_replay_can_leave_its_place_in_the_file() -> None:
    document = sample("six-two")
    document["players"][0]["bot"] = HOSTILE
    notes = {(0, 0): HOSTILE}
    html = export_html(build_payload(document, title=HOSTILE, notes=notes))
    assert "<script>alert" not in html
    # The data, the joined script, and nothing else.
    assert html.count("<script") == html.count("</script>") == 2
    assert "\u2028" not in embed_json({"bot": HOSTILE})


def test_an_export_holds_no_address_of_the_site() -> None:
    links: Any = {"page": "https://league.example/m/1", "download": "https://league.example/d"}
    html = export_html(build_payload(sample("x"), links=links))
    assert "league.example" not in html
    assert "http-equiv" in html
