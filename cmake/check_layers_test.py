#!/usr/bin/env python3
"""Tests of check_layers.py."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

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

    def test_folders_of_analysis_follow_their_order(self):
        self.assertEqual([], self.check(
            analysis__a='#include "analysis/timeline/x.h"\n',
            analysis__rules__b='#include "analysis/advice/rule.h"\n#include "analysis/facts/x.h"\n',
            analysis__reports__c='#include "analysis/screens/x.h"\n'))
        self.assertEqual(
            ["src/analysis/kernels/a.cc:1: wrong layer: analysis/kernels -> analysis/roofline"
             " (allowed: analysis/kernels, analysis/facts, analysis/text)"],
            self.check(analysis__kernels__a='#include "analysis/roofline/x.h"\n'))
        for source, target in (("facts", "reporting"), ("roofline", "reporting"),
                               ("reporting", "advice"), ("advice", "rules"),
                               ("advice", "reporting"), ("timeline", "reporting")):
            include = f'#include "analysis/{target}/b.h"\n'
            problems = self.check(**{f"analysis__{source}__a": include})
            self.assertEqual(1, len(problems), (source, target))

    def test_folders_do_not_include_higher_folders(self):
        self.assertEqual(
            ["src/cli/capture/a.cc:1: wrong layer: cli/capture -> cli"
             " (allowed: cli/capture, cli/terminal)"],
            self.check(cli__capture__a='#include "cli/app.h"\n'))

    def test_folders_of_every_layer_are_known(self):
        for folder in ("analysis__misc", "base__misc", "server__misc"):
            layer = folder.split("__")[0]
            self.assertEqual(1, len(self.check(**{folder + "__a": f'#include "{layer}/x.h"\n'})))

    def test_only_tests_include_testing(self):
        include = '#include "analysis/testing/x.h"\n'
        self.assertEqual([], self.check(analysis__text__a_test=include))
        self.assertEqual(1, len(self.check(analysis__text__a=include)))
        self.assertEqual(1, len(self.check(analysis__a=include)))

    def test_folders_in_the_table_include_only_earlier_ones(self):
        for layer, folders in check_layers.INSIDE.items():
            earlier = []
            for folder, allowed in folders.items():
                self.assertLessEqual(set(allowed), set(earlier), (layer, folder))
                earlier.append(folder)

    def test_cycle_of_two_folders(self):
        with mock.patch.dict(check_layers.INSIDE["cli"], {"a": ["b"], "b": ["a"]}):
            self.assertEqual(
                ["cycle between folders: cli/a -> cli/b -> cli/a"
                 " (src/cli/a/x.cc:1, src/cli/b/y.cc:2)"],
                self.check(cli__a__x='#include "cli/b/y.h"\n',
                           cli__b__y='\n#include "cli/a/x.h"\n'))

    def test_an_edge_of_several_cycles_is_reported_once(self):
        folders = {"a": ["b"], "b": ["a", "c"], "c": ["a"]}
        with mock.patch.dict(check_layers.INSIDE["cli"], folders):
            problems = self.check(cli__a__x='#include "cli/b/x.h"\n',
                                  cli__b__x='#include "cli/a/x.h"\n#include "cli/c/x.h"\n',
                                  cli__c__x='#include "cli/a/x.h"\n')
            self.assertEqual(1, len(problems))
            self.assertIn("cli/a -> cli/b -> cli/a", problems[0])

    def test_cycle_through_other_folders(self):
        folders = {"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]}
        with mock.patch.dict(check_layers.INSIDE["cli"], folders):
            self.assertEqual(
                ["cycle between folders: cli/a -> cli/b -> cli/c -> cli/a"
                 " (src/cli/a/x.cc:1, src/cli/b/x.cc:1, src/cli/c/x.cc:1)"],
                self.check(**{f"cli__{folder}__x": f'#include "cli/{others[0]}/x.h"\n'
                              for folder, others in folders.items()}))

    def test_cycle_of_a_folder_and_one_in_it(self):
        problems = self.check(cli__x='#include "cli/terminal/y.h"\n',
                              cli__terminal__y='#include "cli/x.h"\n')
        self.assertIn("cycle between folders: cli -> cli/terminal -> cli"
                      " (src/cli/x.cc:1, src/cli/terminal/y.cc:1)", problems)

    def test_cycle_of_layers_whatever_the_files(self):
        with mock.patch.dict(check_layers.ALLOWED, {"model": ["store"]}):
            self.assertEqual(
                ["cycle between folders: model -> store -> model"
                 " (src/model/x.cc:1, src/store/b.cc:1)"],
                self.check(model__x='#include "store/a.h"\n', store__b='#include "model/y.h"\n'))

    def test_tests_make_no_cycle(self):
        self.assertEqual([], self.check(
            analysis__text__a_test='#include "analysis/testing/b.h"\n',
            analysis__testing__b='#include "analysis/text/a.h"\n'))

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

    def test_hash_tables_are_seeded(self):
        for header in ('"absl/container/flat_hash_map.h"', '"absl/container/flat_hash_set.h"',
                       "<unordered_map>", "<unordered_set>"):
            self.assertEqual(1, len(self.check(analysis__reports__a=f"#include {header}\n")), header)
            self.assertEqual(1, len(self.check(importers__api__a=f"#include {header}\n")), header)
        self.assertEqual([], self.check(agent__counters__a="#include <unordered_map>\n"))

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
            self.assertEqual([], self.check(cli__terminal__console=call + "\n",
                                            cli__a_test=call + "\n"))
        self.assertEqual([], self.check(cli__a='Print("{}", x);\nauto s = "what puts in";\n'))

    def test_includes_in_comments_do_not_count(self):
        self.assertEqual([], self.check(model__a='/*\n#include "store/x.h"\n*/\n'))


if __name__ == "__main__":
    unittest.main()
