#include "analysis/roofline/gpu_peaks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace warpsight {
namespace {

std::string NameOf(std::string_view trace_name, int64_t memory = kMissing, int64_t sms = kMissing) {
  const auto peaks = FindGpuPeaks(trace_name, memory, sms);
  return peaks ? std::string(peaks->name) : "";
}

TEST(GpuPeaksTest, FindsNamesOfTraces) {
  EXPECT_EQ(NameOf("NVIDIA H200"), "H200 SXM5");
  EXPECT_EQ(NameOf("NVIDIA H200 NVL"), "H200 NVL");
  EXPECT_EQ(NameOf("NVIDIA H20"), "H20");
  EXPECT_EQ(NameOf("NVIDIA H100 80GB HBM3"), "H100 SXM5");
  EXPECT_EQ(NameOf("NVIDIA H100 PCIe"), "H100 PCIe");
  EXPECT_EQ(NameOf("NVIDIA H100 NVL"), "H100 NVL");
  EXPECT_EQ(NameOf("NVIDIA GH200 480GB", 97 * 1000000000LL), "GH200 96 GB");
  EXPECT_EQ(NameOf("NVIDIA GH200 144G HBM3e", 150 * 1000000000LL), "GH200 144 GB");
  EXPECT_EQ(NameOf("NVIDIA B200"), "B200 (HGX)");
  EXPECT_EQ(NameOf("NVIDIA GB200"), "GB200");
  EXPECT_EQ(NameOf("Tesla V100-SXM2-16GB"), "V100 SXM2");
  EXPECT_EQ(NameOf("Tesla V100-DGXS-32GB"), "V100 SXM2");
  EXPECT_EQ(NameOf("Tesla V100-PCIE-32GB"), "V100 PCIe");
  EXPECT_EQ(NameOf("Tesla V100S-PCIE-32GB"), "V100S PCIe");
  EXPECT_EQ(NameOf("Tesla P100-PCIE-12GB"), "P100 PCIe 12 GB");
  EXPECT_EQ(NameOf("Tesla T4"), "T4");
  EXPECT_EQ(NameOf("NVIDIA A100-SXM4-80GB"), "A100 SXM4 80 GB");
  EXPECT_EQ(NameOf("NVIDIA A100-SXM4-40GB"), "A100 SXM4 40 GB");
  EXPECT_EQ(NameOf("NVIDIA A100 80GB PCIe"), "A100 PCIe 80 GB");
  EXPECT_EQ(NameOf("A100-PCIE-40GB"), "A100 PCIe 40 GB");
  EXPECT_EQ(NameOf("NVIDIA A10"), "A10");
  EXPECT_EQ(NameOf("NVIDIA L4"), "L4");
  EXPECT_EQ(NameOf("NVIDIA L40S"), "L40S");
  EXPECT_EQ(NameOf("NVIDIA GeForce RTX 3090"), "GeForce RTX 3090");
  EXPECT_EQ(NameOf("NVIDIA GeForce RTX 3090 Ti"), "GeForce RTX 3090 Ti");
  EXPECT_EQ(NameOf("NVIDIA RTX 6000 Ada Generation"), "RTX 6000 Ada Generation");
  EXPECT_EQ(NameOf("NVIDIA RTX A6000"), "RTX A6000");
  EXPECT_EQ(NameOf("AMD Instinct MI210"), "Instinct MI210");
  EXPECT_EQ(NameOf("AMD Instinct MI300X"), "Instinct MI300X");
}

TEST(GpuPeaksTest, SizesDecideIfTheNameIsAmbiguous) {
  // Meta's name for A100s in its machines.
  EXPECT_EQ(NameOf("NVIDIA A100-PG509-200", 42'500'000'000), "A100 SXM4 40 GB");
  EXPECT_EQ(NameOf("NVIDIA A100-PG509-210", 85'000'000'000), "A100 SXM4 80 GB");
  EXPECT_EQ(NameOf("NVIDIA H100", kMissing, 114), "H100 PCIe");
  EXPECT_EQ(NameOf("NVIDIA H100", kMissing, 132), "H100 SXM5");
}

TEST(GpuPeaksTest, UnknownGpus) {
  for (const char* name :
       {"", "GPU", "AMD Radeon Graphics", "NVIDIA GeForce RTX 4090 Laptop GPU",
        "NVIDIA GeForce RTX 4080 SUPER", "Quadro RTX 6000", "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "NVIDIA GeForce RTX 4090 D", "NVIDIA H1000", "Test GPU"}) {
    EXPECT_EQ(NameOf(name), "") << name;
  }
}

TEST(GpuPeaksTest, EveryRowIsPlausibleAndHasASource) {
  std::set<std::string_view> names;
  for (const GpuPeaks& gpu : AllGpuPeaks()) {
    EXPECT_TRUE(names.insert(gpu.name).second) << gpu.name;
    EXPECT_FALSE(gpu.source.empty()) << gpu.name;
    EXPECT_GT(gpu.sms, 0) << gpu.name;
    EXPECT_GT(gpu.bandwidth, 2e11) << gpu.name;
    EXPECT_LT(gpu.bandwidth, 1e13) << gpu.name;
    EXPECT_GT(gpu.fp32, 5e12) << gpu.name;
    // Narrower formats are at least as fast.
    const auto at_least = [](double value, double other) {
      return !IsKnown(value) || value >= other;
    };
    EXPECT_TRUE(at_least(gpu.tf32, gpu.fp32)) << gpu.name;
    EXPECT_TRUE(at_least(gpu.fp16, gpu.fp32)) << gpu.name;
    EXPECT_TRUE(at_least(gpu.bf16, gpu.fp16)) << gpu.name;
    EXPECT_TRUE(at_least(gpu.fp8, 1.99 * gpu.bf16)) << gpu.name;
    EXPECT_TRUE(at_least(gpu.int8, 0.99 * gpu.fp16)) << gpu.name;
  }
}

// docs/peaks.md must contain every row as printed here.
TEST(GpuPeaksTest, TheDocumentedTableIsUpToDate) {
  std::ifstream file(WARPSIGHT_SOURCE_DIR "/docs/peaks.md");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const auto tera = [](double value) {
    return IsKnown(value) ? fmt::format("{:.6g}", value / 1e12) : std::string("–");
  };
  for (const GpuPeaks& gpu : AllGpuPeaks()) {
    std::string row = fmt::format("| {} | {:.6g}", gpu.name, gpu.bandwidth / 1e9);
    for (const double peak : {gpu.fp64, gpu.fp32, gpu.fp64_matrix, gpu.fp32_matrix, gpu.tf32,
                              gpu.bf16, gpu.fp16, gpu.fp8, gpu.int8}) {
      row += fmt::format(" | {}", tera(peak));
    }
    row += fmt::format(" | {} |\n", gpu.source);
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

TEST(GpuPeaksTest, PeakOfAFormat) {
  const auto h200 = FindGpuPeaks("NVIDIA H200");
  ASSERT_TRUE(h200);
  EXPECT_DOUBLE_EQ(h200->bandwidth, 4.8e12);
  EXPECT_DOUBLE_EQ(h200->Peak(Precision::kBf16, true), 989.4e12);
  EXPECT_DOUBLE_EQ(h200->Peak(Precision::kFp32, true), 66.9e12);
  EXPECT_DOUBLE_EQ(h200->Peak(Precision::kTf32, true), 494.7e12);
  // Vector units compute 16-bit arithmetic in fp32.
  EXPECT_DOUBLE_EQ(h200->Peak(Precision::kBf16, false), 66.9e12);
  EXPECT_LT(h200->Peak(Precision::kUnknown, true), 0);
  EXPECT_LT(FindGpuPeaks("Tesla V100-SXM2-16GB")->Peak(Precision::kBf16, true), 0);
}

TEST(GpuPeaksTest, GivenPeaks) {
  const auto given = ParsePeaks("bf16=989, tf32=494.5,bandwidth=4800,");
  ASSERT_TRUE(given.ok());
  EXPECT_DOUBLE_EQ(given->bf16, 989e12);
  EXPECT_DOUBLE_EQ(given->tf32, 494.5e12);
  EXPECT_DOUBLE_EQ(given->bandwidth, 4800e9);
  EXPECT_LT(given->fp32, 0);

  const GpuPeaks merged = WithOverrides(FindGpuPeaks("NVIDIA A10"), *given);
  EXPECT_DOUBLE_EQ(merged.bf16, 989e12);
  EXPECT_DOUBLE_EQ(merged.fp32, 31.2e12);
  EXPECT_DOUBLE_EQ(WithOverrides({}, *given).bandwidth, 4800e9);
}

TEST(GpuPeaksTest, BadGivenPeaksSayWhy) {
  const auto message = [](std::string_view text) {
    const auto peaks = ParsePeaks(text);
    return peaks.ok() ? std::string() : peaks.error().message;
  };
  EXPECT_EQ(message("bf16"), "'bf16' is not of the form KEY=NUMBER, such as bf16=989");
  EXPECT_EQ(message("bf16=fast"), "bf16: 'fast' is not a positive number of TFLOP/s");
  EXPECT_EQ(message("bandwidth=-1"), "bandwidth: '-1' is not a positive number of GB/s");
  EXPECT_EQ(message("bf16=inf"), "bf16: 'inf' is not a positive number of TFLOP/s");
  EXPECT_NE(message("bf17=1").find("there is no peak 'bf17'; there are: bandwidth, fp64"),
            std::string::npos);
  EXPECT_NE(message("").find("at least one"), std::string::npos);
  EXPECT_NE(message(" , ,").find("at least one"), std::string::npos);
}

}  // namespace
}  // namespace warpsight
