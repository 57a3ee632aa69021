#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpsight::importers::nsys {

// Writes a small Nsight Systems export, for tests. Times are nanoseconds.
class TestExport {
 public:
  TestExport() {
    EXPECT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
    Sql("CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
        "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"
        "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.3.1.0'),"
        "('EXPORT_SCHEMA_VERSION_MAJOR', '3');");
  }
  ~TestExport() { sqlite3_close(database_); }
  TestExport(const TestExport&) = delete;
  TestExport& operator=(const TestExport&) = delete;

  void Sql(const std::string& sql) {
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK)
        << sql << ": " << (message == nullptr ? "" : message);
    sqlite3_free(message);
  }

  static int64_t Global(int64_t pid, int64_t tid) {
    return (int64_t{1} << 48) + pid * 0x1000000 + tid;
  }

  int64_t String(const std::string& text) {
    const auto [it, added] = strings_.try_emplace(text, static_cast<int64_t>(strings_.size()) + 1);
    if (added) Sql(fmt::format("INSERT INTO StringIds VALUES ({}, {})", it->second, Text(text)));
    return it->second;
  }

  void Range(int64_t start, int64_t end, const std::string& text, int64_t tid = 100,
             int64_t pid = 10, int64_t type = 59, int64_t domain = 0) {
    Once(
        "CREATE TABLE NVTX_EVENTS(start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
        "globalTid INTEGER, textId INTEGER, domainId INTEGER)");
    Sql(fmt::format("INSERT INTO NVTX_EVENTS VALUES ({}, {}, {}, {}, {}, NULL, {})", start, end,
                    type, Text(text), Global(pid, tid), domain));
  }

  void Call(int64_t start, int64_t end, const std::string& name, int64_t correlation,
            int64_t tid = 100, int64_t pid = 10) {
    Once(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, end INTEGER, eventClass INTEGER, "
        "globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER)");
    Sql(fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ({}, {}, 0, {}, {}, {}, 0)",
                    start, end, Global(pid, tid), correlation, String(name)));
  }

  void Kernel(int64_t start, int64_t end, const std::string& name, int64_t correlation,
              int64_t pid = 10, int64_t device = 0) {
    Once(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, end INTEGER, deviceId INTEGER, "
        "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "demangledName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, "
        "blockY INTEGER, blockZ INTEGER)");
    Sql(
        fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({}, {}, {}, 1, 7, {}, {}, {}, "
                    "8, 1, 1, 128, 1, 1)",
                    start, end, device, correlation, Global(pid, 0), String(name)));
  }

  void Copy(int64_t start, int64_t end, int64_t correlation, int64_t pid = 10) {
    Once(
        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, "
        "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
        "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER)");
    Sql(fmt::format(
        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ({}, {}, 0, 1, 7, {}, {}, 4096, 1, 0, 2)",
        start, end, correlation, Global(pid, 0)));
  }

  void ThreadName(int64_t tid, const std::string& name, int64_t pid = 10) {
    Once("CREATE TABLE ThreadNames(nameId INTEGER, priority INTEGER, globalTid INTEGER)");
    Sql(fmt::format("INSERT INTO ThreadNames VALUES ({}, 0, {})", String(name), Global(pid, tid)));
  }

  // A call of a PyTorch function as PyProf marks it: the place from `start` to `end`, and the
  // function inside it, 50 ns from both ends.
  void Function(int64_t start, int64_t end, const std::string& function_stack,
                const std::string& op) {
    Range(start, end,
          fmt::format("{{'traceMarker': ['train.py:9', 'net.py:4'], 'funcStack': '{}'}}",
                      function_stack));
    Range(start + 50, end - 50,
          fmt::format("{{'mod': 'torch.nn.functional', 'op': '{}', 'args': [{{'name': '', 'type': "
                      "'tensor', 'shape': (16, 64), 'dtype': 'float16'}}, {{'name': '', 'type': "
                      "'tensor', 'shape': (128, 64), 'dtype': 'float16'}}]}}",
                      op));
  }

  std::string Bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(database_, "main", &size, 0);
    std::string copy(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
    sqlite3_free(bytes);
    return copy;
  }

 private:
  static std::string Text(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'') quoted += c;
      quoted += c;
    }
    return quoted + "'";
  }

  void Once(const std::string& create) {
    if (created_[create]++ == 0) Sql(create);
  }

  sqlite3* database_ = nullptr;
  std::map<std::string, int64_t> strings_;
  std::map<std::string, int> created_;
};

}  // namespace warpsight::importers::nsys
