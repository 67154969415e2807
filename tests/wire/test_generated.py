"""The stubs are what proto/ says, and proto/ has not broken with what bots in the field speak."""

from collections.abc import Callable, Iterable
from pathlib import Path

from google.protobuf import descriptor_pb2 as d

from wire import generate


def test_the_committed_stubs_are_what_the_contract_generates(tmp_path: Path) -> None:
    generate.generate(tmp_path)
    for name in generate.GENERATED:
        fresh = (tmp_path / name).read_text(encoding="utf-8")
        committed = (generate.ROOT / name).read_text(encoding="utf-8")
        assert fresh == committed, f"{name} is stale: run `python -m wire.generate`"


def breaking_changes(old: d.FileDescriptorSet, new: d.FileDescriptorSet) -> list[str]:
    """What an old bot or an old referee would stumble over."""
    found: list[str] = []
    before, now = old.file[0], new.file[0]
    if before.package != now.package:
        found.append(f"package {before.package} became {now.package}")
    _compare_messages(before.message_type, now.message_type, "", found)
    _compare_enums(before.enum_type, now.enum_type, "", found)
    for service in before.service:
        methods = {m.name: m for s in now.service if s.name == service.name for m in s.method}
        found += [
            f"{service.name}.{method.name} changed or is gone"
            for method in service.method
            if methods.get(method.name) != method
        ]
    return found


def _compare_messages(
    before: Iterable[d.DescriptorProto],
    now: Iterable[d.DescriptorProto],
    where: str,
    found: list[str],
) -> None:
    by_name = {message.name: message for message in now}
    for message in before:
        path = f"{where}{message.name}"
        other = by_name.get(message.name)
        if other is None:
            found.append(f"{path} is gone")
            continue
        fields = {field.number: field for field in other.field}
        oneofs = [one.name for one in other.oneof_decl]
        for field in message.field:
            same = fields.get(field.number)
            if same is None or not _same_field(field, same, message, oneofs):
                found.append(f"{path}.{field.name} = {field.number} changed or is gone")
        _compare_messages(message.nested_type, other.nested_type, f"{path}.", found)
        _compare_enums(message.enum_type, other.enum_type, f"{path}.", found)


def _same_field(
    old: d.FieldDescriptorProto,
    new: d.FieldDescriptorProto,
    message: d.DescriptorProto,
    oneofs: list[str],
) -> bool:
    if (old.name, old.type, old.label, old.type_name) != (
        new.name,
        new.type,
        new.label,
        new.type_name,
    ):
        return False
    if old.HasField("oneof_index") != new.HasField("oneof_index"):
        return False
    if not old.HasField("oneof_index"):
        return True
    return message.oneof_decl[old.oneof_index].name == oneofs[new.oneof_index]


def _compare_enums(
    before: Iterable[d.EnumDescriptorProto],
    now: Iterable[d.EnumDescriptorProto],
    where: str,
    found: list[str],
) -> None:
    by_name = {enum.name: {v.number: v.name for v in enum.value} for enum in now}
    for enum in before:
        values = by_name.get(enum.name, {})
        found += [
            f"{where}{enum.name}.{value.name} changed or is gone"
            for value in enum.value
            if values.get(value.number) != value.name
        ]


def released() -> d.FileDescriptorSet:
    return d.FileDescriptorSet.FromString((generate.ROOT / generate.SNAPSHOT).read_bytes())


def test_the_contract_has_not_broken_since_its_release() -> None:
    current = d.FileDescriptorSet.FromString(generate.descriptor())
    assert breaking_changes(released(), current) == []


def test_every_kind_of_breaking_change_is_found() -> None:
    def changed(change: Callable[[d.FileDescriptorProto], object]) -> list[str]:
        new = released()
        change(new.file[0])
        return breaking_changes(released(), new)

    ask = next(i for i, m in enumerate(released().file[0].message_type) if m.name == "Ask")

    def renumber(file: d.FileDescriptorProto) -> None:
        file.message_type[ask].field[0].number = 99

    def retype(file: d.FileDescriptorProto) -> None:
        file.message_type[ask].field[0].type = d.FieldDescriptorProto.TYPE_STRING

    def leave_oneof(file: d.FileDescriptorProto) -> None:
        file.message_type[ask].field[3].ClearField("oneof_index")

    def drop_message(file: d.FileDescriptorProto) -> None:
        del file.message_type[ask]

    def drop_value(file: d.FileDescriptorProto) -> None:
        del file.enum_type[0].value[1]

    def drop_method(file: d.FileDescriptorProto) -> None:
        del file.service[0].method[0]

    def add_field(file: d.FileDescriptorProto) -> None:
        file.message_type[ask].field.add(name="new", number=50, type=9, label=1)

    for change in (renumber, retype, leave_oneof, drop_message, drop_value, drop_method):
        assert changed(change), change.__name__
    assert changed(add_field) == []
