"""What a message is screened by: its spellings, the phrases in them, and judges for the rest."""
