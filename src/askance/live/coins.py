"""Coins: one uniform number for each example, drawn ahead, and where their generator stands."""

import copy

import numpy as np

from askance.errors import InvalidParameter
from askance.types import State
from askance.validation import require_whole, saved_number, saved_part, saved_whole

__all__ = ["AHEAD", "Coins"]

AHEAD = 64
"""Coins drawn at a time: one call for each would take as long as a decision."""


class Coins:
    """The coins of a ``seed``; the next one is the last of ``ahead``, which is never empty.

    It is used up by :meth:`advance`, so an example that is refused with an error uses none up.

    >>> coins = Coins(7)
    >>> coins.ahead[-1] == np.random.default_rng(7).random()
    True
    """

    def __init__(self, seed: int) -> None:
        require_whole(random_state=seed)
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self.ahead: list[float] = []
        self.draw()

    def advance(self) -> None:
        """Go on to the next coin."""
        self.ahead.pop()
        if not self.ahead:
            self.draw()

    def draw(self) -> None:
        """Draw the next coins, behind those that are left."""
        self.ahead = self._generator.random(AHEAD)[::-1].tolist() + self.ahead

    def next(self, count: int) -> list[float]:
        """The next so many coins, which are not used up by it.

        >>> coins = Coins(7)
        >>> coins.next(100)[:64] == coins.ahead[:-65:-1]
        True
        """
        while len(self.ahead) < count:
            self.draw()
        return self.ahead[: -count - 1 : -1]

    def get_state(self) -> State:
        """The coin, and the generator's state after it, as if none had been drawn ahead."""
        bits = copy.deepcopy(self._generator.bit_generator)
        bits.advance(2**128 - (len(self.ahead) - 1))  # type: ignore[attr-defined]
        return {"generator": dict(bits.state), "coin": self.ahead[-1]}

    def set_state(self, state: State) -> None:
        coin = saved_number(state, "coin")
        if not coin < 1.0:
            raise InvalidParameter(f"a saved coin must lie in [0, 1), got {coin}")
        generator = saved_part(state, "generator", dict)
        if generator["bit_generator"] != "PCG64":
            raise InvalidParameter("a saved generator must be a PCG64, got another")
        inner = saved_part(generator, "state", dict)
        # Half a draw is never left over, since coins take whole ones.
        self._generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {name: saved_whole(inner, name, most=2**128 - 1) for name in ("state", "inc")},
            "has_uint32": saved_whole(generator, "has_uint32", most=0),
            "uinteger": saved_whole(generator, "uinteger", most=2**32 - 1),
        }
        self.ahead = [coin]
