# SPDX-License-Identifier: BSD-3-Clause
"""Tests of a command of `kaname data` in this process: a folder of their own, and what the command says."""
import contextlib
import io
import pathlib
import tempfile
import unittest


class CommandCase(unittest.TestCase):
    """``command`` is the module whose main() takes the words."""

    command = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_command(self, *words):
        """Returns standard output."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.command.main([str(word) for word in words])
        return said.getvalue()
