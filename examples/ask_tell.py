"""Ask and tell: a stream of digits, a label budget, and a file to go on from tomorrow."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_digits

from askance import ActiveLearner, Budget

pixels, digits = load_digits(return_X_y=True)
labels = [+1 if digit % 2 else -1 for digit in digits]  # odd or even?

learner = ActiveLearner(
    "online_active_cover", n_features=64, c0=1.0, random_state=0, budget=Budget(total=300)
)
for x, label in zip(pixels[:700], labels[:700], strict=True):
    question = learner.ask(x)
    if question.wanted:
        learner.tell(question, label)

with tempfile.TemporaryDirectory() as folder:
    learner.save(Path(folder) / "digits.askance")
    learner = ActiveLearner.load(Path(folder) / "digits.askance")

for x, label in zip(pixels[700:1400], labels[700:1400], strict=True):
    question = learner.ask(x)
    if question.wanted:
        learner.tell(question, label)

stats = learner.stats()
wrong = [learner.predict(x) != y for x, y in zip(pixels[1400:], labels[1400:], strict=True)]
print(f"{stats.seen} examples seen, {stats.answered} labels, {stats.refused} came after the budget")
print(f"test error {sum(wrong) / len(wrong):.3f}")
