"""Print-attempt protocol: states, rules and controller, without I/O."""
