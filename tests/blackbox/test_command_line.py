"""The command line and the environment: what each says, what it exits with, and that nothing wrong is guessed at."""
import json
import re
import socket
import time

from harness import LabTest, run_program
from timing import wait_until
from wire import request


class Words(LabTest):
    def test_help_exits_0_and_names_commands_and_settings_and_variables(self):
        for words in (["--help"], ["serve", "--help"]):
            with self.subTest(" ".join(words)):
                ended = run_program(*words)
                self.assertEqual((ended.returncode, ended.stderr), (0, ""))
                for setting in ("port", "data-dir", "breaker-open-ms", "legacy-max-attempts", "drain-time-ms"):
                    self.assertIn("--" + setting, ended.stdout)
                    self.assertIn("QUOTE_LAB_" + setting.upper().replace("-", "_"), ended.stdout)
        for word in ("serve", "healthcheck", "--version", "--print-config"):
            self.assertIn(word, run_program("--help").stdout)

    def test_version_is_one_line(self):
        ended = run_program("--version")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertRegex(ended.stdout, r"\A[^\n]*\d+\.\d+\.\d+[^\n]*\n\Z")

    def test_print_config_tells_what_would_run_and_ends(self):
        ended = run_program("--print-config", "--breaker-open-ms", "12345", QUOTE_LAB_LEGACY_TIMEOUT_MS="777")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        lines = ended.stdout.splitlines()
        for line in ("QUOTE_LAB_BREAKER_OPEN_MS=12345", "QUOTE_LAB_LEGACY_TIMEOUT_MS=777",
                     "QUOTE_LAB_RESILIENT_TIMEOUT_MS=220"):
            self.assertIn(line, lines)

    def test_print_config_can_be_read_back(self):
        printed = run_program("--print-config", "--strict", "--breaker-open-ms", "12345", "--prefix", "").stdout
        pairs = [line.split("=", 1) for line in printed.splitlines() if line and not line.startswith("#")]
        again = run_program("--print-config", **dict(pairs)).stdout
        self.assertEqual([line for line in again.splitlines() if not line.startswith("#")],
                         [line for line in printed.splitlines() if not line.startswith("#")])


class Precedence(LabTest):
    def printed_port(self, *words, **variables):
        ended = run_program("--print-config", *words, **variables)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return re.search(r"(?m)^QUOTE_LAB_PORT=(\d+)$", ended.stdout)[1]

    def test_of_the_port(self):
        self.assertEqual(self.printed_port(PORT="7001"), "7001")
        self.assertEqual(self.printed_port(PORT="7001", QUOTE_LAB_PORT="7002"), "7002", "our own name wins")
        self.assertEqual(self.printed_port("--port", "7003", PORT="7001", QUOTE_LAB_PORT="7002"), "7003")

    def test_a_variable_reaches_the_running_lab(self):
        lab = self.start_lab(variables={"QUOTE_LAB_LEGACY_MAX_ATTEMPTS": "1", "QUOTE_LAB_LEGACY_TIMEOUT_MS": "30"})
        self.assertEqual(lab.quote("legacy", "provider_down")["attempts"], 1)

    def test_an_empty_variable_counts_as_unset(self):
        self.assertEqual(self.printed_port(PORT="", QUOTE_LAB_PORT="7002"), "7002")


class BadUsage(LabTest):
    def assert_refused(self, ended, *names):
        self.assertEqual(ended.returncode, 2, ended.stdout + ended.stderr)
        for name in names:
            self.assertIn(name, ended.stderr)
        self.assertLessEqual(len(ended.stderr.splitlines()), 5, "a sentence or two, not the whole help")

    def test_of_flags_is_exit_2_and_named(self):
        for words, name in ((["--no-such-flag"], "--no-such-flag"), (["dance"], "dance"), (["--port"], "--port"),
                            (["--port", "99999"], "99999"), (["--port", "-1"], "--port"),
                            (["--port", "eighty"], "eighty"), (["--port", "80x"], "80x"),
                            (["--log-format", "xml"], "xml"), (["--log-level", "loud"], "loud"),
                            (["--address", "nowhere in particular"], "--address"),
                            (["--breaker-open-ms", "0"], "--breaker-open-ms"),
                            (["--breaker-consecutive-failures", "0"], "--breaker-consecutive-failures"),
                            (["--legacy-max-attempts", "0"], "--legacy-max-attempts"),
                            (["--jitter-min-ms", "50", "--jitter-max-ms", "10"], "jitter"),
                            (["--max-connections", "0"], "--max-connections"),
                            (["--drain-time-ms", "-5"], "--drain-time-ms"), (["--seed", "dice"], "dice")):
            with self.subTest(" ".join(words)):
                self.assert_refused(run_program("serve", *words), name)

    def test_of_variables_is_exit_2_and_the_variable_is_named(self):
        for name, value in (("PORT", "99999"), ("PORT", "abc"), ("PORT", "080"), ("PORT", "-1"), ("PORT", "80 "),
                            ("QUOTE_LAB_PORT", "0x50"), ("QUOTE_LAB_BREAKER_OPEN_MS", "30s"),
                            ("QUOTE_LAB_LOG_FORMAT", "xml"), ("QUOTE_LAB_STRICT", "maybe"),
                            ("QUOTE_LAB_LEGACY_TIMEOUT_MS", "99999999999999999999")):
            with self.subTest(f"{name}={value}"):
                self.assert_refused(run_program("serve", **{name: value}), name, value.strip())

    def test_of_variables_does_not_stand_in_the_way_of_help(self):
        for word in ("--help", "--version"):
            for value in ("99999", "abc", "080"):
                with self.subTest(f"PORT={value} {word}"):
                    self.assertEqual(run_program(word, PORT=value).returncode, 0)

    def test_a_misspelt_variable_of_ours_is_told(self):
        lab = self.start_lab(variables={"QUOTE_LAB_BREAKER_OPENMS": "500"})
        told = [line for line in lab.lines if "QUOTE_LAB_BREAKER_OPENMS" in line]
        self.assertEqual([json.loads(line)["level"] for line in told], ["warning"], lab.lines)


class ThePortIsTaken(LabTest):
    def test_is_exit_1_and_says_which_and_what_to_do(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            ended = run_program("serve", "--port", port, "--address", "127.0.0.1",
                                "--data-dir", str(self.temp_folder()))
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        told = ended.stdout + ended.stderr
        self.assertIn(port, told)
        self.assertIn("--port", told, "what to do about it")

    def test_leaves_the_files_of_the_lab_that_has_it_alone(self):
        lab = self.start_lab(flush_interval_ms=20)

        def written():
            return [path.stat().st_mtime_ns for path in (lab.state_path, lab.telemetry_path)]

        lab.quote("resilient", "provider_down")
        quiet_ns = 500_000_000  # Many times the interval: what the first lab had to write is written.
        wait_until(lambda: time.time_ns() - max(written()) > quiet_ns, 5, "the first lab has written all it knows")
        before = written()
        ended = run_program("serve", "--port", str(lab.port), "--data-dir", str(lab.data_dir))
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertEqual(written(), before, "the second lab wrote over the first's files")


class Healthcheck(LabTest):
    def test_of_a_running_lab_is_0(self):
        lab = self.start_lab()
        self.assertEqual(run_program("healthcheck", "--port", str(lab.port)).returncode, 0)
        self.assertEqual(run_program("healthcheck", QUOTE_LAB_PORT=str(lab.port)).returncode, 0)
        self.assertEqual(run_program("healthcheck", PORT=str(lab.port)).returncode, 0)

    def test_where_nobody_listens_is_1_and_says_so(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))  # Bound but not listening: nobody answers here.
            ended = run_program("healthcheck", "--port", str(unused.getsockname()[1]))
        self.assertEqual(ended.returncode, 1)
        self.assertTrue(ended.stdout + ended.stderr)

    def test_of_somebody_who_never_answers_ends_with_1(self):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            ended = run_program("healthcheck", "--port", str(silent.getsockname()[1]), timeout_s=15)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)


class Serve(LabTest):
    def test_is_the_default_command(self):
        ended = run_program("--port", "99999")
        self.assertEqual(ended.returncode, 2, "it understood the flag of serve, and refused its value")
        self.assertIn("99999", ended.stderr)

    def test_tells_where_it_listens(self):
        lab = self.start_lab()
        listening = lab.events("listening")[0]
        self.assertEqual(listening["url"].rstrip("/"), f"http://127.0.0.1:{lab.port}")
        self.assertGreater(lab.port, 0)

    def test_with_the_same_seed_draws_the_same_jitter(self):
        def waits(seed):
            lab = self.start_lab(seed=seed, resilient_timeout_ms=5, resilient_max_attempts=6,
                                 resilient_backoff_base_ms=1, breaker_consecutive_failures=100)
            quote = lab.quote("resilient", "provider_down")
            return [event["wait_ms"] for event in quote["events"] if event["event"] == "backoff"]

        self.assertEqual(waits(1), waits(1))
        self.assertNotEqual(waits(1), waits(2))

    def test_serves_by_ipv4_localhost_only_where_it_is_told_to(self):
        lab = self.start_lab(address="127.0.0.2")
        with socket.create_connection(("127.0.0.2", lab.port), timeout=5) as connection:
            connection.sendall(request("/health"))
            self.assertIn(b" 200 ", connection.recv(4096))
        with self.assertRaises(ConnectionRefusedError):
            lab.connect()
