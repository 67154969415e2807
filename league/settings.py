"""What an operator can set, from the environment (`BULLRING_…`); the dashboard adds its own."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from league.errors import Malformed
from league.given import refused_settings, unreadable_setting
from league.secret_files import with_secrets
from sandbox.base import BASES

if TYPE_CHECKING:
    from store import DatabaseTimeouts


class LeagueSettings(BaseSettings):
    """The settings that every part of the league shares."""

    model_config = SettingsConfigDict(env_prefix="BULLRING_", extra="ignore", frozen=True)

    data_dir: Path = Path(".bullring")
    """Where replays, uploads, secrets and (embedded) the database lie."""
    database_url: str | None = None
    """The address of the database; None: SQLite in the data folder."""
    database_password_file: Path | None = None
    """A file with the password for that address."""
    redis_url: str | None = None
    """The address of Redis, which wakes workers; None: everything in one process."""
    redis_password_file: Path | None = None
    """A file with the password for that address."""
    blobs_dir: Path | None = None
    """Where replays lie; None: in the data folder. Shared storage when there are more machines."""
    sandbox: Literal["process", "docker"] = "process"
    """In what bots run. Only `docker` may run anything that was uploaded."""
    runtime: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """The engine's runtime for bots, such as `runsc` (gVisor); None: the engine's own."""
    referee_uid: int | None = Field(default=None, gt=0)
    """The user that referee processes run as, when the worker is root. None: the worker's own."""
    bases: tuple[str, ...] = BASES
    """Images of this machine that a submitted Dockerfile may begin with. By default all that have
    been made of those we have recipes for; what is set here has to be there."""
    registries: tuple[str, ...] = ()
    """Hosts from which an image may be submitted by digest."""
    image_registry: str | None = None
    """Where accepted images are kept for the workers of all machines, as the Docker engines reach
    it (`127.0.0.1:5000`); None: an image is only on the machine that made it."""
    image_idle_days: float = Field(default=7.0, gt=0)
    """A worker removes its copy of an image that no match has used for this long; the registry
    keeps it, and images without a registry stay."""
    files_url: str | None = None
    """Where `bullring files` answers, for a worker that does not share the data folder."""
    worker_password: str | None = Field(default=None, repr=False)
    """The password of the workers' PostgreSQL role; also for the file service, unless that has
    one of its own."""
    worker_password_file: Path | None = None
    """A file with it."""
    files_password: str | None = Field(default=None, repr=False)
    """The password of the file service; None: the workers' password."""
    files_password_file: Path | None = None
    """A file with it."""
    slots: int = Field(default=1, ge=1, le=64)
    """Matches a worker plays at the same time; each needs a core of its own to be fair."""
    lease_seconds: float = Field(default=60.0, gt=1)
    """A match whose worker has been silent for this long is given to another."""
    match_seconds: float = Field(default=3600.0, gt=1)
    """How long no game of a match may end before its attempt is void."""
    fair_host: bool = True
    """Watch the cores of matches: give back time that others took, and begin a match only on a fit
    host. Off: every match is played at once and marked "host not measured"."""
    unfit_seconds: float = Field(default=30.0, ge=1)
    """How long a match is held on a host that is unfit before its attempt is void."""
    tick_seconds: float = Field(default=2.0, gt=0.05)
    """How often the league checks whether something is due."""
    start_seconds: float = Field(default=10.0, ge=1, le=600)
    """From the start of a bot's process until its Hello, in the check and in matches."""
    database_connect_seconds: float = Field(default=10.0, ge=2)
    """How long to wait for a connection to PostgreSQL."""
    database_lock_seconds: float = Field(default=20.0, gt=0)
    """How long one transaction waits for a row that another one holds."""
    database_statement_seconds: float = Field(default=60.0, gt=0)
    """How long one statement may take."""
    database_patient_seconds: float = Field(default=3600.0, gt=0)
    """The same in an upgrade, a backup, a restore or an export."""
    redis_seconds: float = Field(default=5.0, gt=0)
    """How long to wait for Redis, to connect and for an answer."""
    files_seconds: float = Field(default=60.0, gt=0)
    """How long a worker waits for the file service to go on."""
    engine_seconds: float = Field(default=60.0, gt=0)
    """How long a worker waits for one answer of the Docker engine."""
    registry_seconds: float = Field(default=300.0, gt=0)
    """How long a worker waits for the image registry to take or give an image."""
    webhook_seconds: float = Field(default=5.0, gt=0)
    """How long an author's webhook may take to answer."""
    stale_seconds: float = Field(default=60.0, gt=1)
    """Workers are woken again for a queued match that none has claimed for this long."""
    poll_seconds: float = Field(default=5.0, gt=0.05)
    """How often a free slot looks for a match by itself, should no bell reach it; half to one and
    a half of this."""
    check_seconds: float = Field(default=60.0, gt=0.1)
    """How often a worker examines itself while all is well; after a failure it does so at once."""
    reviews: bool = True
    """Whether a worker also makes reviews: one at a time, on cores that no slot owns."""
    friendly_slots: int = Field(default=1, ge=0, le=16)
    """Friendly matches a worker plays at the same time, on cores that no slot owns; 0: none."""
    review_rollouts: int = Field(default=28_000, ge=64, le=10_000_000)
    """The most rollouts for one decision of a review; errors shrink with the root of it."""
    table_slots: int = Field(default=1, ge=0, le=64)
    """Tables with people that a worker plays at the same time, beside its matches; 0: none."""
    table_move_seconds: float = Field(default=120.0, ge=1, le=3600)
    """How long a person may think about one decision before the platform chooses."""
    table_game_seconds: float = Field(default=3600.0, ge=1)
    """How long the whole game of a table may take before the platform plays on for its people."""
    table_idle_seconds: float = Field(default=120.0, ge=1)
    """A table that has not begun is closed when none of its people was heard of for this long."""
    table_kept_days: float = Field(default=7.0, ge=0)
    """How long after its end a table can be seen move by move at its own address; result, replay
    and ratings stay for ever."""
    tables_per_person: int = Field(default=2, ge=1)
    """Tables that one person may have open."""
    tables_per_address: int = Field(default=5, ge=1)
    """Tables that may be open from one address."""
    tables_in_league: int = Field(default=50, ge=1)
    """Tables that may be open in the whole league."""
    disk_min_bytes: int = Field(default=256 * 2**20, ge=0)
    """A worker with less room on its disk takes no matches."""
    memory_min_bytes: int = Field(default=256 * 2**20, ge=0)
    """A worker on a machine with less available memory takes no matches."""
    metrics_port: int | None = Field(default=None, ge=0, le=65535)
    """Where a worker, clock or file service shows its numbers to Prometheus; None: nowhere."""
    metrics_host: str = "127.0.0.1"
    """The address of that port; it belongs to your own network, never to the internet."""

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise Malformed(refused_settings(error)) from None
        except SettingsError as error:
            raise Malformed(unreadable_setting(str(error))) from None

    @model_validator(mode="before")
    @classmethod
    def _read_secrets(cls, given: dict[str, Any]) -> dict[str, Any]:
        return with_secrets(given)

    @property
    def needed_bases(self) -> tuple[str, ...]:
        """The base images without which a worker takes no submissions."""
        return self.bases if "bases" in self.model_fields_set else self.bases[:1]

    @property
    def files_secret(self) -> str | None:
        """The password of the file service, written out."""
        return self.files_password or self.worker_password

    @cached_property
    def database(self) -> str:
        """The address of the database, written out."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'bullring.db'}"

    @cached_property
    def broker(self) -> str:
        """The address of the broker: Redis, or this process's memory."""
        return self.redis_url or "memory://localhost/"

    @cached_property
    def blobs(self) -> Path:
        """Where replays lie, written out."""
        return self.blobs_dir or self.data_dir / "replays"

    @property
    def database_timeouts(self) -> "DatabaseTimeouts":
        """How long to wait for the database."""
        from store import DatabaseTimeouts

        return DatabaseTimeouts(
            connect=self.database_connect_seconds,
            lock=self.database_lock_seconds,
            statement=self.database_statement_seconds,
            patient=self.database_patient_seconds,
        )

    @property
    def start_ms(self) -> int:
        """The same in the unit of a match's clock."""
        return round(self.start_seconds * 1000)

    @property
    def uploads(self) -> Path:
        """Where uploads lie until a worker takes them."""
        return self.data_dir / "uploads"

    @property
    def embedded(self) -> bool:
        """Whether broker and worker live in the server's process."""
        return self.redis_url is None
