#include "model/facts.h"

namespace warpsight {

void IndexKernelNames(FactTables& facts, size_t string_count) {
  facts.kernel_row.assign(string_count, UINT32_MAX);
  for (uint32_t row = 0; row < facts.kernel_names.name.size(); ++row) {
    facts.kernel_row[Index(facts.kernel_names.name[row])] = row;
  }
}

}  // namespace warpsight
