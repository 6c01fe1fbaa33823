#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Names in anonymous namespaces differ within a module, since up to 24 of its sources are compiled as one.

The compiler sees a clash only where both sources fall into one batch, and a function of another source
that takes other arguments could be called without a word: here both are found anywhere in the module.
Sources of unit tests have a namespace of their own, called like the source."""
import collections
import pathlib
import re
import sys

COMMENTS_AND_TEXTS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^\s*#[^\n]*(?:\\\n[^\n]*)*',
    re.S | re.M)
TYPE = re.compile(r"(?:class|struct|union|enum(?: class| struct)?) (?:alignas\([^)]*\) )?(\w+)")


def modules(root):
    """{module and language: its sources} by the calls of kaname_module."""
    found = {}
    for lists in ("solvers", "proto", "worker", "server", "client"):
        text = (root / lists / "CMakeLists.txt").read_text()
        for folder, rest in re.findall(r"kaname_module\((\S+?)((?:\s[^)]*)?)\)", text):
            subfolders = re.search(r"SUBDIRS((?: [a-z_/0-9]+)*)", rest)
            folders = [folder] + [f"{folder}/{s}" for s in (subfolders[1].split() if subfolders else [])]
            for kind in ("*.cpp", "*.cu"):
                found[f"{folder}/{kind}"] = [p for f in folders for p in sorted((root / f).glob(kind))
                                             if p.name != "main.cpp"]
    return found


def statements(text):
    """Declarations at the top of anonymous namespaces, and static ones at that of others, without bodies."""
    text = COMMENTS_AND_TEXTS.sub(lambda m: '""' if m[0][0] in "R\"" else " ", text)
    scopes = []  # of each open brace: "anonymous", "namespace" or "body"
    begun = 0
    for at, letter in enumerate(text):
        if letter not in "{};":
            continue
        piece = " ".join(text[begun:at].split())
        anonymous = "anonymous" in scopes
        if "body" not in scopes and piece and not piece.startswith("namespace"):
            if anonymous or re.match(r"(\[\[\w+\]\] )?(inline |constexpr )*static ", piece):
                yield piece
        if letter == "{":
            scopes.append("anonymous" if piece in ("namespace", "inline namespace") else
                          "namespace" if re.match(r"(inline )?namespace\b", piece) else "body")
        elif letter == "}" and scopes:
            scopes.pop()
        begun = at + 1


def name_of(statement):
    """The name that a declaration makes, or None where it makes none of its own."""
    statement = re.sub(r"^template <.*?>(?= (?:class|struct|using|\[\[|\w))", "", statement)
    statement = re.sub(r"\[\[.*?\]\]|__launch_bounds__\(.*?\)", "", statement).strip()
    while "<" in statement and (shorter := re.sub(r"<[^<>()]*>", "", statement)) != statement:
        statement = shorter
    if statement.startswith("using "):
        alias = re.match(r"using (\w+) =", statement)
        return alias[1] if alias else None
    if kind := TYPE.match(statement):
        return kind[1]
    head = re.split(r"[=(\[]", statement)[0].rstrip()
    name = re.search(r"(?:^|[\s*&])(\w+)$", head)
    return name[1] if name and " " in head.replace("*", " ").replace("&", " ").strip() else None


def clashes(sources):
    """{name: the sources that declare it}, of names that several declare; the same alias may recur."""
    users = collections.defaultdict(dict)
    for source in sources:
        for statement in statements(source.read_text()):
            name = name_of(statement)
            if name and name != "operator":
                users[name][source.name] = statement
    return {name: sorted(by_source) for name, by_source in users.items()
            if len(by_source) > 1 and not (len(set(by_source.values())) == 1 and
                                           next(iter(by_source.values())).startswith("using "))}


def main():
    root = pathlib.Path(sys.argv[2])
    bad = []
    count = 0
    for module, sources in modules(root).items():
        count += len(sources)
        bad += [f"{module}: {name} is declared by {', '.join(users)}"
                for name, users in sorted(clashes(sources).items())]
    for source in sorted((root / "tests/unit").rglob("*_test.cpp")):
        count += 1
        if not re.search(rf"^namespace kaname(::\w+)*::{source.stem} {{$", source.read_text(), re.M):
            bad.append(f"{source.relative_to(root)}: its names are in no namespace {source.stem}")
    print("\n".join(bad))
    print(f"{count} sources read, {len(bad)} names to make different")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
