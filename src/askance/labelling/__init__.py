"""Labelling by hand: a journal of answers, a learner that follows it, keys and a screen."""
