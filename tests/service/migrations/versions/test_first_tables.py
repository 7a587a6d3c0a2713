import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

from askance.service.migrations.versions import first_tables


def test_the_way_back_leaves_nothing(engine):
    with engine.begin() as connection:
        with Operations.context(MigrationContext.configure(connection)):
            first_tables.downgrade()
        assert sa.inspect(connection).get_table_names() == ["alembic_version"]
