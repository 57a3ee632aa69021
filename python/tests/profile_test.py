"""import warpsight: open, with the program of the same build."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

from recorded import HERE, PYTHON

TRACE = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests", "data", "h200",
                     "resnet18_cuda_graph_inference.pt.trace.json.gz")
sys.path.insert(0, PYTHON)

import warpsight  # noqa: E402
from warpsight import _profile, _program  # noqa: E402


def python(code, *arguments, **variables):
    """Runs a piece of Python in a process of its own; returns what it prints."""
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code), *arguments], check=True,
                          env=dict(os.environ, PYTHONPATH=PYTHON, **variables), stdout=subprocess.PIPE,
                          text=True).stdout


class ImportTest(unittest.TestCase):
    def test_importing_loads_no_module_for_reading(self):
        loaded = python("""
            import sys
            before = set(sys.modules)
            import warpsight
            print(*(set(sys.modules) - before))
            """).split()
        self.assertIn("warpsight", loaded)
        for name in ("subprocess", "tempfile", "json", "html", "pandas", "warpsight._profile"):
            self.assertNotIn(name, loaded)

    def test_all_does_not_hide_the_own_open_of_python(self):
        self.assertEqual("True\n", python("""
            import builtins
            from warpsight import *
            print(open is builtins.open)
            """))


@unittest.skipUnless(os.access(os.path.join(PYTHON, "..", "..", "warpsight"), os.X_OK), "the program is not built")
class ProfileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.profile = warpsight.open(TRACE)
        cls.addClassCleanup(cls.profile.close)

    def test_sql_gives_values_of_python(self):
        rows = self.profile.sql("SELECT 1 AS a, NULL AS b, 'ß\"<' AS c, true AS d, 1.5 AS e UNION ALL "
                                "SELECT 9007199254740993, 'x', '', false, -2")
        self.assertEqual([{"a": 1, "b": None, "c": 'ß"<', "d": True, "e": 1.5},
                          {"a": 9007199254740993, "b": "x", "c": "", "d": False, "e": -2}], rows)
        self.assertEqual(["a", "b", "c", "d", "e"], rows.columns)

    def test_sql_may_begin_with_a_comment(self):
        self.assertEqual([{"a": 1}], self.profile.sql("--format csv\nSELECT 1 AS a"))

    def test_an_error_of_sql_is_one_of_ours(self):
        with self.assertRaisesRegex(warpsight.Error, "^Catalog Error: .*no_such_table"):
            self.profile.sql("FROM no_such_table")

    def test_tables(self):
        names = self.profile.tables()
        self.assertIn("kernels", names)
        self.assertEqual(self.profile.sql("SELECT count(*) AS n FROM kernels")[0]["n"],
                         len(self.profile.table("kernels")))
        with self.assertRaises(KeyError):
            self.profile.table('kernels"; --')

    def test_a_table_without_rows_has_its_columns(self):
        self.assertEqual([], self.profile.table("counters"))
        self.assertIn("duration_ns", self.profile.table("counters").columns)

    def test_summary_advice_and_reports_are_those_of_the_program(self):
        def of(*arguments):
            return json.loads(subprocess.run([_program.path(), *arguments, "--format", "json"], check=True,
                                             stdout=subprocess.PIPE).stdout)

        self.assertEqual(of("info", TRACE), self.profile.summary())
        self.assertEqual(of("advise", TRACE)["findings"], self.profile.advice())
        self.assertGreaterEqual(len(self.profile.advice(all=True)), len(self.profile.advice()))
        report = of("report", TRACE, "--report", "kernel")
        self.assertEqual(report["rows"], self.profile.report("kernel"))
        self.assertEqual("Kernel Name", self.profile.report("kernel").columns[0])
        self.assertIn("Most time", self.profile.report())

    def test_html_shows_texts_as_they_are(self):
        text = self.profile.sql("SELECT '<script>' AS \"a&b\", NULL AS n")._repr_html_()
        self.assertIn("<td>&lt;script&gt;</td><td></td>", text)
        self.assertIn("<th>a&amp;b</th>", text)
        self.assertIn("5 more rows", self.profile.sql("SELECT unnest(range(25)) AS i")._repr_html_())
        self.assertIn(self.profile.summary()["verdict"], self.profile._repr_html_())

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
    def test_pandas(self):
        frame = self.profile.table("kernels").df()
        self.assertEqual(frame["duration_ns"].sum(),
                         self.profile.sql("SELECT sum(duration_ns)::BIGINT AS s FROM kernels")[0]["s"])

    @unittest.skipUnless(importlib.util.find_spec("pyarrow"), "needs pyarrow")
    def test_arrow(self):
        self.assertEqual(len(self.profile.table("kernels")), self.profile.table("kernels").arrow().num_rows)

    @unittest.skipUnless(importlib.util.find_spec("duckdb"), "needs duckdb")
    def test_duckdb(self):
        with self.profile.duckdb() as connection:
            self.assertEqual(len(self.profile.table("kernels")), connection.sql("FROM kernels").shape[0])

    def test_the_temporary_profile_of_a_trace_is_removed(self):
        with warpsight.open(TRACE) as profile:
            self.assertTrue(os.path.isfile(profile.file))
            kept = profile.file
        self.assertFalse(os.path.exists(os.path.dirname(kept)))
        at_the_end = python("import sys, warpsight; p = warpsight.open(sys.argv[1]); print(p.file)", TRACE)
        self.assertFalse(os.path.exists(os.path.dirname(at_the_end.strip())))

    def test_a_saved_profile_is_read_where_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "saved.warpsight")
            shutil.copyfile(self.profile.file, saved)
            profile = warpsight.open(saved)
            self.assertEqual(saved, profile.file)
            profile.close()
            self.assertTrue(os.path.exists(saved))

    def test_files_that_cannot_be_opened(self):
        with self.assertRaises(FileNotFoundError):
            warpsight.open("/no/such/file")
        with self.assertRaisesRegex(warpsight.Error, "."):
            warpsight.open(__file__).tables()
        with self.assertRaises(TypeError):
            warpsight.open()


class ProgramTest(unittest.TestCase):
    """Where the package finds its program, in copies of every layout."""

    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="warpsight-test-"))
        self.addCleanup(shutil.rmtree, self.root)

    def found(self, package, program, path="/nonexistent", script='echo "$0" "$@"'):
        """What the program prints that the package finds, when it and a program are at these places."""
        shutil.copytree(os.path.join(PYTHON, "warpsight"), os.path.join(self.root, package))
        place = os.path.join(self.root, program)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as file:
            file.write("#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n" % script)
        os.chmod(place, 0o755)
        done = subprocess.run(
            [sys.executable, "-c", "from warpsight import _program; _program.run()", "a b"], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, check=False, env={
                "PYTHONPATH": os.path.dirname(os.path.join(self.root, package)), "PATH": path})
        return done.stdout.strip().replace(self.root + "/", "") or done.stderr.strip().splitlines()[-1]

    def test_installed(self):
        self.assertEqual("usr/bin/warpsight a b",
                         self.found("usr/lib/warpsight/python/warpsight", "usr/bin/warpsight"))

    def test_linked_from_where_python_looks(self):
        os.makedirs(os.path.join(self.root, "usr/lib/python3"))
        os.symlink("../warpsight/python", os.path.join(self.root, "usr/lib/python3/dist-packages"))
        os.makedirs(os.path.join(self.root, "usr/lib/warpsight/python"))
        self.assertEqual("usr/bin/warpsight a b",
                         self.found("usr/lib/python3/dist-packages/warpsight", "usr/bin/warpsight"))

    def test_in_a_wheel(self):
        self.assertEqual("site/warpsight/_bundle/bin/warpsight a b",
                         self.found("site/warpsight", "site/warpsight/_bundle/bin/warpsight"))

    def test_in_a_build(self):
        self.assertEqual("build/warpsight a b", self.found("build/lib/python/warpsight", "build/warpsight"))

    def test_copied_next_to_a_program_of_the_user(self):
        self.assertEqual("bin/warpsight a b", self.found("mine/warpsight", "bin/warpsight",
                                                         path=os.path.join(self.root, "bin")))
        self.assertNotIn("bin/warpsight a b", self.found("a/b/c/d/warpsight", "bin/warpsight"))

    def test_the_program_ignores_no_signals(self):
        ignored = int(self.found("mine/warpsight", "bin/warpsight", os.path.join(self.root, "bin"),
                                 "sed -n 's/^SigIgn:\\t//p' /proc/$$/status"), 16)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            self.assertEqual(0, ignored & 1 << (number - 1))

    def test_without_a_program(self):
        self.assertRegex(self.found("mine/warpsight", "elsewhere/warpsight"), "^FileNotFoundError: .*nor on PATH$")


if __name__ == "__main__":
    unittest.main()
