#!/usr/bin/env python3
"""Writes a C++ file that compares every declaration in src/agent/cuda_abi with the vendor's headers.

It compiles where both agree: the value of every constant, the size of every struct, the offset and
type of every field, the type of every alias and function. A declaration that is not understood is an
error, so that none is left out. The comment above a struct may name later versions of it with their
sizes ("NAME, 200 bytes"): these must have that size and the same fields at the same offsets, except
for padding and reserved fields.

Usage: generate_check.py OUTPUT HEADER...
"""

import re
import sys
from pathlib import Path

VENDOR_HEADERS = ("cuda.h", "cupti.h", "cupti_profiler_host.h", "cupti_profiler_target.h",
                  "cupti_range_profiler.h", "cupti_target.h", "nvtx3/nvToolsExt.h")
OURS = "::warpsight::agent::"

NAMESPACE = re.compile(r"namespace warpsight::agent \{(.*)\}\s*$", re.DOTALL)
OPAQUE = re.compile(r"struct \w+;")
ENUM = re.compile(r"enum (\w+) : [\w ]+ \{([^{}]*)\};")
ENUMERATOR = re.compile(r"\s*(\w+) = -?\w+\s*")
RECORD = re.compile(r"(?:struct|union) (?:alignas\(8\) )?(\w+) \{([^{}]*)\};")
FIELD = re.compile(r"[\w ]+[\w*]\*? ?(?<=[ *])(\w+)(?:\[\d+\])?( = \d+)?")
POINTER_FIELD = re.compile(r"[\w ]+\*? \(\*(\w+)\)\([^()]*\)")
ALIAS = re.compile(r"using (\w+) = [^;{}]+;")
CONSTANT = re.compile(r"constexpr \w+ (\w+) = -?\w+;")
FUNCTION = re.compile(r"\w+ (\w+)\([^();]*\);")
LATER_VERSION = re.compile(r"(\w+), (\d+) bytes")
SKIPPED_LATER = re.compile(r"(pad|reserved)")


class NotUnderstood(Exception):
    """A declaration in a form that this script does not know."""


class Check:
    """The file to write. It captures our names before the vendor's headers, whose macros would
    replace some of them."""

    def __init__(self):
        self.captured = []
        self.asserted = []

    def capture_constant(self, name):
        self.captured.append(f"constexpr auto our_{name} = {OURS}{name};")

    def capture_type(self, name):
        self.captured.append(f"using our_{name} = {OURS}{name};")

    def require(self, condition, what):
        self.asserted.append(f'static_assert({condition}, "{what}");')

    def constant(self, name):
        self.capture_constant(name)
        self.require(f"static_cast<long long>(our_{name}) == static_cast<long long>({name})", name)

    def enum(self, name, enumerators):
        self.capture_type(name)
        for enumerator in filter(str.strip, enumerators.split(",")):
            match = ENUMERATOR.fullmatch(enumerator)
            if not match:
                raise NotUnderstood(enumerator.strip())
            self.constant(match[1])

    def record(self, name, body, comment):
        self.capture_type(name)
        fields = list(record_fields(body))
        self.require(f"sizeof(our_{name}) == sizeof(::{name})", f"size of {name}")
        for field, has_value in fields:
            self.field(name, name, field, "Same")
            if has_value:
                self.captured.append(f"constexpr auto our_{name}_{field} = {OURS}{name}{{}}.{field};")
                self.require(f"our_{name}_{field} == {name}_STRUCT_SIZE", f"{name}_STRUCT_SIZE")
        for later, size in LATER_VERSION.findall(comment):
            self.require(f"sizeof(::{later}) == {size}", f"size of {later}")
            for field, _ in fields:
                if not SKIPPED_LATER.match(field):
                    self.field(name, later, field, "Extends")

    def field(self, ours, theirs, field, comparison):
        self.require(f"offsetof(our_{ours}, {field}) == offsetof(::{theirs}, {field})",
                     f"offset of {theirs}::{field}")
        self.require(f"abi::{comparison}<decltype(our_{ours}::{field}), decltype(::{theirs}::{field})>()",
                     f"type of {theirs}::{field}")

    def alias(self, name):
        self.capture_type(name)
        self.require(f"abi::Same<our_{name}, ::{name}>()", f"type of {name}")

    def function(self, name):
        self.captured.append(f"using our_{name} = decltype({OURS}{name});")
        self.require(f"abi::Same<our_{name}*, decltype(&::{name})>()", f"signature of {name}")

    def text(self, headers):
        lines = [f'#include "{header}"' for header in headers]
        lines += ['#include "tests/cuda_abi/abi_shape.h"', "", "namespace {", *self.captured,
                  "}  // namespace", "", "#define NVTX_NO_IMPL"]
        lines += [f"#include <{header}>" for header in VENDOR_HEADERS]
        return "\n".join(lines + ["", "#include <cstddef>", "", *self.asserted, ""])


def record_fields(body):
    """Yields (name, whether it has a default value) for each field of a struct."""
    for field in filter(None, (part.strip() for part in body.split(";"))):
        field = " ".join(field.split())
        match = FIELD.fullmatch(field) or POINTER_FIELD.fullmatch(field)
        if not match:
            raise NotUnderstood(field)
        yield match[1], match.re is FIELD and match[2] is not None


def without_comments(text):
    """The text with comments blanked out, so that positions stay the same."""
    return re.sub(r"//[^\n]*", lambda match: " " * len(match[0]), text)


def comment_above(text, position):
    """The comment lines directly above a position, as one line."""
    lines = text[:position].splitlines()
    comment = []
    while lines and lines[-1].startswith("// "):
        comment.insert(0, lines.pop()[3:])
    return " ".join(comment)


def add_header(check, text):
    """Adds everything that a header declares."""
    code = without_comments(text)
    inside = NAMESPACE.search(code)
    if not inside:
        raise NotUnderstood("not all in namespace warpsight::agent")
    position, end = inside.span(1)
    forms = ((ENUM, lambda m: check.enum(m[1], m[2])),
             (RECORD, lambda m: check.record(m[1], m[2], comment_above(text, m.start()))),
             (ALIAS, lambda m: check.alias(m[1])), (CONSTANT, lambda m: check.constant(m[1])),
             (FUNCTION, lambda m: check.function(m[1])), (OPAQUE, lambda m: None))
    while code[position:end].strip():
        position += len(code[position:end]) - len(code[position:end].lstrip())
        for form, add in forms:
            match = form.match(code, position, end)
            if match:
                add(match)
                position = match.end()
                break
        else:
            raise NotUnderstood(code[position:end].splitlines()[0])


def main():
    check = Check()
    headers = []
    for path in map(Path, sys.argv[2:]):
        try:
            add_header(check, path.read_text(encoding="utf-8"))
        except NotUnderstood as error:
            print(f"{path}: not understood, so it would not be checked: {error}", file=sys.stderr)
            return 1
        headers.append(f"agent/cuda_abi/{path.name}")
    Path(sys.argv[1]).write_text(check.text(headers), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
