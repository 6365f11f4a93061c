"""Finding the stores on this machine, and the artifacts and transcripts in them."""
