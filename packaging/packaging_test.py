#!/usr/bin/env python3
"""Tests of the checks of packages, on small libraries and packages that are made here."""

import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import check
import elf
import stage
import wheel

COMPILER = os.environ.get("CC") or "cc"
EPOCH = 1700000000
AGENT_SOURCE = "void InitializeInjection(void) {} void warpsight_step(long n) { (void)n; }"


def compile_c(target, source, *options):
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([COMPILER, "-x", "c", "-", "-x", "none", "-o", str(target), *options], input=source, text=True, check=True)


class PackagesTest(unittest.TestCase):
    """A tree like the real one: a program that needs libduckdb.so beside it, and an agent."""

    @classmethod
    def setUpClass(cls):
        cls.shared = Path(tempfile.mkdtemp(prefix="warpsight-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.original = cls.shared / "tree"
        private = cls.original / "lib/warpsight"
        compile_c(private / "libduckdb.so", "int answer(void) { return 42; }", "-shared", "-fPIC",
                  "-Wl,-soname,libduckdb.so")
        compile_c(private / "libwarpsight_agent.so", AGENT_SOURCE, "-shared", "-fPIC")
        cls.compile_program(cls.original, "-Wl,-rpath,$ORIGIN/../lib/warpsight", "-Wl,--disable-new-dtags")
        for name in check.TREE_FILES + check.DOCUMENTS + check.DESKTOP:
            (cls.original / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.original / name).touch()

    @classmethod
    def compile_program(cls, tree, *options):
        compile_c(tree / "bin/warpsight", "int answer(void); int main(void) { return answer() != 42; }",
                  f"-L{tree}/lib/warpsight", "-lduckdb", *options)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="warpsight-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        shutil.copytree(self.original, self.tree)

    def library(self, name):
        return self.tree / "lib/warpsight" / name

    def test_a_tree_that_is_right(self):
        self.assertEqual([], check.tree_problems(self.tree))
        subprocess.run([str(self.tree / "bin/warpsight")], check=True)

    def test_search_paths(self):
        for path, shown in (("/opt/lib", "/opt/lib"), ("$ORIGIN/../lib/warpsight:", ""), ("$ORIGINAL/lib", "$ORIGINAL/lib")):
            self.compile_program(self.tree, f"-Wl,-rpath,{path}", "-Wl,--disable-new-dtags")
            self.assertIn(f"bin/warpsight searches libraries in '{shown}', not relative to itself",
                          check.tree_problems(self.tree))
        self.compile_program(self.tree, "-Wl,-rpath,$ORIGIN/../lib/warpsight", "-Wl,--enable-new-dtags")
        self.assertEqual(["bin/warpsight has a RUNPATH, which does not serve its libraries' own needs"],
                         check.tree_problems(self.tree))
        self.compile_program(self.tree)
        self.assertEqual(["the program does not search its libraries in ../lib/warpsight"],
                         check.tree_problems(self.tree))

    def test_a_library_that_is_not_beside_the_program(self):
        compile_c(self.folder / "libmissing.so", "int missing(void) { return 1; }", "-shared", "-fPIC",
                  "-Wl,-soname,libmissing.so.1")
        compile_c(self.library("libduckdb.so"), "int missing(void); int answer(void) { return missing(); }", "-shared",
                  "-fPIC", "-Wl,-soname,libduckdb.so", f"-L{self.folder}", "-lmissing")
        problem = ["lib/warpsight/libduckdb.so needs libmissing.so.1, which is not beside the program"]
        self.assertEqual(problem, check.tree_problems(self.tree))
        self.assertEqual([], check.tree_problems(self.tree, depends=True))
        with self.assertRaisesRegex(SystemExit, "this system does not have libmissing.so.1"):
            stage.copy_libraries(self.tree, lambda name: True)

    def test_what_programs_load_may_need_their_libraries(self):
        compile_c(self.folder / "libtorch.so", "int torch(void) { return 1; }", "-shared", "-fPIC",
                  "-Wl,-soname,libtorch.so")
        compile_c(self.tree / "lib/warpsight/python/warpsight/hook.so", "int torch(void); int hook(void) { return torch(); }",
                  "-shared", "-fPIC", f"-L{self.folder}", "-ltorch")
        self.assertEqual([], check.tree_problems(self.tree))

    def test_libraries_are_copied_with_what_they_need(self):
        outside = self.folder / "outside"
        compile_c(outside / "libinner.so.1", "int inner(void) { return 42; }", "-shared", "-fPIC",
                  "-Wl,-soname,libinner.so.1")
        compile_c(outside / "libouter.so.1", "int inner(void); int outer(void) { return inner(); }", "-shared",
                  "-fPIC", "-Wl,-soname,libouter.so.1", str(outside / "libinner.so.1"), f"-Wl,-rpath,{outside}")
        compile_c(self.library("libduckdb.so"), "int outer(void); int answer(void) { return outer(); }", "-shared",
                  "-fPIC", "-Wl,-soname,libduckdb.so", str(outside / "libouter.so.1"), f"-Wl,-rpath,{outside}")
        copied = stage.copy_libraries(self.tree, lambda name: name != "libinner.so.1")
        self.assertEqual([outside / "libouter.so.1"], copied)
        copied = stage.copy_libraries(self.tree, lambda name: True)
        self.assertEqual([outside / "libinner.so.1"], copied)
        self.assertTrue(self.library("libinner.so.1").is_file())

    def test_what_programs_load(self):
        agent = self.library("libwarpsight_agent.so")
        compile_c(agent, AGENT_SOURCE + "void of_the_agent_alone(void) {}", "-shared", "-fPIC")
        self.assertEqual(["libwarpsight_agent.so shows of_the_agent_alone to recorded programs"],
                         check.tree_problems(self.tree))
        compile_c(agent, AGENT_SOURCE + "int answer(void); int warpsight_x(void) { return answer(); }", "-shared",
                  "-fPIC", f"-L{agent.parent}", "-lduckdb")
        self.assertEqual(["libwarpsight_agent.so brings libduckdb.so into recorded programs"],
                         check.tree_problems(self.tree))
        compile_c(agent, AGENT_SOURCE, "-shared", "-fPIC", "-fvisibility=hidden")
        self.assertEqual(["libwarpsight_agent.so does not show its interface"], check.tree_problems(self.tree))
        compile_c(agent, AGENT_SOURCE, "-shared", "-fPIC")
        compile_c(self.library("libwarpsight_hook.so"), "void of_the_hook(void) {} void warpsight_hook(void) {}",
                  "-shared", "-fPIC")
        self.assertEqual(["libwarpsight_hook.so shows of_the_hook to recorded programs"],
                         check.tree_problems(self.tree))

    def test_a_newer_c_library(self):
        with mock.patch.object(check, "NEWEST_GLIBC", "2.1"):
            self.assertRegex(check.tree_problems(self.tree)[0], r"^bin/warpsight needs glibc 2\.\d+, newer than 2\.1$")
        compile_c(self.library("libwarpsight_agent.so"), AGENT_SOURCE + "void abort(void); void warpsight_x(void) { abort(); }",
                  "-shared", "-fPIC")
        with mock.patch.object(check, "NEWEST_GLIBC_OF_INJECTED", "2.1"):
            self.assertRegex(check.tree_problems(self.tree)[0], r"agent\.so needs glibc 2\.\d+(\.\d+)?, newer than 2\.1$")

    def test_versions_are_compared_as_numbers(self):
        self.assertLess(elf.version_key("2.9"), elf.version_key("2.36"))
        self.assertEqual("py3-none-manylinux_2_36_x86_64", wheel.wheel_tag("2.36", "x86_64"))

    def test_what_debian_expects(self):
        stage.add_debian_files(self.tree)
        self.assertTrue((self.tree / "lib/python3/dist-packages/warpsight/__init__.py").is_file())
        self.assertTrue((self.tree / "share/doc/warpsight/copyright").is_file())

    def wheel(self, tag=None):
        glibc = elf.newest_glibc([elf.Elf(path) for path in elf.elf_files(self.tree)])
        return wheel.write_wheel(self.tree, self.folder, "1.2.3", tag or wheel.wheel_tag(glibc, "x86_64"), EPOCH)

    def test_a_wheel(self):
        page = self.tree / "share/man/man1/warpsight.1.gz"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.touch()
        path = self.wheel()
        self.assertEqual([], check.check_wheel(path))
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            program = archive.getinfo("warpsight/_bundle/bin/warpsight")
            self.assertEqual(0o755, (program.external_attr >> 16) & 0o777)
        for name in ("warpsight/__init__.py", "warpsight/_bundle/lib/warpsight/python/sitecustomize.py",
                     "warpsight-1.2.3.data/data/share/man/man1/warpsight.1.gz",
                     "warpsight-1.2.3.dist-info/licenses/LICENSE", "warpsight-1.2.3.dist-info/entry_points.txt"):
            self.assertIn(name, names)
        self.assertEqual([], [name for name in names if name.startswith(("sitecustomize", "share"))])
        first = path.read_bytes()
        self.assertEqual(first, self.wheel().read_bytes())

    def test_a_wheel_whose_name_promises_too_much(self):
        problems = check.check_wheel(self.wheel("py3-none-manylinux_2_1_x86_64"))
        self.assertRegex(problems[0], r"^it needs glibc 2\.\d+, but its name says 2\.1$")

    def changed_wheel(self, change):
        """The problems of a wheel whose files {name: content} were changed."""
        path = self.wheel()
        with zipfile.ZipFile(path) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        change(files)
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return check.check_wheel(path)

    def test_a_record_that_is_wrong(self):
        name = "warpsight/__init__.py"
        self.assertEqual([f"RECORD has another digest or size than {name}"],
                         self.changed_wheel(lambda files: files.update({name: b"1"})))
        self.assertEqual([f"RECORD names {name}, which is missing"],
                         self.changed_wheel(lambda files: files.pop(name)))
        self.assertEqual(["RECORD lacks extra.py"], self.changed_wheel(lambda files: files.update({"extra.py": b""})))

    def tarball(self, name="warpsight-1.2.3-linux-x86_64", uid=0):
        path = self.folder / "warpsight-1.2.3-linux-x86_64.tar.xz"

        def owner(member):
            member.uid = member.gid = uid
            return member

        with tarfile.open(path, "w:xz", preset=0) as archive:
            archive.add(self.tree, name, filter=owner)
        return path

    def test_a_tarball(self):
        self.assertEqual([], check.check_tarball(self.tarball()))
        self.assertEqual(["it has the folders tree, not one of its own name"], check.check_tarball(self.tarball("tree")))
        self.assertIn("belongs to the user 1000", check.check_tarball(self.tarball(uid=1000))[0])
        (self.tree / "lib/link").symlink_to("/etc")
        self.assertEqual(["warpsight-1.2.3-linux-x86_64/lib/link is neither a file nor a folder"],
                         check.check_tarball(self.tarball()))

    def test_a_file_that_is_missing(self):
        (self.tree / "share/applications/warpsight.desktop").unlink()
        self.assertEqual(["share/applications/warpsight.desktop is missing"], check.check_tarball(self.tarball()))


if __name__ == "__main__":
    unittest.main()
