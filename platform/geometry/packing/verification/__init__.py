"""Proof that a packing is valid: clearance and disassembly, measured on the triangles."""
