"""What each harness does, as data: its profile read, checked and asked."""
