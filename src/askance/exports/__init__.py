"""What leaves the house: the weighted sample, the classifier and predictions."""

from askance.exports.classifier import (
    NamedWeight,
    coefficients,
    named_weights,
    to_onnx,
    to_sklearn,
    write_coefficients,
    write_onnx,
)
from askance.exports.sample_table import record_columns, write_model_sample, write_sample

__all__ = [
    "NamedWeight",
    "coefficients",
    "named_weights",
    "record_columns",
    "to_onnx",
    "to_sklearn",
    "write_coefficients",
    "write_model_sample",
    "write_onnx",
    "write_sample",
]
