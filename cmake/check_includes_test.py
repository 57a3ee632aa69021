#!/usr/bin/env python3
"""Tests of check_includes.py."""

import tempfile
import unittest
from pathlib import Path

import check_includes


class CheckIncludesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "src").mkdir()

    def write(self, name, text):
        path = self.root / "src" / name
        path.write_text(text, encoding="utf-8")
        return path

    def missing(self, text):
        """The headers that a file with this text lacks."""
        return set(check_includes.missing_includes(self.write("x.cc", text)))

    def test_names_need_their_header(self):
        self.assertEqual({"algorithm"}, self.missing("void F() { std::sort(a, b); }"))
        self.assertEqual({"algorithm"}, self.missing("void F() { std::ranges::sort(a); }"))
        self.assertEqual({"cstdint"}, self.missing("uint32_t x;"))
        self.assertEqual({"cstdint"}, self.missing("std::int64_t x;"))
        self.assertEqual({"cerrno"}, self.missing("int F() { return errno; }"))
        self.assertEqual(set(), self.missing("#include <algorithm>\nvoid F() { std::sort(a, b); }"))

    def test_c_headers_count_as_theirs(self):
        self.assertEqual(set(), self.missing("#include <stdint.h>\nuint32_t x;"))
        self.assertEqual(set(), self.missing("#include <string.h>\nvoid F() { std::memcpy(a, b, 1); }"))

    def test_any_header_that_provides_a_name_is_accepted(self):
        self.assertEqual(set(), self.missing("#include <variant>\nauto x = std::get<0>(y);"))
        self.assertEqual({"tuple"}, self.missing("auto x = std::get<0>(y);"))

    def test_comments_and_texts_use_nothing(self):
        self.assertEqual(set(), self.missing('// std::sort\n/* std::map */ auto a = "std::set";'))
        self.assertEqual(set(), self.missing('auto a = R"(std::list " std::deque)";'))

    def test_other_namespaces_are_not_std(self):
        self.assertEqual(set(), self.missing("my::std::sort(a); mystd::sort(a);"))

    def test_a_file_relies_on_the_header_of_its_name_only(self):
        self.write("x.h", "#include <vector>\n")
        self.write("y.h", "#include <map>\n")
        text = '#include "x.h"\n#include "y.h"\nstd::vector<int> v;\nstd::map<int, int> m;\n'
        self.assertEqual({"map"}, self.missing(text))
        test = self.write("x_test.cc", text)
        self.assertEqual({"map"}, set(check_includes.missing_includes(test)))

    def test_headers_are_checked_alone(self):
        header = self.write("z.h", "#pragma once\nstd::string Name();\n")
        self.assertEqual({self.root / "src/z.h": {"string": "std::string"}},
                         check_includes.check(self.root))
        check_includes.add_includes(header, ["string"])
        self.assertEqual("#pragma once\n\n#include <string>\nstd::string Name();\n", header.read_text())
        self.assertEqual({}, check_includes.check(self.root))

    def test_added_includes_join_existing_ones(self):
        path = self.write("w.cc", '#include "src/w.h"\n\n#include <map>\n\nstd::map<int, std::string> m;\n')
        check_includes.add_includes(path, ["string"])
        self.assertEqual('#include "src/w.h"\n\n#include <string>\n#include <map>\n\n'
                         "std::map<int, std::string> m;\n", path.read_text())


if __name__ == "__main__":
    unittest.main()
