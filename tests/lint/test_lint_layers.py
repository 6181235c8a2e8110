"""lint-layers: includes that go up or across the layers are found, those that go down pass, as do the named exceptions."""

import tempfile
import unittest
from pathlib import Path

from script import load

lint = load('lint-layers')


def findings(path, *headers):
    text = ''.join(f'#include {header}\n' for header in headers)
    return list(lint.check(Path(path), text))


class Layers(unittest.TestCase):
    def assert_found(self, path, header):
        self.assertEqual(len(findings(path, header)), 1, f'{path} {header}')

    def assert_fine(self, path, *headers):
        self.assertEqual(findings(path, *headers), [], f'{path} {headers}')

    def test_down_is_fine(self):
        self.assert_fine('src/main.cpp', '"app/application.hpp"', '"telemetry/log.hpp"')
        self.assert_fine('src/app/application.cpp', '"api/routes.hpp"', '"http/server.hpp"', '<resilience/error.hpp>')
        self.assert_fine('src/api/routes.cpp', '"quote/flow.hpp"', '"storage/load.hpp"', '"telemetry/recorder.hpp"')
        self.assert_fine('src/quote/flow.cpp', '<resilience/circuit_breaker.hpp>', '<vector>', '"quote/outcome.hpp"')

    def test_up_is_found(self):
        self.assert_found('src/api/routes.cpp', '"app/config.hpp"')
        self.assert_found('src/quote/flow.cpp', '"api/json.hpp"')
        self.assert_found('src/app/application.cpp', '"main/x.hpp"')
        self.assert_found('include/resilience/error.hpp', '"quote/outcome.hpp"')

    def test_across_is_found_but_for_plain_data(self):
        self.assert_found('src/telemetry/recorder.cpp', '"storage/load.hpp"')
        self.assert_found('src/telemetry/recorder.cpp', '"quote/flow.hpp"')
        self.assert_fine('src/telemetry/recorder.cpp', '"quote/outcome.hpp"')

    def test_http_includes_nothing_of_ours(self):
        self.assert_found('src/http/server.cpp', '<resilience/timeout.hpp>')
        self.assert_found('src/http/server.cpp', '"quote/outcome.hpp"')
        self.assert_fine('src/http/server.cpp', '"http/message.hpp"', '<boost/beast/http/status.hpp>')

    def test_the_library_includes_asio_system_and_std_alone(self):
        self.assert_fine('include/resilience/x.hpp', '<boost/asio/awaitable.hpp>', '<boost/system/result.hpp>', '<span>')
        self.assert_found('include/resilience/x.hpp', '<boost/beast/core.hpp>')
        self.assert_found('include/resilience/x.hpp', '<nlohmann/json.hpp>')

    def test_a_test_of_the_library_includes_nothing_of_the_lab(self):
        self.assert_found('tests/resilience/test_x.cpp', '"quote/outcome.hpp"')
        self.assert_fine('tests/resilience/test_x.cpp', '<resilience/error.hpp>', '"support/manual_time.hpp"')
        self.assert_fine('tests/api/test_x.cpp', '"quote/outcome.hpp"')

    def test_a_folder_that_is_no_layer_is_found(self):
        self.assert_found('src/helpers/x.cpp', '<vector>')

    def test_the_finding_tells_the_line(self):
        self.assertEqual([line for line, _ in findings('src/http/x.cpp', '<vector>', '"quote/mode.hpp"')], [2])

    def test_every_exception_is_between_siblings_and_has_a_reason(self):
        for (layer, header), reason in lint.PLAIN_DATA.items():
            self.assertIn(layer, lint.SIBLINGS)
            self.assertIn(lint.layer_of_header(header), lint.SIBLINGS - {layer})
            self.assertTrue(reason)


class Lengths(unittest.TestCase):
    def test_300_lines_are_fine_and_301_are_found(self):
        self.assertEqual(list(lint.check(Path('src/api/x.cpp'), '\n' * 300)), [])
        self.assertEqual(len(list(lint.check(Path('src/api/x.cpp'), '\n' * 301))), 1)
        self.assertEqual(len(list(lint.check(Path('scripts/run'), '\n' * 301))), 1)


class Run(unittest.TestCase):
    def test_a_tree_with_one_wrong_include_fails_and_without_it_passes(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / 'src' / 'http' / 'server.cpp'
            source.parent.mkdir(parents=True)
            source.write_text('#include "app/config.hpp"\n')
            self.assertEqual(lint.main([folder]), 1)
            source.write_text('#include <vector>\n')
            self.assertEqual(lint.main([folder]), 0)


if __name__ == '__main__':
    unittest.main()
