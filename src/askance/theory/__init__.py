"""The paper's claims as experiments: numbers first, figures from the numbers."""
