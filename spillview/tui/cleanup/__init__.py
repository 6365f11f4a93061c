"""What a clean-up would take, and the trash."""
