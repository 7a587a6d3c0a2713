"""The algorithms on patches of two photographs: what ``askance demo`` runs, prints and draws."""
