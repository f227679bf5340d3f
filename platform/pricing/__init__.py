"""Pricing engine: cost drivers and price lists to prices with explanations; no framework."""
