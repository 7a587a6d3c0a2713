from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from askance.service.schema import metadata


def test_the_migrations_lead_to_these_tables(engine):
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
