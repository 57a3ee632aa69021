#include "analysis/roofline/collectives.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/kernels/collective_kind.h"
#include "base/text.h"

namespace warpsight {
namespace {

// The prefix of the range that PyTorch records around each call of NCCL.
constexpr std::string_view kRangePrefix = "nccl:";

bool Names(const Trace& trace, CollectiveId id) {
  return IsSet(id) && !trace.Text(trace.tables.collectives.name[Index(id)]).empty();
}

double BytesOf(int64_t elements, double element_bytes) {
  if (elements < 0 || element_bytes < 0) return kMissingReal;
  return static_cast<double>(elements) * element_bytes;
}

}  // namespace

double CollectiveElementBytes(std::string_view dtype) {
  if (dtype.starts_with("Float8")) return 1;
  constexpr std::pair<std::string_view, double> kTypes[] = {
      {"Byte", 1},   {"Char", 1},         {"Bool", 1},           {"Short", 2},
      {"Half", 2},   {"BFloat16", 2},     {"UInt16", 2},         {"Int", 4},
      {"Float", 4},  {"UInt32", 4},       {"ComplexHalf", 4},    {"Long", 8},
      {"Double", 8}, {"ComplexFloat", 8}, {"ComplexDouble", 16}, {"UInt64", 8},
  };
  for (const auto& [name, bytes] : kTypes) {
    if (dtype == name) return bytes;
  }
  return kMissingReal;
}

double Collective::MessageBytes() const {
  if (kind == CollectiveKind::kBarrier) return kMissingReal;
  return std::max(bytes_in, bytes_out);
}

double Collective::BusFactor() const {
  if (group_size == kMissing || group_size < 2) return kMissingReal;
  const auto n = static_cast<double>(group_size);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return (n - 1) / n;
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kSendReceive:
      return 1;
    case CollectiveKind::kBarrier:
    case CollectiveKind::kUnknown:
      break;
  }
  return kMissingReal;
}

Collectives::Collectives(ProfileView profile)
    : profile_(profile), ranges_(RowCount(profile.trace.tables.threads)) {
  const Trace& trace = profile.trace;
  const HostRangesTable& host = trace.tables.host;
  std::vector<int8_t> is_range(trace.strings.size(), -1);
  for (size_t h = 0; h < host.start.size(); ++h) {
    int8_t& known = is_range[Index(host.name[h])];
    if (known < 0) known = trace.Text(host.name[h]).starts_with(kRangePrefix) ? 1 : 0;
    if (known == 1) ranges_[Index(host.thread[h])].push_back(MakeId<HostId>(h));
  }
}

CollectiveId Collectives::Recorded(GpuId kernel) const {
  const Trace& trace = profile_.trace;
  const GpuExtraId extra = trace.tables.gpu.extra[Index(kernel)];
  if (IsSet(extra)) {
    const CollectiveId id = trace.tables.gpu_extras.collective[Index(extra)];
    if (Names(trace, id)) return id;
  }
  const HostRangesTable& host = trace.tables.host;
  for (HostId op = profile_.facts.gpu.op[Index(kernel)]; IsSet(op);
       op = profile_.facts.host.parent[Index(op)]) {
    const HostExtraId host_extra = host.extra[Index(op)];
    if (!IsSet(host_extra)) continue;
    const CollectiveId id = trace.tables.host_extras.collective[Index(host_extra)];
    if (Names(trace, id)) return id;
  }
  return kNone<CollectiveId>;
}

HostId Collectives::RangeAround(GpuId kernel) const {
  const ApiId call = profile_.facts.gpu.api[Index(kernel)];
  if (!IsSet(call)) return kNone<HostId>;
  const ApiCallsTable& api = profile_.trace.tables.api;
  const HostRangesTable& host = profile_.trace.tables.host;
  const TimeNs time = api.start[Index(call)];
  const std::vector<HostId>& ranges = ranges_[Index(api.thread[Index(call)])];
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), time,
                       [&host](TimeNs at, HostId range) { return at < host.start[Index(range)]; });
  if (after == ranges.begin()) return kNone<HostId>;
  const HostId range = *(after - 1);
  return time < host.start[Index(range)] + host.duration[Index(range)] ? range : kNone<HostId>;
}

Collective Collectives::Of(GpuId kernel) const {
  const Trace& trace = profile_.trace;
  Collective found;
  if (const CollectiveId id = Recorded(kernel); IsSet(id)) {
    const CollectivesTable& t = trace.tables.collectives;
    const size_t row = Index(id);
    found.name = trace.Text(t.name[row]);
    found.kind = CollectiveNamed(found.name);
    found.group = trace.Text(t.group_name[row]);
    found.group_description = trace.Text(t.group_description[row]);
    found.dtype = trace.Text(t.dtype[row]);
    found.group_size = t.group_size[row] > 0 ? t.group_size[row] : kMissing;
    const double element = CollectiveElementBytes(found.dtype);
    found.bytes_in = BytesOf(t.elements_in[row], element);
    found.bytes_out = BytesOf(t.elements_out[row], element);
  } else if (const HostId range = RangeAround(kernel); IsSet(range)) {
    // In older PyTorch versions, the range has the shape of the tensor that is sent.
    found.name = trace.Text(trace.tables.host.name[Index(range)]).substr(kRangePrefix.size());
    found.kind = CollectiveNamed(found.name);
    const Signature* inputs = trace.InputsOf(range);
    if (const Tensor* sent = inputs != nullptr ? inputs->TensorAt(0) : nullptr) {
      const double element = ElementBytes(sent->type);
      if (element > 0) found.bytes_in = sent->Elements() * element;
    }
  }
  if (found.kind == CollectiveKind::kUnknown) {
    found.kind = profile_.facts.KindOf(trace.tables.gpu.name[Index(kernel)]).collective;
  }
  return found;
}

}  // namespace warpsight
