"""What a machine does with a run: the states of an attempt, and the rules by which they change."""
