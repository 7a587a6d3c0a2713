"""The first tables."""

import sqlalchemy as sa
from alembic import op

__all__ = ["downgrade", "upgrade"]

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    _log()
    _backlog()
    _caches()
    _people()
    _webhooks()


def downgrade() -> None:
    """Drop them with all that they hold."""
    for name in ("deliveries", "webhooks", "keys", "accounts", "points", "snapshots", "contents"):
        op.drop_table(name)
    for name in ("backlog", "events"):
        op.drop_table(name)


def _log() -> None:
    op.create_table(
        "events",
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.Float(53), nullable=False),
        sa.Column("actor", sa.String(64)),
        sa.Column("number", sa.Integer),
        sa.Column("key", sa.String(1100)),
        sa.Column("wanted", sa.Boolean, nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sa.UniqueConstraint("stream", "key", name="one_event_for_each_key"),
    )
    op.create_index("events_that_matter_to_people", "events", ["stream", "wanted", "position"])
    op.create_table(
        "contents",
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("record", sa.Text),
        sa.Column("features", sa.LargeBinary),
    )


def _backlog() -> None:
    op.create_table(
        "backlog",
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("key", sa.String(1100), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    )


def _caches() -> None:
    op.create_table(
        "snapshots",
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("begun", sa.Integer, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "points",
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("labels", sa.Integer, primary_key=True),
        sa.Column("data", sa.Text, nullable=False),
    )


def _people() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password", sa.String(200)),
        sa.Column("streams", sa.Text),
        sa.Column("active", sa.Boolean, nullable=False),
    )
    op.create_table(
        "keys",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("account", sa.String(32), sa.ForeignKey("accounts.id"), index=True),
        sa.Column("data", sa.Text, nullable=False),
        sa.Column("made", sa.Float(53), nullable=False),
        sa.Column("expires", sa.Float(53)),
    )


def _webhooks() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("stream", sa.String(32)),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("topics", sa.Text, nullable=False),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("webhook", sa.String(32), nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("due", sa.Float(53)),
        sa.Column("outcome", sa.Text),
    )
