"""The recipe for Spark in the docs, with executors on this machine."""

import os
import runpy
import shutil
import sys
from pathlib import Path

import pytest
from tests.scale.conftest import plan, truth

from askance.scale import Workers, ask_pool, tell_pool
from askance.scale.workers import Team

RECIPE = Path(__file__).parents[2] / "docs" / "recipes" / "spark.py"


@pytest.fixture
def spark(monkeypatch):
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed: askance[spark]")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java, which was not found")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
    yield session
    session.stop()


def two_rounds(pool, model, workers: Team):
    asked = []
    for number in range(2):
        asked.append(ask_pool(pool, model, None if number else plan(), workers=workers).questions)
        tell_pool(model, {one.id: truth(one.fields) for one in asked[-1]})
    return asked


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spark_asks_the_same_questions(spark, pool, tmp_path):
    team = runpy.run_path(str(RECIPE))["OnSpark"](spark)
    here, there = tmp_path / "here.askance", tmp_path / "there.askance"
    expected = two_rounds(pool, here, Workers())
    assert two_rounds(pool, there, team) == expected
    assert min(map(len, expected)) > 20
    assert there.read_bytes() == here.read_bytes()
