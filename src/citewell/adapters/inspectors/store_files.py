"""The inspector of the files of one data folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import override

from citewell.domain.erasure import Finding, Store
from citewell.domain.errors import UnavailableError
from citewell.ports.store_inspector import Inspection, StoreInspector


@dataclass(frozen=True, slots=True)
class StoreFiles(StoreInspector):
    """Looks into files in a process of its own (`inspect_files` says why).

    Attributes:
        folder: The data folder.
        index: Folder of the index.
        sqlite: Path of each store that is an SQLite file; it need not exist.
        ignored: Below the data folder, but no store, e.g. backups.
    """

    folder: Path
    index: Path
    sqlite: Mapping[Store, Path]
    ignored: tuple[Path, ...] = ()

    @override
    def has_remains(self, store: Store) -> bool:
        return bool(self._ask(remains_of=store)["remains"])

    @override
    def inspect(self, texts: Sequence[str] = ()) -> Inspection:
        answer = self._ask(texts=list(texts))
        return Inspection(
            findings=tuple(Finding(*fields) for fields in answer["findings"]),
            slots={(tier, leg): keys for tier, leg, keys in answer["shards"]},
        )

    def _ask(self, **more: Any) -> dict[str, Any]:
        request = {
            "sqlite": {store: str(path) for store, path in self.sqlite.items()},
            "index": str(self.index),
            "folder": str(self.folder),
            "ignored": [str(path.absolute()) for path in self.ignored],
            "texts": [],
            **more,
        }
        command = [sys.executable, "-P", "-m", "citewell.adapters.inspectors.inspect_files"]
        ended = subprocess.run(  # noqa: S603 - our own module, no shell
            command, input=json.dumps(request).encode(), capture_output=True, check=False
        )
        if ended.returncode:
            reason = ended.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise UnavailableError(f"the stores cannot be looked into: {'; '.join(reason)}")
        return json.loads(ended.stdout)
