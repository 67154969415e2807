"""The organiser's desk: a season made, run and corrected by forms alone."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import quote

import pytest

import nimmt
import store as data
from dashboard.pages.organiser.presets import PRESETS
from dashboard.pages.organiser.season_form import DEFAULTS, SeasonForm
from dashboard.reads.audit import ACTION_SENTENCES
from league import seasons as league_seasons
from league.audit import Action
from league.seasons import plan_from
from league.seasons.plan import check_plan
from store import EntryState, SeasonState, Store, attempts, audit, bots, seasons, workers
from tests.dashboard.conftest import Browser
from tests.dashboard.seed import Seeded

DESK = "/organiser/seasons/cup"
FORM = {**DEFAULTS, "name": "cup", "title": "The Cup", "length": "rounds", "boards": "6"}


def follow(client: Browser, path: str, fields: dict[str, str] | None = None) -> str:
    """Send a form and read the page that follows it."""
    answer = client.submit(path, fields)
    assert answer.status_code == 303, answer.text
    page: str = client.get(answer.headers["location"]).text
    return page


def state_of(store: Store, name: str) -> SeasonState:
    with store.read() as session:
        found = seasons.by_name(session, name)
        assert found is not None
        return found.state


def test_a_season_is_made_and_run_by_forms(boss: Browser, store: Store) -> None:
    page = follow(boss, "/organiser/create", FORM)
    assert "The Cup is a draft" in page
    page = follow(boss, f"{DESK}/open")
    assert "The Cup is open" in page
    page = follow(boss, f"{DESK}/enter", {"bot": "heron/close", "names": "otter/closer lynx/loose"})
    assert "Entered heron/close, otter/closer, lynx/loose" in page
    assert "8 boards a match" in page, "boards are rounded up to whole laps of the table"
    for step, state in (
        ("freeze", "frozen"), ("start", "running"), ("pause", "paused"), ("resume", "running"),
    ):  # fmt: skip
        assert f"The Cup is {state}" in follow(boss, f"{DESK}/{step}")
    page = follow(boss, f"{DESK}/finish", {"early": "1"})
    assert "The Cup is finished" in page
    assert follow(boss, f"{DESK}/archive")
    assert state_of(store, "cup") is SeasonState.ARCHIVED
    with store.read() as session:
        acts = [row.action for row in audit.page(session) if row.actor == "boss"]
    expected = ["create", "open", "enter", "freeze", "start", "pause", "resume", "finish"]
    assert set(acts) >= {f"season.{step}" for step in expected}


def test_a_season_that_takes_entries_is_called_off_and_keeps_its_page(
    boss: Browser, spectator: Browser
) -> None:
    follow(boss, "/organiser/create", FORM)
    follow(boss, f"{DESK}/open")
    follow(boss, f"{DESK}/enter", {"bot": "heron/close"})
    assert f'href="{DESK}/call-off"' in boss.get(DESK).text
    assert "Nothing is played; its page stays." in boss.get(f"{DESK}/call-off").text
    assert "The Cup is finished" in follow(boss, f"{DESK}/call-off")
    assert "The season ended before a match was done." in spectator.get("/seasons/cup").text


def fields_of(page: str) -> dict[str, str]:
    """What a form of the page would send as it stands."""
    form = page.split('<form class="desk-form', 1)[1].split("</form>", 1)[0]
    found = {}
    for tag in re.findall(r"<input [^>]*>", form):
        told = {name: unescape(value) for name, value in re.findall(r'(\w+)="([^"]*)"', tag)}
        if told.get("type") not in ("radio", "checkbox") or tag.endswith(" checked>"):
            found[told["name"]] = told.get("value", "")
    for name, options in re.findall(r'<select id="\w+" name="(\w+)">(.*?)</select>', form, re.S):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else ""
    for name, text in re.findall(r'<textarea [^>]*name="(\w+)"[^>]*>(.*?)</textarea>', form, re.S):
        found[name] = unescape(text)
    return {name: value for name, value in found.items() if name != "csrf"}


@pytest.mark.parametrize(
    "different",
    [
        {},
        {"rules": "six-nimmt", "length": "limit", "limit": "80", "advanced": "1", "about": "<tea>"},
        {"rules": "eleven-nimmt", "next_start": "most", "table_size": "3", "duplicate": "one-pass"},
        {"rules": "x-nimmt", "ends": "places", "places": "1, 2", "budget": "40", "meetings": "3"},
        {"opens_at": "2031-05-01T10:00", "move_ms": "7", "table_size": "5", "boards": "10"},
    ],
)
def test_the_form_of_a_draft_is_filled_in_with_what_the_draft_is(
    boss: Browser, different: dict[str, str], store: Store
) -> None:
    follow(boss, "/organiser/create", {**FORM, **different})
    page = boss.get(f"{DESK}/edit").text
    assert "What it can tell apart" in page, "the planner's answer is beside the form"
    as_it_is = fields_of(page)
    for name, value in different.items():
        assert as_it_is[name] == value, name
    assert "Nothing was different" in follow(boss, f"{DESK}/edit", {**as_it_is, "act": "edit"})
    page = follow(boss, f"{DESK}/edit", {**as_it_is, "name": "bowl", "bank_ms": "9"})
    assert "Changed: name, bank ms." in page
    with store.read() as session:
        season = seasons.by_name(session, "bowl")
        assert season is not None
        assert season.time["bank_ms"] == 9


def test_a_change_that_cannot_be_made_is_refused_on_the_form(boss: Browser, store: Store) -> None:
    follow(boss, "/organiser/create", FORM)
    answer = boss.submit(f"{DESK}/edit", {**FORM, "boards": "none"})
    assert answer.status_code == 422
    assert "nothing was changed" in answer.text
    answer = boss.submit(f"{DESK}/edit", {**FORM, "name": "spring"})
    assert answer.status_code == 409
    assert 'id="name-error"' in answer.text
    asked = boss.submit(f"{DESK}/edit", {**FORM, "bots": "30", "act": "plan"})
    assert asked.status_code == 200
    assert f'action="{DESK}/edit"' in asked.text
    follow(boss, f"{DESK}/open")
    page = boss.get(f"{DESK}/edit").text
    assert 'name="title"' in page
    assert 'name="boards"' not in page, "entrants rely on it"
    assert 'name="opens_at"' not in page, "that is past"
    words = {"title": "A Cup", "about": "", "freezes_at": "2031-05-01T10:00"}
    assert "Changed: title, freezes at." in follow(boss, f"{DESK}/edit", words)
    follow(boss, f"{DESK}/enter", {"names": "heron/close otter/closer lynx/loose"})
    for step in ("freeze", "start"):
        follow(boss, f"{DESK}/{step}")
    assert boss.get(f"{DESK}/edit").url.path == DESK
    assert boss.get(f"{DESK}/delete").url.path == DESK
    boss.submit(f"{DESK}/delete")
    assert state_of(store, "cup") is SeasonState.RUNNING


def test_a_draft_is_deleted_after_a_look_at_what_goes(boss: Browser, store: Store) -> None:
    follow(boss, "/organiser/create", FORM)
    follow(boss, f"{DESK}/enter", {"names": "heron/close"})
    assert f'href="{DESK}/delete"' in boss.get(DESK).text
    assert "Its 1 entry goes with it" in boss.get(f"{DESK}/delete").text
    assert state_of(store, "cup") is SeasonState.DRAFT, "looking changes nothing"
    page = follow(boss, f"{DESK}/delete")
    assert "The Cup is deleted" in page
    assert boss.get(DESK).status_code == 404
    assert "created The Cup" in boss.get("/organiser/audit").text


def test_a_step_for_good_shows_first_what_it_will_do(boss: Browser, store: Store) -> None:
    follow(boss, "/organiser/create", FORM)
    follow(boss, f"{DESK}/open")
    follow(boss, f"{DESK}/enter", {"names": "heron/close otter/closer lynx/loose"})
    with store.write() as session:
        bot = bots.find_bot(session, "lynx/loose")
        assert bot is not None
        bot.current_version = None
    assert f'href="{DESK}/freeze"' in boss.get(DESK).text
    page = boss.get(f"{DESK}/freeze").text
    assert re.search(r'<dt>Bots</dt><dd class="num">2<', page)
    assert "<strong>lynx/loose</strong>: it had no accepted version" in page
    assert state_of(store, "cup") is SeasonState.OPEN, "looking changes nothing"
    follow(boss, f"{DESK}/freeze")
    with store.read() as session:
        season = seasons.by_name(session, "cup")
        assert season is not None
        planned = seasons.progress(session, season.id).total
    page = boss.get(f"{DESK}/start").text
    assert re.search(rf'<dt>Matches</dt><dd class="num">{planned}<', page)
    assert season.commitment is not None
    assert season.commitment in page
    assert boss.get(f"{DESK}/archive").url.path == DESK, "a step that is not next leads back"


def test_an_address_that_takes_a_form_leads_back_to_its_page(boss: Browser) -> None:
    answer = boss.get("/organiser/seasons/summer/enter")
    assert answer.status_code == 405
    assert 'href="/organiser/seasons/summer">Back</a>' in answer.text


def test_the_audit_log_speaks_of_names(boss: Browser) -> None:
    follow(boss, "/organiser/create", FORM)
    follow(boss, f"{DESK}/enter", {"names": "heron/close"})
    page = boss.get("/organiser/audit").text
    assert f'<a href="{DESK}">The Cup</a>' in page
    assert '<span class="muted">bot</span> heron/close' in page
    assert "{&#39;" not in page
    sentence = f'<strong>boss</strong> entered heron/close in <a href="{DESK}">The Cup</a>.'
    assert sentence in page
    assert sentence in boss.get("/organiser").text


def test_every_act_has_a_sentence() -> None:
    assert set(ACTION_SENTENCES) == set(Action)
    for sentence in ACTION_SENTENCES.values():
        assert set(re.findall(r"{.*?}", sentence)) <= {"{}", "{bot}"}
        assert sentence[0].islower()


def test_a_season_is_cloned_without_its_name_and_dates(boss: Browser) -> None:
    assert "/organiser/create?like=spring" in boss.get("/organiser/seasons/spring").text
    page = boss.get("/organiser/create?like=spring").text
    assert 'name="name" type="text" value=""' in page
    assert re.search(r'id="boards"[^>]* value="4"', page)
    assert 'id="length-rounds" checked' in page
    assert boss.get("/organiser/create?like=nothing").status_code == 404


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("rules", nimmt.GAMES)
def test_every_preset_makes_a_plan_of_every_game(name: str, rules: str) -> None:
    values = {**PRESETS[name].values, "rules": rules, "name": "cup"}
    form = SeasonForm(values)
    given = form.given()
    assert form.errors == {}
    check_plan(plan_from(given))


def test_a_preset_fills_the_form_and_the_rest_stands_under_more(boss: Browser) -> None:
    page = boss.get("/organiser/create?preset=blitz").text
    assert 'href="/organiser/create?preset=blitz" aria-current="true"' in page
    assert re.search(r'id="move_ms"[^>]* value="50"', page)
    more = page.index("more-fields")
    for asked in ('id="title"', 'id="rules-six-nimmt"', 'id="bots"', 'id="freezes_at"'):
        assert page.index(asked) < more
    assert page.index('id="boards"') > more
    assert '<details class="panel more-fields">' in page
    wrong = boss.submit("/organiser/create", {**FORM, "boards": "0"}).text
    assert '<details class="panel more-fields" open>' in wrong


def test_the_page_of_a_bot_says_where_its_numbers_are_from(boss: Browser) -> None:
    page = boss.get("/bots/otter/stumble").text
    assert 'In <a href="/seasons/spring">Spring season</a>' in page
    assert "the rating of Spring season" in page


def test_clock_and_dates_of_a_season_are_public(boss: Browser, spectator: Browser) -> None:
    dates = {"freezes_at": "2031-05-01T10:00", "starts_at": "2031-05-02T10:00"}
    follow(boss, "/organiser/seasons/summer/dates", dates)
    for page in (spectator.get("/seasons/summer").text, boss.get("/organiser/seasons/summer").text):
        assert re.search(r"Time per move</dt><dd class=.num.>\d", page)
        assert "1 May 2031, 10:00 UTC" in page


def test_a_step_that_cannot_be_taken_says_why_on_the_same_page(boss: Browser, store: Store) -> None:
    follow(boss, "/organiser/create", FORM)
    follow(boss, f"{DESK}/open")
    answer = boss.submit(f"{DESK}/freeze")
    assert answer.status_code == 409
    assert "enter more bots, or wait for their checks" in answer.text
    assert 'role="alert"' in answer.text
    assert state_of(store, "cup") is SeasonState.OPEN, "nothing of the step is left behind"
    answer = boss.submit(f"{DESK}/enter")
    assert "no bot was chosen" in answer.text
    typed = "heron/close otter/nobody lynx/none"
    answer = boss.submit(f"{DESK}/enter", {"bot": "lynx/loose", "names": typed})
    assert "otter/nobody" in answer.text
    assert "lynx/none" in answer.text, "all that is wrong is said at once"
    assert f'value="{typed}"' in answer.text
    assert 'value="lynx/loose" checked' in answer.text


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("boards", "many", "expected a whole number from 1 to 10000"),
        ("table_size", "10", "X nimmt! is for 2 to 4 players, got 10"),
        ("opens_at", "tomorrow", "expected a date like"),
        ("rules", "seven-nimmt", "expected one of"),
        ("name", "", "a season needs a name"),
    ],
)
def test_a_wrong_field_is_named_and_everything_typed_is_kept(
    boss: Browser, field: str, value: str, words: str
) -> None:
    fields = {**FORM, "rules": "x-nimmt", field: value, "about": "for the pond"}
    answer = boss.submit("/organiser/create", fields)
    assert answer.status_code == 422
    assert words in answer.text
    assert "for the pond" in answer.text


def test_a_name_that_is_taken_is_refused_on_the_form(boss: Browser) -> None:
    answer = boss.submit("/organiser/create", {**FORM, "name": "spring"})
    assert answer.status_code == 409
    assert re.search(r'id="name-error">[^<]*which is taken', answer.text), "beside its field"
    answer = boss.submit("/organiser/create", {**FORM, "name": "rehearsal-x"})
    assert "names of rehearsals begin like that" in answer.text


def test_the_planner_answers_beside_the_form_without_making_anything(
    boss: Browser, store: Store
) -> None:
    first = boss.get("/organiser/create").text
    assert "What it can tell apart" in first
    assert ("is a guess" in first) == ("bullring season plan --bots" in first)
    fields = {**FORM, "act": "plan", "boards": "100", "bots": "12", "meetings": "3"}
    page = boss.submit("/organiser/create", fields).text
    # 12 bots at tables of 4, each pair 3 times: 3 * 66 / 6 tables.
    assert re.search(r"Matches</dt><dd class=.num.>33<", page)
    with store.read() as session:
        assert seasons.by_name(session, "cup") is None


def test_the_form_makes_the_plan_that_was_meant() -> None:
    typed = {**FORM, "ends": "places", "places": "1 3", "advanced": "1", "opening_picks": "2"}
    plan = plan_from(SeasonForm.read({name: [text] for name, text in typed.items()}).given())
    assert plan.options == {"rounds": 1, "advanced": True, "opening_picks": 2}
    assert (plan.places, plan.budget) == ((1, 3), 200)


@pytest.mark.parametrize("places", ["", "first", "0 1", "1 " + "9" * 5000])
def test_places_that_no_table_has_are_refused_beside_their_field(places: str) -> None:
    typed = {**FORM, "ends": "places", "places": places}
    form = SeasonForm.read({name: [text] for name, text in typed.items()})
    form.given()
    assert "expected places such as 1, 3" in form.errors["places"]


def test_a_disqualification_shows_what_it_changes_before_it_is_confirmed(
    boss: Browser, store: Store, seeded: Seeded
) -> None:
    path = "/organiser/seasons/spring/disqualify"
    page = boss.get(f"{path}?bot={quote('otter/stumble')}").text
    assert re.search(r"results in \d+ matches: none of them counts any more", page)
    assert page.count("Rating now") == 1
    assert re.search(r'class="gone"><th scope="row">.*stumble.*<span class="version">v1<', page)
    with store.read() as session:
        entry = seasons.entries(session, seeded.season_id)[3]
    assert entry.state is EntryState.ENTERED, "looking changes nothing"
    refused = boss.submit(path, {"bot": "otter/stumble", "reason": " "})
    assert (refused.status_code, "needs a reason" in refused.text) == (422, True)
    page = follow(boss, path, {"bot": "otter/stumble", "reason": "it read the others' hands"})
    assert "otter/stumble is disqualified" in page
    with store.read() as session:
        rows = audit.page(session, subject="season", subject_id=seeded.season_id, limit=1)
    assert rows[0].action == "season.disqualify"
    assert rows[0].detail["changes"], "the audit log keeps the table before and after"


def test_a_withdrawal_says_that_results_stand_and_who_fills_its_seats(
    boss: Browser,
) -> None:
    page = boss.get("/organiser/seasons/spring/withdraw?bot=heron/close").text
    assert "they stand, and its place with them" in page
    assert "open match" in page
    assert "heron/close is withdrawn" in follow(
        boss, "/organiser/seasons/spring/withdraw", {"bot": "heron/close"}
    )


def get_stuck(store: Store, match_id: int) -> None:
    """Three attempts come to nothing."""
    for _ in range(3):
        with store.write() as session:
            attempt = attempts.claim(session, match_id, "worker")
            assert attempt is not None
            attempts.void(session, attempt.token, "the disk is full")


def test_a_stuck_match_is_shown_with_its_reason_and_played_again(
    boss: Browser, store: Store, seeded: Seeded
) -> None:
    get_stuck(store, seeded.waiting)
    page = boss.get("/organiser/seasons/spring").text
    assert "the disk is full" in page
    assert f"Play match {seeded.waiting} again" in boss.get("/organiser").text
    path = f"/organiser/matches/{seeded.waiting}/replay-match"
    assert "needs a reason" in boss.submit(path).text
    assert "is queued again" in follow(boss, path, {"reason": "a new disk"})
    with store.read() as session:
        match = data.present(session, data.Match, seeded.waiting)
        assert match.state is data.MatchState.QUEUED


def test_a_stuck_match_of_a_season_past_is_on_its_own_page_alone(
    boss: Browser, store: Store, seeded: Seeded
) -> None:
    get_stuck(store, seeded.waiting)
    again = f"Play match {seeded.waiting} again"
    set_state(store, seeded, SeasonState.FINISHED)
    assert again not in boss.get("/organiser").text, "as the number beside it says"
    assert again in boss.get("/organiser/seasons/spring").text
    assert again in boss.get(f"/matches/{seeded.waiting}").text
    assert "Void it and play it again" not in boss.get(f"/matches/{seeded.done}").text
    set_state(store, seeded, SeasonState.ARCHIVED)
    assert again not in boss.get("/organiser/seasons/spring").text
    assert again not in boss.get(f"/matches/{seeded.waiting}").text


def set_state(store: Store, seeded: Seeded, state: SeasonState) -> None:
    with store.write() as session:
        data.present(session, data.Season, seeded.season_id).state = state


def test_the_commitment_is_shown_when_it_has_to_be_published(boss: Browser, store: Store) -> None:
    follow(boss, "/organiser/create", FORM)
    follow(boss, f"{DESK}/open")
    follow(boss, f"{DESK}/enter", {"names": "heron/close otter/closer lynx/loose"})
    page = follow(boss, f"{DESK}/freeze")
    with store.read() as session:
        found = seasons.by_name(session, "cup")
    assert found is not None
    assert "Publish this now" in page
    assert f">{found.commitment}</code>" in page


def test_a_season_that_is_over_offers_what_is_to_be_kept(
    boss: Browser, store: Store, seeded: Seeded
) -> None:
    address = "/api/v1/seasons/spring/archive.zip"
    assert address not in boss.get("/organiser/seasons/spring").text
    set_state(store, seeded, SeasonState.FINISHED)
    page = boss.get("/organiser/seasons/spring").text
    assert address in page
    assert "./bullring season verify-archive spring-archive" in page
    assert "/seasons/spring/fairness" in page


def test_matches_struck_by_a_disqualification_are_marked(
    boss: Browser, store: Store, seeded: Seeded
) -> None:
    assert "not counted" not in boss.get("/seasons/spring").text
    path = "/organiser/seasons/spring/disqualify"
    follow(boss, path, {"bot": "otter/stumble", "reason": "it read the others' hands"})
    with store.read() as session:
        progress = seasons.progress(session, seeded.season_id)
    assert 0 < progress.struck < progress.done
    page = boss.get("/organiser/seasons/spring").text
    assert f"{progress.done} of {progress.total} matches done, " in page
    assert f"{progress.done - progress.struck} of them count" in page
    public = boss.get("/seasons/spring").text
    assert public.count(">not counted</span>") == progress.struck
    assert f"{progress.struck} of its matches count no more" in public


def test_workers_clocks_and_those_that_are_silent_or_gone_are_told_apart(
    boss: Browser, store: Store
) -> None:
    with store.write() as session:
        for name, slots, seconds in (("w1", 2, 0), ("w2", 2, 35), ("w3", 2, 0), ("tick", 0, 0)):
            workers.beat(session, data.Worker(name=name, slots=slots))
            at = data.utc_now() - timedelta(seconds=seconds)
            data.locked(session, data.Worker, name).heartbeat_at = at
        workers.sign_off(session, "w3")
    page = boss.get("/organiser").text
    assert re.search(r'<dt>Workers</dt><dd class="num">2<', page), "no clock, and none that left"
    signs = dict(re.findall(r'row">(w\d|tick)\b.*?<span class="chip[^"]*">(\w+)</span>', page))
    assert signs == {"w1": "up", "w2": "silent", "w3": "gone", "tick": "up"}
    assert re.search(r'tick <span class="tag">clock</span>', page)
    assert re.search(r">[345]\d s ago<", page), "to the second"


def test_a_worker_says_why_it_waits_or_that_its_host_is_not_measured(
    boss: Browser, store: Store
) -> None:
    busy = {"waits": "others took 90% of <core> 1", "waiting": 1, "not_measured": None}
    blind = {"waits": None, "waiting": 0, "not_measured": "host not measured: no counters"}
    calm = {"waits": None, "waiting": 0, "not_measured": None}
    with store.write() as session:
        for name, host in (("w1", busy), ("w2", blind), ("w3", calm)):
            workers.beat(session, data.Worker(name=name, slots=1, detail={"host": host}))
    page = boss.get("/organiser").text
    assert "waits: others took 90% of &lt;core&gt; 1" in page
    assert page.count("host not measured: no counters") == 1


def test_a_worker_in_quarantine_is_marked_and_its_page_says_why(
    boss: Browser, store: Store
) -> None:
    why = "got 401 from <files>; check BULLRING_FILES_PASSWORD"
    with store.write() as session:
        for name, state, problems in (
            ("good", data.WorkerState.UP, {}),
            ("bad", data.WorkerState.QUARANTINED, {"files": why}),
        ):
            row = data.Worker(name=name, slots=1, state=state, detail={"problems": problems})
            workers.beat(session, row)
    page = boss.get("/organiser").text
    chip = r'row">bad</th><td><span class="chip chip-stuck">quarantined</span><br><span[^>]*>(.*?)<'
    found = re.search(chip, page)
    assert found
    assert unescape(found[1]) == f"files: {why}"
    assert re.search(r'row">good</th><td><span class="chip chip-up">up</span></td>', page)


def test_a_rehearsal_is_started_hidden_from_others_and_stopped(
    boss: Browser, heron: Browser, store: Store
) -> None:
    for wrong in ("0", "many", "000000001" + "9" * 5000):
        refused = boss.submit("/organiser/seasons/summer/rehearse", {"boards": wrong})
        assert refused.status_code == 409
        assert "expected a whole number from 1 to 10000" in refused.text
    page = follow(boss, "/organiser/seasons/summer/rehearse", {"bots": "5"})
    assert "It is on: 0 of" in page
    with store.read() as session:
        [on] = league_seasons.leftover_rehearsals(session)
    assert heron.get(f"/seasons/{on.name}").status_code == 404
    assert on.name not in heron.get("/seasons").text
    page = follow(boss, "/organiser/seasons/summer/rehearse", {"act": "stop"})
    assert "stopped and removed" in page
    with store.read() as session:
        assert league_seasons.leftover_rehearsals(session) == []


@pytest.mark.parametrize(
    ("typed", "hour"),
    [("2026-12-01T18:00", 18), ("2026-12-01T18:00+02:00", 16), ("2026-12-01T18:00Z", 18)],
)
def test_a_date_with_a_zone_is_the_moment_it_names(typed: str, hour: int) -> None:
    form = SeasonForm.read({"opens_at": [typed]})
    assert form.date("opens_at") == datetime(2026, 12, 1, hour, tzinfo=UTC)


def test_dates_are_changed_and_out_of_order_refused(boss: Browser, store: Store) -> None:
    path = "/organiser/seasons/summer/dates"
    page = follow(boss, path, {"freezes_at": "2031-05-01T10:00", "starts_at": "2031-05-02T10:00"})
    assert 'value="2031-05-01T10:00"' in page
    answer = boss.submit(path, {"freezes_at": "2031-05-03T10:00"})
    assert answer.status_code == 409
    assert "is before" in answer.text
