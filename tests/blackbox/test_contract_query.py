"""What is made of the values in a query: read as JavaScript would, clamped, warned of, or refused when strict."""
from harness import SharedLabTest, all_at_once

# What is sent, and the customer_id and items that come of it.
VALUES = [
    ("", 42, 3), ("customer_id=&items=", 42, 3), ("customer_id=7&items=9", 7, 9), ("customer_id=0&items=0", 1, 1),
    ("customer_id=5000&items=50", 5000, 50), ("customer_id=5001&items=51", 5000, 50),
    ("customer_id=-5&items=-5", 1, 1), ("customer_id=abc&items=xyz", 1, 1), ("customer_id=-&items=%2B", 1, 1),
    ("customer_id=12abc&items=3.9", 12, 3), ("customer_id=0x10&items=1e3", 1, 1),
    ("customer_id=%34%32&items=%37", 42, 7), ("customer_id=+8&items=%2B8", 8, 8),
    ("customer_id=%20%09%0A8&items=%C2%A08", 8, 8), ("customer_id=8%00&items=8%0A", 8, 8),
    ("customer_id=99999999999999999999&items=-99999999999999999999", 5000, 1),
    ("customer_id=" + "9" * 4000 + "&items=" + "0" * 3000 + "7", 5000, 7),
    ("customer_id=7&customer_id=9", 7, 3), ("customer_id=&customer_id=9", 42, 3), ("customer%5Fid=7&items", 7, 3),
    ("&&customer_id=7&=5&", 7, 3), ("customer_id=%&items=%zz", 1, 1), ("customer_id=7%&items=4%zz", 7, 4),
    ("CUSTOMER_ID=7", 42, 3), ("customer_id=7;items=4", 7, 3),
]
LIMITS = [("0", 1), ("999", 50), ("-3", 1), ("abc", 1), ("7abc", 7), ("", 10), ("+5", 5), ("%0A5", 5), ("50", 50),
          ("51", 50)]
# What is not taken as sent, and what its warning must name.
WARNED = [
    ("scenario=no-such-scenario", ["scenario", "no-such-scenario"]), ("scenario=o%2Bk", ["scenario", "o+k"]),
    ("customer_id=99999", ["customer_id", "99999", "5000"]), ("customer_id=0", ["customer_id", "0", "1"]),
    ("customer_id=abc", ["customer_id", "abc"]), ("items=12abc", ["items", "12abc"]), ("items=3.9", ["items", "3.9"]),
    ("items=51", ["items", "51", "50"]),
]


class Integers(SharedLabTest):
    def test_are_read_as_parse_int_does_and_clamped(self):
        paths = [f"/quote-resilient?scenario=ok&{query}" for query, _, _ in VALUES]
        answers = all_at_once([lambda path=path: self.lab.ask(path) for path in paths])
        for (query, customer_id, items), answer in zip(VALUES, answers):
            with self.subTest(query[:60]):
                self.assertEqual(answer.status, 200, answer.text)
                self.assertEqual((answer.json["customer_id"], answer.json["items"]), (customer_id, items))

    def test_of_the_limit_likewise(self):
        for sent, limit in LIMITS:
            with self.subTest(sent):
                answer = self.lab.ask(f"/incidents?limit={sent}")
                self.assertEqual((answer.status, answer.json["limit"]), (200, limit))
        self.assertEqual(self.lab.json("/incidents")["limit"], 10)


class Warnings(SharedLabTest):
    def test_say_what_was_not_taken_as_sent(self):
        paths = [f"/quote-resilient?{query}" for query, _ in WARNED]
        answers = all_at_once([lambda path=path: self.lab.json(path) for path in paths])
        for (query, words), quote in zip(WARNED, answers):
            with self.subTest(query):
                self.assertEqual(list(quote)[-4], "warnings", "they stand before elapsed_ms")
                self.assertEqual(len(quote["warnings"]), 1, quote["warnings"])
                for word in words:
                    self.assertIn(word, quote["warnings"][0])

    def test_are_given_for_each_value(self):
        quote = self.lab.json("/quote-resilient?scenario=x&customer_id=y&items=z")
        self.assertEqual(len(quote["warnings"]), 3, quote["warnings"])

    def test_are_absent_where_there_is_nothing_to_say(self):
        for path in ("/quote-resilient", "/quote-resilient?scenario=ok&customer_id=42&items=3", "/incidents?limit=5"):
            with self.subTest(path):
                self.assertNotIn("warnings", self.lab.json(path))

    def test_speak_of_the_limit_too(self):
        incidents = self.lab.json("/incidents?limit=999")
        self.assertIn("999", incidents["warnings"][0])
        self.assertEqual(list(incidents)[-4], "warnings")

    def test_stay_json_whatever_was_sent(self):
        for sent in ("%C3%28", "%FF", "%00", "%0A", "a%22b%5Cc", "%F0%9F%92%A9", "%ED%A0%80", "a" * 2000, "%7F%1B"):
            with self.subTest(sent[:20]):
                answer = self.lab.ask(f"/quote-legacy?scenario={sent}")
                self.assertEqual((answer.status, answer.json["scenario"]), (200, "ok"))
                self.assertTrue(answer.json["warnings"], answer.text)
                self.assertEqual(self.lab.json("/incidents?limit=1")["incidents"][0]["scenario"], "ok")
        self.assertIn("b\\c", self.lab.json("/quote-legacy?scenario=a%22b%5Cc")["warnings"][0])


class Strict(SharedLabTest):
    def refused(self, lab, path):
        answer = lab.ask(path)
        self.assertEqual(answer.status, 400, answer.text)
        self.assertEqual(list(answer.json)[-3:], ["elapsed_ms", "timestamp_utc", "pid"])
        self.assertEqual(answer.json["path"], path.split("?")[0])
        self.assertIn("error", answer.json)
        return answer.text

    def test_names_the_parameter_what_came_and_what_is_allowed(self):
        for path, words in (("/quote-resilient?strict=1&scenario=storm", ("scenario", "storm", "slow_provider")),
                            ("/quote-legacy?customer_id=9999&strict=1", ("customer_id", "9999", "5000")),
                            ("/incidents?limit=many&strict=1", ("limit", "many", "50"))):
            text = self.refused(self.lab, path)
            for word in words:
                self.assertIn(word, text)

    def test_asks_the_provider_nothing_and_is_no_incident(self):
        self.refused(self.lab, "/quote-legacy?strict=1&items=500")
        self.assertEqual(self.lab.json("/incidents")["incidents"], [])
        self.assertEqual(self.lab.json("/metrics")["modes"]["legacy"]["attempts_total"], 0)

    def test_lets_pass_what_is_in_order(self):
        quote = self.lab.json("/quote-legacy?strict=1&scenario=ok&customer_id=5&items=50")
        self.assertEqual((quote["status"], quote["customer_id"], quote["items"]), ("completed", 5, 50))

    def test_can_be_the_rule_of_a_whole_lab(self):
        lab = self.start_lab(strict=True)
        self.assertIn("storm", self.refused(lab, "/quote-legacy?scenario=storm"))
        self.assertEqual(lab.ask("/quote-legacy?scenario=ok").status, 200)
        by_variable = self.start_lab(variables={"QUOTE_LAB_STRICT": "true"})
        self.assertIn("storm", self.refused(by_variable, "/quote-legacy?scenario=storm"))
