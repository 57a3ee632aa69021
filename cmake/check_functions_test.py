#!/usr/bin/env python3
"""Tests of check_functions.py."""

import tempfile
import unittest
from pathlib import Path

import check_functions

BODY = "  Use(x);\n"


def found(text):
    """Name, first line and number of lines of every function in a file with this text."""
    return [(check_functions.name_of(head), line, lines)
            for head, line, lines in check_functions.functions(text)]


class FunctionsTest(unittest.TestCase):
    def test_functions_have_the_lines_of_their_heads_and_bodies(self):
        self.assertEqual([("F", 1, 3)], found("void F() {\n  Use(x);\n}\n"))
        self.assertEqual([("A::F", 3, 4)], found("\n\nint A::F(int a,\n         int b) const {\n  ;\n}\n"))
        self.assertEqual([("F", 1, 1), ("G", 3, 1)], found("int F() { return 1; }\n\nint G() { return 2; }\n"))
        self.assertEqual([("F", 1, 2)], found("auto F(A a) -> std::vector<int> {\n}\n"))
        self.assertEqual([("F", 1, 3)], found("template <typename T>\nint F(T a = T()) noexcept {\n}\n"))

    def test_functions_of_classes_in_namespaces(self):
        text = ("namespace a {\nnamespace {\n\nclass A final : public B {\n public:\n"
                "  A() : b_{1}, c_(2) {\n    Use();\n  }\n\n"
                "  // Does it.\n  void F() override { Use(); }\n\n private:\n"
                "  int b_{1};\n  std::array<int, 2> c_ = {1, 2};\n};\n}\n}\n")
        self.assertEqual([("A", 6, 3), ("F", 11, 1)], found(text))

    def test_operators(self):
        self.assertEqual([("A::operator==", 1, 2)], found("bool A::operator==(const A& b) const {\n}\n"))
        self.assertEqual([("operator()", 1, 2)], found("int operator()(int a) const {\n}\n"))

    def test_functions_that_begin_like_types(self):
        self.assertEqual([("F", 1, 2), ("G", 3, 2)], found(
            'struct stat F() {\n}\nextern "C" int G(int a) noexcept {\n}\n'))

    def test_tests_keep_their_names(self):
        self.assertEqual([("TEST(Numbers, AreRead)", 1, 2)], found("TEST(Numbers, AreRead) {\n}\n"))

    def test_data_and_types_are_not_functions(self):
        self.assertEqual([], found("constexpr A kA[] = {\n  {1, F(2)},\n  {3, {4}},\n};\n"))
        self.assertEqual([], found("const std::vector<A> kA{\n  A(1),\n  A{2},\n};\n"))
        self.assertEqual([], found("struct A {\n  int a;\n};\nenum class B : int {\n  kC,\n};\n"))
        self.assertEqual([], found('extern "C" {\nint F(int);\n}\n'))

    def test_lambdas_count_with_their_function(self):
        self.assertEqual([("F", 1, 5)], found("void F() {\n  G([] {\n    H();\n  });\n}\n"))

    def test_lambdas_in_data_are_functions(self):
        self.assertEqual([2, 2], [lines for _, _, lines in found(
            'const A kA[] = {\n  {"a", [](int b) {\n  }},\n  {"c", [] {\n  }},\n};\n')])

    def test_braces_in_texts_and_comments_do_not_count(self):
        text = ("void F() {\n  // }\n  /* }\n} */\n  G(\"}\\\"}\", '}', '\\'', 1'000, R\"(}\n})\");\n}\n"
                "#define X(a) \\\n  void a() {\n\nvoid H() {\n}\n")
        self.assertEqual([("F", 1, 7), ("H", 11, 2)], found(text))


class CheckTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "src").mkdir()

    def test_long_functions_are_listed(self):
        most = check_functions.MOST_LINES
        (self.root / "src/a.cc").write_text("void F() {\n" + BODY * (most - 2) + "}\n")
        self.assertEqual([], check_functions.check(self.root))
        (self.root / "src/b.h").write_text("\nvoid B::F() {\n" + BODY * (most - 1) + "}\n")
        self.assertEqual([f"src/b.h:2: B::F has {most + 1} lines, more than {most}"],
                         check_functions.check(self.root))


if __name__ == "__main__":
    unittest.main()
