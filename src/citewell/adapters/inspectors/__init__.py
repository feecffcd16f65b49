"""Looking into the files of the stores for what belongs to no live document."""
