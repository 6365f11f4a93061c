"""What a clean-up takes and why, the trash it goes to, and the way back."""
