"""Ask about a pool on Spark: ``ask_pool(..., workers=OnSpark(spark))``, or ``predict_pool``."""

import contextlib
import pickle

import pandas as pd


class OnSpark:
    """Spark's executors as workers: a piece of the pool is a row of a table, and a task.

    The executors need askance and must see the pool's files under the same names.
    """

    def __init__(self, spark):
        self.spark = spark

    @contextlib.contextmanager
    def running(self):
        yield self.each

    def each(self, function, job, pieces):
        """Call ``function(job, piece)`` for each piece; the results come in the pieces' order."""
        # The classifier of the round goes to each executor once.
        shared = self.spark.sparkContext.broadcast((function, job))

        def work(frames):
            function, job = shared.value
            for frame in frames:
                for number, piece in zip(frame["number"], frame["piece"], strict=True):
                    found = function(job, pickle.loads(piece))
                    yield pd.DataFrame({"number": [number], "found": [pickle.dumps(found)]})

        rows = [(number, pickle.dumps(piece)) for number, piece in enumerate(pieces)]
        tasks = self.spark.sparkContext.parallelize(rows, max(len(rows), 1))
        table = self.spark.createDataFrame(tasks, "number long, piece binary")
        for row in sorted(table.mapInPandas(work, "number long, found binary").collect()):
            yield pickle.loads(row["found"])
