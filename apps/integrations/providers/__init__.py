"""The built-in providers, one package a type; they know nothing of the platform."""
