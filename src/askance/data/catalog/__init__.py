"""The paper's data sets: entries, recipes, download, cache."""

from askance.data.catalog.loading import CATALOG, entry_of, find, load, prepare, printed

__all__ = ["CATALOG", "entry_of", "find", "load", "prepare", "printed"]
