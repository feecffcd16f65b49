"""Render `docs/settings.md` and `.env.sample` from the settings; run as a script, rewrite them."""

from pathlib import Path
from textwrap import fill

from citewell.settings import NO_EFFECT_YET, Settings, texts_about

ROOT = Path(__file__).parents[2]

SECTIONS = {
    "data_dir": "Where things are",
    "access_tiers": "Access",
    "local_owner": "Who is let in",
    "embedding_provider": "Embedding",
    "llm_provider": "Search and answers",
    "chunk_target_tokens": "Chunks",
    "conversion_workers": "Reading files",
    "sync_settle_seconds": "Sync",
    "erase_after_seconds": "Forgetting",
    "server_host": "Server",
    "conversations_max": "Conversations and feedback",
    "otel_exporter_otlp_endpoint": "Traces and logs",
}

PAGE_HEAD = """# Settings

A value is taken from the command line, else from the environment, else from `.env`, else it is the
default below. A name that is present but empty means "unset", so `RAG_TOP_K= rag search …` switches
off a line of `.env` for one command.

`.env` is looked for in the working directory and above it, up to the folder that holds `.git`;
outside a repository only in the working directory. `--env-file FILE` reads another file instead.
The file is read as python-dotenv reads it: `NAME=value`, quotes, comments, `export`, `${OTHER}`,
`${OTHER:-default}`. Relative paths in it start from its folder, all others from the working
directory.

A wrong value ends the command with exit code 2 and a message that names the setting, the value and
what is allowed. Keys are never shown: `rag status` prints all settings as resolved, and of a key
only whether it is set. `.env.sample` lists every setting with its default, ready to be copied.
A setting without effect yet is for a part that comes in a later version.
"""

PAGE_FOOT = """
## sources.toml

Sources can be registered by `rag ingest PATH`, or declared in a file: the one that `SOURCES_FILE`
names, else `sources.toml`, looked for as `.env` is.

```toml
[[source]]
name = "handbook"
type = "folder"                # or "vault": Markdown with Obsidian's links and tags
root = "handbook"              # relative to this file
access = "folder-per-tier"     # or: tier = "employee"; with neither, only the highest tier reads it
scan_interval_s = 300          # seconds between full scans, in [1, 86400]
include = ["**/*"]             # an item must match one
exclude = ["drafts/**"]        # and none of these
```

`name`, `type` and `root` are required; names and roots stand once. With `folder-per-tier` the first
folder of a path names the tier, and a file elsewhere is rejected with its reason. A wrong
declaration ends the command with exit code 2 and a message that names its line.
"""

SAMPLE_HEAD = """\
# Every setting with its default. Copy this file to .env and uncomment what you change.
# Command line > environment > .env > default; docs/settings.md says more.
"""


def shown_default(name: str) -> str:
    """Return the default as it is written in `.env`, "" where it is unset."""
    default: object = Settings.model_fields[name].default
    if texts_about(name)["shown_default"] or default is None:
        return ""
    if isinstance(default, tuple):
        return ",".join(default)
    return f"{default:g}" if isinstance(default, float) else str(default).lower()


def settings_page() -> str:
    """Return the text of `docs/settings.md`."""
    lines = [PAGE_HEAD]
    for name in Settings.model_fields:
        if name in SECTIONS:
            lines += [f"\n## {SECTIONS[name]}\n", "| setting | default | what it does |"]
            lines += ["|---|---|---|"]
        texts = texts_about(name)
        value = f"`{shown_default(name)}` {texts['unit']}".strip()
        default = texts["shown_default"] or (value if shown_default(name) else "unset")
        what, _, why = texts["meaning"].partition(". ")
        later = " **No effect yet.**" if name in NO_EFFECT_YET else ""
        about = f"{what}.{later} Allowed: {texts['allowed']}. *Why this default:* {why}"
        lines.append(f"| `{name.upper()}` | {default} | {about} |")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n" + PAGE_FOOT


def env_sample() -> str:
    """Return the text of `.env.sample`."""
    lines = [SAMPLE_HEAD]
    for name in Settings.model_fields:
        texts = texts_about(name)
        if name in SECTIONS:
            lines.append(f"# --- {SECTIONS[name]}\n")
        unit = f" Unit: {texts['unit']}." if texts["unit"] else ""
        unset = f" Default: {texts['shown_default']}." if texts["shown_default"] else ""
        later = " No effect yet." if name in NO_EFFECT_YET else ""
        about = f"{texts['meaning']}{later}{unset}{unit} Allowed: {texts['allowed']}."
        lines.append(fill(about, 98, initial_indent="# ", subsequent_indent="# "))
        lines.append(f"#{name.upper()}={shown_default(name)}\n")
    return "\n".join(lines)


if __name__ == "__main__":
    (ROOT / "docs" / "settings.md").write_text(settings_page(), encoding="utf-8")
    (ROOT / ".env.sample").write_text(env_sample(), encoding="utf-8")
