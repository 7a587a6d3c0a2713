"""Columns and records to features: numbers, one-hot, hashing, words."""

from askance.data.features.feature_map import FeatureMap

__all__ = ["FeatureMap"]
