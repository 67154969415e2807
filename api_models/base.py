"""What all models share: how they are sent and taken, pages of a list, errors."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

Item = TypeVar("Item")


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


class WrongField(Public):
    """One thing in a request that does not fit."""

    where: str = Field(description="Where it is.", examples=["query/limit"])
    message: str = Field(
        description="What is wrong with it.",
        examples=["got 0, expected a whole number from 1 to 200"],
    )


class Problem(Public):
    """An error (RFC 9457)."""

    type: str = Field(description="Always `about:blank`.", examples=["about:blank"])
    title: str = Field(description="The status in words.", examples=["Not Found"])
    status: int = Field(description="The status.", examples=[404])
    detail: str = Field(
        description="What was given, what was expected and what to do.",
        examples=["got match 7, expected one that exists"],
    )
    instance: str = Field(description="What was asked for.", examples=["/api/v1/matches/7"])
    errors: list[WrongField] = Field(
        default=[], description="Of a 422: everything that does not fit.", examples=[[]]
    )


class Page(Public, Generic[Item]):
    """A piece of a list; `next` goes into `cursor` for the piece after it."""

    # A page of something has no docstring of its own.
    model_config = ConfigDict(
        json_schema_extra={
            "description": "A piece of a list; `next` goes into `cursor` for the piece after it."
        }
    )

    items: list[Item] = Field(description="What is on this piece.", examples=[[]])
    next: str | None = Field(
        description="The cursor of the piece after it; null: this is the last.", examples=["MTIz"]
    )
