"""What a client may do: index models, and ask what is like one."""
