#!/usr/bin/env python3
"""Checks that every C++ file includes the standard headers that it needs.

A file that gets `std::sort` through another header compiles with one standard library, but not with
another: GCC 13 and 14 include less than GCC 12. A file may rely only on the header with its own name
(x.cc and x_test.cc on x.h).

Usage: check_includes.py [--fix] [REPOSITORY]. Prints one line for each missing include and then exits
with 1; with --fix it adds them.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("src", "tests", "bench", "samples", "python")
SUFFIXES = (".h", ".cc", ".cpp", ".cu", ".cuh")

# Header -> the names in namespace std that it provides. If several headers provide a name, any of
# them is accepted; HOME says which one to add.
STD = {
    "algorithm": """adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if
        equal equal_range fill fill_n find find_if find_if_not find_first_of for_each for_each_n generate
        generate_n includes inplace_merge is_heap is_partitioned is_sorted is_sorted_until
        lexicographical_compare lower_bound make_heap max max_element merge min min_element minmax
        minmax_element mismatch next_permutation none_of nth_element partial_sort partition
        partition_point pop_heap prev_permutation push_heap remove_copy remove_copy_if remove_if replace
        replace_if reverse reverse_copy rotate search set_difference set_intersection
        set_symmetric_difference set_union shuffle sort sort_heap stable_partition stable_sort
        swap_ranges transform unique unique_copy upper_bound""",
    "any": "any any_cast",
    "array": "array to_array",
    "atomic": """atomic atomic_bool atomic_flag atomic_int atomic_ref atomic_signal_fence
        atomic_thread_fence atomic_uint64_t memory_order memory_order_acq_rel memory_order_acquire
        memory_order_relaxed memory_order_release memory_order_seq_cst""",
    "bit": """bit_cast bit_ceil bit_floor bit_width countl_one countl_zero countr_one countr_zero endian
        has_single_bit popcount rotl rotr""",
    "bitset": "bitset",
    "cctype": "isalnum isalpha isdigit ispunct isspace isupper islower isxdigit tolower toupper",
    "charconv": "chars_format from_chars from_chars_result to_chars to_chars_result",
    "chrono": "chrono",
    "cmath": """abs atan ceil cos exp exp2 fabs floor fmod isfinite isinf isnan llround log log10 log1p
        log2 lround nan nearbyint pow rint round signbit sin sqrt trunc""",
    "compare": "partial_ordering strong_ordering weak_ordering",
    "concepts": """convertible_to copyable derived_from floating_point integral invocable movable
        predicate regular same_as signed_integral totally_ordered unsigned_integral""",
    "condition_variable": "condition_variable condition_variable_any cv_status",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": """int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t
        uintmax_t uintptr_t""",
    "cstdio": """FILE fclose fflush fgets fopen fprintf fputs fread fseek ftell fwrite perror printf putc
        puts remove rename size_t snprintf sscanf vsnprintf""",
    "cstdlib": """abort abs atexit atof atoi atoll calloc exit _Exit free getenv malloc mkstemp qsort
        quick_exit rand realloc size_t strtod strtol strtoll strtoul strtoull system""",
    "cstring": """memchr memcmp memcpy memmove memset size_t strchr strcmp strerror strlen strncmp strrchr
        strstr""",
    "ctime": "clock gmtime localtime mktime strftime time time_t tm",
    "csignal": "raise sig_atomic_t signal",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr rethrow_exception terminate uncaught_exceptions",
    "execution": "execution",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "fstream ifstream ofstream",
    "functional": """bind cref equal_to function greater greater_equal hash invoke less less_equal
        minus multiplies not_fn plus ref reference_wrapper""",
    "future": "async future packaged_task promise shared_future",
    "initializer_list": "initializer_list",
    "iomanip": "get_time hex put_time setfill setprecision setw",
    "ios": "hex ios streamoff streamsize",
    "iostream": "cerr cin clog cout",
    "istream": "istream",
    "iterator": """advance back_inserter begin cbegin cend data distance empty end
        front_inserter inserter istreambuf_iterator istream_iterator iterator_traits make_move_iterator
        make_reverse_iterator move_iterator next ostream_iterator prev random_access_iterator_tag rbegin
        rend reverse_iterator size ssize""",
    "limits": "numeric_limits",
    "list": "list",
    "locale": "locale",
    "map": "map multimap",
    "memory": """addressof allocator allocator_traits default_delete dynamic_pointer_cast
        enable_shared_from_this make_shared make_unique make_unique_for_overwrite shared_ptr
        static_pointer_cast unique_ptr weak_ptr""",
    "mutex": """adopt_lock call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock
        try_to_lock unique_lock""",
    "new": "align_val_t bad_alloc hardware_destructive_interference_size launder nothrow set_new_handler",
    "numbers": "numbers",
    "numeric": "accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum reduce",
    "optional": "make_optional nullopt nullopt_t optional",
    "ostream": "endl flush ostream",
    "queue": "priority_queue queue",
    "random": """bernoulli_distribution default_random_engine exponential_distribution mt19937 mt19937_64
        normal_distribution random_device uniform_int_distribution uniform_real_distribution""",
    "ranges": "subrange views",
    "ratio": "micro milli nano ratio",
    "regex": "regex regex_match regex_replace regex_search smatch sregex_iterator",
    "set": "multiset set",
    "shared_mutex": "shared_lock shared_mutex",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringstream",
    "stack": "stack",
    "stdexcept": "domain_error invalid_argument logic_error out_of_range overflow_error runtime_error",
    "stop_token": "stop_source stop_token",
    "string": """basic_string char_traits getline size_t stod stof stoi stol stoll stoul stoull string
        to_string u16string u32string""",
    "string_view": "basic_string_view string_view u16string_view",
    "system_error": "errc error_code generic_category make_error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply forward_as_tuple get ignore make_tuple tie tuple tuple_element_t tuple_size tuple_size_v",
    "type_traits": """add_const_t add_pointer_t bool_constant common_type_t conditional_t decay_t
        enable_if_t false_type integral_constant invoke_result_t is_arithmetic_v is_base_of_v is_const_v
        is_constant_evaluated is_convertible_v is_empty_v is_enum_v is_floating_point_v is_integral_v
        is_invocable_v is_pointer_v is_same_v is_signed_v is_standard_layout_v is_trivially_copyable_v
        is_trivially_destructible_v is_unsigned_v is_void_v make_signed_t make_unsigned_t
        remove_const_t remove_cv_t remove_cvref_t remove_pointer_t remove_reference_t true_type
        type_identity_t underlying_type_t void_t""",
    "typeindex": "type_index",
    "typeinfo": "type_info",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": """as_const cmp_equal cmp_greater cmp_greater_equal cmp_less cmp_less_equal declval
        exchange forward get in_place in_place_t in_range index_sequence index_sequence_for
        integer_sequence make_index_sequence make_pair move pair piecewise_construct swap to_underlying""",
    "valarray": "valarray",
    "variant": "get get_if holds_alternative monostate variant variant_alternative_t visit",
    "vector": "vector",
}

HOME = {"abs": "cstdlib", "get": "tuple", "hex": "ios"}

# Names that every container's header also provides (C++20 [iterator.range]), and those of
# <cstddef>, which every header of the standard library needs.
ANYWHERE = {
    "begin", "end", "cbegin", "cend", "rbegin", "rend", "size", "ssize", "empty", "data", "size_t",
    "byte", "nullptr_t",
}

# C names that are used without std::, with the headers that provide them; the first one is added.
PLAIN = {
    r"\bu?int(?:8|16|32|64|max|ptr)_t\b": ("cstdint", "stdint.h", "inttypes.h", "cinttypes"),
    r"\bU?INT(?:8|16|32|64)_(?:MAX|MIN|C)\b": ("cstdint", "stdint.h", "inttypes.h", "cinttypes"),
    r"\bassert\s*\(": ("cassert", "assert.h"),
    r"\berrno\b": ("cerrno", "errno.h"),
    r"\bva_(?:list|start|end)\b": ("cstdarg", "stdarg.h"),
    r"\b(?:SIG[A-Z]{3,6}|SIG_DFL|SIG_IGN)\b": ("csignal", "signal.h"),
    r"\boffsetof\s*\(": ("cstddef", "stddef.h"),
    r"\b(?:PRI|SCN)[diux](?:8|16|32|64|PTR|MAX)\b": ("cinttypes", "inttypes.h"),
    r"\bINT_(?:MAX|MIN)\b": ("climits", "limits.h"),
}

# Standard headers that provide all names of another one, according to the synopsis in the standard.
BRINGS = {
    "iostream": {"istream", "ostream", "ios"},
    "fstream": {"istream", "ostream", "ios"},
    "sstream": {"istream", "ostream", "ios"},
    "istream": {"ostream", "ios"},
    "ostream": {"ios"},
    "cinttypes": {"cstdint"},
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)
NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^ ()\\]{0,16})\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.DOTALL)
# std::ranges::sort is in <algorithm>, like std::sort.
STD_NAME = re.compile(r"(?<![\w:])(?:::)?std::(?:ranges::)?([a-zA-Z_]\w*)")


def headers_by_name():
    table = {}
    for header, names in STD.items():
        for name in names.split():
            table.setdefault(name, set()).add(header)
    return table


HEADERS = headers_by_name()


def without_comments_and_texts(text):
    def blank(match):
        # The quotes of an include do not begin a string.
        line = text.rfind("\n", 0, match.start()) + 1
        if text[line:match.start()].lstrip().startswith("#"):
            return match.group()
        return '""' if match.group()[0] in "\"'R" else " "
    return NOT_CODE.sub(blank, text)


def includes_of(path):
    found = set()
    for header in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
        found.add(header)
        found |= BRINGS.get(header, set())
        if header.endswith(".h") and "/" not in header:
            found.add("c" + header.removesuffix(".h"))  # <string.h> provides what <cstring> does
    return found


def own_header(path):
    """x.h of x.cc, x_test.cc and x_bench.cc, if it exists."""
    if path.suffix == ".h":
        return None
    header = path.with_name(re.sub(r"_(test|bench)$", "", path.stem) + ".h")
    return header if header.is_file() else None


def missing_includes(path):
    """The headers that a file uses and does not include: {header: a name that needs it}."""
    text = path.read_text(encoding="utf-8", errors="replace")
    code = without_comments_and_texts(text)
    included = includes_of(path)
    header = own_header(path)
    if header:
        included |= includes_of(header)
    missing = {}
    for name in sorted(set(STD_NAME.findall(code)) - ANYWHERE):
        headers = HEADERS.get(name)
        if headers and not headers & included:
            missing.setdefault(HOME.get(name, min(headers)), f"std::{name}")
    for pattern, headers in PLAIN.items():
        use = re.search(pattern, code)
        if use and not included.intersection(headers):
            missing.setdefault(headers[0], use.group())
    return missing


def add_includes(path, headers):
    """Adds standard headers to the first block of standard headers; clang-format sorts them."""
    lines = path.read_text(encoding="utf-8").split("\n")
    new = [f"#include <{header}>" for header in sorted(headers)]
    for number, line in enumerate(lines):
        if re.match(r"#include <[a-z_0-9]+>", line):
            lines[number:number] = new
            break
    else:
        own = own_header(path)
        place = next((n for n, line in enumerate(lines) if line.startswith("#pragma once")), None)
        if place is None and own:
            place = next((n for n, line in enumerate(lines)
                          if line.startswith("#include") and own.name in line), None)
        if place is None:
            place = next(n for n, line in enumerate(lines) if line.startswith("#include")) - 1
            lines[place + 1:place + 1] = new + [""]
        else:
            lines[place + 1:place + 1] = [""] + new
    path.write_text("\n".join(lines), encoding="utf-8")


def source_files(root):
    for folder in FOLDERS:
        for path in sorted(Path(root, folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def check(root):
    """All missing includes below `root`: {path: {header: name}}."""
    problems = {}
    for path in source_files(root):
        missing = missing_includes(path)
        if missing:
            problems[path] = missing
    return problems


def main():
    arguments = sys.argv[1:]
    fix = "--fix" in arguments
    roots = [a for a in arguments if a != "--fix"]
    root = Path(roots[0]) if roots else Path(__file__).resolve().parent.parent
    if fix:
        # Headers first: files with the same name as a header may rely on it.
        for path in sorted(source_files(root), key=lambda p: p.suffix != ".h"):
            missing = missing_includes(path)
            if missing:
                add_includes(path, missing)
    problems = check(root)
    for path, missing in problems.items():
        for header, name in missing.items():
            print(f"{path.relative_to(root)}: missing #include <{header}> for {name}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
