"""Folders that only the user can change."""

import os
import sys
import tempfile
import unittest
from unittest import mock

from recorded import PYTHON

sys.path.insert(0, PYTHON)
from warpsight._private_files import Folder  # noqa: E402


class FolderTest(unittest.TestCase):
    def test_another_process_makes_the_folder_first(self):
        make = os.mkdir

        def make_twice(*arguments, **options):
            make(*arguments, **options)
            make(*arguments, **options)

        with tempfile.TemporaryDirectory() as base:
            with mock.patch("os.mkdir", make_twice), Folder(os.path.join(base, "cache/warpsight")) as folder:
                os.close(folder.open_lock("lock"))
            self.assertEqual(["lock"], os.listdir(folder.path))


if __name__ == "__main__":
    unittest.main()
