"""What transcripts say of artifacts: which call, which notice, which session."""
