"""askance in other people's frames: scikit-learn and River."""
