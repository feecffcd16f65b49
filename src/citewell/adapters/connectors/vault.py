"""An Obsidian vault as a source."""

from __future__ import annotations

from citewell.adapters.connectors.folder import FolderConnector


class VaultConnector(FolderConnector):
    """Lists and reads the notes and attachments of an Obsidian vault.

    A vault is a folder: `.obsidian/`, `.trash/` and all other names that start with a dot are left
    out, as Obsidian does. Canvas files and attachments are items like notes. Nothing is written, so
    the vault opens in Obsidian as before.
    """
