"""The rules for Dockerfiles, as tables; the engine only sees what was rewritten."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.api import SubmissionRejected
from sandbox.dockerfile import checked

BASES = {"bullring-base": "sha256:" + "b" * 64}

REFUSED = {
    "unknown base": ("FROM debian", "base_image"),
    "another bot's image": ("FROM bullring-bot:0123", "base_image"),
    "base by digest": (f"FROM sha256:{'a' * 64}", "base_image"),
    "base in a variable": ("ARG X=debian\nFROM $X", "base_image"),
    "base in an unset variable": ("FROM ${X}bullring-base2", "base_image"),
    "platform flag": ("FROM --platform=windows bullring-base", "syntax"),
    "syntax directive": ("# syntax=evil/frontend\nFROM bullring-base", "directive"),
    "syntax directive without spaces": ("#syntax=evil/frontend\nFROM bullring-base", "directive"),
    "escape directive": ("# escape=`\nFROM bullring-base", "directive"),
    "add of a url": ("FROM bullring-base\nADD https://x.invalid/y /y", "add_remote"),
    "add of a url in a list": ('FROM bullring-base\nADD ["http://x.invalid", "/y"]', "add_remote"),
    "add of a repository": ("FROM bullring-base\nADD git@x.invalid:y.git /y", "add_remote"),
    "add of a variable": ("FROM bullring-base\nARG U=http://x\nADD $U /y", "add_remote"),
    "add over two lines": ("FROM bullring-base\nADD \\\n  https://x.invalid/y /y", "add_remote"),
    "run with a mount": ("FROM bullring-base\nRUN --mount=type=bind,from=x ls", "run_flag"),
    "run with a network": ("FROM bullring-base\nRUN --network=host ls", "run_flag"),
    "run mount on the next line": ("FROM bullring-base\nRUN \\\n --mount=type=ssh ls", "run_flag"),
    "copy from an image": ("FROM bullring-base\nCOPY --from=bullring-bot:1 /bot /bot", "copy_from"),
    "copy from a later stage": ("FROM scratch\nCOPY --from=1 /a /a\nFROM scratch", "copy_from"),
    "volume": ("FROM bullring-base\nVOLUME /data", "volume"),
    "small volume": ("from bullring-base\nvolume /data", "volume"),
    "health check": ("FROM bullring-base\nHEALTHCHECK CMD true", "healthcheck"),
    "onbuild": ("FROM bullring-base\nONBUILD VOLUME /x", "onbuild"),
    "here-document": ("FROM bullring-base\nRUN <<EOF\nls\nEOF", "heredoc"),
    "here-document with a dash": ("FROM bullring-base\nRUN cat <<-EOF", "heredoc"),
    "here-document without a space": ("FROM bullring-base\nRUN cat<<EOF", "heredoc"),
    "here-document with a number": ("FROM bullring-base\nRUN cat 0<<EOF", "heredoc"),
    "here-document in quotes": ("FROM bullring-base\nRUN cat <<'COPY a b'", "heredoc"),
    "here-document of a file": ("FROM bullring-base\nCOPY <<EOF /x", "heredoc"),
    "shift that reads like one": ("FROM bullring-base\nRUN echo $((1 <<2))", "heredoc"),
    "open quote": ("FROM bullring-base\nRUN echo ' <<EOF", "heredoc"),
    "variable without a name": ("FROM bullring-base\nENV =x", "env"),
    "second variable without a name": ("FROM bullring-base\nENV A=1 =x", "env"),
    "variable without a value": ("FROM bullring-base\nENV A", "env"),
    "unknown word": ("FROM bullring-base\nFETCH x", "syntax"),
    "no from": ("# nothing\n", "syntax"),
    "run before from": ("RUN ls\nFROM bullring-base", "syntax"),
    "open end": ("FROM bullring-base\nRUN ls \\\n", "syntax"),
    "control character": ("FROM bullring-base\nRUN ls\x0bVOLUME /x", "encoding"),
    "line separator": ("FROM bullring-base\nRUN ls\u2028VOLUME /x", "encoding"),
    "byte order mark": ("\ufeffFROM bullring-base", "encoding"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_dockerfile_outside_the_rules_is_refused_with_its_rule(case: str) -> None:
    text, rule = REFUSED[case]
    with pytest.raises(SubmissionRejected) as caught:
        checked(text.encode(), BASES, {})
    assert caught.value.rule == rule, str(caught.value)
    assert caught.value.fix


@pytest.mark.parametrize(
    "line",
    [
        "RUN echo $((1 << 2)) > /x",
        "RUN echo $((1<<2))",
        "RUN echo $(( (1 << 2) + 1 ))",
        "RUN python3 -c 'print(1 <<2)'",
        'RUN python3 -c "print(1 << 2, \\"<<EOF\\")"',
        'RUN ["python3", "-c", "print(1 << 2)"]',
        "RUN cat <<< word",
        "RUN (( x = 1 << 2 ))",
        "ENV A=1<<2 B='=x'",
        "ENV A = x",
        'ENV A="x =y"',
    ],
)
def test_a_shift_is_no_here_document_and_an_equals_sign_no_missing_name(line: str) -> None:
    written = checked(f"FROM bullring-base\n{line}\n".encode(), BASES, {})
    assert written.splitlines()[1] == line


def test_who_needs_another_base_image_is_told_how_to_send_it() -> None:
    with pytest.raises(SubmissionRejected, match="bullring submit FOLDER --build-here"):
        checked(b"FROM bullring-ruby", BASES, {})


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SubmissionRejected, match="not UTF-8 at byte 5"):
        checked(b"FROM \xff", BASES, {})


def test_an_honest_dockerfile_is_written_anew_with_its_base_pinned() -> None:
    text = """# A comment
ARG BASE=bullring-base
from ${BASE} as Build
RUN python3 -m compileall \\
    # a comment inside
    /bot

FROM bullring-base:latest
COPY --from=build /bot /bot
COPY --from=0 ["a b", "/c"]
ADD data.tar.gz /data
LABEL k=another
CMD ["python3", "/bot/bot.py"]
"""
    pin = BASES["bullring-base"]
    assert checked(text.encode(), BASES, {"k": "v"}).splitlines() == [
        "ARG BASE=bullring-base",
        f"FROM {pin} AS build",
        "LABEL k=v",
        "RUN python3 -m compileall /bot",
        f"FROM {pin}",
        "LABEL k=v",
        "COPY --from=build /bot /bot",
        'COPY --from=0 ["a b", "/c"]',
        "ADD data.tar.gz /data",
        'CMD ["python3", "/bot/bot.py"]',
    ]


@given(st.text(alphabet="FROMbulingRUN-ADDVOLUME \\\n#=/:$[]\"'<", max_size=200))
def test_no_text_does_anything_but_pass_or_be_refused(text: str) -> None:
    try:
        written = checked(b"FROM bullring-base\n" + text.encode(), BASES, {})
    except SubmissionRejected:
        return
    for line in written.splitlines():
        assert line.split()[0] not in ("VOLUME", "HEALTHCHECK", "ONBUILD")
        assert line != "FROM bullring-base"
