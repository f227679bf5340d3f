"""Users: accounts, authentication, groups, permissions, audit."""
