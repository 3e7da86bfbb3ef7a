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
    """Raises `INVALID` for a lone surrogate, as in a file name that is not valid text."""
    text = json.dumps(ask, ensure_ascii=False, separators=(",", ":"))
    if not _is_well_formed(text):
        for name, value in ask.items():
            if not _is_well_formed(json.dumps(value, ensure_ascii=False)):
                raise LockyardError("INVALID", f"{name}: must be well-formed Unicode")
    return text


def _is_well_formed(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
