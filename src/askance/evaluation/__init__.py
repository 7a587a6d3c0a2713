"""`evaluate`: any classifier, judged by a weighted sample that askance has exported."""
