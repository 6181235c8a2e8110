"""State files as the Node.js case writes them, and what is asked of those that the lab writes.

Used by the tests of state files. The two programs read each other's files, so the keys and types are a contract too.
"""
import json

NUMBER = (int, float)
PROVIDER_TYPES = {
    "name": str, "consecutive_failures": int, "opened_until": (int, type(None)), "last_outcome": str,
    "last_latency_ms": NUMBER, "last_updated": (str, type(None)), "open_events": int, "short_circuit_count": int,
    "fallback_quote": dict,
}
FALLBACK_TYPES = {"quote_id": str, "amount": NUMBER, "currency": str, "source": str, "cached_at": str}
TELEMETRY_TYPES = {
    "requests": int, "samples_ms": list, "routes": dict, "status_counts": dict, "last_path": (str, type(None)),
    "last_status": int, "last_updated": (str, type(None)), "modes": dict, "recent_incidents": list,
}


def node_provider(**changes):
    """dependency_state.json of a Node.js case whose breaker has opened twice and closed again."""
    return {"provider": {
        "name": "carrier-gateway", "consecutive_failures": 1, "opened_until": None, "last_outcome": "failure",
        "last_latency_ms": 220.93, "last_updated": "2026-01-05T10:00:00.123Z", "open_events": 2,
        "short_circuit_count": 5,
        "fallback_quote": {"quote_id": "cached-quote-seed", "amount": 47.8, "currency": "USD", "source": "cached",
                           "cached_at": "2026-01-05T09:00:00.000Z"}} | changes}


def node_telemetry():
    """telemetry.json of a Node.js case that served a health check, a legacy storm and a resilient quote."""
    mode = {"successes": 0, "failures": 1, "attempts_total": 4, "retries_total": 3, "timeouts_total": 4,
            "fallbacks_used": 0, "circuit_opens": 0, "short_circuits": 0,
            "by_scenario": {"slow_provider": {"successes": 0, "failures": 1}}}
    other = mode | {"successes": 1, "failures": 0, "attempts_total": 1, "retries_total": 0, "timeouts_total": 0,
                    "by_scenario": {"ok": {"successes": 1, "failures": 0}}}
    incidents = [
        {"mode": "legacy", "scenario": "slow_provider", "status": "failed", "http_status": 503, "attempts": 4,
         "retries": 3, "timeout_count": 4, "fallback_used": False, "short_circuited": False, "elapsed_ms": 1447.2,
         "timestamp_utc": "2026-01-05T09:59:00.000Z"},
        {"mode": "resilient", "scenario": "ok", "status": "completed", "http_status": 200, "attempts": 1, "retries": 0,
         "timeout_count": 0, "fallback_used": False, "short_circuited": False, "elapsed_ms": 131.5,
         "timestamp_utc": "2026-01-05T10:00:00.000Z"}]
    return {"requests": 3, "samples_ms": [0.4, 1447.2, 131.5],
            "routes": {"/health": [0.4], "/quote-legacy": [1447.2], "/quote-resilient": [131.5]},
            "status_counts": {"2xx": 2, "5xx": 1}, "last_path": "/quote-resilient", "last_status": 200,
            "last_updated": "2026-01-05T10:00:00.000Z", "modes": {"legacy": mode, "resilient": other},
            "recent_incidents": incidents}


def put(folder, name, document):
    """Writes a file where a lab over `folder` will look for it; text and bytes go in as they are."""
    path = folder / "tmp" / name
    path.parent.mkdir(exist_ok=True)
    if isinstance(document, bytes):
        path.write_bytes(document)
    else:
        path.write_text(document if isinstance(document, str) else json.dumps(document, indent=2))
    return path


def wrong_types(document, types):
    """The keys that are missing or hold another type than the Node.js case would read; booleans are no numbers."""
    return {key: document.get(key, "missing") for key, kind in types.items()
            if key not in document or not isinstance(document[key], kind) or isinstance(document[key], bool)}
