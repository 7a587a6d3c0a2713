"""Late labels: two people answer days later, out of order, and skip some."""

import random

from sklearn.datasets import load_digits

from askance import ActiveLearner

pixels, digits = load_digits(return_X_y=True)
people = random.Random(0)
learner = ActiveLearner("iwal1", n_features=64, c0=0.01, random_state=0)
desk: list[tuple[int, int]] = []  # (question id, example) waiting for a person

for i, x in enumerate(pixels[:1400]):
    question = learner.ask(x)
    if question.wanted:
        desk.append((question.id, i))
    if i % 100 == 99:  # once a day they work through a pile, in any order
        people.shuffle(desk)
        pile, desk = desk[:60], desk[60:]
        for id, example in pile:
            if people.random() < 0.02:
                learner.withdraw(id)  # cannot tell what it is
            else:
                learner.tell(id, +1 if digits[example] % 2 else -1)

stats = learner.stats()
print(f"{stats.asked} asked: {stats.answered} answered, {stats.withdrawn} withdrawn,", end=" ")
print(f"{stats.pending} still on the desk")
print(f"error estimate {stats.mean_error:.3f}")
