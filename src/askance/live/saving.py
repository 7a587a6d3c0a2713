"""What a file holds of a live learner, checked part by part before any of it is used."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from askance.data.features import FeatureMap
from askance.errors import AskanceError, FileUnreadable, InvalidParameter
from askance.live.budget import Budget
from askance.live.stopping import Until
from askance.presets import constructed, members_of
from askance.protocols import Learner
from askance.storage.states import LARGEST_STATE, read_versioned
from askance.types import State
from askance.validation import saved_number, saved_part, saved_whole, shown

__all__ = ["KIND", "Saved", "checked_classes", "read_saved"]

KIND = "active learner"

_FIRST_COMPLETE = 3
"""The version from which on a preset names every parameter that may get another default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A saved learner: its ``state``, and of this what is needed to build it again."""

    path: str | os.PathLike[str]
    state: State
    preset: State | None
    kind: str
    features: FeatureMap | None
    classes: tuple[str, ...]
    reading: State
    budget: Budget
    hold_out: float
    audit: float
    until: Until | None

    def chosen(self, learner: Learner | None, estimator: Any) -> tuple[str | Learner, State]:
        """The learner, or its name and parameters: what :class:`ActiveLearner` is built from."""
        found = type(learner).__name__
        if learner is not None:
            if found != self.kind:
                raise InvalidParameter(f"{self.path} holds a {self.kind}, got a {found}")
            return learner, {}
        if self.preset is None:
            raise InvalidParameter(f"{self.path} holds a learner of your own: pass it as learner=")
        with self.checked():
            parameters = dict(self.preset)
            self._check_size(parameters)
            if estimator is None and "estimator" in parameters:
                estimator = _estimator(parameters["estimator"])
        if estimator is not None:
            parameters["estimator"] = estimator
        elif "estimator" in parameters:
            name = shown(self.preset["estimator"])
            raise InvalidParameter(f"{self.path} was saved with {name}: pass it as estimator=")
        return parameters.pop("algorithm"), parameters

    @contextlib.contextmanager
    def checked(self, *, handed_in: bool = False) -> Iterator[None]:
        """Say in one sentence what is wrong with the file.

        What does not fit a learner that was ``handed_in`` may be the fault of that.
        """
        with _checked(self.path, InvalidParameter if handed_in else ()):
            yield

    def _check_size(self, preset: State) -> None:
        """A file cannot ask for more memory than its own arrays take."""
        n_features, state = saved_whole(preset, "n_features"), self.state["learner"]
        if self.features is not None and self.features.n_features > n_features:
            raise InvalidParameter(
                f"saved features must be at most {n_features}, got {self.features.n_features}"
            )
        if "erm" not in state:
            rows = len(state["labels" if "labels" in state else "sample"]["targets"]) + 1
            if 8 * rows * n_features > LARGEST_STATE:
                raise InvalidParameter(
                    f"{rows} rows of {n_features} features take more than {LARGEST_STATE} bytes"
                )
            return
        members = len(state.get("cover", ()))
        for lane in state["erm"].get("lanes", [state["erm"]]):
            entries = len(lane["weights"])
            if entries != n_features + 1:
                raise InvalidParameter(
                    f"{entries} saved weights do not belong to {n_features} features and a constant"
                )
        expected = members_of(preset)
        if members != expected:
            raise InvalidParameter(f"a saved cover must have {expected} members, got {members}")


def read_saved(path: str | os.PathLike[str]) -> Saved:
    """Read a file that :meth:`askance.live.ActiveLearner.save` wrote."""
    version, state = read_versioned(path, KIND)
    with _checked(path):
        preset = state["preset"]
        if preset is not None:
            preset = saved_part(state, "preset", dict)
            if not isinstance(preset["algorithm"], str):
                raise InvalidParameter(f"a saved algorithm has the name {shown(preset)}")
            if version < _FIRST_COMPLETE:
                preset = {
                    "algorithm": preset["algorithm"],
                    **constructed(preset["algorithm"]),
                    **preset,
                }
        features = None
        if state["features"] is not None:
            features = FeatureMap()
            features.set_state(saved_part(state, "features", dict))
        judging = saved_part(state, "judging", dict) if state.get("judging") else None
        shares = [
            0.0 if judging is None else saved_number(judging, name, most=1.0)
            for name in ("hold_out", "audit")
        ]
        stopping = saved_part(state, "stopping", dict) if state.get("stopping") else None
        return Saved(
            path=path,
            state=state,
            preset=preset,
            kind=saved_part(state, "class", str),
            features=features,
            classes=checked_classes(state["classes"]),
            reading=saved_part(state, "reading", dict),
            budget=Budget(**saved_part(state, "budget", dict)),
            hold_out=shares[0],
            audit=shares[1],
            until=None if stopping is None else Until(**saved_part(stopping, "until", dict)),
        )


def checked_classes(classes: object) -> tuple[str, ...]:
    """Two or more different names.

    >>> checked_classes(["no", "yes"])
    ('no', 'yes')
    """
    named = isinstance(classes, tuple | list) and all(isinstance(one, str) for one in classes)
    if isinstance(classes, tuple | list) and named and len(set(classes)) == len(classes) >= 2:
        return tuple(classes)
    raise InvalidParameter(f"classes must be two or more different names, got {shown(classes)}")


def _estimator(state: State) -> Any:
    # Here, so that whoever needs no estimator does not wait for scikit-learn.
    from askance.oracles.estimator import estimator_from

    return estimator_from(state)


@contextlib.contextmanager
def _checked(
    path: str | os.PathLike[str], passed: type[AskanceError] | tuple[()] = ()
) -> Iterator[None]:
    try:
        yield
    except passed:
        raise
    except AskanceError as error:
        # Values of any kind may stand in the sentence.
        sentence = " ".join(str(error).split())
        raise FileUnreadable(f"{path} is damaged or forged: {sentence:.150}") from error
    except Exception as error:  # parts of another kind than expected may raise anything
        raise FileUnreadable(
            f"{path} is not a complete saved learner: {type(error).__name__} {shown(str(error))}"
        ) from error
