"""How long the tests wait, and for what. Used by every test file.

A test waits for a condition, never for a length of time; the length is only where it gives up. What must be
fast is measured against a bound that `slack` widens: sanitizer builds and shared machines set
QUOTE_LAB_TIME_SLACK (1 by default), which scales every bound in this suite and nothing else.
"""
import os
import time

TIME_SLACK = float(os.environ.get("QUOTE_LAB_TIME_SLACK", "1"))

# A bound on an elapsed time is the time that the contract tells plus this: two cores run the lab, its client
# and whatever else the machine does.
SCHEDULING_MS = 150.0


def slack(amount):
    """A bound, in any unit, widened for a slow build."""
    return amount * TIME_SLACK


def at_most_ms(contract_ms):
    """The longest that something may take which takes `contract_ms` on an idle machine."""
    return contract_ms + slack(SCHEDULING_MS)


def now_ms():
    """Steady milliseconds, for durations."""
    return time.monotonic() * 1000


def epoch_ms():
    """Milliseconds of the wall clock, as the lab writes them in `opened_until`."""
    return time.time() * 1000


def wait_until(condition, within_s, saying, every_s=0.005):
    """Asks `condition` again and again and gives its first true value; fails with its last one otherwise."""
    deadline = time.monotonic() + slack(within_s)
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= deadline:
            raise AssertionError(f"not within {slack(within_s):.2f} s: {saying} (last seen: {value!r})")
        time.sleep(every_s)


def wait_for_moment(moment_ms):
    """Lets time pass until `now_ms()` is `moment_ms`: for tests that are about a moment in a call's life."""
    remaining = moment_ms - now_ms()
    if remaining > 0:
        time.sleep(remaining / 1000)
