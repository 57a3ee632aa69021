#include "analysis/roofline/gpu_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace warpsight {
namespace {

constexpr double kNo = kMissingReal;

// A row as in datasheets, in TFLOP/s and GB/s, with the words of the GPU's name by which it is
// found.
struct Row {
  std::string_view words;  // all must be in the name
  std::string_view hints;  // choose between rows with the same words
  double memory_gb;        // chooses between variants, too; 0: the same for all of them
  std::string_view name;
  double bandwidth;
  double fp64, fp32, fp64_matrix, fp32_matrix, tf32, bf16, fp16, fp8, int8;
  int sms;
  std::string_view source;
};

// For most Tensor Core formats since 2020, NVIDIA publishes figures with sparsity; they are halved
// here. GeForce figures are those with fp32 accumulation, which frameworks use. PyTorch treats each
// of the two dies of an MI250 as a GPU, so these figures are half of the datasheet's.
//
// The source names the vendor's document that publishes the figures. They were compared with
// secondary copies of these documents; "unchecked" marks rows with a figure that was in no such
// copy, or that differed between copies.
// clang-format off
constexpr Row kRows[] = {
    // words, hints, memory, name, GB/s, fp64, fp32, fp64_matrix, fp32_matrix, tf32, bf16, fp16, fp8, int8, SMs, source
    {"p100", "sxm2", 0, "P100 SXM2", 732, 5.3, 10.6, kNo, kNo, kNo, kNo, 21.2, kNo, kNo, 56, "NVIDIA Tesla P100 datasheet; unchecked"},
    {"p100", "pcie 16gb", 16, "P100 PCIe 16 GB", 732, 4.7, 9.3, kNo, kNo, kNo, kNo, 18.7, kNo, kNo, 56, "NVIDIA Tesla P100 datasheet"},
    {"p100", "pcie 12gb", 12, "P100 PCIe 12 GB", 549, 4.7, 9.3, kNo, kNo, kNo, kNo, 18.7, kNo, kNo, 56, "NVIDIA Tesla P100 datasheet"},
    {"v100", "sxm2 sxm3 dgxs", 0, "V100 SXM2", 900, 7.8, 15.7, kNo, kNo, kNo, kNo, 125, kNo, kNo, 80, "NVIDIA V100 datasheet"},
    {"v100", "pcie", 0, "V100 PCIe", 900, 7.0, 14.0, kNo, kNo, kNo, kNo, 112, kNo, kNo, 80, "NVIDIA V100 datasheet"},
    {"v100s", "pcie", 0, "V100S PCIe", 1134, 8.2, 16.4, kNo, kNo, kNo, kNo, 130, kNo, kNo, 80, "NVIDIA V100 datasheet; unchecked"},
    {"t4", "", 0, "T4", 320, kNo, 8.1, kNo, kNo, kNo, kNo, 65, kNo, 130, 40, "NVIDIA T4 datasheet; bandwidth: T4 product brief"},
    {"2080 ti", "", 0, "GeForce RTX 2080 Ti", 616, kNo, 13.4, kNo, kNo, kNo, kNo, 53.8, kNo, 215.2, 68, "NVIDIA Turing whitepaper; unchecked"},
    {"a100", "sxm4 40gb", 40, "A100 SXM4 40 GB", 1555, 9.7, 19.5, 19.5, kNo, 156, 312, 312, kNo, 624, 108, "NVIDIA A100 datasheet"},
    {"a100", "pcie 40gb", 40, "A100 PCIe 40 GB", 1555, 9.7, 19.5, 19.5, kNo, 156, 312, 312, kNo, 624, 108, "NVIDIA A100 datasheet"},
    {"a100", "sxm4 80gb", 80, "A100 SXM4 80 GB", 2039, 9.7, 19.5, 19.5, kNo, 156, 312, 312, kNo, 624, 108, "NVIDIA A100 datasheet"},
    {"a100", "pcie 80gb", 80, "A100 PCIe 80 GB", 1935, 9.7, 19.5, 19.5, kNo, 156, 312, 312, kNo, 624, 108, "NVIDIA A100 datasheet"},
    {"a800", "sxm4 80gb", 80, "A800 SXM4 80 GB", 2039, 9.7, 19.5, 19.5, kNo, 156, 312, 312, kNo, 624, 108, "NVIDIA A100 datasheet (the A800 differs in NVLink)"},
    {"a30", "", 0, "A30", 933, 5.2, 10.3, 10.3, kNo, 82, 165, 165, kNo, 330, 56, "NVIDIA A30 datasheet; unchecked"},
    {"a10", "", 0, "A10", 600, kNo, 31.2, kNo, kNo, 62.5, 125, 125, kNo, 250, 72, "NVIDIA A10 datasheet"},
    {"a40", "", 0, "A40", 696, kNo, 37.4, kNo, kNo, 74.8, 149.7, 149.7, kNo, 299.3, 84, "NVIDIA A40 datasheet"},
    {"a6000", "", 0, "RTX A6000", 768, kNo, 38.7, kNo, kNo, 77.4, 154.8, 154.8, kNo, 309.7, 84, "NVIDIA Ampere GA102 whitepaper; unchecked"},
    {"rtx 3070", "", 0, "GeForce RTX 3070", 448, kNo, 20.3, kNo, kNo, 20.3, 40.6, 40.6, kNo, 162.6, 46, "NVIDIA Ampere GA102 whitepaper; unchecked"},
    {"rtx 3080", "", 10, "GeForce RTX 3080", 760, kNo, 29.8, kNo, kNo, 29.8, 59.5, 59.5, kNo, 238, 68, "NVIDIA Ampere GA102 whitepaper; unchecked"},
    {"rtx 3090", "", 0, "GeForce RTX 3090", 936, kNo, 35.6, kNo, kNo, 35.6, 71, 71, kNo, 284, 82, "NVIDIA Ampere GA102 whitepaper; unchecked"},
    {"rtx 3090 ti", "", 0, "GeForce RTX 3090 Ti", 1008, kNo, 40.0, kNo, kNo, 40.0, 80, 80, kNo, 320, 84, "NVIDIA Ada whitepaper, comparison with the RTX 3090 Ti; unchecked"},
    {"l4", "", 0, "L4", 300, kNo, 30.3, kNo, kNo, 60, 121, 121, 242.5, 242.5, 58, "NVIDIA L4 datasheet, halved"},
    {"l40", "", 0, "L40", 864, kNo, 90.5, kNo, kNo, 90.5, 181, 181, 362, 362, 142, "NVIDIA L40 datasheet; unchecked"},
    {"l40s", "", 0, "L40S", 864, kNo, 91.6, kNo, kNo, 183, 362, 362, 733, 733, 142, "NVIDIA L40S datasheet"},
    {"6000 ada", "", 0, "RTX 6000 Ada Generation", 960, kNo, 91.1, kNo, kNo, 182.1, 364.2, 364.2, 728.5, 728.5, 142, "NVIDIA RTX 6000 Ada datasheet, halved; unchecked"},
    {"rtx 4070 ti", "", 0, "GeForce RTX 4070 Ti", 504, kNo, 40.1, kNo, kNo, 40.1, 80.2, 80.2, 160.4, 320.7, 60, "NVIDIA Ada whitepaper; unchecked"},
    {"rtx 4080", "", 0, "GeForce RTX 4080", 716.8, kNo, 48.7, kNo, kNo, 48.7, 97.5, 97.5, 194.9, 389.9, 76, "NVIDIA Ada whitepaper; unchecked"},
    {"rtx 4090", "", 0, "GeForce RTX 4090", 1008, kNo, 82.6, kNo, kNo, 82.6, 165.2, 165.2, 330.3, 660.6, 128, "NVIDIA Ada whitepaper"},
    {"rtx 5080", "", 0, "GeForce RTX 5080", 960, kNo, 56.3, kNo, kNo, 56.3, 112.6, 112.6, 225.1, 450.2, 84, "NVIDIA RTX Blackwell whitepaper; unchecked"},
    {"rtx 5090", "", 0, "GeForce RTX 5090", 1792, kNo, 104.8, kNo, kNo, 104.8, 209.5, 209.5, 419, 838, 170, "NVIDIA RTX Blackwell whitepaper; unchecked"},
    {"h100", "hbm3 80gb sxm5", 80, "H100 SXM5", 3350, 33.5, 66.9, 66.9, kNo, 494.7, 989.4, 989.4, 1978.9, 1978.9, 132, "NVIDIA H100 whitepaper; bandwidth: H100 datasheet"},
    {"h100", "pcie", 80, "H100 PCIe", 2000, 25.6, 51.2, 51.2, kNo, 378, 756, 756, 1513, 1513, 114, "NVIDIA H100 whitepaper; H100 PCIe product brief, halved"},
    {"h100 nvl", "", 94, "H100 NVL", 3900, 30, 60, 60, kNo, 417.5, 835.5, 835.5, 1670.5, 1670.5, 132, "NVIDIA H100 datasheet, halved; unchecked"},
    {"h800", "sxm5 80gb", 80, "H800 SXM5", 3350, 1, 67, 1, kNo, 494.5, 989.5, 989.5, 1979, 1979, 132, "NVIDIA H800 datasheet, halved; unchecked"},
    {"h200", "", 141, "H200 SXM5", 4800, 33.5, 66.9, 66.9, kNo, 494.7, 989.4, 989.4, 1978.9, 1978.9, 132, "NVIDIA H200 datasheet, halved"},
    {"h200 nvl", "", 141, "H200 NVL", 4800, 30, 60, 60, kNo, 417.5, 835.5, 835.5, 1670.5, 1670.5, 132, "NVIDIA H200 datasheet, halved; unchecked"},
    {"h20", "", 0, "H20", 4000, 1, 44, 1, kNo, 74, 148, 148, 296, 296, 78, "NVIDIA H20 datasheet"},
    {"gh200", "", 96, "GH200 96 GB", 4000, 34, 67, 67, kNo, 494.5, 989.5, 989.5, 1979, 1979, 132, "NVIDIA GH200 datasheet, halved; unchecked"},
    {"gh200", "", 144, "GH200 144 GB", 4900, 34, 67, 67, kNo, 494.5, 989.5, 989.5, 1979, 1979, 132, "NVIDIA GH200 datasheet, halved; unchecked"},
    {"b200", "", 0, "B200 (HGX)", 7700, 37, 75, 37, kNo, 1100, 2250, 2250, 4500, 4500, 148, "NVIDIA Blackwell datasheet, HGX B200, halved"},
    {"gb200", "", 0, "GB200", 8000, 40, 80, 40, kNo, 1250, 2500, 2500, 5000, 5000, 152, "NVIDIA Blackwell datasheet, GB200 NVL72, halved"},
    {"mi210", "", 0, "Instinct MI210", 1638.4, 22.6, 22.6, 45.3, 45.3, kNo, 181, 181, kNo, 181, 104, "AMD Instinct MI210 datasheet"},
    {"mi250x", "", 0, "Instinct MI250X, one of two dies", 1638.4, 23.95, 23.95, 47.85, 47.85, kNo, 191.5, 191.5, kNo, 191.5, 110, "AMD Instinct MI250X datasheet, per die; unchecked"},
    {"mi250", "", 0, "Instinct MI250, one of two dies", 1638.4, 22.65, 22.65, 45.25, 45.25, kNo, 181.05, 181.05, kNo, 181.05, 104, "AMD Instinct MI250 datasheet, per die; unchecked"},
    {"mi300x", "", 0, "Instinct MI300X", 5300, 81.7, 163.4, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 304, "AMD Instinct MI300X datasheet; unchecked"},
    {"mi325x", "", 0, "Instinct MI325X", 6000, 81.7, 163.4, 163.4, 163.4, 653.7, 1307.4, 1307.4, 2614.9, 2614.9, 304, "AMD Instinct MI325X datasheet; unchecked"},
};
// clang-format on

// Words that distinguish GPUs: a row must have those that occur in the name.
constexpr std::string_view kDistinguishing[] = {"ti",  "super", "laptop", "mobile", "mig",
                                                "nvl", "ada",   "d",      "max",    "vgpu"};

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

GpuPeaks Convert(const Row& row) {
  const auto tera = [](double value) { return IsKnown(value) ? value * kTera : kMissingReal; };
  GpuPeaks peaks;
  peaks.name = row.name;
  peaks.bandwidth = row.bandwidth * kGiga;
  peaks.fp64 = tera(row.fp64);
  peaks.fp32 = tera(row.fp32);
  peaks.fp64_matrix = tera(row.fp64_matrix);
  peaks.fp32_matrix = tera(row.fp32_matrix);
  peaks.tf32 = tera(row.tf32);
  peaks.bf16 = tera(row.bf16);
  peaks.fp16 = tera(row.fp16);
  peaks.fp8 = tera(row.fp8);
  peaks.int8 = tera(row.int8);
  peaks.sms = row.sms;
  peaks.source = row.source;
  return peaks;
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool part_of_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (part_of_word) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

bool Has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// How well a row fits a name; negative if it does not.
int Fit(const Row& row, const std::vector<std::string>& name, int64_t memory_bytes, int64_t sms) {
  const std::vector<std::string> required = WordsOf(row.words);
  for (const std::string& word : required) {
    if (!Has(name, word)) return -1;
  }
  for (const std::string_view word : kDistinguishing) {
    if (Has(name, word) && !Has(required, word)) return -1;
  }
  // Hints in the name count more than sizes, and sizes only choose between variants.
  constexpr int kHint = 4;
  int fit = 0;
  for (const std::string& word : WordsOf(row.hints)) fit += Has(name, word) ? kHint : 0;
  if (sms != kMissing && sms == row.sms) fit += 2;
  if (memory_bytes != kMissing && row.memory_gb > 0) {
    // Datasheets use powers of ten or of two, and drivers reserve a part of the memory.
    const double ratio = static_cast<double>(memory_bytes) / (row.memory_gb * kGiga);
    if (ratio > 0.9 && ratio < 1.1) fit += 1;
  }
  return fit;
}

struct Key {
  std::string_view name;
  double GpuPeaks::*field;
};

constexpr std::array kKeys = {Key{"bandwidth", &GpuPeaks::bandwidth},
                              Key{"fp64", &GpuPeaks::fp64},
                              Key{"fp32", &GpuPeaks::fp32},
                              Key{"fp64_matrix", &GpuPeaks::fp64_matrix},
                              Key{"fp32_matrix", &GpuPeaks::fp32_matrix},
                              Key{"tf32", &GpuPeaks::tf32},
                              Key{"bf16", &GpuPeaks::bf16},
                              Key{"fp16", &GpuPeaks::fp16},
                              Key{"fp8", &GpuPeaks::fp8},
                              Key{"int8", &GpuPeaks::int8}};

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Parses one KEY=NUMBER.
Status ReadSetting(std::string_view setting, GpuPeaks& peaks) {
  const size_t equals = setting.find('=');
  if (equals == setting.npos) {
    return Error{fmt::format("'{}' is not of the form KEY=NUMBER, such as bf16=989", setting)};
  }
  const std::string_view key = Trim(setting.substr(0, equals));
  const std::string_view number = Trim(setting.substr(equals + 1));
  const auto known =
      std::find_if(kKeys.begin(), kKeys.end(), [key](const Key& k) { return k.name == key; });
  if (known == kKeys.end()) {
    std::string names;
    for (const Key& k : kKeys) names += fmt::format("{}{}", names.empty() ? "" : ", ", k.name);
    return Error{fmt::format("there is no peak '{}'; there are: {}", key, names)};
  }
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(value) ||
      value <= 0) {
    return Error{fmt::format("{}: '{}' is not a positive number of {}", key, number,
                             key == "bandwidth" ? "GB/s" : "TFLOP/s")};
  }
  peaks.*(known->field) = value * (key == "bandwidth" ? kGiga : kTera);
  return {};
}

}  // namespace

double GpuPeaks::Peak(Precision precision, bool matrix) const {
  if (!matrix) return precision == Precision::kFp64 ? fp64 : fp32;
  switch (precision) {
    case Precision::kFp64:
      return IsKnown(fp64_matrix) ? fp64_matrix : fp64;
    case Precision::kFp32:
      return IsKnown(fp32_matrix) ? fp32_matrix : fp32;
    case Precision::kTf32:
      return tf32;
    case Precision::kBf16:
      return bf16;
    case Precision::kFp16:
      return fp16;
    case Precision::kFp8:
      return fp8;
    case Precision::kInt8:
      return int8;
    case Precision::kFp4:
    case Precision::kUnknown:
      break;
  }
  return kMissingReal;
}

std::span<const GpuPeaks> AllGpuPeaks() {
  static const std::vector<GpuPeaks> all = [] {
    std::vector<GpuPeaks> peaks;
    for (const Row& row : kRows) peaks.push_back(Convert(row));
    return peaks;
  }();
  return all;
}

std::optional<GpuPeaks> FindGpuPeaks(std::string_view name, int64_t memory_bytes, int64_t sms) {
  const std::vector<std::string> words = WordsOf(name);
  const Row* best = nullptr;
  int best_fit = -1;
  for (const Row& row : kRows) {
    const int fit = Fit(row, words, memory_bytes, sms);
    if (fit <= best_fit) continue;
    best = &row;
    best_fit = fit;
  }
  if (best == nullptr) return std::nullopt;
  return Convert(*best);
}

Result<GpuPeaks> ParsePeaks(std::string_view text) {
  GpuPeaks peaks;
  peaks.name = "given peaks";
  peaks.source = "given by the user";
  bool any = false;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view setting = Trim(text.substr(0, comma));
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    if (setting.empty()) continue;
    const Status status = ReadSetting(setting, peaks);
    if (!status.ok()) return status.error();
    any = true;
  }
  if (!any) return Error{"specify at least one peak, such as bf16=989,bandwidth=4800"};
  return peaks;
}

GpuPeaks WithOverrides(const std::optional<GpuPeaks>& base, const GpuPeaks& overrides) {
  if (!base) return overrides;
  GpuPeaks peaks = *base;
  for (const Key& key : kKeys) {
    if (IsKnown(overrides.*(key.field))) peaks.*(key.field) = overrides.*(key.field);
  }
  return peaks;
}

}  // namespace warpsight
