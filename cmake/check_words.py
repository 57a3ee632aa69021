#!/usr/bin/env python3
"""Checks the wording of messages, docs and comments: American spelling, and phrases that read like a translation.

Usage: check_words.py [FOLDER]. Prints one line per finding and then exits with 1. A line that must contain such a word,
because another program writes it, is allowed by the text `words:ok` in the line.
"""

import re
import subprocess
import sys
from pathlib import Path

SUFFIXES = {".cc", ".cmake", ".cpp", ".css", ".cu", ".cuh", ".h", ".md", ".mjs", ".py", ".sh", ".ts", ".tsx"}
NAMES = {"CMakeLists.txt", "dev"}
# Recorded data and expected output, other people's code, and the lists of these words.
SKIPPED = ("third_party/", "tests/data/", "tests/fuzz/seeds/", "tests/fuzz/crashes/", "cmake/check_words",
           "tests/check_trace/words.py", "tests/check_trace/check_trace_test.py")

_AFTER_NO = r"(?!\w+er than\b|longer\b|more\b|less\b|fewer\b|other\b|one\b|such\b|better\b|worse\b)"

# What to avoid, and what to write.
PHRASES = [
    (re.compile(pattern, re.IGNORECASE), instead)
    for pattern, instead in [
        (r"\banew\b", "again"),
        (r"\bwhoever\b", "anyone who; name who it is"),
        (r"\btold of\b", "notified of"),
        (r"\binside of\b", "inside"),
        (r"\boutside of\b", "outside"),
        (r"\bfor ever\b", "forever"),
        (r"\bhardly (?:any|more|the)\b", "almost no; little more; barely"),
        (r"\bworth saying\b", "significant; name the threshold"),
        (r"\bnobody (?:knows|asks|reads|wants|needs)\b", "name who or what it is"),
        (r"\b(?:pass(?:ed|ing) over|taken for damage)\b", "skipped; treated as damage"),
        (r"\b(?:told|tell|tells|telling)(?: \w+){0,3} apart\b", "distinguish"),
        (r"\b(?:is|are) said\b(?! to\b)", "is reported"),
        (r"\b(?:is|are) not there\b", "is missing; does not exist"),
        (r"\bleft alone\b|(?-i:LeftAlone)", "not changed; not recorded"),
        (r"\b(?:is|are|was|were) looked at\b|_looked_at\b", "is checked; is viewed"),
        (r"\bcut short\b", "truncated"),
        (r"\bone a line\b", "one per line"),
        (r"\bby turns\b", "alternately"),
        # "X is no Y" for "X is not a Y". "There is no Y" and "Is there no Y" are fine.
        (r"(?<!\bthere )\b(?:is|are|was|were) no " + _AFTER_NO + r"(?=[a-z])", "is not a; are not"),
        # The same in names of tests.
        (r"(?-i:(?<!There)(?:Is|Are)No(?=[A-Z])(?!Longer|More))|(?<!there)_(?:is|are)_no_(?!longer|more)",
         "IsNotA; is_not_a"),
        # British spelling.
        (r"\b(?:behaviour|colour|favour|honour|labour|neighbour|flavour)\w*", "-or"),
        (r"\b(?:centre|metre|fibre)s?\b", "-er"),
        (r"\b(?:catalogue|analogue|dialogue)s?\b", "-og"),
        (r"\blicence\w*", "license"),
        (r"\bgrey\w*", "gray"),
        (r"\banalys(?:e|ed|ing)\b", "analyz-"),
        (r"\b(?:label|model|travel|signal|channel)l(?:ed|ing)\b", "one l"),
        (r"\b(?:summar|normal|optim|initial|serial|synchron|vector|parallel|quant|minim|maxim|util|recogn|organ|real"
         r"|general|final|special|visual|categor|priorit|custom|character|memor|stabil|local|author)is(?:e|ed|es|er|ers"
         r"|ing|ation|ations|able)(?-i:(?![a-z]))", "-iz-"),
    ]
]


def findings(text):
    """(line number, phrase, what to write instead) of each finding."""
    before = ""
    for number, line in enumerate(text.splitlines(), 1):
        # A sentence may go on from the line before: "so there / are no".
        words = line.strip().lstrip("/#*").strip()
        searched = f"there {words}" if before.rstrip().endswith("there") else words
        before = line
        if "words:ok" in line:
            continue
        for pattern, instead in PHRASES:
            match = pattern.search(searched)
            if match:
                yield number, match[0], instead


def checked_files(root):
    """The files of the repository whose words are ours."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files"], check=True, stdout=subprocess.PIPE, text=True)
    for name in listed.stdout.splitlines():
        path = Path(name)
        if (path.suffix in SUFFIXES or path.name in NAMES) and not name.startswith(SKIPPED):
            yield name


def check(root):
    """One line per finding."""
    lines = []
    for name in checked_files(root):
        path = root / name
        if not path.is_file():
            continue
        for number, phrase, instead in findings(path.read_text(encoding="utf-8")):
            lines.append(f"{name}:{number}: \"{phrase}\": write \"{instead}\"")
    return lines


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    lines = check(root)
    for line in lines:
        print(line)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
