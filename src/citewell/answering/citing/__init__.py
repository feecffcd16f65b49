"""Citations: numbered, tagged, with their place, and read again before they leave."""
