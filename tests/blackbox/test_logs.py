"""The log: a JSON object a line whatever a client sends, a line for each quote and each transition, ids to follow."""
import os
import re
import subprocess

from harness import LabTest, SharedLabTest, binary, clean_environment, flags_of, run_program
from timing import slack, wait_until

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"
MADE_ID = re.compile(r"^req-[0-9a-f]{8}$")
BAD_IDS = {"4 KB": "a" * 4096, "a tab": "a\tb", "a quote": 'a"b', "a backslash": "a\\b", "a brace": '{"a":1}',
           "a blank": "a b", "empty": "", "Latin-1": "caf\u00e9", "an escape": "a\\u0000"}
BAD_TRACEPARENTS = ("", f"00-{'0' * 32}-00f067aa0ba902b7-01", f"00-{TRACE}-{'0' * 16}-01",
                    f"ff-{TRACE}-00f067aa0ba902b7-01", f"00-{TRACE[:-1]}g-00f067aa0ba902b7-01", TRACEPARENT.upper(),
                    TRACEPARENT[:-1], TRACEPARENT + "-extra", "a" * 4096)


class LogTest(SharedLabTest):
    def line_of(self, quote):
        """The log line of a quote; there must be one, and only one."""
        lines = wait_until(lambda: self.lab.events("quote", request_id=quote["request_id"]), 2, "the quote is logged")
        self.assertEqual(len(lines), 1, lines)
        return lines[0]

    def ask_quote(self, header, value):
        return self.lab.ask("/quote-legacy?scenario=ok", headers={header: value})


class Lines(LogTest):
    def test_of_a_quote_tells_what_became_of_it(self):
        for mode, scenario, http_status in (("legacy", "provider_down", 503), ("resilient", "ok", 200)):
            with self.subTest(mode):
                quote = self.lab.quote(mode, scenario)
                line = self.line_of(quote)
                for key in ("mode", "scenario", "status", "attempts", "trace_id"):
                    self.assertEqual(line[key], quote[key], line)
                self.assertEqual(line["http_status"], http_status)
                self.assertAlmostEqual(line["elapsed_ms"], quote["elapsed_ms"], delta=20)

    def test_of_a_transition_tells_both_states_and_the_cause(self):
        known = len(self.lab.events("transition", to="open"))
        self.lab.quote("resilient", "provider_down")
        line = wait_until(lambda: self.lab.events("transition", to="open")[known:], 2, "the transition is logged")[0]
        self.assertEqual(line["from"], "closed")
        self.assertTrue(line["cause"], line)

    def test_each_has_a_time_a_level_and_an_event(self):
        self.lab.quote("legacy")
        for record in self.lab.events():
            self.assertRegex(record["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$")
            self.assertIn(record["level"], ("trace", "debug", "info", "warning", "warn", "error", "critical"))
            self.assertRegex(record["event"], r"^[a-z_]+$")

    def test_stay_json_whatever_a_client_sends(self):
        for sent in ("a%22b%5Cc%0Ad", "%00", "%FF%FE", "%C3%28", "%1B%5B31m", "%E2%80%A8"):
            self.line_of(self.lab.quote("legacy", sent))
        self.assertEqual(self.lab.ask("/%0A%22?x=%0A").status, 404)
        self.assertNotIn("\x1b", "".join(self.lab.lines))
        self.lab.events()  # Reads every line as JSON.


class RequestIds(LogTest):
    def test_of_the_client_are_taken_answered_and_logged(self):
        for sent in ("abc-123_X.y", "a" * 64, "f47ac10b-58cc-4372-a567-0e02b2c3d479"):
            with self.subTest(sent):
                answer = self.ask_quote("X-Request-Id", sent)
                self.assertEqual(answer.header("X-Request-Id"), sent)
                self.assertEqual(answer.json["request_id"], sent)
                self.line_of(answer.json)

    def test_are_made_where_none_came_and_answered(self):
        answer = self.lab.ask("/quote-legacy?scenario=ok")
        self.assertRegex(answer.json["request_id"], MADE_ID)
        self.assertEqual(answer.header("X-Request-Id"), answer.json["request_id"])

    def test_that_are_not_well_formed_are_replaced(self):
        for name, sent in BAD_IDS.items():
            with self.subTest(name):
                answer = self.ask_quote("X-Request-Id", sent)
                self.assertEqual(answer.status, 200)
                self.assertRegex(answer.json["request_id"], MADE_ID)
                self.assertEqual(answer.header("X-Request-Id"), answer.json["request_id"])
                self.line_of(answer.json)

    def test_are_answered_on_every_route(self):
        for path in ("/health", "/nowhere", "/metrics"):
            with self.subTest(path):
                self.assertEqual(self.lab.ask(path, headers={"X-Request-Id": "mine"}).header("X-Request-Id"), "mine")


class Traces(LogTest):
    def test_of_the_client_are_carried_on_with_a_span_of_our_own(self):
        answer = self.ask_quote("traceparent", TRACEPARENT)
        self.assertEqual(answer.json["trace_id"], "trace-" + TRACE[-8:], "its end stands for it, in the usual form")
        self.assertEqual(self.line_of(answer.json)["trace_id"], answer.json["trace_id"])
        version, trace, span, flags = answer.header("traceparent").split("-")
        self.assertEqual((version, trace, flags), ("00", TRACE, "01"))
        self.assertRegex(span, r"^[0-9a-f]{16}$")
        self.assertNotEqual(span, TRACEPARENT.split("-")[2])

    def test_that_are_not_well_formed_are_replaced(self):
        for sent in BAD_TRACEPARENTS:
            with self.subTest(sent[:70]):
                answer = self.ask_quote("traceparent", sent)
                self.assertRegex(answer.json["trace_id"], r"^trace-[0-9a-f]{8}$")
                self.assertNotIn(TRACE, answer.header("traceparent"))


class Formats(LabTest):
    def test_text_is_for_people(self):
        text = self.first_line_of(log_format="text")
        self.assertNotIn("{", text)
        self.assertIn("127.0.0.1", text)

    def test_auto_is_text_on_a_terminal(self):
        master, terminal = os.openpty()
        self.addCleanup(os.close, master)
        process = subprocess.Popen([binary(), *flags_of({"port": 0, "data_dir": self.temp_folder()})],
                                   env=clean_environment(), stdout=terminal)
        os.close(terminal)
        self.addCleanup(process.wait, slack(10))
        self.addCleanup(process.terminate)
        self.assertNotIn(b"{", os.read(master, 4096))

    def first_line_of(self, **settings):
        """The harness waits for JSON; here the program is run without it, and ended once it has said something."""
        process = subprocess.Popen([binary(), *flags_of({"port": 0, "data_dir": self.temp_folder()} | settings)],
                                   env=clean_environment(), stdout=subprocess.PIPE, text=True)
        try:
            return process.stdout.readline()
        finally:
            process.terminate()
            process.communicate(timeout=slack(10))

    def test_auto_is_json_where_nobody_watches(self):
        lab = self.start_lab(log_format="auto")
        self.assertEqual(lab.events("listening")[0]["port"], lab.port)

    def test_a_level_leaves_out_what_lies_below(self):
        text = self.first_line_of(log_format="json", log_level="info")
        self.assertIn("listening", text)
        ended = run_program("--log-level", "error", "--port", str(self.start_lab().port), "--log-format", "json")
        self.assertEqual(ended.returncode, 1)
        self.assertNotIn('"info"', ended.stdout)
