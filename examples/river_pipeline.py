"""River: a pipeline over dictionaries that asks for a label only where it wants one."""

from river import compose, datasets, metrics, preprocessing

from askance.adapters.river import ActiveRiver

active = ActiveRiver("iwal1", label_budget=300, seed=0)
model = preprocessing.StandardScaler() | active
accuracy, weights, offered = metrics.Accuracy(), [], 0

with compose.learn_during_predict():  # the scaler learns from pages without a label too
    for x, phishing in datasets.Phishing():  # 1,250 web pages: is it a fraud?
        accuracy.update(phishing, model.predict_one(x))  # before its label is known
        question = active.ask_one(model.transform_one(x))
        offered += question.reason != "budget"
        if question.wanted:  # a person would look at the page now
            model.learn_one(x, phishing, question=question)
            weights.append(question.weight)  # 1/P: River's own samplers do not keep it

print(f"{len(weights)} labels asked; {accuracy} of the predictions made on the way")
print(f"their weights add up to {sum(weights):.0f}; expected is {offered}, the pages offered")
