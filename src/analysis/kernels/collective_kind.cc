#include "analysis/kernels/collective_kind.h"

#include <string>
#include <utility>

#include "base/text.h"

namespace warpsight {

CollectiveKind CollectiveNamed(std::string_view name) {
  // Spellings differ only in case and underscores: allreduce, all_reduce, AllReduce.
  std::string letters;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') letters += c;
    if (c >= 'A' && c <= 'Z') letters += static_cast<char>(c - 'A' + 'a');
  }
  // Longer names come first, since they contain shorter ones.
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
      // The exchange of tokens with their experts.
      {"dispatch", CollectiveKind::kAllToAll},
      {"combine", CollectiveKind::kAllToAll},
  };
  for (const auto& [text, kind] : kNames) {
    if (Contains(letters, text)) return kind;
  }
  return CollectiveKind::kUnknown;
}

}  // namespace warpsight
