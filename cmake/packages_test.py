#!/usr/bin/env python3
"""Tests of packages.sh: which packages ./dev asks for, on systems that are made up here."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

CMAKE = Path(__file__).resolve().parent
DUCKDB = 'extern "C" const char* duckdb_library_version() {{ return "{}"; }}\n'
OS_RELEASE = {
    "bookworm": 'ID=debian\nVERSION_CODENAME=bookworm\n',
    "noble": 'ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n',
    "mint": 'ID=linuxmint\nID_LIKE="ubuntu debian"\n',
    "fedora": 'ID=fedora\nVERSION_ID=42\n',
    "nobara": "ID=nobara\nID_LIKE='rhel centos fedora'\n",
    "arch": 'ID=arch\n',
    "nixos": 'ID=nixos\n',
}
# The commands that ./dev itself calls.
PLAIN = ("bash", "awk", "sed", "grep", "tr", "head", "env", "cat", "readlink", "dirname")
# Fake commands: each knows the packages in the file `installed`, one per line, and those that exist
# in `lists`.
FAKES = {
    "dpkg-query": 'grep -qx "${@: -1}" "$system/installed" && printf installed',
    "rpm": 'grep -qx "${@: -1}" "$system/installed"',
    "pacman": '[[ $1 == -T ]] && grep -qx "$2" "$system/installed"',
    "apt-cache": '[[ $1 == depends ]] && { echo "  Depends: clang-14"; exit; }\n'
                 'grep -qx "$2" "$system/lists"',
    "apt-get": 'echo "apt-get $*" >>"$system/log"',
    "dnf": 'echo "dnf $*" >>"$system/log"',
}
HARNESS = """
set -euo pipefail
have() { command -v "$1" >/dev/null; }
say() { echo "[dev] $*"; }
die() { echo "[dev] $*" >&2; exit 1; }
os_release=$system/os-release
duckdb_headers=("$system/duckdb.h")
source "$packages"
as_root() { "$@"; }
"""


class PackagesTest(unittest.TestCase):
    def setUp(self):
        self.system = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.system)
        (self.system / "bin").mkdir()
        for name in ("installed", "lists", "log"):
            (self.system / name).touch()
        for name in PLAIN:
            (self.system / "bin" / name).symlink_to(shutil.which(name))
        for name, script in FAKES.items():
            self.command(name, script)

    def command(self, name, script="exit 0"):
        path = self.system / "bin" / name
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def shell(self, release, script, **variables):
        (self.system / "os-release").write_text(OS_RELEASE[release], encoding="utf-8")
        return subprocess.run(
            [shutil.which("bash"), "-c", HARNESS + script], cwd=CMAKE.parent, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            env={"PATH": str(self.system / "bin"), "system": str(self.system),
                 "packages": str(CMAKE / "packages.sh"), **variables})

    def missing(self, release, tests="ON", packaging="OFF"):
        done = self.shell(release, f'with_tests={tests} with_packaging={packaging}; '
                                   'missing_packages "$(system_family)"')
        self.assertEqual(("", 0), (done.stderr, done.returncode))
        return done.stdout.split()

    def log(self):
        return (self.system / "log").read_text(encoding="utf-8").splitlines()

    def test_families(self):
        for release, family in (("bookworm", "debian"), ("noble", "debian"), ("mint", "debian"),
                                ("fedora", "fedora"), ("nobara", "fedora"), ("arch", "arch"),
                                ("nixos", "")):
            self.assertEqual(family, self.shell(release, "system_family").stdout.strip(), release)

    def test_each_system_is_asked_for_its_own_names(self):
        (self.system / "lists").write_text("clang-format-14\nclang-tidy-14\n", encoding="utf-8")
        names = {
            "bookworm": {"g++", "libabsl-dev", "libhpdf-dev", "libgtest-dev", "libclang-rt-14-dev",
                         "clang-format-14", "chromium"},
            "fedora": {"gcc-c++", "abseil-cpp-devel", "libharu-devel", "gtest-devel", "compiler-rt", "libzstd-static",
                       "chromium"},
            "arch": {"gcc", "abseil-cpp", "libharu", "gtest", "compiler-rt", "chromium"},
        }
        for release, expected in names.items():
            missing = self.missing(release)
            self.assertEqual(set(), expected - set(missing), release)
            self.assertEqual(sorted(set(missing)), sorted(missing), "named twice")
            self.assertNotIn("-", missing)
            for other, foreign in names.items():
                if other != release:
                    self.assertEqual(set(), set(missing) & (foreign - expected), release)

    def test_the_program_needs_nothing_that_only_tests_need(self):
        for release in ("bookworm", "fedora", "arch"):
            program = set(self.missing(release, tests="OFF"))
            self.assertIn("cmake", program)
            for name in ("libgtest-dev", "gtest-devel", "gtest", "clang", "mold", "chromium",
                         "libbenchmark-dev", "google-benchmark-devel", "benchmark"):
                self.assertNotIn(name, program, release)

    def test_what_makes_packages_is_asked_for_only_then(self):
        tools = {"dpkg-dev", "file"}
        self.assertEqual(set(), tools & set(self.missing("bookworm")))
        self.assertEqual(tools, tools & set(self.missing("bookworm", tests="OFF", packaging="ON")))

    def test_ubuntu_has_chromium_only_as_a_snap(self):
        self.assertNotIn("chromium", self.missing("noble"))
        self.assertNotIn("chromium", self.missing("mint"))
        self.command("chromium")
        self.assertNotIn("chromium", self.missing("bookworm"))

    def test_a_snap_is_not_a_browser(self):
        def found(release, **variables):
            return self.shell(release, "browser", **variables).stdout.strip()

        self.assertEqual("", found("noble"))
        self.command("chromium-browser", "exec /snap/bin/chromium \"$@\"")
        self.assertEqual("", found("noble"))
        self.command("chromium-browser", "exec /usr/lib64/chromium-browser/chromium-browser.sh")
        self.assertEqual(str(self.system / "bin/chromium-browser"), found("fedora"))
        (self.system / "bin/snap").write_text("", encoding="utf-8")
        (self.system / "bin/snap").chmod(0o755)
        (self.system / "bin/chromium").symlink_to("snap")
        self.assertEqual("", found("noble"))
        self.command("brave")
        self.assertEqual(str(self.system / "bin/brave"),
                         found("noble", CHROMIUM=str(self.system / "bin/brave")))

    def test_clang_tools_of_another_version_are_not_installed(self):
        (self.system / "lists").write_text("clang-format-19\nlibclang-rt-dev\n", encoding="utf-8")
        missing = self.missing("bookworm")
        self.assertIn("libclang-rt-dev", missing)
        self.assertEqual([], [name for name in missing if "clang-format" in name])

    def test_existing_packages_are_not_installed(self):
        for release, library in (("bookworm", "libfmt-dev"), ("fedora", "fmt-devel"), ("arch", "fmt")):
            (self.system / "installed").write_text("", encoding="utf-8")
            self.assertIn(library, self.missing(release))
            (self.system / "installed").write_text(library + "\n", encoding="utf-8")
            self.assertNotIn(library, self.missing(release))
        self.assertIn("cmake", self.missing("arch"))
        self.command("cmake")
        self.assertNotIn("cmake", self.missing("arch"))

    def test_debian_and_fedora_install(self):
        for release, installs in (("noble", "apt-get -qq install"), ("fedora", "dnf -q install")):
            (self.system / "log").write_text("", encoding="utf-8")
            done = self.shell(release, "with_tests=OFF; install_packages")
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertTrue(self.log()[-1].startswith(installs), self.log())
            self.assertIn("cmake", self.log()[-1].split())

    def test_nothing_is_installed_if_nothing_is_missing(self):
        missing = self.shell("fedora", "with_tests=OFF; missing_packages fedora").stdout
        (self.system / "installed").write_text(missing, encoding="utf-8")
        for name in ("g++", "cmake", "ninja", "python3", "ccache", "node", "npm", "cmp",
                     "find"):
            self.command(name)
        self.assertEqual(0, self.shell("fedora", "with_tests=OFF; install_packages").returncode)
        self.assertEqual([], self.log())

    def test_arch_says_what_to_install(self):
        done = self.shell("arch", "with_tests=OFF; install_packages")
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stderr, r"please run: pacman -Syu --needed gcc cmake .*\bonetbb\b")
        self.assertEqual([], self.log())

    def test_an_unknown_system_gets_a_message_and_continues(self):
        done = self.shell("nixos", "with_tests=OFF; install_packages")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"unknown system.*Debian calls them: g\+\+ cmake .*libzstd-dev $")
        self.assertNotIn("libgtest-dev", done.stdout)

    def test_a_duckdb_that_is_too_old_is_not_used(self):
        compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
        self.command("python3", f'exec {shutil.which("python3")} "$@"')

        def usable(version):
            if version:
                (self.system / "duckdb.h").touch()
                source = self.system / "duckdb.cc"
                source.write_text(DUCKDB.format(version), encoding="utf-8")
                subprocess.run([compiler, "-shared", "-fPIC", "-o", self.system / "libduckdb.so",
                                source], check=True)
            return self.shell("bookworm", "system_duckdb",
                              LD_LIBRARY_PATH=str(self.system)).returncode == 0

        self.assertFalse(usable(None))
        self.assertFalse(usable("v0.10.3"))
        self.assertFalse(usable("v1.3.2"))
        self.assertTrue(usable("v1.4.0"))
        self.assertTrue(usable("v1.10.0-dev12"))
        (self.system / "libduckdb.so").unlink()  # only its header is left
        self.assertFalse(usable(None))


class FormatTest(unittest.TestCase):
    def test_another_clang_format_rewrites_nothing(self):
        """`./dev format` where only clang-format 15 exists."""
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "bin").mkdir()
            (root / "src").mkdir()
            (root / "cmake").mkdir()
            shutil.copy(CMAKE.parent / "dev", root)
            shutil.copy(CMAKE / "packages.sh", root / "cmake")
            source = root / "src/a.cc"
            source.write_text("int   a;\n", encoding="utf-8")
            for name in PLAIN + ("find", "sort", "xargs"):
                (root / "bin" / name).symlink_to(shutil.which(name))
            (root / "os-release").write_text(OS_RELEASE["bookworm"], encoding="utf-8")
            sudo = root / "bin/sudo"
            sudo.write_text(f'#!{shutil.which("bash")}\n"$@"\n', encoding="utf-8")
            sudo.chmod(0o755)
            for name in ("clang-format", "clang-format-15", "apt-get", "python3"):
                script = root / "bin" / name
                script.write_text(f'#!{shutil.which("bash")}\necho "{name} $*" >>"{root}/log"\n'
                                  f'[[ $1 != -i ]] || echo "int a;" >"{source}"\n', encoding="utf-8")
                script.chmod(0o755)
            done = subprocess.run([root / "dev", "format"], text=True,
                                  env={"PATH": str(root / "bin"),
                                       "os_release": str(root / "os-release")},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
            self.assertEqual(1, done.returncode, done.stderr)
            self.assertIn("this needs clang-format-14", done.stderr)
            self.assertEqual("int   a;\n", source.read_text(encoding="utf-8"))
            log = root / "log"
            self.assertNotIn("clang-format", log.read_text(encoding="utf-8") if log.exists() else "")


if __name__ == "__main__":
    unittest.main()
