"""Cuts C++ source into its statements, well enough for a lint that asks what stands together in one full expression.

Called by lint-coroutines. It is no compiler: it knows no types and no macros (preprocessor lines are blanked), and
tells a block from a braced initialiser by what stands before the brace. A lambda's body is cut into statements of its
own, which do not belong to the statement that the lambda stands in; its captures do belong to it.
"""

import re
from dataclasses import dataclass, field

_BLANKED = re.compile(
    r'(?P<raw>\b(?:u8|u|U|L)?R"(?P<delim>[^()\\\s]{0,16})\((?:.|\n)*?\)(?P=delim)")'
    r'|(?P<number>\b\d(?:\'?\w|\.)*)'
    r'|(?P<string>"(?:\\.|[^"\\\n])*")'
    r"|(?P<char>'(?:\\.|[^'\\\n])+')"
    r'|(?P<comment>//(?:\\\n|[^\n])*|/\*(?:.|\n)*?\*/)'
    r'|(?P<directive>^[ \t]*\#(?:\\\n|/\*(?:.|\n)*?\*/|[^\n])*)',
    re.MULTILINE)
_TOKEN = re.compile(r'[A-Za-z_]\w*|\d(?:\'?\w|\.)*|"\s*"|\'\s*\'|::|->|&&|\|\||[^\s\w]')
_CLOSER = {'(': ')', '[': ']', '{': '}'}

# After one of these a '[' begins a lambda, though they are spelled like names.
_BEFORE_EXPRESSION = {'return', 'co_return', 'co_await', 'co_yield', 'case', 'throw', 'else', 'do'}
# A brace after one of these opens a block.
_BEFORE_BLOCK = {')', ';', '}', '{', 'const', 'noexcept', 'override', 'final', 'mutable', 'else', 'do', 'try'}
_SCOPES = {'namespace', 'struct', 'class', 'union', 'enum'}
_HEADS = {'if', 'for', 'while', 'switch', 'catch'}


@dataclass
class Token:
    text: str
    line: int


@dataclass
class Lambda:
    """Where in the statement's tokens a capture list stands, without its brackets."""
    first: int
    last: int


@dataclass
class Statement:
    tokens: list = field(default_factory=list)
    lambdas: list = field(default_factory=list)
    braces: list = field(default_factory=list)  # indices of the '{' of braced initialisers
    in_catch: bool = False


def blank(text):
    """The same text, of the same shape, without comments, directives and what is inside of literals."""
    def repl(match):
        kind, found = match.lastgroup, match.group(0)
        if kind == 'number':
            return found
        hollow = re.sub(r'[^\n]', ' ', found)
        if kind in ('raw', 'string'):
            return '"' + hollow[1:-1] + '"'
        return "'" + hollow[1:-1] + "'" if kind == 'char' else hollow
    return _BLANKED.sub(repl, text)


def tokenize(text):
    text = blank(text)
    tokens, line, last = [], 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count('\n', last, match.start())
        last = match.start()
        tokens.append(Token(match.group(0), line))
    return tokens


def statements(text):
    """All statements of a source file, those in nested blocks and lambdas included, outer ones first closed last."""
    return _Parser(tokenize(text)).run()


class _Parser:
    def __init__(self, tokens):
        self.tokens = tokens
        self.at = 0
        self.found = []

    def run(self):
        while self.at < len(self.tokens):
            self.block(in_catch=False)
            self.at += 1  # a closing brace too many, as after a macro that opens one: go on
        return self.found

    def text(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ''

    def block(self, in_catch):
        """Reads statements up to the '}' that closes the block, and stays in front of it."""
        current = Statement(in_catch=in_catch)
        while self.at < len(self.tokens) and self.text(self.at) != '}':
            current = self.step(current, in_catch)
        self.end(current, in_catch)

    def step(self, current, in_catch):
        text = self.text(self.at)
        if text == '{' and self.opens_block(current):
            names = [token.text for token in current.tokens[:1]]
            self.end(current, in_catch)
            self.at += 1
            self.block(in_catch or names == ['catch'])
            self.at += 1
            return Statement(in_catch=in_catch)
        if text == ';':
            self.at += 1
            return self.end(current, in_catch)
        self.take(current)
        if text in ('else', 'do') or (text == ':' and self.is_label(current)):
            return self.end(current, in_catch)
        if text == '(' and self.is_head(current) and self.text(self.at) != '{':
            return self.end(current, in_catch)
        return current

    def end(self, current, in_catch):
        if current.tokens:
            self.found.append(current)
        return Statement(in_catch=in_catch)

    def is_head(self, current):
        """Whether the tokens are a whole `if (...)` or the like, whose statement follows without braces."""
        return current.tokens[0].text in _HEADS and current.tokens[-1].text == ')'

    @staticmethod
    def is_label(current):
        return len(current.tokens) == 2 or current.tokens[0].text == 'case'

    def opens_block(self, current):
        texts = self.outside_of_groups(current.tokens)
        if not texts:
            return True
        if texts[-3:] == ['decltype', '(', ')']:
            return False
        if texts[-1] in _BEFORE_BLOCK or texts[-2:] == ['[', ']'] and self.text(self.at - 2) == ']':
            return True  # the second is an attribute, as in `if (...) [[unlikely]] {`
        head = self.after_template(texts)
        if '=' not in head and (not _SCOPES.isdisjoint(head) or head[0] == 'extern'):
            return True
        return self.has_trailing_return(head) or self.has_trailing_requires(head)

    @staticmethod
    def outside_of_groups(tokens):
        """The tokens' texts, without what is inside of parentheses, brackets and braces."""
        texts, depth = [], 0
        for token in tokens:
            depth -= token.text in _CLOSER.values()
            if depth <= 0:
                texts.append(token.text)
            depth += token.text in _CLOSER
        return texts

    @staticmethod
    def after_template(texts):
        """The tokens after `template <...>`, as often as that stands in front."""
        while texts and texts[0] == 'template':
            depth = 0
            for index, text in enumerate(texts[1:], start=1):
                depth += (text == '<') - (text == '>')
                if depth == 0:
                    break
            texts = texts[index + 1:]
        return texts

    @staticmethod
    def has_trailing_return(texts):
        if '->' not in texts:
            return False
        arrow = len(texts) - 1 - texts[::-1].index('->')
        return texts[arrow - 1] in (')', 'const', 'noexcept', 'mutable') and '=' not in texts

    @staticmethod
    def has_trailing_requires(texts):
        return 'requires' in texts and ')' in texts[:texts.index('requires')]

    def take(self, current):
        """Takes one token; if it opens a group, all up to its end."""
        token = self.tokens[self.at]
        if token.text == '[' and self.begins_lambda() and self.lambda_body() is not None:
            self.take_lambda(current)
            return
        if token.text == '{':
            current.braces.append(len(current.tokens))
        current.tokens.append(token)
        self.at += 1
        if token.text in _CLOSER:
            self.take_group(current, _CLOSER[token.text])

    def take_group(self, current, closer):
        while self.at < len(self.tokens) and self.text(self.at) != closer:
            if self.text(self.at) == ';' and current.tokens[0].text in _HEADS:
                self.split_head(current)
            else:
                self.take(current)
        if self.at < len(self.tokens):
            current.tokens.append(self.tokens[self.at])
            self.at += 1

    def split_head(self, current):
        """`if (init; condition)` and `for (init; condition; step)`: each is a full expression by itself."""
        self.found.append(Statement(current.tokens, current.lambdas, current.braces, current.in_catch))
        current.tokens, current.lambdas, current.braces = current.tokens[:1], [], []
        self.at += 1

    def begins_lambda(self):
        before = self.text(self.at - 1)
        if self.text(self.at + 1) == '[' or before == '[':
            return False  # an attribute
        if before in ('&', '&&') and self.text(self.at - 2) == 'auto':
            return False  # a structured binding
        if re.match(r'[\w)\]"\']', before):
            return before in _BEFORE_EXPRESSION
        return True

    def match(self, index):
        """The index of what closes the group that opens at `index`."""
        depth = 0
        for at in range(index, len(self.tokens)):
            if self.text(at) in _CLOSER:
                depth += 1
            elif self.text(at) in _CLOSER.values():
                depth -= 1
                if depth == 0:
                    return at
        return len(self.tokens)

    def lambda_body(self):
        """The index of the '{' of the body of the lambda that begins here; None if it is no lambda."""
        at = self.match(self.at) + 1
        while at < len(self.tokens) and self.text(at) != '{':
            if self.text(at) in (';', ')', ']', '}', ',', '=') and self.angle_depth(at) <= 0:
                return None
            at = self.match(at) + 1 if self.text(at) in ('(', '[') else at + 1
        return at if at < len(self.tokens) else None

    def angle_depth(self, at):
        texts = [self.text(index) for index in range(self.match(self.at) + 1, at)]
        return texts.count('<') - texts.count('>')

    def take_lambda(self, current):
        """Its captures and its head go to the statement, its body becomes statements of its own."""
        body, close = self.lambda_body(), self.match(self.at)
        current.tokens.append(self.tokens[self.at])
        first = len(current.tokens)
        self.at += 1
        while self.at < close:
            self.take(current)
        current.lambdas.append(Lambda(first, len(current.tokens)))
        current.tokens.extend(self.tokens[close:body])
        self.at = body + 1
        self.block(in_catch=False)
        self.at += 1
