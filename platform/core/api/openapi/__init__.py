"""OpenAPI documents: schema, response types, examples and error responses."""
