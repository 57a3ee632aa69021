#include "importers/nsys/domain_kinds.h"

#include <string_view>
#include <utility>

namespace warpsight::importers::nsys {
namespace {

constexpr std::pair<std::string_view, HostKind> kDomains[] = {
    {"op", HostKind::kOp},         {"python_function", HostKind::kPythonFunction},
    {"module", HostKind::kModule}, {"overhead", HostKind::kOverhead},
    {"span", HostKind::kSpan},     {"other", HostKind::kOther},
};

bool IsOurs(const SqliteDatabase& database) {
  constexpr std::string_view kTable = "META_DATA_EXPORT";
  if (!database.HasTable(kTable)) return false;
  enum { kName, kValue };
  const auto rows = database.Select(kTable, {"name", "value"});
  while (rows->Next()) {
    if (rows->Text(kName) == "EXPORT_PRODUCT_NAME") return rows->Text(kValue) == "Warpsight";
  }
  return false;
}

}  // namespace

DomainKinds ReadDomainKinds(const SqliteDatabase& database) {
  DomainKinds kinds;
  if (!database.HasTable("NVTX_EVENTS") || !IsOurs(database)) return kinds;
  kinds[0] = HostKind::kAnnotation;
  enum { kDomain, kText };
  // Event type 75 is NvtxDomainCreate.
  const auto rows = database.Select("NVTX_EVENTS", {"domainId", "text"}, "WHERE eventType = 75");
  while (rows->Next()) {
    for (const auto& [name, kind] : kDomains) {
      if (rows->Text(kText) == name) kinds[rows->Integer(kDomain)] = kind;
    }
  }
  return kinds;
}

}  // namespace warpsight::importers::nsys
