#!/usr/bin/env python3
"""Tests of check_version.py."""

import tempfile
import unittest
from pathlib import Path

import check_version

FILES = {
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.25)\nproject(warpsight VERSION 1.2.3 LANGUAGES CXX)\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.2.3 (unreleased)\n\n## 1.2.2\n",
    "docs/api.md": '`GET /api/profiles`\n\n{"version": "1.2.3",\n "profiles": []}\n',
    "viewer/package.json": '{"name": "viewer"}',
    "viewer/package-lock.json": '{"name": "viewer", "packages": {"": {"name": "viewer"}}}',
    "third_party/duckdb/package.json": '{"name": "duckdb"}',
}


class CheckVersionTest(unittest.TestCase):
    def check(self, files=None):
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**FILES, **(files or {})}.items():
                (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / path).write_text(text, encoding="utf-8")
            return check_version.check(Path(folder))

    def test_agreement(self):
        self.assertEqual([], self.check())

    def test_a_new_version_without_a_heading(self):
        self.assertEqual(["CHANGELOG.md says 1.2.2, CMakeLists.txt 1.2.3"],
                         self.check(files={"CHANGELOG.md": "# Changelog\n\n## 1.2.2\n"}))
        self.assertEqual(["CHANGELOG.md says no version, CMakeLists.txt 1.2.3"],
                         self.check(files={"CHANGELOG.md": "# Changelog\n"}))

    def test_an_answer_of_another_version(self):
        self.assertEqual(["docs/api.md says 1.2.0, CMakeLists.txt 1.2.3"],
                         self.check(files={"docs/api.md": '{"version": "1.2.0",\n'}))

    def test_a_second_place(self):
        self.assertEqual(["viewer/package.json has a version; CMakeLists.txt has Warpsight's"],
                         self.check(files={"viewer/package.json": '{"version": "1.2.3"}'}))
        self.assertEqual(["viewer/package-lock.json has a version; CMakeLists.txt has Warpsight's"],
                         self.check(files={"viewer/package-lock.json":
                                           '{"packages": {"": {"version": "1.2.3"}}}'}))


if __name__ == "__main__":
    unittest.main()
