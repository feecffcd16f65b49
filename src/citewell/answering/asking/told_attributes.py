"""What is told of an answer to who watches: counts and kinds, no text."""

from __future__ import annotations

from citewell.domain.answer import Answer
from citewell.ports.tracer import Value


def told_attributes(answer: Answer) -> dict[str, Value]:
    """Return the attributes of an answer for traces, logs and metrics."""
    usage = answer.usage
    attributes: dict[str, Value] = {
        "citewell.mode": answer.mode,
        "citewell.cached": answer.cached,
        "citewell.sentences": len(answer.sentences),
        "citewell.citations": len(answer.citations),
        "citewell.grounded": answer.grounding.grounded,
        "citewell.confidence": round(answer.confidence, 4),
    }
    if usage:
        attributes |= {
            "citewell.model_calls": usage["model_calls"],
            "gen_ai.usage.input_tokens": usage["prompt_tokens"],
            "gen_ai.usage.output_tokens": usage["reply_tokens"],
        }
    return attributes
