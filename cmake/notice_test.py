#!/usr/bin/env python3
"""Tests of notice.py."""

import json
import tempfile
import unittest
from pathlib import Path

import notice

ROOT = Path(__file__).resolve().parent.parent
DEPENDENCIES = """
warpsight_find_package(fmt DEBIAN libfmt-dev)
warpsight_find_library(zstd HEADER zstd.h LIBRARY zstd DEBIAN libzstd-dev)
if(WARPSIGHT_TESTS)
  warpsight_find_package(GTest DEBIAN "libgtest-dev libgmock-dev")
endif()
  warpsight_missing(protozero libprotozero-dev)
"""
BY_HAND = "| fmt | headers |\n| zstd | static |\n| protozero | headers |\n\n"


def entry(version, license="MIT", **more):
    return {"version": version, "license": license, **more}


def lock(**more):
    return {"packages": {
        "": {"dependencies": {"page": "1.0.0"}, "devDependencies": {"bundler": "9.0.0"}},
        "node_modules/page": entry("1.0.0", dependencies={"helper": "^2.0.0"}),
        "node_modules/helper": entry("2.0.1", "ISC"),
        "node_modules/bundler": entry("9.0.0", dev=True),
        **more}}


class NoticeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "cmake").mkdir()
        self.make(lock())
        self.write("cmake/Dependencies.cmake", DEPENDENCIES)
        self.write("NOTICE", BY_HAND)
        notice.write(self.root)

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def make(self, content):
        self.write("viewer/package-lock.json", json.dumps(content))
        for path, package in content["packages"].items():
            if path:
                self.write(f"viewer/{path}/package.json", json.dumps({"version": package["version"]}))
                self.write(f"viewer/{path}/LICENSE", f"The license of {path}")

    def test_agreement(self):
        self.assertEqual([], notice.check(self.root))

    def test_texts_of_licenses_are_passed_on(self):
        text = (self.root / "NOTICE").read_text(encoding="utf-8")
        self.assertTrue(text.startswith(BY_HAND))
        self.assertIn("### page 1.0.0 (MIT)\n\n    The license of node_modules/page\n", text)
        self.assertNotIn("bundler", text)

    def test_another_version(self):
        self.make(lock(**{"node_modules/helper": entry("2.1.0", "ISC")}))
        self.assertEqual(
            ["NOTICE lacks helper 2.1.0 (ISC), which the viewer's page holds: run cmake/notice.py --write",
             "NOTICE names helper 2.0.1 (ISC), which is not in viewer/package-lock.json: "
             "run cmake/notice.py --write"], notice.check(self.root))
        notice.write(self.root)
        self.assertEqual([], notice.check(self.root))

    def test_another_license(self):
        self.make(lock(**{"node_modules/helper": entry("2.0.1", "GPL-3.0")}))
        self.assertIn("NOTICE lacks helper 2.0.1 (GPL-3.0)", notice.check(self.root)[0])

    def test_another_version_inside_a_package(self):
        self.make(lock(**{"node_modules/page/node_modules/helper": entry("1.5.0", "ISC")}))
        self.assertIn("NOTICE lacks helper 1.5.0 (ISC)", notice.check(self.root)[0])

    def test_a_package_that_is_gone(self):
        content = lock()
        del content["packages"]["node_modules/page"]["dependencies"]
        self.make(content)
        self.assertIn("NOTICE names helper 2.0.1 (ISC)", notice.check(self.root)[0])

    def test_build_tools_are_not_listed(self):
        self.make(lock(**{"node_modules/bundler": entry("9.9.9", dev=True)}))
        self.assertEqual([], notice.check(self.root))

    def test_a_library_without_a_line(self):
        self.write("cmake/Dependencies.cmake",
                   DEPENDENCIES + "warpsight_find_package(OpenSSL DEBIAN libssl-dev)\n")
        self.assertEqual(["NOTICE's table lacks OpenSSL, which cmake/Dependencies.cmake finds"],
                         notice.check(self.root))

    def test_a_license_without_text(self):
        (self.root / "viewer/node_modules/helper/LICENSE").unlink()
        with self.assertRaisesRegex(SystemExit, "helper has no text of its license"):
            notice.write(self.root)

    def test_libraries_of_this_repository_are_found(self):
        text = (ROOT / "cmake/Dependencies.cmake").read_text(encoding="utf-8")
        found = {name for name, _ in notice.LIBRARY.findall(text)}
        self.assertLessEqual({"absl", "CLI11", "fmt", "simdjson", "TBB", "isal", "re2", "sqlite",
                              "xlsxwriter", "zstd", "hpdf", "protozero"}, found)


if __name__ == "__main__":
    unittest.main()
