"""Organisation: bureaus, members, roles, equipment, master data, workflows."""
