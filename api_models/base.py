"""What all models share: how they are sent and taken, pages of a list, errors."""

from typing import Annotated, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

Item = TypeVar("Item")
Cursor = Annotated[str, Field(examples=["MTIz"])]


class Public(BaseModel):
    """Anything the API sends."""

    model_config = ConfigDict(frozen=True)


class Given(BaseModel):
    """Anything that is taken: exact types, no unknown fields, no text that cannot be stored."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    @field_validator("*")
    @classmethod
    def _storable(cls, value: object) -> object:
        texts = value if isinstance(value, (list, tuple)) else [value]
        if any(isinstance(text, str) and "\0" in text for text in texts):
            raise ValueError("holds the character NUL; leave it out")
        return value


class Problem(Public):
    """An error (RFC 9457)."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["got match 7, expected one that exists"])
    instance: str = Field(examples=["/api/v1/matches/7"])
    errors: list[dict[str, object]] = []


class Page(Public, Generic[Item]):
    """A piece of a list; `next` goes into `cursor` for the piece after it."""

    items: list[Item]
    next: Cursor | None
