"""What a person did in review, what lasts of it, and what to do next."""
