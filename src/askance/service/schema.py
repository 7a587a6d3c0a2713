"""The tables of the service's database, the same for SQLite and PostgreSQL."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

__all__ = [
    "accounts",
    "backlog",
    "contents",
    "deliveries",
    "events",
    "keys",
    "metadata",
    "points",
    "snapshots",
    "webhooks",
]

metadata = MetaData()

# Texts hold JSON: a type of the database's own would change the last bits of numbers.

events = Table(
    "events",
    metadata,
    Column("stream", String(32), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("at", Float(53), nullable=False),
    Column("actor", String(64)),
    Column("number", Integer),
    Column("key", String(1100)),
    Column("wanted", Boolean, nullable=False),
    Column("data", Text, nullable=False),
    UniqueConstraint("stream", "key", name="one_event_for_each_key"),
)
"""The truth. ``wanted`` marks all but the offered examples about which nothing was asked."""

Index("events_that_matter_to_people", events.c.stream, events.c.wanted, events.c.position)

contents = Table(
    "contents",
    metadata,
    Column("stream", String(32), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("record", Text),
    Column("features", LargeBinary),
)
"""What the examples hold, apart from the events, so that it can be erased."""

backlog = Table(
    "backlog",
    metadata,
    Column("stream", String(32), primary_key=True),
    Column("place", Integer, primary_key=True),
    Column("key", String(1100), nullable=False),
    Column("record", Text, nullable=False),
)
"""Records of files that were not offered yet."""

snapshots = Table(
    "snapshots",
    metadata,
    Column("stream", String(32), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("begun", Integer, nullable=False),
    Column("state", LargeBinary, nullable=False),
)
"""Saved learners: a cache."""

points = Table(
    "points",
    metadata,
    Column("stream", String(32), primary_key=True),
    Column("labels", Integer, primary_key=True),
    Column("data", Text, nullable=False),
)
"""What charts show, one for each of some label counts: a cache."""

accounts = Table(
    "accounts",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("role", String(16), nullable=False),
    Column("password", String(200)),
    Column("streams", Text),
    Column("active", Boolean, nullable=False),
)

keys = Table(
    "keys",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("account", String(32), ForeignKey("accounts.id"), index=True),
    Column("data", Text, nullable=False),
    Column("made", Float(53), nullable=False),
    Column("expires", Float(53)),
)
"""Tokens, sessions of a browser and one-time links, by the SHA-256 of their secret."""

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("stream", String(32)),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
    Column("topics", Text, nullable=False),
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("webhook", String(32), nullable=False),
    Column("body", Text, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("due", Float(53)),
    Column("outcome", Text),
)
"""Messages to webhooks; ``due`` is empty once one was delivered or given up."""
