"""Error against labels over several runs: summed up, drawn, and as a table."""
