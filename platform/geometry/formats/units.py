"""Units of length."""

MILLIMETRES = {
    "micron": 1e-3,
    "mm": 1.0,
    "cm": 10.0,
    "m": 1000.0,
    "inch": 25.4,
    "foot": 304.8,
}
