#include "analysis/roofline/matrix_ranks.h"

namespace warpsight {

std::vector<uint8_t> MatrixRanks(ProfileView profile) {
  std::vector<uint8_t> ranks;
  ranks.reserve(profile.facts.kernel_kinds.size());
  for (const KernelKind& kind : profile.facts.kernel_kinds) {
    const uint8_t by_family = IsMatrixFamily(kind.family) ? 1 : 0;
    ranks.push_back(kind.tensor_cores == TensorCores::kYes ? 2 : by_family);
  }
  return ranks;
}

}  // namespace warpsight
