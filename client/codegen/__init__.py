"""What makes the generated part of the client; not shipped with it."""
