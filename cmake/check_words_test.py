#!/usr/bin/env python3
"""Tests of check_words.py."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import check_words


class CheckWordsTest(unittest.TestCase):
    def phrases(self, text):
        """The phrases that are found in a text."""
        return [phrase for _, phrase, _ in check_words.findings(text)]

    def test_phrases_of_a_translation(self):
        self.assertEqual(["anew"], self.phrases("The index is built anew."))
        self.assertEqual(["Whoever"], self.phrases("// Whoever calls this waits."))
        self.assertEqual(["inside of"], self.phrases("A call inside of another one."))
        self.assertEqual(["told of"], self.phrases("It is told of every op."))
        self.assertEqual(["tell two equal names apart"], self.phrases("to tell two equal names apart"))
        self.assertEqual(["is said"], self.phrases("A part that is missing is said."))
        self.assertEqual([], self.phrases("That is said to be rough."))
        self.assertEqual(["is not there"], self.phrases("Skipped: the file is not there."))
        self.assertEqual(["LeftAlone"], self.phrases("TEST(Handler, AForkedChildIsLeftAlone) {"))
        self.assertEqual(["_looked_at"], self.phrases("def test_a_merge_is_not_looked_at(self):"))
        self.assertEqual(["cut short"], self.phrases("A file that is cut short is read up to there."))
        self.assertEqual(["hardly more"], self.phrases("It takes hardly more time."))
        self.assertEqual(["Passing over"], self.phrases("Passing over the system's library"))

    def test_is_no(self):
        self.assertEqual(["is no "], self.phrases("this is no JSON"))
        self.assertEqual(["are no "], self.phrases("# Copies are no kernels."))
        self.assertEqual([], self.phrases("There is no such file, and it is no longer read."))
        self.assertEqual([], self.phrases("// The result is empty if there\n// are no kernels."))
        self.assertEqual([], self.phrases("The file is no larger than its parts, and is no-op."))
        self.assertEqual(["IsNo"], self.phrases("TEST(Reader, DamageElsewhereIsNoError) {"))
        self.assertEqual(["_are_no_"], self.phrases("def test_comments_are_no_includes(self):"))
        self.assertEqual([], self.phrases("TEST(Sql, WithoutAFolderThereIsNoSql) { IsNot(); IsNoLongerRead(); }"))

    def test_american_spelling(self):
        text = "behaviour colours neighbouring analysed labelled synchronisation SummariseRange grey"
        for word in text.split():
            self.assertEqual(1, len(self.phrases(word)), word)
        fine = "noise otherwise promise pointwise raise advise analyses color gray cancelled modeled likewise"
        self.assertEqual([], self.phrases(fine))

    def test_allowed_lines(self):
        self.assertEqual([], self.phrases('parse("colour")  # words:ok: a name of another program'))

    def test_a_repository(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            subprocess.run(["git", "-C", folder, "init", "--quiet"], check=True)
            (root / "third_party").mkdir()
            (root / "third_party" / "README.md").write_text("made anew\n", encoding="utf-8")
            (root / "notes.md").write_text("good\nmade anew\n", encoding="utf-8")
            (root / "data.bin").write_text("made anew\n", encoding="utf-8")
            subprocess.run(["git", "-C", folder, "add", "."], check=True)
            self.assertEqual(['notes.md:2: "anew": write "again"'], check_words.check(root))


if __name__ == "__main__":
    unittest.main()
