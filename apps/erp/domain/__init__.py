"""Rules of making and selling: what moves, what follows, what it costs, what fits."""
