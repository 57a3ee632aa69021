#include "analysis/facts/batch_size.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "model/limits.h"

namespace warpsight {
namespace {

// Which input of a layer holds the samples; -1 for other ops.
int SampleInput(std::string_view op) {
  if (op == "aten::embedding") return 1;
  if (op == "aten::conv1d" || op == "aten::conv2d" || op == "aten::conv3d" ||
      op == "aten::convolution" || op == "aten::linear") {
    return 0;
  }
  return -1;
}

// The first number of the n-th list in "[[8, 3, 224, 224], [64, 3, 7, 7], []]".
int64_t LeadingDimension(std::string_view dims, int input) {
  size_t pos = dims.find('[');
  for (int i = 0; i <= input && pos != std::string_view::npos; ++i) pos = dims.find('[', pos + 1);
  if (pos == std::string_view::npos) return kMissing;
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(dims.data() + pos + 1, dims.data() + dims.size(), value);
  return error == std::errc() && value > 0 && value <= kLargestCount ? value : kMissing;
}

}  // namespace

int64_t GuessBatchSize(const Trace& trace, const FactTables& facts) {
  const HostRangesTable& host = trace.tables.host;
  for (size_t h = 0; h < host.start.size(); ++h) {
    if (host.kind[h] != HostKind::kOp || !IsSet(host.signature[h]) ||
        facts.host.direction[h] != Direction::kForward || !IsSet(facts.host.iteration[h])) {
      continue;
    }
    const int input = SampleInput(trace.Text(host.name[h]));
    if (input < 0) continue;
    return LeadingDimension(trace.Text(trace.tables.signatures.dims[Index(host.signature[h])]),
                            input);
  }
  return kMissing;
}

}  // namespace warpsight
