"""What stays on the disk: model files, locks and tables."""
