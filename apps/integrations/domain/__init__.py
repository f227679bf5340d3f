"""What providers are told and tell: the protocol, its schemas, its outcomes."""
