#include "random_edits.h"

#include <fmt/format.h>

#include "store/stored_tables.h"

namespace warpsight::fuzz {
namespace {

using store::StoredColumn;
using store::StoredTable;
using store::StoredType;

// Reading any of these as a table never ends, or takes all memory.
constexpr std::string_view kEndless[] = {
    "SELECT * FROM range(1000000000000)",
    "WITH RECURSIVE t(x) AS (SELECT 0 UNION ALL SELECT x FROM t) SELECT * FROM t",
    "SELECT list_sum(range(10000000000)) AS id",
};

constexpr std::string_view kTypes[] = {"VARCHAR", "BIGINT", "UTINYINT", "DOUBLE",
                                       "HUGEINT", "BLOB",   "INTEGER",  "UINTEGER[]"};

// Texts that are interpreted as shapes, types, arguments, names or paths.
constexpr std::string_view kTexts[] = {
    "",
    "[]",
    "[[]]",
    "[[[[[[[[",
    "[[9223372036854775807, 9223372036854775807], [-1, 0]]",
    "[[-9223372036854775808]]",
    "[[1e999, 2], [NaN]]",
    "[[2, 3], [3, 4], [0]]",
    "[\"float\", \"float\", \"\"]",
    "[\"c10::BFloat16\", \"unknown\"]",
    "[\"[1, 1]\", \"[9999999999]\", \"True\", \"groups\"]",
    "{\"step_num\": 99999999999999999999}",
    "{\"Process Group Ranks\": [",
    "{\"a\": {\"a\": {\"a\": {\"a\": \"\\u0000\"}}}}",
    "ProfilerStep#99999999999999999999",
    "ProfilerStep#1",
    "aten::mm",
    "aten::conv2d",
    "aten::convolution_backward",
    "aten::scaled_dot_product_attention",
    "autograd::engine::evaluate_function: AddBackward0",
    "Optimizer.step#Adam.step",
    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
    "cudaStreamSynchronize",
    "cudaLaunchKernel",
    "cudaGraphLaunch",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "void at::native::<<<<<<<<((((((((",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64",
    "/a/b/c/",
    "////",
    "=cmd|' /C calc'!A0",
    "\x1b]0;title\x07\x1b[31m",
    "<script>alert(1)</script>",
    "NVIDIA H100 80GB HBM3",
    "NVIDIA 99999999999999999999",
    "Float8_e4m3fn",
    "2147483647",
    "-1",
};

constexpr std::string_view kMetaKeys[] = {"schema_version", "origin_ns",      "end_ns",
                                          "profile_name",   "origin_unix_ns", "created"};

std::string Literal(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) literal += c == '\'' ? std::string("''") : std::string(1, c);
  return literal + "'";
}

}  // namespace

std::vector<std::string> RandomEdits::Next() {
  std::vector<std::string> edits;
  const uint64_t count = 1 + Below(4);
  for (uint64_t i = 0; i < count; ++i) edits.push_back(Edit());
  return edits;
}

std::string RandomEdits::Edit() {
  const uint64_t kind = Below(100);
  if (kind < 45) return ChangeValues();
  if (kind < 65) return ChangeText();
  if (kind < 78) return ChangeLinks();
  if (kind < 90) return ChangeRows();
  if (kind < 94) return ChangeMeta();
  return ChangeSchema();
}

RandomEdits::Place RandomEdits::AnyPlace() {
  static const Profile* const empty = new Profile;
  static const auto* const tables = new std::vector<StoredTable>(store::ListTables(*empty));
  const StoredTable& table = (*tables)[Below(tables->size())];
  const StoredColumn& column = table.columns[Below(table.columns.size())];
  Place place{std::string(table.name), fmt::format("\"{}\"", column.name), 'i', ""};
  if (column.type == StoredType::kReal) place.type = 'r';
  if (column.type == StoredType::kText) place.type = 't';
  if (column.type == StoredType::kKind) place.type = 'k';
  if (column.type == StoredType::kRow) {
    place.type = 'd';
    place.refers_to = (*tables)[column.limit_table].name;
  }
  return place;
}

std::string RandomEdits::Rows() {
  switch (Below(6)) {
    case 0:
      return "";
    case 1:
      return fmt::format(" WHERE rowid % {} = {}", 2 + Below(50), Below(2));
    case 2:
      return fmt::format(" WHERE rowid < {}", Below(100));
    default:
      return fmt::format(" WHERE rowid = {}", Below(4) == 0 ? Below(20) : Below(3000));
  }
}

std::string RandomEdits::Integer() {
  constexpr std::string_view kEnds[] = {"NULL",
                                        "0",
                                        "1",
                                        "-1",
                                        "2147483647",
                                        "4294967296",
                                        "281474976710656",
                                        "9007199254740992",
                                        "-9007199254740992",
                                        "1152921504606846976",
                                        "9223372036854775807",
                                        "-9223372036854775807"};
  return Below(3) == 0 ? std::to_string(Below(1 << 20)) : OneOf(kEnds);
}

std::string RandomEdits::Real() {
  constexpr std::string_view kEnds[] = {"NULL",  "0.0", "-0.0",  "-1.0",  "1e-308",
                                        "1e308", "100", "'nan'", "'inf'", "9007199254740992.0"};
  return OneOf(kEnds);
}

std::string RandomEdits::ValueFor(const Place& place) {
  if (Below(8) == 0) return "NULL";
  if (Below(8) == 0) {
    return fmt::format("(SELECT {} FROM {} LIMIT 1 OFFSET {})", place.column, place.table,
                       Below(50));
  }
  switch (place.type) {
    case 'r':
      return Real();
    case 'k':
      return Below(4) == 0 ? std::to_string(Below(256)) : std::to_string(Below(7));
    case 't':
      return Below(6) == 0 ? "4294967295"
                           : fmt::format("(SELECT id FROM strings LIMIT 1 OFFSET {})", Below(300));
    case 'd':
      if (Below(6) == 0) return std::to_string(Below(uint64_t{1} << 32));
      return fmt::format("(SELECT rowid FROM {} LIMIT 1 OFFSET {})", place.refers_to,
                         Below(3) == 0 ? Below(2000) : Below(10));
    default:
      if (Below(5) == 0) return fmt::format("{} + {}", place.column, Below(1000));
      if (Below(5) == 0) return fmt::format("{} / {}", place.column, 1 + Below(1000));
      return Integer();
  }
}

std::string RandomEdits::ChangeValues() {
  const Place place = AnyPlace();
  return fmt::format("UPDATE {} SET {} = {}{}", place.table, place.column, ValueFor(place), Rows());
}

std::string RandomEdits::ChangeRows() {
  const std::string table = AnyTable();
  switch (Below(8)) {
    case 0:
      return fmt::format("DELETE FROM {}", table);
    case 1:
    case 2:
      return fmt::format("DELETE FROM {}{}", table, Rows());
    case 3:
      return fmt::format("INSERT INTO {0} SELECT * FROM {0}", table);
    case 4:
      return fmt::format("INSERT INTO {0} SELECT * FROM {0} LIMIT {1}", table, 1 + Below(5));
    case 5:
      return fmt::format("CREATE OR REPLACE TABLE {0} AS SELECT * FROM {0} ORDER BY rowid DESC",
                         table);
    case 6:
      return fmt::format("CREATE OR REPLACE TABLE {0} AS SELECT * FROM {0} LIMIT {1}", table,
                         Below(500));
    default:
      return fmt::format("INSERT INTO {} (SELECT * REPLACE (NULL AS {}) FROM {} LIMIT 1)", table,
                         "\"name_id\"", table);
  }
}

std::string RandomEdits::HostileText() {
  switch (Below(6)) {
    case 0:
      return fmt::format("repeat('[', {})", 1 + Below(200'000));
    case 1:
      return fmt::format("repeat('[[2, 3], ', {})", 1 + Below(2000));
    case 2:
      return fmt::format("text || {}", Literal(OneOf(kTexts)));
    case 3:
      return fmt::format("replace(text, '{}', '{}')", Below(10), Below(1000));
    default:
      return Literal(OneOf(kTexts));
  }
}

// Changes one text, or all texts of a column by appending a number, since each text is unique.
std::string RandomEdits::ChangeText() {
  constexpr std::string_view kTextColumns[] = {"host_ranges.name_id",
                                               "gpu_activities.name_id",
                                               "api_calls.name_id",
                                               "signatures.input_dims_id",
                                               "signatures.input_types_id",
                                               "signatures.input_strides_id",
                                               "signatures.concrete_inputs_id",
                                               "host_extras.args_id",
                                               "host_extras.call_stack_id",
                                               "host_extras.module_hierarchy_id",
                                               "gpu_extras.args_id",
                                               "collectives.group_ranks_id",
                                               "collectives.dtype_id",
                                               "devices.name_id",
                                               "metadata.key_id",
                                               "metadata.value_id",
                                               "kernel_names.family_id",
                                               "kernel_names.library_id",
                                               "kernel_names.precision_id",
                                               "threads.tid_id",
                                               "processes.pid_id",
                                               "sources.path_id",
                                               "findings.rule_id",
                                               "trust.code_id",
                                               "instants.args_id",
                                               "import_log.code_id",
                                               "module_paths.path_id",
                                               "aggregations.key_op_id"};
  if (Below(10) == 0) {
    return fmt::format("UPDATE strings SET raw = '\\xFF\\xFE\\x00{}'::BLOB WHERE id = {}",
                       Below(1000), 1 + Below(500));
  }
  if (Below(12) == 0) return fmt::format("UPDATE strings SET text = NULL{}", Rows());
  const std::string place = OneOf(kTextColumns);
  const size_t dot = place.find('.');
  return fmt::format(
      "UPDATE strings SET text = {} WHERE id <> 0 AND id = (SELECT \"{}\" FROM {} LIMIT 1 OFFSET "
      "{})",
      HostileText(), place.substr(dot + 1), place.substr(0, dot), Below(3) == 0 ? 0 : Below(200));
}

// Changes references to other rows that exist.
std::string RandomEdits::ChangeLinks() {
  constexpr std::string_view kLinks[] = {
      "UPDATE host_ranges SET parent_id = rowid",
      "UPDATE host_ranges SET parent_id = rowid - 1 WHERE rowid > 0",
      "UPDATE host_ranges SET parent_id = rowid + 1 WHERE rowid < 10",
      "UPDATE host_ranges SET parent_id = NULL",
      "UPDATE host_ranges SET op_id = rowid",
      "UPDATE host_ranges SET op_id = NULL",
      "UPDATE host_ranges SET forward_id = 0 WHERE rowid > 0",
      "UPDATE host_ranges SET iteration_id = NULL",
      "UPDATE host_ranges SET direction = (direction + 1) % 4",
      "UPDATE host_ranges SET kind = (kind + 1) % 8",
      "UPDATE host_ranges SET thread_id = 0",
      "UPDATE host_ranges SET duration_ns = 0",
      "UPDATE api_calls SET op_id = NULL, iteration_id = NULL",
      "UPDATE api_calls SET duration_ns = 0",
      "UPDATE api_calls SET thread_id = 0, op_id = NULL",
      "UPDATE gpu_activities SET api_id = NULL, op_id = NULL",
      "UPDATE gpu_activities SET api_id = NULL, op_id = NULL, iteration_id = NULL",
      "UPDATE gpu_activities SET op_id = NULL",
      "UPDATE gpu_activities SET stream_id = 0",
      "UPDATE gpu_activities SET kind = 1, copy_direction = 1",
      "UPDATE gpu_activities SET kind = 1 WHERE rowid % 3 = 0",
      "UPDATE gpu_activities SET bytes = 9007199254740992 WHERE rowid < 100",
      "UPDATE gpu_activities SET duration_ns = 0",
      "UPDATE gpu_activities SET launch_config_id = NULL",
      "UPDATE streams SET process_id = 0",
      "UPDATE streams SET stream = 7, context = 1",
      "UPDATE devices SET ordinal = 0, sms = 4294967296, warp_size = 0",
      "UPDATE devices SET threads_per_sm = 4294967296, regs_per_sm = 1, shared_per_sm = 0",
      "UPDATE launch_configs SET grid_x = 4294967296, grid_y = 4294967296, grid_z = 4294967296",
      "UPDATE launch_configs SET block_x = 4294967296, block_y = 0, block_z = -1",
      "UPDATE iterations SET gpu_end_ns = 0",
      "UPDATE iterations SET end_ns = start_ns",
      "UPDATE iterations SET start_ns = 0, end_ns = 0, gpu_end_ns = 0",
      "UPDATE aggregations SET first = 0, last = 0",
      "UPDATE aggregations SET batch_size = 1152921504606846976",
      "UPDATE gaps SET cause = (cause + 1) % 8, op_id = NULL, next_id = NULL",
      "UPDATE gaps SET next_id = NULL",
      "DELETE FROM gaps",
      "DELETE FROM ledger",
      "DELETE FROM ledger_totals",
      "UPDATE ledger SET entry = (entry + 1) % 18",
      "UPDATE iterations SET window_end_ns = window_start_ns",
      "DELETE FROM module_paths",
      "DELETE FROM advice",
      "DELETE FROM trust",
      "DELETE FROM finding_evidence; DELETE FROM findings",
      "UPDATE kernel_names SET tensor_cores = (tensor_cores + 1) % 3, measured_launches = 1",
      "UPDATE collectives SET elements_in = 9007199254740992, group_size = 0",
      "UPDATE sources SET rank = 4294967296, world_size = -1",
  };
  return OneOf(kLinks);
}

std::string RandomEdits::ChangeMeta() {
  const std::string key = Literal(OneOf(kMetaKeys));
  switch (Below(4)) {
    case 0:
      return fmt::format("DELETE FROM warpsight WHERE key = {}", key);
    case 1:
      return fmt::format("INSERT INTO warpsight VALUES ({}, {})", key, Literal(OneOf(kTexts)));
    case 2:
      return fmt::format("UPDATE warpsight SET value = NULL WHERE key = {}", key);
    default:
      return fmt::format("UPDATE warpsight SET value = ({})::VARCHAR WHERE key = {}", Integer(),
                         key);
  }
}

std::string RandomEdits::ChangeSchema() {
  const Place place = AnyPlace();
  switch (Below(8)) {
    case 0:
      return fmt::format("DROP TABLE {0}; CREATE VIEW {0} AS {1}", place.table, OneOf(kEndless));
    case 1:
      return fmt::format("ALTER TABLE {} ALTER {} TYPE {}", place.table, place.column,
                         OneOf(kTypes));
    case 2:
      return fmt::format("ALTER TABLE {} RENAME COLUMN {} TO other", place.table, place.column);
    case 3:
      return fmt::format("ALTER TABLE {} DROP COLUMN {}", place.table, place.column);
    case 4:
      return fmt::format("ALTER TABLE {} ADD COLUMN other BIGINT DEFAULT 7", place.table);
    case 5:
      return fmt::format("DROP TABLE {}", place.table);
    case 6:
      return "CREATE MACRO count_star() AS 1; CREATE MACRO duckdb_tables() AS TABLE SELECT 1 AS x";
    default:
      return fmt::format("DROP TABLE strings; CREATE VIEW strings AS {}", OneOf(kEndless));
  }
}

}  // namespace warpsight::fuzz
