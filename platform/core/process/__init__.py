"""Operating-system processes: limits, signals, private directories, cancellation."""
