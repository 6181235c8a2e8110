"""A strict reader of the Prometheus text format 0.0.4: what is doubtful is an error, with its line.

Used by the harness and by test_prometheus.py; its own tests are in test_prometheus_text.py. Stricter than Prometheus
itself, which forgives families that are interleaved, series sent twice and histograms without +Inf, and then shows
wrong numbers. Timestamps and untyped samples are refused too: the lab sends none.
"""
import math
import re
from dataclasses import dataclass, field

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
COMMENT = re.compile(rf"^# (HELP|TYPE) ({NAME}) (.+)$")
SAMPLE = re.compile(rf"^({NAME})(?:\{{(.*)\}})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
TYPES = ("counter", "gauge", "histogram", "summary")


class FormatError(ValueError):
    pass


@dataclass
class Family:
    name: str
    help: str = ""
    type: str = ""
    samples: list = field(default_factory=list)  # (name, labels, value)


class Exposition:
    def __init__(self, families):
        self.families = families
        self.series = {(name, tuple(sorted(labels.items()))): value
                       for family in families.values() for name, labels, value in family.samples}

    def value(self, name, **labels):
        """The value of one series, named in full."""
        key = (name, tuple(sorted(labels.items())))
        if key not in self.series:
            near = [series for series in self.series if series[0] == name]
            raise AssertionError(f"no series {name}{labels}; there are {near}")
        return self.series[key]

    def total(self, name, **labels):
        """The sum of all series of that name whose labels include the given ones; 0 where there are none."""
        return sum(value for (each, found), value in self.series.items()
                   if each == name and set(labels.items()) <= set(found))

    def counters(self):
        """Every series that may only rise: counters, and what histograms count."""
        rising = {}
        for family in self.families.values():
            for name, labels, value in family.samples:
                if family.type == "counter" or (family.type == "histogram" and not name.endswith("_sum")):
                    rising[(name, tuple(sorted(labels.items())))] = value
        return rising


def parse(text):
    """Reads a scrape; FormatError says what is wrong with it."""
    if not text.endswith("\n"):
        raise FormatError("the last line has no end")
    families, current = {}, None
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            current = _comment(line, families, current) if line.startswith("#") else _sample(line, current)
        except FormatError as error:
            raise FormatError(f"line {number}: {error}: {line!r}") from None
    seen = set()
    for family in families.values():
        _check_family(family, seen)
    return Exposition(families)


def _comment(line, families, current):
    match = COMMENT.match(line)
    if not match:
        raise FormatError("neither HELP nor TYPE")
    kind, name, rest = match.groups()
    if current is None or current.name != name:
        if name in families:
            raise FormatError(f"family {name} begins a second time")
        current = families[name] = Family(name)
    if current.samples:
        raise FormatError(f"{kind} comes after samples")
    if getattr(current, kind.lower()):
        raise FormatError(f"{kind} twice")
    if kind == "TYPE" and rest not in TYPES:
        raise FormatError("unknown type")
    setattr(current, kind.lower(), rest)
    return current


def _sample(line, current):
    match = SAMPLE.match(line)
    if not match:
        raise FormatError("not a sample")
    name, labels, value = match.groups()
    suffixes = ("_bucket", "_sum", "_count") if current and current.type == "histogram" else ("",)
    if current is None or name not in [current.name + suffix for suffix in suffixes]:
        raise FormatError(f"{name} stands outside its family")
    current.samples.append((name, _labels(labels or ""), _number(value)))
    return current


def _labels(text):
    labels, position = {}, 0
    while position < len(text):
        match = LABEL.match(text, position)
        if not match:
            raise FormatError("labels cannot be read")
        if match[1] in labels:
            raise FormatError(f"label {match[1]} twice")
        labels[match[1]] = re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), match[2])
        position = match.end()
    return labels


def _number(text):
    try:
        return float(text.replace("Inf", "inf"))
    except ValueError:
        raise FormatError("not a number") from None


def _check_family(family, seen):
    if not family.help or not family.type:
        raise FormatError(f"family {family.name} lacks HELP or TYPE")
    for name, labels, value in family.samples:
        key = (name, tuple(sorted(labels.items())))
        if key in seen:
            raise FormatError(f"series {name}{labels} twice")
        seen.add(key)
        if family.type in ("counter", "histogram") and not (0 <= value < math.inf):
            raise FormatError(f"{name}{labels} is {value}, and only counts up from 0")
    if family.type == "histogram":
        _check_histogram(family)


def _check_histogram(family):
    groups = {}
    for name, labels, value in family.samples:
        rest = tuple(sorted((key, text) for key, text in labels.items() if key != "le"))
        group = groups.setdefault(rest, {"buckets": []})
        if name.endswith("_bucket"):
            if "le" not in labels:
                raise FormatError(f"{name}{labels} has no le")
            group["buckets"].append((_number(labels["le"]), value))
        else:
            group[name.removeprefix(family.name)] = value
    for labels, group in groups.items():
        where = f"histogram {family.name}{dict(labels)}"
        bounds = [bound for bound, _ in group["buckets"]]
        counts = [count for _, count in group["buckets"]]
        if not bounds or bounds[-1] != math.inf:
            raise FormatError(f"{where} does not end with +Inf")
        if bounds != sorted(set(bounds)) or counts != sorted(counts):
            raise FormatError(f"{where} has buckets out of order or not cumulative")
        if group.get("_count") != counts[-1] or "_sum" not in group:
            raise FormatError(f"{where}: _sum is missing, or _count is not the +Inf bucket")
