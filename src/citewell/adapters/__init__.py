"""All that talks to other software; one folder per port."""
