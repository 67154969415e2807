"""Wrong command lines, as people type them: each says what it got, what it expected, what to do."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import build_app
from store.migrate import migrate

RULES = "known are six-nimmt, eleven-nimmt, x-nimmt"
ONE = "expected a whole number, 1 or more"
ZERO = "expected a whole number, 0 or more"
SEATS = "expected a whole number from 2 to 10"
PLAYERS = "is for 2 to 10 players"
TCP = ("got --tcp with --sandbox docker", "leave --tcp out")
WRONG: dict[str, tuple[str, ...]] = {
    "plya": ("No such command 'plya'", "Did you mean 'play'", "Try 'bullring --help'"),
    "play": ("Missing argument 'RULES'", "six-nimmt, eleven-nimmt, x-nimmt", "--help"),
    "play six-nimmt": ("Missing argument 'BOT BOT …'", "Expected: A sample's name", "--help"),
    "play six-nimmt gap": (PLAYERS, "got 1"),
    "play six-nimmt" + 11 * " gap": (PLAYERS, "got 11"),
    "play seven-nimmt gap gap": ("'seven-nimmt'", RULES),
    "play six-nimmt gap nobody": ("'nobody' is not a sample bot", "The samples are bullhunter"),
    "play six-nimmt gap missing.py": ("no file 'missing.py'", "name a Python file"),
    "play six-nimmt gap empty": ("'empty' holds neither", "bullring new NAME"),
    'play six-nimmt gap "java \'x"': ("cannot be read as a command", "close it"),
    "play six-nimmt gap gap --boards 0": ("'--boards' / '-b'", "got '0'", ONE, "--help"),
    "play six-nimmt gap gap --boards many": ("got 'many'", ONE, "--help"),
    "play six-nimmt gap gap --boards 1.5": ("got '1.5'", ONE),
    "play six-nimmt gap gap --boards": ("Option '--boards' requires an argument", "--help"),
    "play six-nimmt gap gap --board 3": ("No such option: --board", "--boards"),
    "play six-nimmt gap gap --seed -1": ("'--seed'", "got '-1'", ZERO),
    "play six-nimmt gap gap --move-ms -5": ("'--move-ms'", "got '-5'", ZERO),
    "play six-nimmt gap gap --bank-ms x": ("'--bank-ms'", "got 'x'", ZERO),
    "play six-nimmt gap gap --start-ms 0": ("'--start-ms'", "got '0'", ONE),
    "play six-nimmt gap gap --in-flight 0": ("'--in-flight'", "got '0'", ONE),
    "play six-nimmt gap gap --thinkers 0": ("'--thinkers'", "got '0'", ONE),
    "play six-nimmt gap gap --debug 3": ("got --debug 3", "from 1 to 2"),
    "play six-nimmt gap gap --debug 0": ("'--debug'", "got '0'", ONE),
    "play six-nimmt gap gap -o limit": ("got --option 'limit'", "expected NAME=VALUE", "limit=66"),
    "play six-nimmt gap gap -o limit=0": ("limit must be 1 to 1000", "got 0"),
    "play six-nimmt gap gap -o limit=6 -o limit=7": ("limit twice", "once", "leave one out"),
    "play six-nimmt gap gap -o limit=6 -o rounds=1": ("not both", "leave one out"),
    "play six-nimmt gap gap -o colour=red": ("no option 'colour'", "it knows limit, rounds"),
    "play six-nimmt gap gap -o opening_picks=2": ("opening_picks", "set advanced as well"),
    "play six-nimmt gap gap --again missing.json": ("missing.json", "expected a file of replays"),
    "play six-nimmt gap gap --again plain.txt": ("plain.txt", "expected a file of replays"),
    "play six-nimmt gap gap --replays plain.txt": ("which is a file", "expected a folder"),
    "play six-nimmt gap gap --sandbox jail": ("got 'jail'", "expected one of process, docker"),
    "play six-nimmt gap gap --sandbox docker --tcp": TCP,
    "tournament": ("got no rules and bots", "expected RULES BOT BOT", "--resume FILE"),
    "tournament six-nimmt": ("got no rules and bots", "expected RULES BOT BOT"),
    "tournament six-nimmt gap": ("two or more bots", "got 1", "name more"),
    "tournament seven-nimmt gap random": ("'seven-nimmt'", RULES),
    "tournament six-nimmt gap random --table 4": ("a table of 4", "got 2", "--table 2 or less"),
    "tournament six-nimmt gap random --table 11": ("'--table'", "got '11'", SEATS),
    "tournament six-nimmt gap random --table 1": ("'--table'", "got '1'", SEATS),
    "tournament six-nimmt gap gap -f swiss": ("got 'swiss'", "one of round-robin, gauntlet"),
    "tournament six-nimmt gap random --jobs 0": ("'--jobs' / '-j'", "got '0'", ONE),
    "tournament six-nimmt gap random --meetings 0": ("'--meetings'", "got '0'", "from 1 to 10000"),
    "tournament six-nimmt gap random --gain 0": ("got --gain 0", "expected more than 0", "0.5"),
    "tournament six-nimmt gap random --gain x": ("'--gain'", "got 'x'", "expected a number"),
    "tournament six-nimmt gap random --budget 5": ("got '5'", "from 20 to 1000000"),
    "tournament six-nimmt gap random -o limit=-3": ("limit must be 1 to 1000", "got -3"),
    "tournament six-nimmt gap gap --results plain.txt": ("exists already", "--resume plain.txt"),
    "tournament six-nimmt gap gap --results no/r": ("cannot write to no/r", "name another file"),
    "tournament six-nimmt gap gap --csv no/s.csv": ("got --csv no/s.csv", "expected a file in"),
    "tournament six-nimmt gap gap --games-csv empty": (
        "is a folder",
        "expected the name of a file",
    ),
    "tournament six-nimmt gap gap --replays plain.txt": ("which is a file", "expected a folder"),
    "tournament six-nimmt gap gap --sandbox docker --tcp": TCP,
    "tournament --resume missing.jsonl": ("No such file", "name the file that a tournament wrote"),
    "tournament --resume plain.txt": ("does not begin with", "name the file"),
    "tournament --resume plain.txt --results x": (
        "got both --resume and --results",
        "expected one",
    ),
    "check": ("Missing argument 'BOT'", "Expected: A sample's name"),
    "check nobody": ("'nobody' is not a sample bot", "The samples are"),
    "check gap --rules seven-nimmt": ("'seven-nimmt'", RULES),
    "check gap --boards 0": ("'--boards'", "got '0'", ONE),
    "check gap --key 12": ("got --key '12'", "expected the 64 hexadecimal digits"),
    "check gap --summary no/s.md": ("got --summary no/s.md", "expected a file in a folder"),
    "gate gap random --rules six-nimmt --summary empty": ("is a folder", "the name of a file"),
    "gate gap": ("Missing argument 'OLD'", "The old version of it"),
    "gate gap random": ("Missing option '--rules'", "--help"),
    "gate gap random --rules seven-nimmt": ("'seven-nimmt'", RULES),
    "gate gap gap --rules six-nimmt": ("got gap and gap, which are the same bot", "two versions"),
    "gate gap random --rules six-nimmt --table 1": ("got '1'", SEATS),
    "gate gap random --rules six-nimmt --table 4 -a gap": ("needs 3 opponents, got 1", "--against"),
    "gate gap random --rules six-nimmt --gain -1": ("got --gain -1", "expected more than 0"),
    "gate gap random --rules six-nimmt --attempt 0": ("'--attempt'", "got '0'", ONE),
    "simulate": ("Missing argument 'RULES'", "six-nimmt, eleven-nimmt, x-nimmt"),
    "simulate seven-nimmt": ("'seven-nimmt'", RULES),
    "simulate six-nimmt --bots clever": ("no simple bot 'clever'", "known are random, house"),
    "simulate six-nimmt --games 0": ("'--games'", "got '0'", ONE),
    "simulate six-nimmt --players 11": (PLAYERS, "got 11"),
    "simulate six-nimmt --bots house,house,house -n 2": ("got 3 bots", "expected 1 to 2"),
    "simulate six-nimmt --replays plain.txt": ("which is a file", "expected a folder"),
    "new": ("Missing argument 'FOLDER'", "The folder to make"),
    "new bot --lang cobol": ("got 'cobol'", "expected one of python, javascript"),
    "new plain.txt": ("got the name 'plain.txt'", "expected a letter"),
    "new plain.txt/bot": ("cannot make plain.txt/bot", "Not a directory", "name another"),
    "new /proc/bot": ("cannot make /proc/bot", "expected a new folder", "name another"),
    "new bot --rules seven-nimmt": ("'seven-nimmt'", RULES),
    "replay show": ("Missing argument 'FILE'", "--help"),
    "replay show missing.json": ("missing.json: No such file", "expected a file of replays"),
    "replay show plain.txt": ("plain.txt: not JSON", "expected a file of replays"),
    "replay show plain.txt --game 0": ("'--game'", "got '0'", ONE),
    "replay verify": ("Missing argument 'FILE|FOLDER…'", "folders are searched"),
    "replay verify missing": ("there is no 'missing' here", "name a replay or a folder"),
    "replay verify empty": ("empty: no file ending in .json",),
    "replay get none": ("'MATCH'", "got 'none'", ONE),
    "replay get 0": ("'MATCH'", "got '0'", ONE),
    "replay get 1 --to no/such/x.jsonl": (
        "got --to no/such/x.jsonl",
        "expected a file in a folder",
        "name another",
    ),
    "replay get 1 --to empty": ("empty already exists", "name another file with --to"),
    "replay get 1": ("no league is known here", "bullring login URL"),
    "review": ("got no replays", "expected FILE or FOLDER, or --bot BOT"),
    "review missing": ("there is no 'missing' here", "name a replay or a folder"),
    "review --bot mine --seat 2": ("got --bot and --seat", "leave --seat out"),
    "review --bot mine --budget 28000": ("got --bot and --budget", "leave --budget out"),
    "review --bot mine --seed 0": ("got --bot and --seed", "leave --seed out"),
    "review --bot mine --hindsight": ("got --bot and --hindsight", "leave --hindsight out"),
    "review plain.txt --sample 5": ("got --sample without --bot", "expected both"),
    "review plain.txt --bot mine": ("got replays and --bot", "expected one of them"),
    "review plain.txt --budget 63": ("got '63'", "expected a whole number from 64"),
    "review plain.txt --seat 11": ("got '11'", "expected a whole number from 1 to 10"),
    "review --bot mine": ("no league is known here", "bullring login URL"),
    "submit missing": ("no league is known here", "bullring login URL"),
    "submit empty --bot Bad_Name": ("got the bot's name 'Bad_Name'", "expected 1 to 40"),
    "submit empty --rules seven-nimmt": ("'seven-nimmt'", RULES),
    "submit image:x": ("does not say which bot it is", "add --bot NAME"),
    f"submit empty --note {'n' * 501}": ("a --note of 501 characters", "expected at most 500"),
    "submit empty --summary no/s.md": ("got --summary no/s.md", "expected a file in a folder"),
    "login": ("Missing argument 'URL'", "The league's address"),
    "login ftp://league": ("got the address 'ftp://league'", "expected one like https://"),
    "logout": ("there is no such login", "nothing was changed"),
    "friendly": ("Missing argument 'MY-BOT'", "One of your bots"),
    "friendly my-bot": ("name one or more opponents", "bullring friendly my-bot gap"),
    "friendly my-bot gap --boards 0": ("'--boards'", "got '0'", ONE),
    "friendly my-bot gap": ("no league is known here", "bullring login URL"),
    "friendlies --cancel": ("name the match", "bullring friendlies 12 --cancel"),
    "friendlies none": ("'MATCH'", "got 'none'", ONE),
    "friendlies": ("no league is known here", "bullring login URL"),
    "messages new": ("unexpected extra argument", "--help"),
    "messages": ("no league is known here", "bullring login URL"),
    "webhook on off": ("unexpected extra argument", "--help"),
    "webhook off": ("no league is known here", "bullring login URL"),
    "status --server nowhere": ("no token for https://nowhere", "bullring login"),
    "logs 7 --match 1": ("got '7'", "expected one of your bots", "bullring logs BOT --match N"),
    "logs seven --fault late": ("got --fault 'late'", "expected one of: timeout"),
    "watch --count 0": ("'--count'", "got '0'", ONE),
    "watch --recent --count 3": ("got both --recent and --count", "expected one of them"),
    "versions mine --gate 2 --rest": ("got both --rest and --gate", "expected one of them"),
    "versions mine --ladder 2": ("got --ladder without --gate", "expected both"),
    "versions": ("Missing argument 'BOT'", "one of your bots"),
    "versions my-bot --use 0": ("'--use'", "got '0'", ONE),
    "versions my-bot --use 1 --rest": ("got both --rest and --use", "expected one of them"),
    "enter spring": ("Missing argument 'BOT'", "one of your bots"),
    "leave": ("Missing argument 'SEASON'", "A season, or ladder/N"),
    "season create": ("a season needs its name", "bullring season create SEASON RULES"),
    "season status nothing": ("there is no season 'nothing'", "known are: none yet"),
    "season create spring --rules x": ("No such option: --rules", "--help"),
    "ladder open seven-nimmt": ("'seven-nimmt'", RULES),
    "ladder open six-nimmt --table 40": ("table: got 40", SEATS),
    "ladder standings 99": ("there is no ladder 99", "known are: none yet"),
    "account add Ada!": ("got handle 'Ada!'", "expected 1 to 40 lower-case letters"),
    "demo --boards 3": ("'--boards'", "got '3'", "expected a whole number, 4 or more"),
    "demo --folder league": ("holds other things", "choose an empty or a new folder"),
    "demo --folder plain.txt": ("got --folder plain.txt", "expected a folder", "name another"),
    "demo --folder plain.txt/x": ("got --folder plain.txt/x", "expected a folder"),
    "db upgrad": ("No such command 'upgrad'", "Did you mean 'upgrade'", "--help"),
    "db repack all": ("unexpected extra argument", "--help"),
    "doctor --reep": ("No such option: --reep", "--reap"),
    "up --port 99999": ("'--port'", "got '99999'", "from 0 to 65535"),
    "worker --slots 0": ("'--slots'", "got '0'", ONE),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the lines are typed, with a new league in it."""
    made = tmp_path_factory.mktemp("wrong")
    (made / "plain.txt").write_text("hello\n")
    (made / "empty").mkdir()
    (made / "league").mkdir()
    migrate(f"sqlite:///{made}/league/bullring.db")
    return made


def said(output: str) -> str:
    """What was printed, without the frame around it and without line breaks."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", output).split())


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_line_says_what_it_got_and_expected_and_what_to_do(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BULLRING_DATA_DIR", str(folder / "league"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    for name in ("BULLRING_DATABASE_URL", "BULLRING_SERVER", "BULLRING_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    before = sorted(folder.iterdir())
    result = CliRunner().invoke(build_app(), shlex.split(line), prog_name="bullring")
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit), "no traceback"
    for part in WRONG[line]:
        assert part in said(result.output)
    assert sorted(folder.iterdir()) == before, "a refused line leaves nothing behind"
