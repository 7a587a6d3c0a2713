"""The labelling service: a stream comes in, people label, the classifier goes out."""
