"""The tree of errors: an exception means that someone must act.

CitewellError
├── UsageError                 invalid_request           422  exit 2
│   ├── ConfigurationError     invalid_configuration     500  exit 2
│   │   └── LanguageModelMissingError    llm_config_missing       503
│   ├── MethodNotAllowedError        method_not_allowed       405
│   ├── RequestTooLargeError         request_too_large        413
│   ├── HostRefusedError             host_refused             421
│   └── OriginRefusedError           origin_refused           403
├── CredentialsError           unauthorized              401  exit 3
├── NotFoundError              not_found                 404  exit 2
├── UnavailableError           unavailable               503  exit 69
│   ├── SchemaNotInitializedError    schema_not_initialized   503
│   ├── RetrievalNotReadyError       retrieval_not_ready      503
│   ├── SourceUnavailableError       source_unavailable       503
│   │   └── SourceEmptyError             source_empty             503
│   ├── IndexUnavailableError        index_unavailable        503
│   │   └── IndexRestartedError      index_restarted          503
│   ├── SyncRequiredError            sync_required            503
│   ├── BackupUnreadableError        backup_unreadable        503
│   ├── LowDiskSpaceError            low_disk_space           503
│   ├── EmbedderError                embedder_unavailable     503
│   └── LanguageModelError           llm_upstream_error       502
│       ├── LanguageModelTimeoutError    llm_timeout              504
│       ├── LanguageModelRateLimitedError  llm_rate_limited       503
│       ├── LanguageModelAuthError       llm_auth_failed          502
│       └── PromptTooLongError           llm_prompt_too_long      502
├── EmbeddingMismatchError     embedding_dim_mismatch    500  exit 70
├── BusyError                  sync_in_progress          409  exit 75
│   └── DataFolderBusyError    data_folder_busy          409
├── RateLimitedError           rate_limited              429  exit 75
└── DocumentError              document_failed           -    recorded with its stage, never fatal
    ├── UnsupportedDocumentError     nothing can convert this type
    ├── ProtectedDocumentError       encrypted or password-protected
    ├── ConversionError              the converter failed
    ├── ConversionLimitError         a limit of time, memory or output was reached
    └── InvalidDocumentError         what came out cannot be indexed
"""

from __future__ import annotations

from typing import ClassVar


class CitewellError(Exception):
    """Something went wrong inside Citewell."""

    code: ClassVar[str] = "internal_error"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 70
    retryable: ClassVar[bool] = False

    def __init__(self, message: str | None = None) -> None:
        """Take a message that says what was wrong and what to do; default: the docstring."""
        super().__init__(message or (type(self).__doc__ or "").strip())


class UsageError(CitewellError):
    """The request is not valid."""

    code = "invalid_request"
    http_status = 422
    exit_code = 2


class ConfigurationError(UsageError):
    """A setting is not valid."""

    code = "invalid_configuration"
    http_status = 500


class LanguageModelMissingError(ConfigurationError):
    """The language model's address, key or name is not set."""

    code = "llm_config_missing"
    http_status = 503


class MethodNotAllowedError(UsageError):
    """This path takes other methods."""

    code = "method_not_allowed"
    http_status = 405


class RequestTooLargeError(UsageError):
    """The body of the request is too large."""

    code = "request_too_large"
    http_status = 413


class HostRefusedError(UsageError):
    """This server does not answer under that host name."""

    code = "host_refused"
    http_status = 421


class OriginRefusedError(UsageError):
    """Pages of other sites may not call this server."""

    code = "origin_refused"
    http_status = 403


class CredentialsError(CitewellError):
    """The credentials are missing or were refused."""

    code = "unauthorized"
    http_status = 401
    exit_code = 3


class NotFoundError(CitewellError):
    """There is no such thing, or it may not be seen."""

    code = "not_found"
    http_status = 404
    exit_code = 2


class UnavailableError(CitewellError):
    """Something that is needed cannot be reached now."""

    code = "unavailable"
    http_status = 503
    exit_code = 69
    retryable = True


class SchemaNotInitializedError(UnavailableError):
    """The database has no schema yet: run `rag db init`."""

    code = "schema_not_initialized"
    retryable = False


class RetrievalNotReadyError(UnavailableError):
    """Nothing is indexed yet: run `rag ingest PATH`."""

    code = "retrieval_not_ready"


class SourceUnavailableError(UnavailableError):
    """The source cannot be read now; nothing was deleted on its account."""

    code = "source_unavailable"


class SourceEmptyError(SourceUnavailableError):
    """The source's folder is empty, as when a disk is gone; nothing was deleted on its account."""

    code = "source_empty"


class IndexUnavailableError(UnavailableError):
    """The search index cannot be reached."""

    code = "index_unavailable"


class IndexRestartedError(IndexUnavailableError):
    """The index process was started anew: writes that were not flushed must be made again."""

    code = "index_restarted"


class SyncRequiredError(UnavailableError):
    """The catalog was restored from a backup: run `rag sync` before the first answer."""

    code = "sync_required"
    retryable = False


class BackupUnreadableError(UnavailableError):
    """The file is no whole backup."""

    code = "backup_unreadable"
    retryable = False


class LowDiskSpaceError(UnavailableError):
    """Free disk space is below the watermark: ingestion is paused, search goes on."""

    code = "low_disk_space"


class EmbedderError(UnavailableError):
    """The embedder could not answer."""

    code = "embedder_unavailable"


class LanguageModelError(UnavailableError):
    """The language model failed, or its reply cannot be read."""

    code = "llm_upstream_error"
    http_status = 502


class LanguageModelTimeoutError(LanguageModelError):
    """The language model did not answer in time."""

    code = "llm_timeout"
    http_status = 504


class LanguageModelRateLimitedError(LanguageModelError):
    """The language model wants fewer calls: try again later."""

    code = "llm_rate_limited"
    http_status = 503


class LanguageModelAuthError(LanguageModelError):
    """The language model refused the key."""

    code = "llm_auth_failed"
    retryable = False


class PromptTooLongError(LanguageModelError):
    """The prompt does not fit the language model's window."""

    code = "llm_prompt_too_long"
    retryable = False


class EmbeddingMismatchError(CitewellError):
    """The index was built with another embedding model or dimension."""

    code = "embedding_dim_mismatch"


class BusyError(CitewellError):
    """Another run is at work: try again later."""

    code = "sync_in_progress"
    http_status = 409
    exit_code = 75
    retryable = True


class DataFolderBusyError(BusyError):
    """Another process holds the data folder."""

    code = "data_folder_busy"


class RateLimitedError(CitewellError):
    """Too many requests: try again later."""

    code = "rate_limited"
    http_status = 429
    exit_code = 75
    retryable = True

    def __init__(self, message: str | None = None, *, retry_after_s: float = 1.0) -> None:
        """Take the seconds after which to try again, more than 0."""
        super().__init__(message)
        self.retry_after_s = retry_after_s


class DocumentError(CitewellError):
    """One document could not be ingested."""

    code = "document_failed"


class UnsupportedDocumentError(DocumentError):
    """No converter can read this type of file."""

    code = "unsupported"


class ProtectedDocumentError(DocumentError):
    """The document is encrypted or needs a password."""

    code = "protected"


class ConversionError(DocumentError):
    """The document could not be converted to text."""

    code = "conversion_failed"


class ConversionLimitError(ConversionError):
    """The conversion went over a limit and was ended."""

    code = "conversion_limit"
    retryable = True


class InvalidDocumentError(DocumentError):
    """What the converter gave cannot be indexed."""

    code = "invalid_document"


def error_code(error: BaseException) -> str:
    """Return what names an error in logs and traces, where its message must not stand."""
    if isinstance(error, CitewellError):
        return error.code
    return "internal_error" if isinstance(error, Exception) else "cancelled"
