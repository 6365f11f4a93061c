"""Artifacts and records that are no files: rows of databases, fields of JSON files."""
