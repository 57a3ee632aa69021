#include "analysis/roofline/matrix_ranks.h"

#include <string_view>

namespace warpsight {

std::vector<uint8_t> MatrixRanks(ProfileView profile) {
  const KernelNamesTable& names = profile.facts.kernel_names;
  std::vector<uint8_t> ranks(names.name.size(), 0);
  for (size_t i = 0; i < ranks.size(); ++i) {
    const std::string_view family = profile.trace.Text(names.family[i]);
    const bool matrix = family == "gemm" || family == "convolution" || family == "attention" ||
                        family == "recurrent";
    ranks[i] = names.tensor_cores[i] == TensorCores::kYes ? 2 : matrix ? 1 : 0;
  }
  return ranks;
}

}  // namespace warpsight
