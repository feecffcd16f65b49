"""Archives are unpacked by us, in memory, within limits, one document per member."""
