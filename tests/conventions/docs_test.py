#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the pages on the code's structure say is so: modules, files, verbs.

Usage: docs_test.py [bin folder] [source folder], as the other tests of scripts.
"""
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(HERE / "tests/conventions"))
import check_layers  # noqa: E402

TOPS = check_layers.TOPS + ("tests", "deploy", "docs")
PAGES = ("docs/architecture.md", "docs/life_of_a_job.md", "docs/state_machine.md", "docs/new_physics.md",
         *sorted(f"docs/design/{page.name}" for page in (HERE / "docs/design").glob("*.md")))
NOT_CODE = {"server/main.cpp"}  # in the layer table, but no module


def paths_in(text):
    """(line number, path) of what stands between backticks and is named from the root."""
    for number, line in enumerate(text.splitlines(), 1):
        for path in re.findall(r"`((?:%s)/[\w./-]+)`" % "|".join(TOPS), line):
            yield number, path


def sentences_of(text):
    """Yields the sentences of a page: cells of tables stand for themselves, code counts as one word."""
    parts, open_part = [], []
    for line in [*re.sub(r"```.*?```", "", text, flags=re.S).split("\n"), ""]:
        bare = line.strip()
        if not bare or line.startswith("    ") or re.match(r"#|\||- |\d+\. ", bare):
            parts.append(" ".join(open_part))
            open_part = []
        if bare.startswith("|"):
            parts += bare.split("|")
        elif bare and not line.startswith(("    ", "#")):
            open_part.append(bare)
    for part in parts:
        part = re.sub(r"`[^`]*`", "code", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", part))
        yield from (" ".join(word for word in sentence.split() if re.search(r"\w", word))
                    for sentence in re.split(r"(?<=[.!?:])\s+", part))


class Docs(unittest.TestCase):
    def test_layer_table_says_what_each_module_has(self):
        lines = (HERE / "tests/conventions/layers.txt").read_text().splitlines()
        silent = [line.split(":")[0] for before, line in zip([""] + lines, lines)
                  if line and not line.startswith("#") and not re.match(r"# [A-Zk].*\.$", before)]
        self.assertEqual(silent, [])

    def test_architecture_names_the_folder_of_every_module(self):
        table = (HERE / "docs/architecture.md").read_text().split("## Folders")[1]
        named = {path for _, path in paths_in(table)} | {"solvers"}
        modules = check_layers.read_table(HERE / "tests/conventions/layers.txt")
        self.assertEqual([m for m in modules if m not in NOT_CODE
                          and not any(m == n or m.startswith(n + "/") for n in named)], [])

    def test_every_path_exists(self):
        missing = [f"{page}:{number}: {path}" for page in PAGES
                   for number, path in paths_in((HERE / page).read_text())
                   if not (HERE / path).exists()]
        self.assertEqual(missing, [])

    def test_every_bare_file_name_stands_beside_the_path_before_it(self):
        missing = []
        for page in PAGES:
            for number, line in enumerate((HERE / page).read_text().splitlines(), 1):
                module = None
                for name in re.findall(r"`([\w./-]+\.(?:cpp|hpp|sql|proto))`", line):
                    if name.split("/")[0] in TOPS:
                        module = pathlib.Path(name).parents[0]
                    elif module and not any(HERE.glob(f"{module}/**/{name}")) and not any(
                            HERE.glob(f"{module.parent}/**/{name}")):
                        missing.append(f"{page}:{number}: {name} beside {module}")
        self.assertEqual(missing, [])

    def test_every_decision_says_whether_it_holds(self):
        statuses = r"(Current|Changed by \[|Superseded by \[|Tried and dropped)"
        table = (HERE / "docs/decisions/README.md").read_text()
        wrong = []
        for page in sorted((HERE / "docs/decisions").glob("0*.md")):
            title, empty, status = page.read_text().splitlines()[:3]
            if empty or not title.startswith(f"# {page.name[:4]}") or not re.match(
                    r"\*\*Status\.\*\* " + statuses, status):
                wrong.append(page.name)
            if not re.search(rf"^\| \[{page.name[:4]}\]\({page.name}\) \|.*\]\(\.\./design/\w+\.md\) \|$", table, re.M):
                wrong.append(f"{page.name}: no row with its design note")
        self.assertEqual(wrong, [])

    def test_links_of_design_notes_and_decisions_lead_to_files(self):
        missing = [f"{page.name}: {link}" for folder in ("design", "decisions")
                   for page in (HERE / "docs" / folder).glob("*.md")
                   for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
                   if not (page.parent / link).exists()]
        self.assertEqual(missing, [])

    def test_promises_name_tests_that_are_there(self):
        text = (HERE / "docs/guarantees.md").read_text()
        named = re.findall(r"`([A-Z]\w+\.[A-Z]\w+)`", text)
        facts = [(script, fact) for line in text.splitlines()
                 for script, fact in re.findall(r'(\w+_test\.py) "([^"]+)"', line)]
        self.assertGreater(len(named), 30)
        self.assertGreater(len(facts), 3)
        tests = set()
        for file in HERE.glob("tests/**/*.cpp"):
            tests |= set(re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", file.read_text(), re.M))
        self.assertEqual([name for name in named if tuple(name.split(".")) not in tests], [])
        self.assertEqual([f"{script}: {fact}" for script, fact in facts
                          if fact not in (HERE / "tests/e2e" / script).read_text()], [])

    def test_verbs_are_those_of_kaname_compute(self):
        tools = (HERE / "worker/compute/tools.cpp").read_text()
        verbs = set(re.findall(r'\badd\("([\w-]+)"', tools))
        for kind in HERE.glob("worker/jobs/**/*_kind.cpp"):
            verbs |= set(re.findall(r'\.name = "([\w-]+)"', kind.read_text()))
        text = (HERE / "docs/architecture.md").read_text()
        sentence = text.split("does the numbers:")[1].split(". `solve` runs")[0]
        named = set(re.findall(r"`([a-z-]+)`", sentence))
        self.assertEqual(named, verbs)

    def test_every_reason_of_an_error_is_thrown_and_on_the_page_for_programs(self):
        header = HERE / "proto/reason/reasoned_error.hpp"
        reasons = dict(re.findall(r'char\* (k\w+) = "([A-Z_]+)";', header.read_text()))
        server = "".join(path.read_text() for path in (HERE / "server").rglob("*.cpp")) + header.read_text()
        rows = re.findall(r"^\| (`[A-Z_`, ]+`) \|", (HERE / "docs/user/service.md").read_text(), re.M)
        listed = [name for row in rows for name in re.findall(r"[A-Z_]+", row)]
        self.assertEqual(sorted(listed), sorted(reasons.values()))
        self.assertEqual([name for name in reasons if len(re.findall(rf"\b{name}\b", server)) < 2], [])

    def test_the_version_that_is_cited_is_the_program_s(self):
        built = re.search(r"project\(kaname VERSION ([\d.]+)", (HERE / "CMakeLists.txt").read_text())
        cited = re.search(r"^version: ([\d.]+)$", (HERE / "CITATION.cff").read_text(), re.M)
        newest = re.search(r"^## ([\d.]+) ", (HERE / "CHANGELOG.md").read_text(), re.M)
        self.assertEqual((cited.group(1), newest.group(1)), (built.group(1), built.group(1)))

    def test_the_landing_page_is_a_page(self):
        lines = (HERE / "README.md").read_text().splitlines()
        self.assertLessEqual(len(lines), 120)

    def test_user_pages_are_short_sentences_without_sources_and_decisions(self):
        long, away = [], []
        for page in sorted((HERE / "docs/user").glob("*.md")):
            text = page.read_text()
            away += [f"{page.name}: {link}" for link in re.findall(r"\]\(([^)]*)\)", text)
                     if re.search(r"decisions/|\.(cpp|hpp|cu|py|proto|sql)(#|$)", link)]
            long += [f"{page.name}: {words}" for words in sentences_of(text) if len(words.split()) >= 30]
        self.assertEqual((long, away), ([], []))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
