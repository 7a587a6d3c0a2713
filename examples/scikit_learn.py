"""scikit-learn: buy 300 labels in a pipeline, then train another model on them."""

from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from askance import ActiveClassifier

pixels, digits = load_digits(return_X_y=True)
names = ["odd" if digit % 2 else "even" for digit in digits]  # labels may be anything
X_train, X_test, y_train, y_test = train_test_split(pixels, names, random_state=0)

# It learns from the labels that it asks for; y is read once more, to find the two classes.
active = ActiveClassifier("iwal1", label_budget=300, random_state=0)
pipeline = make_pipeline(MinMaxScaler(), active).fit(X_train, y_train)
print(f"{active.n_labels_} of {len(y_train)} labels: accuracy {pipeline.score(X_test, y_test):.3f}")

# The labels that were bought, weighted by 1/P, stand for all of them.
rows, weights = active.queried_, active.weights_
bought = [y_train[row] for row in rows]
forest = RandomForestClassifier(random_state=0).fit(X_train[rows], bought, sample_weight=weights)
print(f"a forest trained on those {len(rows)}: accuracy {forest.score(X_test, y_test):.3f}")
