#include "importers/capture/host_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "importers/api/call_name.h"
#include "importers/api/host_row.h"
#include "importers/capture/op_signature.h"
#include "model/host_name.h"

namespace warpsight::importers::capture {
namespace {

constexpr int64_t kUserScope = 7;  // at::RecordScope::USER_SCOPE

HostKind KindOf(const wire::OpRecord& record, std::string_view name) {
  return record.scope == kUserScope ? HostKind::kAnnotation : OpOrAnnotation(name);
}

SignatureId Signature(int64_t number, RowPart& rows) {
  if (number == 0) return kNone<SignatureId>;
  return rows.signatures.Get(number, [&](int64_t unseen) {
    const auto bytes = rows.Bytes(unseen);
    if (!bytes || bytes->empty()) return kNone<SignatureId>;
    const auto inputs = DecodeInputs(*bytes);
    if (!inputs) {
      rows.Log("bad_inputs", "the inputs of an op are damaged; they were left out");
      return kNone<SignatureId>;
    }
    TracePart& part = rows.part();
    return part.Signature(part.Intern(inputs->dims), part.Intern(inputs->types),
                          part.Intern(inputs->strides), part.Intern(inputs->values));
  });
}

// Separates frames by ';', as PyTorch's traces do. Ops with the same stack share a row.
HostExtraId Stack(int64_t number, RowPart& rows) {
  if (number == 0) return kNone<HostExtraId>;
  return rows.stacks.Get(number, [&](int64_t unseen) {
    const auto bytes = rows.Bytes(unseen);
    if (!bytes || bytes->empty()) return kNone<HostExtraId>;
    std::string stack = RepairUtf8(*bytes);
    std::replace(stack.begin(), stack.end(), '\n', ';');
    auto& stacks = rows.tables().host_extras.call_stack;
    stacks.push_back(rows.part().Intern(stack));
    return MakeId<HostExtraId>(stacks.size() - 1);
  });
}

// Names of CUpti_ActivityOverheadKind as in PyTorch's profiler.
std::string_view OverheadName(int64_t kind) {
  switch (kind) {
    case 1:
      return "Driver Compiler";
    case 1 << 16:
      return "Buffer Flush";
    case 2 << 16:
      return "Instrumentation";
    case 3 << 16:
      return "Resource";
    case 4 << 16:
      return "Runtime Triggered Module Loading";
    case 5 << 16:
      return "Lazy Function Loading";
    case 6 << 16:
      return "Command Buffer Full";
    case 7 << 16:
      return "Activity Buffer Request";
    case 8 << 16:
      return "UVM Activity Init";
    default:
      return "Overhead";
  }
}

}  // namespace

void AddCall(const wire::CallRecord& record, RowPart& rows) {
  const auto times = rows.TimesOf(record.start, record.end);
  if (!times) return;
  const StringId name = rows.call_names.Get(record.name, [&](int64_t unseen) {
    const StringId text = rows.Text(unseen);
    return rows.part().Intern(std::string(WithoutVersion(rows.part().strings.View(text))));
  });
  ApiCallsTable& t = rows.tables().api;
  t.start.push_back(times->start);
  t.duration.push_back(times->duration);
  t.name.push_back(name);
  t.thread.push_back(rows.Thread(record.thread));
  t.kind.push_back(record.driver == 0 ? ApiKind::kRuntime : ApiKind::kDriver);
  t.correlation.push_back(record.correlation == 0 ? kMissing : record.correlation);
  t.args.push_back(record.result == 0
                       ? StringId::kEmpty
                       : rows.part().Intern(fmt::format("{{\"result\": {}}}", record.result)));
}

void AddOp(const wire::OpRecord& record, RowPart& rows) {
  const auto times = rows.TimesOf(record.start, record.end);
  if (!times) return;
  const StringId name = rows.Text(record.name);
  HostRangesTable& t = rows.tables().host;
  t.start.push_back(times->start);
  t.duration.push_back(times->duration);
  t.name.push_back(name);
  t.thread.push_back(rows.Thread(record.thread));
  t.kind.push_back(KindOf(record, rows.part().strings.View(name)));
  t.external_id.push_back(kMissing);
  t.sequence.push_back(record.sequence < 0 ? kMissing : record.sequence);
  t.forward_thread.push_back(record.forward_thread == 0 ? kMissing : record.forward_thread);
  t.signature.push_back(Signature(record.inputs, rows));
  t.extra.push_back(Stack(record.stack, rows));
}

void AddOverhead(const wire::OverheadRecord& record, RowPart& rows) {
  const auto times = rows.TimesOf(record.start, record.end);
  if (!times) return;
  Add(HostRow{times->start, times->duration, rows.part().Intern(OverheadName(record.kind)),
              rows.Thread(record.thread), HostKind::kOverhead},
      rows.part());
}

void AddMemory(const std::vector<wire::MemoryRecord>& records, RowPart& rows) {
  constexpr int64_t kCuda = 1;
  const bool by_framework = std::any_of(records.begin(), records.end(),
                                        [](const auto& record) { return record.by_cuda == 0; });
  MemoryEventsTable& t = rows.tables().memory;
  for (const wire::MemoryRecord& record : records) {
    if (record.by_cuda != 0 && by_framework) continue;
    if (!rows.IsTime(record.time)) continue;
    const auto total = [&](int64_t bytes) {
      return bytes < 0 ? kMissing : rows.Within(0, bytes, kLargestCount);
    };
    t.time.push_back(record.time);
    t.thread.push_back(rows.Thread(record.thread));
    t.device_type.push_back(kCuda);
    t.device.push_back(record.device);
    t.address.push_back(record.address);
    t.bytes.push_back(rows.Within(-kLargestCount, record.bytes, kLargestCount));
    t.total_allocated.push_back(total(record.allocated));
    t.total_reserved.push_back(total(record.reserved));
  }
}

}  // namespace warpsight::importers::capture
