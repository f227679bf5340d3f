"""From measured numbers to a price with its sentences: decimal, and no framework."""
