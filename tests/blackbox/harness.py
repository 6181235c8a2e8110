"""Runs the real program: starts it on a free port over a folder of its own, reads its log, asks it, ends it.

Used by every test file. QUOTE_LAB_BINARY names the program. This file is the one place that knows how the program
is told things and where it keeps its files; the tests say what they want. Each lab is ended by its test, and an end
that is not clean (another exit code than 0, a sanitizer's report) fails it.
"""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import prometheus_text
from timing import slack, wait_until
from wire import Connection

STATE_FILE = "dependency_state.json"
TELEMETRY_FILE = "telemetry.json"
START_WITHIN_S = 10
MODES = ("legacy", "resilient")
SCENARIOS = ("ok", "slow_provider", "flaky_provider", "provider_down", "burst_then_recover")
IN_FLIGHT = ("quote_lab_quotes_in_flight", "quote_lab_provider_calls_in_flight")


def binary():
    path = os.environ.get("QUOTE_LAB_BINARY", "")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"QUOTE_LAB_BINARY must name the program to test; it is {path!r}")
    return path


def clean_environment(**variables):
    """This environment without anything that would configure a lab, then what the test wants set."""
    kept = {key: value for key, value in os.environ.items() if key != "PORT" and not key.startswith("QUOTE_LAB_")}
    return kept | variables


def flags_of(settings):
    """{'breaker_open_ms': 500, 'strict': True} as the command line has it; False leaves a switch out."""
    words = []
    for name, value in settings.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif value is not False:
            words += [flag, str(value)]
    return words


def run_program(*words, timeout_s=20, **variables):
    """Runs the program to its end, in a folder of its own: for what is no service (help, bad usage, healthcheck)."""
    with tempfile.TemporaryDirectory(prefix="quote-lab-run-") as folder:
        return subprocess.run([binary(), *words], env=clean_environment(**variables), text=True, capture_output=True,
                              timeout=slack(timeout_s), cwd=folder)


class DidNotStart(Exception):
    """The program ended before it listened."""

    def __init__(self, exit_code, output):
        super().__init__(f"exit {exit_code}: {output}")
        self.exit_code, self.output = exit_code, output


class Lab:
    """One run of `quote-lab serve`. The data folder is made for it unless it is given."""

    def __init__(self, data_dir=None, variables=None, descriptors=None, **settings):
        command = [binary(), "serve"]
        self._own_folder = data_dir is None
        self.data_dir = pathlib.Path(data_dir or tempfile.mkdtemp(prefix="quote-lab-"))
        told = {"port": 0, "address": "127.0.0.1", "data_dir": self.data_dir, "log_format": "json"} | settings
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors,) * 2)) if descriptors else None
        self.process = subprocess.Popen(
            [*command, *flags_of(told)], env=clean_environment(**(variables or {})), preexec_fn=limit,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.lines, self.complaints = [], []
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.complaints))]
        for reader in self._readers:
            reader.start()
        try:
            wait_until(lambda: self.events("listening") or not self.running, START_WITHIN_S, "the lab listens")
        except AssertionError:
            self.close(check=False)
            raise
        if not self.events("listening"):
            exit_code = self._ended()
            self.close(check=False)
            raise DidNotStart(exit_code, "\n".join(self.lines + self.complaints))
        self.port = self.events("listening")[0]["port"]

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.append(line.decode("utf-8", "backslashreplace").rstrip("\n"))

    # The log ---------------------------------------------------------------------------------

    def events(self, name=None, **fields):
        """The records of the log so far, of that event and with those fields. Every line is JSON, or this fails."""
        records = [json.loads(line) for line in list(self.lines)]
        wanted = fields | ({"event": name} if name else {})
        return [each for each in records if all(each.get(key) == value for key, value in wanted.items())]

    # Asking ----------------------------------------------------------------------------------

    def connect(self, **options):
        return Connection(self.port, **options)

    def ask(self, path, method="GET", headers=None, **request):
        with self.connect() as connection:
            return connection.ask(path, method, headers, **request)

    def json(self, path, **request):
        return self.ask(path, **request).json

    def quote(self, mode, scenario="ok"):
        return self.json(f"/quote-{mode}?scenario={scenario}&customer_id=42&items=3")

    def circuit(self):
        return self.json("/dependency/state")["circuit_status"]

    def scrape(self):
        return prometheus_text.parse(self.ask("/metrics-prometheus").text)

    def in_flight(self):
        """Quotes and provider calls that are going on, all modes together."""
        scrape = self.scrape()
        return sum(scrape.total(gauge) for gauge in IN_FLIGHT)

    # What the kernel knows of it -------------------------------------------------------------

    def open_sockets(self):
        folder = pathlib.Path(f"/proc/{self.process.pid}/fd")
        return sum(1 for entry in os.listdir(folder) if self._link(folder / entry).startswith("socket:"))

    @staticmethod
    def _link(path):
        try:
            return os.readlink(path)
        except OSError:  # It was closed since it was listed.
            return ""

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # Its files -------------------------------------------------------------------------------

    @property
    def state_path(self):
        return self.data_dir / "tmp" / STATE_FILE

    @property
    def telemetry_path(self):
        return self.data_dir / "tmp" / TELEMETRY_FILE

    def stored_provider(self):
        return json.loads(self.state_path.read_text())["provider"]

    # The end ---------------------------------------------------------------------------------

    @property
    def running(self):
        return self.process.poll() is None

    def send_signal(self, number=signal.SIGTERM):
        self.process.send_signal(number)

    def _ended(self, within_s=20):
        exit_code = self.process.wait(slack(within_s))
        for reader in self._readers:
            reader.join(slack(5))
        return exit_code

    def stop(self, number=signal.SIGTERM, within_s=20):
        """Asks it to end and gives the exit code."""
        if self.running:
            self.send_signal(number)
        return self._ended(within_s)

    def kill(self):
        """Ends it as a crash would: nothing is flushed, nobody is told."""
        self.process.kill()
        self._ended()

    def close(self, check=True):
        """Ends what still runs, with `check` also whether it ended well, and removes its folder."""
        was_running = self.running
        try:
            exit_code = self.stop() if check else self.process.kill() or self._ended()
        except subprocess.TimeoutExpired:
            self.kill()
            exit_code = "none: it had to be killed"
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
        if self._own_folder:
            shutil.rmtree(self.data_dir, ignore_errors=True)
        if check:
            assert not was_running or exit_code == 0, f"SIGTERM: exit {exit_code}: {self.lines[-5:]} {self.complaints}"
            assert not self.complaints, f"the lab wrote to stderr: {self.complaints}"


class LabTest(unittest.TestCase):
    """A test that starts labs of its own; each is ended, and its end checked, when the test is over."""

    maxDiff = None

    def start_lab(self, **options):
        lab = Lab(**options)
        self.addCleanup(lab.close)
        return lab

    def temp_folder(self):
        folder = tempfile.mkdtemp(prefix="quote-lab-test-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return pathlib.Path(folder)


class SharedLabTest(LabTest):
    """Tests that need no lab of their own: they share one, which is reset before each."""

    settings = {}

    @classmethod
    def setUpClass(cls):
        cls.lab = Lab(**cls.settings)
        cls.addClassCleanup(cls.lab.close)

    def setUp(self):
        self.lab.ask("/reset-lab")


def all_at_once(calls):
    """Runs the callables side by side and gives their results in order."""
    with ThreadPoolExecutor(max_workers=max(1, len(calls))) as pool:
        return list(pool.map(lambda call: call(), calls))


def kinds(quote):
    """The names of a quote's events, in the order they happened."""
    return [event["event"] for event in quote["events"]]


def breaker_states(scrape):
    """The one-hot gauge of the breaker's state."""
    return {state: scrape.value("quote_lab_breaker_state", state=state) for state in ("closed", "open", "half_open")}
