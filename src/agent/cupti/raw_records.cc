#include "agent/cupti/raw_records.h"

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

namespace warpsight::agent {
namespace {

struct EntryHeader {
  uint32_t size;       // of the record
  uint32_t name_size;  // with its final 0
};

// How much of a record is read, and where its name is. 0 for kinds that are not translated.
struct Layout {
  size_t size;
  size_t name;  // offset of the pointer, 0: none
};
Layout LayoutOf(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return {sizeof(CUpti_ActivityKernel7), offsetof(CUpti_ActivityKernel7, name)};
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return {sizeof(CUpti_ActivityMemcpy5), 0};
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return {sizeof(CUpti_ActivityMemcpyPtoP4), 0};
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return {sizeof(CUpti_ActivityMemset4), 0};
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return {sizeof(CUpti_ActivitySynchronization), 0};
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return {sizeof(CUpti_ActivityOverhead), 0};
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return {sizeof(CUpti_ActivityDevice4), offsetof(CUpti_ActivityDevice4, name)};
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return {sizeof(CUpti_ActivityMemory3), 0};
    default:
      return {0, 0};
  }
}

}  // namespace

void RawRecords::Add(const CUpti_Activity& record, const void* end) {
  const auto* begin = reinterpret_cast<const char*>(&record);
  const Layout layout = LayoutOf(record.kind);
  if (layout.size == 0 || begin + layout.size > static_cast<const char*>(end)) return;
  uintptr_t name = 0;
  if (layout.name != 0) std::memcpy(&name, begin + layout.name, sizeof(name));
  const std::string text = name == 0 ? "" : reinterpret_cast<const char*>(name);
  const EntryHeader header{static_cast<uint32_t>(layout.size),
                           static_cast<uint32_t>(text.size() + 1)};
  bytes_.append(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes_.append(begin, layout.size);
  bytes_.append(text.c_str(), header.name_size);
}

void RawRecords::AppendTo(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) return;
  std::fwrite(bytes_.data(), 1, bytes_.size(), file);
  std::fclose(file);
}

RawRecords RawRecords::Read(std::string bytes) {
  RawRecords records;
  records.bytes_ = std::move(bytes);
  const std::string& all = records.bytes_;
  for (size_t at = 0; at + sizeof(EntryHeader) <= all.size();) {
    EntryHeader header{};
    std::memcpy(&header, all.data() + at, sizeof(header));
    at += sizeof(header);
    if (header.size + size_t{header.name_size} > all.size() - at) break;
    const size_t offset = records.memory_.size();
    records.memory_.resize(offset + (header.size + 7) / 8);
    char* record = reinterpret_cast<char*>(records.memory_.data() + offset);
    std::memcpy(record, all.data() + at, header.size);
    const char* name = all.data() + at + header.size;
    CUpti_ActivityKind kind{};
    std::memcpy(&kind, record, sizeof(kind));
    if (const size_t place = LayoutOf(kind).name; place != 0) {
      std::memcpy(record + place, &name, sizeof(name));
    }
    records.offsets_.push_back(offset);
    at += header.size + header.name_size;
  }
  return records;
}

const CUpti_Activity& RawRecords::operator[](size_t i) const {
  return *reinterpret_cast<const CUpti_Activity*>(memory_.data() + offsets_[i]);
}

}  // namespace warpsight::agent
