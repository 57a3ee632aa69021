#include "analysis/kernels/launch_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "analysis/facts/counters.h"
#include "base/text.h"
#include "model/hash_map.h"

namespace warpsight {
namespace {

// The number formats for which a GPU has matrix instructions.
enum class MatrixUnits : uint8_t {
  kUnknown,
  kNarrow,  // 16 bits and fewer; others only if the program requests it
  kAll,
};

bool IsAmd(KernelLibrary library) {
  return library == KernelLibrary::kRocblas || library == KernelLibrary::kMiopen ||
         library == KernelLibrary::kComposableKernel || library == KernelLibrary::kAiter ||
         library == KernelLibrary::kRocm;
}

bool IsAmdName(std::string_view device) {
  return Contains(device, "AMD") || Contains(device, "Instinct") || Contains(device, "Radeon");
}

// Flags for the width of a product's operands.
constexpr uint8_t kNarrowOperands = 1;
constexpr uint8_t kWideOperands = 2;  // fp32, fp64
constexpr uint8_t kNoProduct = 4;     // XLA: the program contains no product
constexpr uint8_t kSomeProduct = 8;   // XLA: the program contains a product
constexpr uint8_t kFromProgram = 16;  // stated in XLA's program

struct Known {
  uint8_t bits = 0;
  bool collective = false;
  Precision precision = Precision::kUnknown;
  MatrixUnits units = MatrixUnits::kUnknown;
};

bool IsNarrow(Precision precision) {
  return precision == Precision::kBf16 || precision == Precision::kFp16 ||
         precision == Precision::kFp8 || precision == Precision::kFp4 ||
         precision == Precision::kInt8;
}

class Collector {
 public:
  Collector(const Trace& trace, const FactTables& facts, std::span<const StringId> names,
            std::span<const KernelKind> kinds)
      : trace_(trace), facts_(facts), names_(names), kinds_(kinds), known_(names.size()) {}

  std::vector<LaunchEvidence> Run() {
    std::vector<uint32_t> row_of_name(trace_.strings.size(), kNoRow);
    for (uint32_t i = 0; i < names_.size(); ++i) row_of_name[Index(names_[i])] = i;
    FindMatrixUnits();
    const GpuActivitiesTable& gpu = trace_.tables.gpu;
    for (size_t g = 0; g < gpu.start.size(); ++g) {
      if (gpu.kind[g] != GpuKind::kKernel) continue;
      const uint32_t row = row_of_name[Index(gpu.name[g])];
      if (row != kNoRow) Look(g, row);
    }
    std::vector<LaunchEvidence> evidence;
    evidence.reserve(names_.size());
    for (size_t i = 0; i < names_.size(); ++i) evidence.push_back(Conclude(known_[i], kinds_[i]));
    return evidence;
  }

 private:
  static constexpr uint32_t kNoRow = UINT32_MAX;

  // Whether it is a product of tiles compiled by Triton whose name does not determine the use of
  // Tensor Cores.
  static bool IsOpenProduct(const KernelKind& kind) {
    return kind.tensor_cores == TensorCoreUse::kUnknown && IsMatrixFamily(kind.family) &&
           (kind.library == KernelLibrary::kTriton || kind.library == KernelLibrary::kXla);
  }

  // By device. AMD's GPUs have matrix cores if their name says so, or if a kernel that was built
  // for matrix instructions ran on them.
  void FindMatrixUnits() {
    const bool amd_products = std::any_of(kinds_.begin(), kinds_.end(), [](const KernelKind& kind) {
      return kind.tensor_cores == TensorCoreUse::kYes && IsAmd(kind.library);
    });
    const DevicesTable& devices = trace_.tables.devices;
    for (size_t d = 0; d < RowCount(devices); ++d) {
      const std::string_view name = trace_.Text(devices.name[d]);
      MatrixUnits units = MatrixUnits::kUnknown;
      if (amd_products || Contains(name, "Instinct MI")) {
        units = MatrixUnits::kAll;
      } else if (!IsAmdName(name) && devices.warp_size[d] != 64 && devices.compute_major[d] >= 8) {
        units = MatrixUnits::kNarrow;
      }
      units_.push_back(units);
    }
  }

  void Look(size_t g, uint32_t row) {
    Known& known = known_[row];
    const KernelKind& kind = kinds_[row];
    const GpuExtraId extra = trace_.tables.gpu.extra[g];
    if (IsSet(extra)) {
      known.collective |= IsSet(trace_.tables.gpu_extras.collective[Index(extra)]);
      if (kind.library == KernelLibrary::kXla) {
        Add(Stated(trace_.tables.gpu_extras.args[Index(extra)]), known);
      }
    }
    if (!IsOpenProduct(kind)) return;
    known.units = units_[Index(trace_.DeviceOf(trace_.tables.gpu.stream[g]))];
    const HostId op = facts_.gpu.op[g];
    if (IsSet(op)) Add(Inputs(trace_.tables.host.signature[Index(op)]), known);
  }

  static void Add(const Known& found, Known& known) {
    known.bits |= found.bits;
    if (known.precision == Precision::kUnknown) known.precision = found.precision;
  }

  const Known& Stated(StringId args) {
    const auto [at, is_new] = stated_.try_emplace(args);
    if (!is_new) return at->second;
    const StatedWork work = ReadStatedWork(trace_.Text(args));
    Known& found = at->second;
    if (!work.any()) return found;
    found.bits = kFromProgram;
    if (work.matrix_flops <= 0) {
      found.bits |= kNoProduct;
      return found;
    }
    found.bits |= kSomeProduct;
    found.precision = PrecisionOf(work.matrix_type);
    if (found.precision == Precision::kUnknown) return found;
    found.bits |= IsNarrow(found.precision) ? kNarrowOperands : kWideOperands;
    return found;
  }

  // The matrices among the inputs of an op: if all of them are narrow, so are the operands.
  const Known& Inputs(SignatureId id) {
    static const Known none;
    if (!IsSet(id)) return none;
    const auto [at, is_new] = inputs_.try_emplace(id);
    if (!is_new) return at->second;
    const Signature* signature = trace_.inputs.Of(id);
    Known& found = at->second;
    if (signature == nullptr) return found;
    const auto look = [&found](const Tensor& tensor) {
      const Precision precision = PrecisionOf(tensor.type);
      if (tensor.rank() < 2 || precision == Precision::kUnknown) return;
      found.bits |= IsNarrow(precision) ? kNarrowOperands : kWideOperands;
      if (found.precision == Precision::kUnknown) found.precision = precision;
    };
    for (const Argument& argument : signature->arguments) {
      if (const Tensor* tensor = argument.tensor()) look(*tensor);
      for (const Tensor& tensor : argument.list()) look(tensor);
    }
    if ((found.bits & kWideOperands) != 0) found.precision = Precision::kUnknown;
    return found;
  }

  static LaunchEvidence Conclude(const Known& known, const KernelKind& kind) {
    LaunchEvidence evidence;
    evidence.collective = known.collective;
    if (kind.tensor_cores != TensorCoreUse::kUnknown) return evidence;
    const bool stated = (known.bits & kFromProgram) != 0;
    if (stated && (known.bits & kSomeProduct) == 0) {
      evidence.tensor_cores = TensorCoreUse::kNo;
      evidence.reason = "Its instruction in XLA's program contains no matrix product.";
      return evidence;
    }
    if (!IsOpenProduct(kind)) return evidence;
    evidence.precision = known.precision;
    const uint8_t operands = known.bits & (kNarrowOperands | kWideOperands);
    if (known.units == MatrixUnits::kAll) {
      evidence.tensor_cores = TensorCoreUse::kYes;
      evidence.reason =
          "Triton compiles products of tiles to matrix instructions, which this GPU has for every "
          "number format.";
    } else if (known.units == MatrixUnits::kNarrow && operands == kNarrowOperands) {
      evidence.tensor_cores = TensorCoreUse::kYes;
      evidence.reason = fmt::format(
          "Triton compiles products of tiles of 16 bits or fewer to matrix instructions; {} "
          "multiplies {}.",
          stated ? "XLA's program" : "the op that launched it", ToString(known.precision));
    } else if (known.units == MatrixUnits::kNarrow && operands == 0 && IsNarrow(kind.precision)) {
      evidence.tensor_cores = TensorCoreUse::kYes;
      evidence.reason = fmt::format(
          "Triton compiles products of tiles of 16 bits or fewer to matrix instructions; its name "
          "says {}.",
          ToString(kind.precision));
    }
    return evidence;
  }

  const Trace& trace_;
  const FactTables& facts_;
  std::span<const StringId> names_;
  std::span<const KernelKind> kinds_;
  std::vector<Known> known_;        // by position in names_
  std::vector<MatrixUnits> units_;  // by device
  HashMap<StringId, Known> stated_;
  HashMap<SignatureId, Known> inputs_;
};

}  // namespace

std::vector<LaunchEvidence> CollectLaunchEvidence(const Trace& trace, const FactTables& facts,
                                                  std::span<const StringId> names,
                                                  std::span<const KernelKind> kinds) {
  return Collector(trace, facts, names, kinds).Run();
}

}  // namespace warpsight
