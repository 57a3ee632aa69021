#!/usr/bin/env python3
"""Tests of generate_check.py."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import generate_check

HEADERS = Path(__file__).resolve().parents[2] / "src" / "agent" / "cuda_abi"


def asserted(declarations):
    """What is asserted about the declarations of a header."""
    check = generate_check.Check()
    generate_check.add_header(check, f"namespace warpsight::agent {{\n{declarations}\n}}  // end\n")
    return "\n".join(check.asserted)


class GenerateCheckTest(unittest.TestCase):

    def test_every_constant_and_field_of_the_headers_is_checked(self):
        for path in sorted(HEADERS.glob("*.h")):
            text = path.read_text(encoding="utf-8")
            check = generate_check.Check()
            generate_check.add_header(check, text)
            code = generate_check.without_comments(text)
            self.assertEqual(len(check.asserted), len(set(check.asserted)))
            asserted_text = "\n".join(check.asserted)
            members = re.findall(r"^  [\w *]*?(\w+)(?:\[\d+\])?(?: = \d+)?[;,]$", code, re.MULTILINE)
            self.assertGreater(len(members), 20)
            self.assertEqual([name for name in members if name not in asserted_text], [])

    def test_constants(self):
        self.assertIn("static_cast<long long>(our_kTwo) == static_cast<long long>(kTwo)",
                      asserted("enum E : uint32_t {\n  kOne = 1,\n  kTwo = 2,\n};"))
        self.assertIn("our_kThree", asserted("constexpr int kThree = -3;"))

    def test_records(self):
        text = asserted("// Extended as R2, 16 bytes.\nstruct R {\n  size_t structSize = 8;\n"
                        "  uint8_t pad[4];\n  const char** name;\n};")
        for condition in ("sizeof(our_R) == sizeof(::R)", "sizeof(::R2) == 16",
                          "offsetof(our_R, pad) == offsetof(::R, pad)",
                          "offsetof(our_R, name) == offsetof(::R2, name)",
                          "abi::Same<decltype(our_R::name), decltype(::R::name)>()",
                          "our_R_structSize == R_STRUCT_SIZE"):
            self.assertIn(condition, text)
        self.assertNotIn("offsetof(::R2, pad)", text)

    def test_functions_and_aliases(self):
        text = asserted("using F = void (*)(int a,\n  size_t b);\nE f(F a, size_t* b);")
        self.assertIn("abi::Same<our_F, ::F>()", text)
        self.assertIn("abi::Same<our_f*, decltype(&::f)>()", text)

    def test_unknown_declarations_are_errors(self):
        for declaration in ("int x;", "struct R { int a, b; };", "struct R { int a : 3; };",
                            "enum E { kOne };", "enum E : int { kOne = 1, kTwo };",
                            "struct R { struct { int a; } b; };", "template <int> struct R;",
                            "#define kOne 1", "inline int f() { return 1; }"):
            with self.assertRaises(generate_check.NotUnderstood, msg=declaration):
                asserted(declaration)
        with self.assertRaises(generate_check.NotUnderstood):
            generate_check.add_header(generate_check.Check(), "struct R { int a; };")


if __name__ == "__main__":
    unittest.main()
