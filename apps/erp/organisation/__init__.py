"""Organisation: members, roles, equipment, master data, workflows."""
