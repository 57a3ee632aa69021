#!/usr/bin/env python3
"""Tests of check_layers.py."""

import tempfile
import unittest
from pathlib import Path

import check_layers


class CheckLayersTest(unittest.TestCase):
    def check(self, **files):
        """Problems of a tree given as path_with__for_slashes="text" under src/."""
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root, "src", *name.split("__")).with_suffix(".cc")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return check_layers.check(root)

    def test_edges_toward_base_are_fine(self):
        self.assertEqual([], self.check(
            model__a='#include "base/status.h"\n#include <vector>\n',
            importers__chrome__b='#include "importers/api/importer.h"\n#include "model/a.h"\n',
            server__c='#include "importers/api/importer.h"\n',
            cli__d='#include "importers/chrome/b.h"\n#include "store/x.h"\n',
            store__e='#include <duckdb.h>\n'))

    def test_wrong_edge_names_place_edge_and_allowed(self):
        self.assertEqual(
            ["src/analysis/a.cc:2: wrong layer: analysis -> importers/api"
             " (allowed: analysis, model, base)"],
            self.check(analysis__a='\n#include "importers/api/importer.h"\n'))

    def test_siblings_never_include_each_other(self):
        folders = ("importers__api", "analysis", "store")
        for source in folders:
            for target in folders:
                if source != target:
                    header = target.replace("__", "/")
                    problems = self.check(**{source + "__a": f'#include "{header}/b.h"\n'})
                    self.assertEqual(1, len(problems), (source, target))

    def test_one_format_does_not_include_another(self):
        self.assertEqual(1, len(self.check(importers__a__x='#include "importers/b/y.h"\n')))
        self.assertEqual(1, len(self.check(importers__api__x='#include "importers/b/y.h"\n')))

    def test_server_sees_only_the_importers_api(self):
        self.assertEqual(1, len(self.check(server__a='#include "importers/chrome/x.h"\n')))

    def test_cli_does_not_include_agent(self):
        self.assertEqual(1, len(self.check(cli__a='#include "agent/core/x.h"\n')))

    def test_folder_missing_from_the_table(self):
        self.assertEqual(1, len(self.check(misc__a='#include "base/x.h"\n')))

    def test_outside_headers_have_their_folders(self):
        self.assertEqual(1, len(self.check(cli__a="#include <duckdb.h>\n")))
        self.assertEqual(1, len(self.check(base__a='#include "absl/strings/str_cat.h"\n')))
        self.assertEqual([], self.check(model__a='#include "absl/strings/str_cat.h"\n'))
        for header in ("<hpdf.h>", "<xlsxwriter.h>"):
            self.assertEqual([], self.check(server__export__a=f"#include {header}\n"))
            self.assertEqual(1, len(self.check(server__a=f"#include {header}\n")))
            self.assertEqual(1, len(self.check(cli__a=f"#include {header}\n")))

    def test_includes_start_at_src(self):
        self.assertEqual(
            ['src/base/a.cc:1: wrong layer: write this include from src/: "base/b.cc"'],
            self.check(base__a='#include "b.cc"\n', base__b=""))

    def test_dlopen_only_in_the_driver_folder(self):
        self.assertEqual(1, len(self.check(store__a='void* p = dlopen("x", 0);\n')))
        self.assertEqual([], self.check(agent__driver__a='void* p = dlopen("x", 0);\n',
                                        store__b="// dlopen() is not used.\n"))

    def test_only_the_console_prints(self):
        for call in ('fmt::print("{}", x);', "std::cerr << x;", 'std::fprintf(stderr, "x");'):
            self.assertEqual(1, len(self.check(cli__import_command=call + "\n")), call)
            self.assertEqual([], self.check(cli__terminal__console=call + "\n", cli__a_test=call + "\n"))
        self.assertEqual([], self.check(cli__a='Print("{}", x);\nauto s = "what puts in";\n'))

    def test_comments_are_no_includes(self):
        self.assertEqual([], self.check(model__a='/*\n#include "store/x.h"\n*/\n'))


if __name__ == "__main__":
    unittest.main()
