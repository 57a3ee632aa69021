#!/usr/bin/env python3
"""Tests of check_layer_docs.py."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check_layer_docs

ARCHITECTURE = """
| folder | holds | may include |
|---|---|---|
| `src/base` | the start | — (only fmt) |
| `src/importers` | files in | base |
| `src/cli` | commands | importers, base |
| `viewer` | a page | the API only |

| folder | holds | may include |
|---|---|---|
| `src/importers/api` | files | — |
| `src/importers/<format>` | a format | api |
| `src/cli/terminal` | printing | — |
| `src/cli/capture` | recording | terminal |
"""

README = """
| folder | holds |
|---|---|
| `base` | the start |
| `importers` | files in |
| `cli` | commands |
"""

TREE = ("base", "importers/api", "importers/chrome", "cli/terminal", "cli/capture")


@mock.patch.object(check_layer_docs, "ALLOWED",
                   {"base": [], "importers": ["base"], "cli": ["importers", "base"]})
@mock.patch.object(check_layer_docs, "INSIDE", {"cli": {"terminal": [], "capture": ["terminal"]}})
class CheckLayerDocsTest(unittest.TestCase):
    def check(self, architecture=ARCHITECTURE, readme=README, tree=TREE):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for inner in tree:
                (root / "src" / inner).mkdir(parents=True)
                (root / "src" / inner / "a.cc").touch()
            (root / "docs").mkdir()
            (root / "docs/architecture.md").write_text(architecture, encoding="utf-8")
            (root / "src/README.md").write_text(readme, encoding="utf-8")
            return check_layer_docs.check(root)

    def test_agreement(self):
        self.assertEqual([], self.check())

    def test_folder_that_is_not_listed(self):
        self.assertEqual(["src/cli/view is not in cmake/check_layers.py"],
                         self.check(tree=TREE + ("cli/view",)))
        self.assertEqual(["src/server is not in cmake/check_layers.py"],
                         self.check(tree=TREE + ("server",)))

    def test_every_format_is_allowed(self):
        self.assertEqual([], self.check(tree=TREE + ("importers/nsys",)))

    def test_folder_that_does_not_exist(self):
        self.assertIn("src/cli/capture is in cmake/check_layers.py, but does not exist",
                      self.check(tree=TREE[:-1]))

    def test_folder_that_a_page_leaves_out(self):
        self.assertEqual(
            ["docs/architecture.md does not list src/importers"],
            self.check(architecture=ARCHITECTURE.replace(
                "| `src/importers` | files in | base |\n", "")))
        self.assertEqual(["src/README.md does not list src/base"],
                         self.check(readme=README.replace("| `base` | the start |\n", "")))

    def test_folder_that_only_a_page_lists(self):
        self.assertEqual(
            ["docs/architecture.md lists src/cli/view, which cmake/check_layers.py does not know"],
            self.check(architecture=ARCHITECTURE + "| `src/cli/view` | a page | — |\n")[:1])
        self.assertEqual(
            ["src/README.md lists src/view, which cmake/check_layers.py does not know"],
            self.check(readme=README + "| `view` | a page |\n"))

    def test_other_edges_than_those_that_are_checked(self):
        self.assertEqual(
            ["docs/architecture.md: src/cli may include importers, base, not base"],
            self.check(architecture=ARCHITECTURE.replace("importers, base", "base")))
        self.assertEqual(
            ["docs/architecture.md: src/cli/terminal may include nothing, not capture"],
            self.check(architecture=ARCHITECTURE.replace("printing | —", "printing | capture")))

    def test_other_order_than_that_of_the_check(self):
        lines = ARCHITECTURE.splitlines()
        lines[-2:] = reversed(lines[-2:])
        self.assertEqual(["docs/architecture.md: the order in src/cli is terminal, capture"],
                         self.check(architecture="\n".join(lines)))

    def test_paths_that_do_not_exist(self):
        self.assertEqual([], self.check(
            architecture=ARCHITECTURE + "`src/base/a`, `src/base/a.cc`, `viewer/src/none.ts`\n"))
        line = len(ARCHITECTURE.splitlines()) + 1
        self.assertEqual(
            [f"docs/architecture.md:{line}: there is no src/base/b.h"],
            self.check(architecture=ARCHITECTURE + "in `src/base/b.h`\n"))


if __name__ == "__main__":
    unittest.main()
