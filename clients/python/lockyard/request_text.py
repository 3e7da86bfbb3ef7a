"""What a request says."""

import json
import re
from typing import Any, Dict, Mapping, Optional
from urllib.parse import SplitResult, quote

from .errors import LockyardError

_TRACEPARENT = re.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def trace_header(traceparent: Optional[str]) -> Dict[str, str]:
    """Empty if it is not a valid `traceparent`, since tracing must not fail a lock."""
    is_valid = isinstance(traceparent, str) and _TRACEPARENT.fullmatch(traceparent)
    return {"traceparent": traceparent} if traceparent and is_valid else {}


def encoded_path(url: SplitResult) -> str:
    """Its path, with what HTTP does not allow in one percent-encoded."""
    return quote(url.path, safe="/%!$&'()*+,:;=@~")


def json_of(ask: Mapping[str, Any]) -> str:
    """Raises `INVALID` for what JSON cannot represent, and for a lone surrogate, as in a file name
    that is not valid text."""
    try:
        return _json(ask)
    except _NOT_JSON:
        for name, value in ask.items():
            complaint = _complaint(value)
            if complaint is not None:
                raise LockyardError("INVALID", f"{name}: {complaint}") from None
        raise


_NOT_JSON = (TypeError, ValueError, RecursionError)


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text.encode()
    return text


def _complaint(value: Any) -> Optional[str]:
    try:
        _json(value)
    except UnicodeEncodeError:
        return "must be well-formed Unicode"
    except _NOT_JSON as error:
        return f"cannot be written as JSON ({error})"
    return None
