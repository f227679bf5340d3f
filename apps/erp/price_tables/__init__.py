"""Price tables: prices and dates of models by quantity, material and finish."""
