#include "analysis/kernels/collective_kind.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace warpsight {

CollectiveKind CollectiveNamed(std::string_view name) {
  // Spellings differ in case and underscores only: allreduce, all_reduce, AllReduce.
  std::string letters;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') letters += c;
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
  }
  // Longer names first: each holds a shorter one.
  constexpr std::pair<std::string_view, CollectiveKind> kNames[] = {
      {"barrier", CollectiveKind::kBarrier},
      {"allreduce", CollectiveKind::kAllReduce},
      {"crossdevicereduce", CollectiveKind::kAllReduce},
      {"allgather", CollectiveKind::kAllGather},
      {"reducescatter", CollectiveKind::kReduceScatter},
      {"alltoall", CollectiveKind::kAllToAll},
      {"broadcast", CollectiveKind::kBroadcast},
      {"sendrecv", CollectiveKind::kSendReceive},
      {"reduce", CollectiveKind::kReduce},
      {"gather", CollectiveKind::kGather},
      {"scatter", CollectiveKind::kScatter},
      {"send", CollectiveKind::kSendReceive},
      {"recv", CollectiveKind::kSendReceive},
      // How tokens come to their experts and back.
      {"dispatch", CollectiveKind::kAllToAll},
      {"combine", CollectiveKind::kAllToAll},
  };
  for (const auto& [text, kind] : kNames) {
    if (Contains(letters, text)) return kind;
  }
  return CollectiveKind::kUnknown;
}

}  // namespace warpsight
