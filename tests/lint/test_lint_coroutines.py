"""lint-coroutines: every shape that g++ 12 was seen to miscompile is found, every shape that was fine passes."""

import unittest

from script import load

lint = load('lint-coroutines')

CLASSES = """
struct cfg { std::string name; int size = 0; };
struct named { explicit named(std::string n); std::string n_; };
"""


def in_coroutine(body):
    """The findings for a body that stands in a coroutine, after an aggregate `cfg` and a class `named`."""
    return lint.check(CLASSES + 'awaitable<int> run(int a) {\n' + body + '\n}\n')


class Shapes(unittest.TestCase):
    def assert_found(self, body, *words):
        found = in_coroutine(body)
        self.assertEqual(len(found), 1, f'{body}\n{found}')
        for word in words:
            self.assertIn(word, found[0][1])

    def assert_fine(self, body):
        self.assertEqual(in_coroutine(body), [], body)


class MiscompiledShapes(Shapes):
    def test_aggregate_built_in_an_argument_is_found(self):
        self.assert_found('co_await f(cfg{"a", 1});', 'aggregate')

    def test_empty_aggregate_is_found(self):
        self.assert_found('co_await f(cfg{});', 'aggregate')

    def test_aggregate_that_binds_to_a_reference_is_found(self):
        self.assert_found('co_return co_await takes_reference(cfg{"a"});', 'aggregate')

    def test_aggregate_of_an_unknown_name_is_found(self):
        self.assert_found('co_await f(elsewhere::thing{1});', 'aggregate')

    def test_aggregate_of_a_template_is_found(self):
        self.assert_found('co_await f(box<std::vector<int>>{1});', 'aggregate')

    def test_aggregate_built_with_parentheses_is_found(self):
        self.assert_found('co_await f(cfg(std::string("a"), 2));', 'cfg')

    def test_designated_initialisers_are_found(self):
        self.assert_found('co_await f({.name = "a"});', 'designated')
        self.assert_found('co_await f(cfg{.name = "a"});', 'designated')

    def test_variable_initialised_by_a_list_with_co_await_is_found(self):
        self.assert_found('cfg c{1, co_await g()};', 'list')
        self.assert_found('cfg c = {co_await g(), 2};', 'list')
        self.assert_found('std::vector<int> v{co_await g(), 2};', 'list')

    def test_braced_list_in_an_argument_is_found(self):
        self.assert_found('co_await f({a, b});', 'list')
        self.assert_found('body.push_back({"key", co_await g()});', 'list')

    def test_aggregate_in_a_condition_is_found(self):
        self.assert_found('if (co_await f(cfg{"a", 1}) > 3) { g(); }', 'aggregate')
        self.assert_found('while (co_await f(cfg{"a", 1})) g();', 'aggregate')
        self.assert_found('for (auto& x : co_await f(cfg{"a", 1})) g(x);', 'aggregate')
        self.assert_found('if (auto r = co_await f(cfg{"a"}); r > 0) g();', 'aggregate')

    def test_aggregate_returned_with_a_co_await_inside_is_found(self):
        self.assert_found('co_return cfg{co_await g(), 1};', 'aggregate')

    def test_lambda_that_captures_by_value_is_found(self):
        for captures in ('s', '=', '*this', '&, s', 's = std::move(t)', 'this, s', '&x, s'):
            self.assert_found(f'co_await f([{captures}] {{ return 1; }});', 'lambda')

    def test_lambda_through_co_spawn_with_use_awaitable_is_found(self):
        self.assert_found('co_await co_spawn(ex, [s]() -> awaitable<void> { co_await g(s); }, use_awaitable);', 'lambda')

    def test_lambda_inside_another_call_is_found(self):
        self.assert_found('co_await f(std::function<int()>([s] { return 1; }));', 'lambda')

    def test_capture_that_awaits_is_found(self):
        self.assert_found('auto l = [s = co_await g()] { return s; };', 'lambda')

    def test_co_spawn_of_a_lambda_on_an_awaited_executor_is_found(self):
        self.assert_found('co_spawn(co_await this_coro::executor, [&]() -> awaitable<void> { co_return; }, detached);',
                          'executor')

    def test_conditional_is_found(self):
        self.assert_found('co_await f(a ? left : right);', '?:')
        self.assert_found('auto s = co_await f() > 1 ? std::string("a") : std::string("b");', '?:')

    def test_co_await_in_a_catch_block_is_found(self):
        self.assert_found('try { g(); } catch (const std::exception& e) { if (a) { co_await f(); } }', 'catch')


class PlacesWhereAShapeStands(Shapes):
    def test_it_is_found_in_the_body_of_a_lambda(self):
        self.assert_found('auto l = [s]() -> awaitable<void> { co_await f(cfg{"a"}); };', 'aggregate')

    def test_it_is_found_in_a_member_of_a_template(self):
        text = 'template <class T = int>\nclass x : public y<T> {\n public:\n  auto run(T a = {}) const -> awaitable<T> {\n' \
               '    co_return co_await f(T{a});\n  }\n};\n'
        self.assertEqual([line for line, _ in lint.check(text)], [5])

    def test_it_is_found_over_several_lines_and_told_by_the_line_of_the_brace(self):
        self.assertEqual([line for line, _ in lint.check('awaitable<int> f() {\n  co_await g(\n      1,\n      c{2});\n}')],
                         [4])

    def test_it_is_found_in_a_statement_without_braces(self):
        self.assert_found('if (a) co_await f(cfg{"a"}); else g();', 'aggregate')
        self.assert_found('if (a) [[unlikely]] { co_await f(cfg{"a"}); }', 'aggregate')
        self.assert_found('case 3: co_await f(cfg{"a"});', 'aggregate')

    def test_it_is_found_after_a_digit_separator_and_a_raw_string(self):
        self.assert_found('auto n = 1\'000; auto s = R"x(" } \')x"; co_await f(cfg{"a"});', 'aggregate')


class FineShapes(Shapes):
    def test_named_variable_then_move(self):
        self.assert_fine('cfg c{"a", 1}; co_await f(std::move(c));')

    def test_empty_parentheses(self):
        self.assert_fine('co_await f(cfg());')

    def test_named_lambda_then_move(self):
        self.assert_fine('auto work = [s] { return s; }; co_await f(std::move(work));')

    def test_temporaries_of_classes_with_constructors(self):
        self.assert_fine('co_await f(std::string{"a"}, named{"b"}, std::chrono::milliseconds{5}, named("c"));')
        self.assert_fine('timer.expires_after(milliseconds{co_await g()});')

    def test_lambdas_that_capture_by_reference(self):
        for captures in ('', '&', 'this', '&, this', '&s', '&s, &t'):
            self.assert_fine(f'co_await f([{captures}](int x) {{ return cfg{{"a", x}}; }});')

    def test_aggregate_returned_without_co_await(self):
        self.assert_fine('co_return cfg{"a", 1};')

    def test_structured_binding_of_a_co_await(self):
        self.assert_fine('auto [error, size] = co_await f(1); auto& [x, y] = a; const auto&& [v, w] = co_await g();')

    def test_co_spawn_of_a_capturing_lambda_in_a_statement_without_co_await(self):
        self.assert_fine('auto ex = co_await this_coro::executor;\n'
                         'co_spawn(ex, [s]() -> awaitable<void> { co_await f(s); }, detached);')

    def test_if_and_else_instead_of_a_conditional(self):
        self.assert_fine('if (a) { r = co_await f(); } else { r = co_await g(); }')

    def test_a_statement_beside_the_one_with_co_await(self):
        self.assert_fine('if (co_await f()) x = cfg{"a"};')
        self.assert_fine('if (auto c = cfg{"a"}; co_await f()) g();')
        self.assert_fine('for (cfg c{"a"}; co_await f(c); ) g();')
        self.assert_fine('case 3: x = a ? b : c; co_await f();')

    def test_the_body_of_a_lambda_is_no_part_of_the_statement_around_it(self):
        self.assert_fine('co_await f([&] { return a ? cfg{"a"} : cfg{"b"}; });')
        self.assert_fine('auto l = [s]() -> awaitable<void> { co_await f(s); };')

    def test_comments_strings_and_directives(self):
        self.assert_fine('co_await f("cfg{1} ? [x]{}", \'{\'); // cfg{1} ? 2 : 3')
        self.assert_fine('co_await f(R"(cfg{1} ? " [x]{})"); /* cfg{1} */')
        self.assert_fine('#define LATER co_await f(cfg{1})\ng();')

    def test_catch_that_only_remembers(self):
        self.assert_fine('try { co_await f(); } catch (...) { failed = true; } co_await g();')
        self.assert_fine('try { g(); } catch (...) { later = [&]() -> awaitable<void> { co_await f(); }; }')

    def test_a_definition_of_operator_co_await(self):
        self.assertEqual(lint.check('struct x { auto operator co_await() { return y{1}; } };'), [])


class Excuses(Shapes):
    def test_a_reason_on_the_line_or_above_it_excuses(self):
        self.assert_fine('co_await f(point{1, 2});  // lint: two ints, nothing to destroy')
        self.assert_fine('// lint: two ints, nothing to destroy\nco_await f(point{1, 2});')

    def test_an_excuse_without_a_reason_does_not(self):
        self.assert_found('co_await f(point{1, 2});  // lint:')

    def test_an_excuse_on_another_line_does_not(self):
        self.assert_found('co_await f(point{1, 2});\ng();  // lint: two ints')


if __name__ == '__main__':
    unittest.main()
