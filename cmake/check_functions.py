#!/usr/bin/env python3
"""Checks that no function in src/ is longer than 80 lines.

The lines of a function are those from the first line of its head to its closing brace, including comments
and inner lambdas.

Usage: check_functions.py [REPOSITORY]. Prints one line for each function that is too long and then
exits with 1.
"""

import re
import sys
from pathlib import Path

MOST_LINES = 80
SUFFIXES = (".h", ".cc")

# Comments, texts, characters and preprocessor lines.
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^ ()\\]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)+'|^[ \t]*#(?:[^\n\\]|\\.)*", re.DOTALL | re.MULTILINE)
DIGIT_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
BREAK = re.compile(r"[{};]")
# Allowed before the head of a function: blanks and access labels.
NOT_HEAD = re.compile(r"\s+|(?:public|protected|private)\s*:(?!:)")
CONTAINER = re.compile(r"(?:template\s*<.*>\s*|inline\s+|typedef\s+)*"
                       r"(?:namespace|class|struct|union|enum|extern)\b", re.DOTALL)
# The code before the body of a function or a lambda ends with its parameters, the captures of a
# lambda without parameters, the last member that a constructor initializes, or what may follow
# parameters. The code before the braces of a value ends with its type, its name, `=` or a comma.
BEFORE_BODY = re.compile(
    r"(?:[)}\]]|\)\s*(?:const|noexcept|override|final|mutable|&|\s)+|\)[^()]*->[^()=;]+)\s*$")
NAME = re.compile(r"(?:\w+::)*(?:operator[^\s\w(]+|operator\(\)|~?\w+)(?=\()")


def without_texts(text):
    """The code of a file; everything else becomes blanks, with the same line breaks."""
    text = DIGIT_SEPARATOR.sub("_", text)
    return NOT_CODE.sub(lambda match: " " + "\n" * match.group().count("\n"), text)


class Brace:
    """An open brace and its head: the code before it since the last statement."""

    def __init__(self, head, begin):
        self.head = head
        self.begin = begin  # where the head begins in the code
        self.is_body = bool(BEFORE_BODY.search(head))
        self.is_container = not self.is_body and bool(CONTAINER.match(head))


def functions(text):
    """Yields the outermost functions of a file: head, number of its first line, number of lines."""
    code = without_texts(text)
    open_braces = []
    head, begin, position = "", 0, 0
    for mark in BREAK.finditer(code):
        head += code[position:mark.start()]
        position = mark.end()
        if mark.group() == "{":
            while lead := NOT_HEAD.match(head):
                begin += lead.end()
                head = head[lead.end():]
            open_braces.append(Brace(head, begin))
        elif mark.group() == "}" and open_braces:
            brace = open_braces.pop()
            if not brace.is_body and not brace.is_container:
                head, begin = brace.head + "{}", brace.begin  # of a value, which is part of a head
                continue
            if brace.is_body and not any(outer.is_body for outer in open_braces):
                first = code.count("\n", 0, brace.begin) + 1
                yield brace.head, first, code.count("\n", 0, position) + 2 - first
        head, begin = "", position


def name_of(head):
    """`Foo::Bar` of the head `int Foo::Bar(int x) const`; the whole head of a test."""
    head = " ".join(head.split())
    name = NAME.search(head)
    return name.group() if name and not head.startswith("TEST") else head


def check(root):
    """All functions below `root` that are too long, as printable lines."""
    root = Path(root)
    problems = []
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in SUFFIXES:
            for head, line, lines in functions(path.read_text(encoding="utf-8")):
                if lines > MOST_LINES:
                    problems.append(f"{path.relative_to(root)}:{line}: {name_of(head)} has {lines} lines,"
                                    f" more than {MOST_LINES}")
    return problems


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
