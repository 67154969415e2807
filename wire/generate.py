"""Generates `wire/v1` and the snapshot of the contract from proto/: `python -m wire.generate`.

For those who change the contract; nothing that runs imports this.
"""

import sys
import tempfile
from pathlib import Path

import grpc_tools  # type: ignore[import-untyped]  # it ships no types
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
SOURCE = "wire/v1/bot.proto"
SNAPSHOT = Path("tests/wire/contract.binpb")
"""The contract as it was last released; a test compares it with the current one."""

GENERATED = ("wire/v1/bot_pb2.py", "wire/v1/bot_pb2.pyi", "wire/v1/bot_pb2_grpc.py")


def _run(*arguments: str) -> None:
    well_known = Path(grpc_tools.__file__).parent / "_proto"
    command = ["protoc", f"--proto_path={PROTO}", f"--proto_path={well_known}", *arguments, SOURCE]
    if protoc.main(command) != 0:
        raise SystemExit(f"protoc could not read {PROTO / SOURCE}; its message stands above")


def generate(target: Path) -> None:
    """Write the stubs below `target`."""
    target.mkdir(parents=True, exist_ok=True)
    _run(f"--python_out={target}", f"--pyi_out={target}", f"--grpc_python_out={target}")


def descriptor() -> bytes:
    """The current contract as a serialised FileDescriptorSet."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "set"
        _run(f"--descriptor_set_out={file}")
        return file.read_bytes()


def main() -> None:
    """Regenerate the stubs, and with --release the snapshot too."""
    generate(ROOT)
    if "--release" in sys.argv[1:]:
        (ROOT / SNAPSHOT).write_bytes(descriptor())


if __name__ == "__main__":
    main()
