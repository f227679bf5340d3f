"""Provider protocol: messages, parameter schemas, outputs."""
