"""The reader of the Prometheus text format refuses what it promises to, so that a wrong scrape can fail a test."""
import unittest

from prometheus_text import FormatError, parse

COUNTER = '# HELP a_total Help.\n# TYPE a_total counter\na_total{mode="x"} 1\n'
HISTOGRAM = "# HELP h Help.\n# TYPE h histogram\n"


class TheReader(unittest.TestCase):
    def test_reads_values_and_labels(self):
        read = parse(COUNTER + 'a_total{mode="q\\"\\\\\\n"} 2.5\n')
        self.assertEqual(read.value("a_total", mode='q"\\\n'), 2.5)
        self.assertEqual(read.total("a_total"), 3.5)

    def test_reads_a_histogram(self):
        read = parse(HISTOGRAM + 'h_bucket{le="0.1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 0.7\nh_count 2\n')
        self.assertEqual(read.value("h_bucket", le="+Inf"), 2)
        self.assertIn(("h_count", ()), read.counters())

    def test_refuses_what_is_wrong(self):
        other = "# HELP b_total Help.\n# TYPE b_total counter\nb_total 1\n"
        wrong = {
            "no end of line": COUNTER.rstrip("\n"),
            "an empty line": COUNTER + "\n",
            "a sample before its family": "a_total 1\n",
            "no HELP": "# TYPE a_total counter\na_total 1\n",
            "no TYPE": "# HELP a_total Help.\na_total 1\n",
            "an unknown type": "# HELP a Help.\n# TYPE a number\na 1\n",
            "TYPE twice": "# HELP a Help.\n# TYPE a gauge\n# TYPE a gauge\na 1\n",
            "HELP after samples": COUNTER + "# HELP a_total Help.\n",
            "a series twice": COUNTER + 'a_total{mode="x"} 1\n',
            "interleaved families": COUNTER + other + 'a_total{mode="y"} 1\n',
            "a family that begins twice": COUNTER + other + COUNTER.replace("x", "y"),
            "a negative counter": COUNTER + 'a_total{mode="y"} -1\n',
            "a counter that is NaN": COUNTER + 'a_total{mode="y"} NaN\n',
            "a raw quote in a label": COUNTER + 'a_total{mode="a"b"} 1\n',
            "an unknown escape": COUNTER + 'a_total{mode="\\q"} 1\n',
            "a label twice": COUNTER + 'a_total{mode="a",mode="b"} 1\n',
            "no number": COUNTER + 'a_total{mode="y"} one\n',
            "a histogram without +Inf": HISTOGRAM + 'h_bucket{le="0.1"} 1\nh_sum 1\nh_count 1\n',
            "buckets that fall": HISTOGRAM + 'h_bucket{le="0.1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
            "a count that is not +Inf": HISTOGRAM + 'h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n',
            "a histogram without a sum": HISTOGRAM + 'h_bucket{le="+Inf"} 1\nh_count 1\n',
        }
        for what, text in wrong.items():
            with self.subTest(what), self.assertRaises(FormatError):
                parse(text)


if __name__ == "__main__":
    unittest.main()
