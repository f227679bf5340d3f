"""Django format modules (FORMAT_MODULE_PATH)."""
