"""Every error that askance raises on purpose.

::

    AskanceError
    ├── InvalidParameter (ValueError)    a setting outside its range: "c0 must be positive, got -1"
    ├── InvalidRow (ValueError)          features that cannot be learned from
    ├── InvalidLabel (ValueError)        a label that is neither -1 nor +1
    ├── LabelMissing                     a label was asked for and not given
    ├── LabelConflict                    a label where none was asked, or a second one
    ├── UnknownQuestion (KeyError)       an id that was never handed out
    ├── OracleFailed                     a user's oracle broke its contract
    ├── FileUnreadable                   a file that is damaged, foreign or newer
    ├── BadRecord (ValueError)           a record of a user's file that cannot be read or encoded
    └── DatasetUnavailable               a data set that is not here or did not arrive whole

Each message says what was wrong, what was found and what was expected, in one sentence.
"""

__all__ = [
    "AskanceError",
    "BadRecord",
    "DatasetUnavailable",
    "FileUnreadable",
    "InvalidLabel",
    "InvalidParameter",
    "InvalidRow",
    "LabelConflict",
    "LabelMissing",
    "OracleFailed",
    "UnknownQuestion",
]


class AskanceError(Exception):
    """Root of the tree: catch this to catch everything that askance raises on purpose."""


class InvalidParameter(AskanceError, ValueError):
    """A setting is outside its range."""


class InvalidRow(AskanceError, ValueError):
    """A row of features cannot be learned from."""


class InvalidLabel(AskanceError, ValueError):
    """A label is neither -1 nor +1."""


class LabelMissing(AskanceError):
    """A label was asked for and is not there."""


class LabelConflict(AskanceError):
    """A label came where none was asked for, or a second time."""


class UnknownQuestion(AskanceError, KeyError):
    """No question has this id."""

    def __str__(self) -> str:
        # KeyError would show the message between quotes.
        return str(self.args[0])


class OracleFailed(AskanceError):
    """An oracle broke its contract."""


class FileUnreadable(AskanceError):
    """A file is damaged, foreign or from a newer version."""


class BadRecord(AskanceError, ValueError):
    """A record of a file cannot be read or encoded."""


class DatasetUnavailable(AskanceError):
    """A data set is not here, or did not arrive whole."""
