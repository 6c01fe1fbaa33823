# SPDX-License-Identifier: BSD-3-Clause
"""The command lines of `kaname data`: what argparse refuses becomes the package's own error with field, rule and value."""
from __future__ import annotations

import argparse
import re
from typing import NoReturn

from ..errors import Error, Violation

_TYPES = {"int": "a whole number", "float": "a number"}


class Parser(argparse.ArgumentParser):
    """Raises InvalidArgument where argparse would print and exit."""

    def add_output(self, of: str = "files; default: the file's", picture: bool = True) -> None:
        """Adds what all commands have that write a folder of files with a name in common."""
        self.add_argument("-o", "--output", metavar="DIR", help="folder; default: the name")
        self.add_argument("--name", help=f"of the {of}")
        self.add_argument("--force", action="store_true", help="replace files that are there")
        self.add_argument("--json", action="store_true", help="JSON to standard output")
        if picture:
            self.add_argument("--no-picture", action="store_true", help="leave out NAME.png")

    def error(self, message: str) -> NoReturn:
        field, rule = _field_and_rule(message)
        raise Error("InvalidArgument", f"{field}: {rule}; {self.prog} --help has the options", [Violation(field, rule)])


def _field_and_rule(message: str) -> tuple[str, str]:
    """Returns what argparse says as field and "rule, got value"."""
    about = re.fullmatch(r"argument (.+?): (.*)", message, re.S)
    if about is None:
        kind, _, rest = message.partition(": ")
        if kind == "the following arguments are required":
            return rest, "must be given"
        if kind == "unrecognized arguments":
            return rest.split()[0], f"must be an option of the command, got '{rest}'"
        return "command line", message
    field, said = about[1].split("/")[-1], about[2]
    wrong = re.fullmatch(r"invalid (\w+) value: ('.*')", said, re.S)
    if wrong is not None:
        return field, f"must be {_TYPES.get(wrong[1], wrong[1])}, got {wrong[2]}"
    choice = re.fullmatch(r"invalid choice: (.+) \(choose from (.*)\)", said, re.S)
    if choice is not None:
        words = [word.strip("' ") for word in choice[2].split(",")]
        return field, f"must be {', '.join(words[:-1])}{' or ' if words[:-1] else ''}{words[-1]}, got {choice[1]}"
    return field, said.replace("expected ", "must have ")
