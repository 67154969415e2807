"""The command line, imported once and forked for every call: to start Python and import it over
and over takes most of the time of the tests that type commands.

The process forks before anything is started, as `referee/zygote.py` does for matches, and a child
has the folder, the environment and the files of a fresh start. What a start itself does (signals,
the first line of a log) is tested with `python -m cli`.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NoReturn

from referee.zygote import CRASHED, leave, unfit
from tests.ending import kill_group

ROOT = Path(__file__).resolve().parent.parent


def bullring(
    *arguments: object, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What a command said and how it ended, as `subprocess.run` gives it."""
    typed = [str(one) for one in arguments]
    server = _server()
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "stdout", Path(folder) / "stderr"]
        request = {
            "typed": typed,
            "cwd": str(cwd),
            "env": dict(os.environ if env is None else env),
            "files": [str(file) for file in files],
        }
        try:
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            code = int(server.stdout.readline())
        except BaseException:
            # Its next answer would be that of this call.
            _server.cache_clear()
            _end(server)
            raise
        said = [file.read_text() for file in files]
    return subprocess.CompletedProcess(typed, code, *said)


@cache
def _server() -> "subprocess.Popen[str]":
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.ready"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # With the command that it runs at the moment, if a test is given up in the middle of one.
        process_group=0,
    )
    atexit.register(_end, server)
    return server


def _end(server: "subprocess.Popen[str]") -> None:
    kill_group(server)
    server.communicate()


def serve() -> None:
    """Answer every request with the exit code of the command, until nobody asks any more."""
    from cli.main import build_app

    build_app()
    for line in sys.stdin:
        why = unfit()
        assert why is None, why
        pid = os.fork()
        if pid == 0:
            _be_command(json.loads(line))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _be_command(request: dict[str, object]) -> NoReturn:
    """The child: a fresh start, but for what is imported already."""
    code = CRASHED
    try:
        typed, files, env = request["typed"], request["files"], request["env"]
        assert isinstance(typed, list)
        assert isinstance(files, list)
        assert isinstance(env, dict)
        for number, name in enumerate([os.devnull, *files]):
            opened = os.open(name, os.O_RDWR | os.O_CREAT, 0o600)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(str(request["cwd"]))
        os.environ.clear()
        os.environ.update(env)
        sys.argv[1:] = typed
        from cli.main import main

        main()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        leave(code)


if __name__ == "__main__":
    serve()
