"""A person's labelling: a journal of answers and a learner that follows it; no terminal in it."""
