"""Built-in providers: healing, conversion, serialization, over the provider protocol."""
