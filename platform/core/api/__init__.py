"""HTTP API building blocks on Django REST framework."""
