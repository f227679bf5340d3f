"""Printers as pages show them: status, readings, connections and charts."""
