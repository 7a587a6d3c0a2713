"""River: a pipeline over dictionaries that asks for a label only where it wants one."""

from river import datasets, metrics, preprocessing

from askance.adapters.river import ActiveRiver

active = ActiveRiver("iwal1", label_budget=300, seed=0)
scaler = preprocessing.StandardScaler()
accuracy, weights, offered = metrics.Accuracy(), [], 0

for x, phishing in datasets.Phishing():  # 1,250 web pages: is it a fraud?
    scaler.learn_one(x)
    scaled = scaler.transform_one(x)
    accuracy.update(phishing, active.predict_one(scaled))  # before its label is known
    question = active.ask_one(scaled)
    offered += question.reason != "budget"
    if question.wanted:  # a person would look at the page now
        active.learn_one(scaled, phishing)
        weights.append(question.weight)  # 1/P: River's own samplers do not keep it

print(f"{len(weights)} labels asked; {accuracy} of the predictions made on the way")
print(f"their weights add up to {sum(weights):.0f}; expected is {offered}, the pages offered")
