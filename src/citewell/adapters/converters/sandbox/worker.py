"""What a worker process does: confine itself, then answer one request after the other."""

from __future__ import annotations

from citewell.adapters.converters.limits import ConversionLimits
from citewell.adapters.converters.preparation import Prepare
from citewell.adapters.converters.sandbox.confinement import confine_this_process
from citewell.adapters.converters.sandbox.frames import read_frame, write_frame
from citewell.adapters.converters.wire import answer_request, encode_greeting


def serve_conversions(
    descriptor: int, limits: ConversionLimits, prepare: Prepare | None = None
) -> None:
    """Greet with the measures in force, then answer requests until the stream ends."""
    try:
        greeting = encode_greeting(measures=confine_this_process(limits))
    except OSError as error:
        write_frame(descriptor, encode_greeting(problem=str(error)))
        return
    write_frame(descriptor, greeting)
    while (path := read_frame(descriptor)) is not None:
        data = read_frame(descriptor)
        if data is None:
            return
        answer = answer_request(data, path.decode(), limits, prepare=prepare)
        write_frame(descriptor, answer)
        del data, answer
