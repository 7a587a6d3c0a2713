"""Single members of a mixture as ONNX, written from the arrays that they have learned."""

from collections.abc import Callable
from typing import Any

import numpy as np

from askance.errors import InvalidParameter
from askance.live import CLASSES, ActiveLearner
from askance.types import Floats, Integers

__all__ = ["member_to_onnx"]

OPSET, ML_OPSET = 17, 3
"""Versions of the operators: those of 2022, which every runtime of today has."""


def member_to_onnx(live: ActiveLearner, member: str | None) -> bytes:
    """One ``member`` of the mixture of ``live`` as an ONNX model.

    It takes ``X``, rows of ``live.n_features`` numbers in single precision, as ``live.features``
    encodes them, to ``label`` and ``probabilities``.
    """
    live.settle()
    shares = live.members()
    if member not in shares:
        known = ", ".join(shares) or "none"
        if not shares and live.preset["algorithm"] == "auto":
            known += ", as it has not learned two classes yet"
        found = "no member" if member is None else repr(member)
        raise InvalidParameter(
            f"a mixture is written as ONNX one member at a time, got {found}; it has {known}"
        )
    classifier: Any = getattr(live.learner, "classifier", None)
    scorer = classifier.scorers[list(shares).index(member)]
    seen = np.flatnonzero(classifier.places >= 0)
    columns = seen[np.argsort(classifier.places[seen])]
    try:
        from onnx import checker
    except ImportError as error:
        raise InvalidParameter(
            f"ONNX needs the packages of askance[onnx], but {error.name} is not installed"
        ) from error
    graph = _Graph(len(classifier.places), columns)
    for attribute, write in _WRITERS.items():
        if hasattr(scorer, attribute):
            write(graph, scorer)
            break
    else:
        raise InvalidParameter(f"{member!r} has no form in ONNX, only other members have")
    names = np.array([-1, 1]) if live.classes == CLASSES else np.array(live.classes, object)
    if live.n_classes is not None:
        # A mixture knows the classes that it was taught, and no others.
        names = names[classifier.labels]
    model = graph.model(names)
    checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


class _Graph:
    """Operators one after the other, from ``X`` to ``probabilities``.

    ``columns`` are the features that were seen, of ``width`` in all.
    """

    def __init__(self, width: int, columns: Integers) -> None:
        self.width, self.columns = width, columns
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator; its output has its name and number."""
        from onnx import helper

        output = f"{kind}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, values: Any) -> str:
        from onnx import helper, numpy_helper

        array = np.asarray(values)
        name = f"constant{len(self.constants)}"
        if array.dtype == object:
            texts: Any = [str(text).encode() for text in array]
            self.constants.append(helper.make_tensor(name, 8, array.shape, texts))
            return name
        kind = np.float32 if array.dtype.kind == "f" else np.int64
        self.constants.append(numpy_helper.from_array(array.astype(kind), name))
        return name

    def spread(self, values: Floats) -> Floats:
        """Values of the features that were seen, among zeros for all others."""
        wide = np.zeros((self.width, *values.shape[1:]))
        wide[self.columns] = values
        return wide

    def of_length_1(self, rows: str) -> str:
        squares = self.add("ReduceSumSquare", rows, axes=[1], keepdims=1)
        length = self.add("Max", self.add("Sqrt", squares), self.constant(np.float32(1e-30)))
        return self.add("Div", rows, length)

    def scaled(self, factors: Floats) -> str:
        return self.of_length_1(self.add("Mul", "X", self.constant(self.spread(factors))))

    def softmax(self, rows: str, weights: Floats, intercepts: Floats) -> str:
        scores = self.add("MatMul", rows, self.constant(weights))
        return self.add("Softmax", self.add("Add", scores, self.constant(intercepts)), axis=1)

    def model(self, classes: Any) -> Any:
        """The graph with its labels, as a model."""
        from onnx import TensorProto, helper

        best = self.add("ArgMax", self.nodes[-1].output[0], axis=1, keepdims=0)
        self.nodes += [
            helper.make_node("Identity", [self.nodes[-2].output[0]], ["probabilities"]),
            helper.make_node("Gather", [self.constant(classes), best], ["label"]),
        ]
        kind = TensorProto.STRING if classes.dtype == object else TensorProto.INT64
        graph = helper.make_graph(
            self.nodes,
            "askance",
            [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, self.width])],
            [
                helper.make_tensor_value_info("label", kind, [None]),
                helper.make_tensor_value_info(
                    "probabilities", TensorProto.FLOAT, [None, len(classes)]
                ),
            ],
            self.constants,
        )
        versions = [
            helper.make_opsetid("", OPSET),
            helper.make_opsetid("ai.onnx.ml", ML_OPSET),
        ]
        return helper.make_model(graph, opset_imports=versions, ir_version=8)


def _linear(graph: _Graph, scorer: Any) -> None:
    rows = "X" if scorer.factors is None else graph.scaled(scorer.factors)
    if scorer.counts:
        rows = graph.add("Abs", rows)
    graph.softmax(rows, graph.spread(scorer.weights), scorer.intercepts)


def _topics(graph: _Graph, scorer: Any) -> None:
    directions = graph.constant(graph.spread(scorer.directions))
    found = graph.add("MatMul", graph.scaled(scorer.factors), directions)
    graph.softmax(graph.of_length_1(found), scorer.weights, scorer.intercepts)


def _trees(graph: _Graph, scorer: Any) -> None:
    columns, leaves = scorer.columns, scorer.leaves
    count, outputs = leaves.shape
    nodes = np.arange(count)
    owners = np.searchsorted(scorer.roots, nodes, side="right") - 1
    places = nodes - scorer.roots[owners]
    inner = columns >= 0
    # A value of single precision lies below a threshold if and only if it lies below the next
    # smaller number of single precision.
    nearest = scorer.thresholds.astype(np.float32)
    below = np.nextafter(nearest, np.float32(-np.inf))
    thresholds = np.where(nearest > scorer.thresholds, below, nearest)
    ends = np.flatnonzero(~inner)
    graph.add(
        "TreeEnsembleRegressor",
        "X",
        domain="ai.onnx.ml",
        n_targets=outputs,
        nodes_treeids=owners.tolist(),
        nodes_nodeids=places.tolist(),
        nodes_featureids=np.where(inner, graph.columns[columns], 0).tolist(),
        nodes_modes=np.where(inner, "BRANCH_LEQ", "LEAF").tolist(),
        nodes_values=np.where(inner, thresholds, 0.0).tolist(),
        nodes_truenodeids=np.where(inner, places + 1, 0).tolist(),
        nodes_falsenodeids=np.where(inner, scorer.rights - scorer.roots[owners], 0).tolist(),
        target_treeids=np.repeat(owners[ends], outputs).tolist(),
        target_nodeids=np.repeat(places[ends], outputs).tolist(),
        target_ids=np.tile(np.arange(outputs), len(ends)).tolist(),
        target_weights=leaves[ends].ravel().tolist(),
    )
    if scorer.scores:
        graph.add("Softmax", graph.nodes[-1].output[0], axis=1)


_WRITERS: dict[str, Callable[[_Graph, Any], None]] = {
    "roots": _trees,
    "directions": _topics,
    "weights": _linear,
}
"""How a member is written, by a field that only its kind has."""
