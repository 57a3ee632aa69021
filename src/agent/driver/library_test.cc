#include "agent/driver/library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/temporary_folder.h"

namespace warpsight::agent {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

using Paths = std::vector<std::string>;

// Variables that lead to libraries of this machine.
class CuptiPlacesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable :
         {"WARPSIGHT_CUPTI", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"}) {
      unsetenv(variable);
    }
    setenv("HOME", folder_.path().c_str(), 1);
  }

  static size_t Position(const Paths& places, const std::string& place) {
    return static_cast<size_t>(std::ranges::find(places, place) - places.begin());
  }

  testing::TemporaryFolder folder_;
};

TEST_F(CuptiPlacesTest, PackagesOfTheProgramComeFirst) {
  const Paths places =
      CuptiPlaces({"/env/lib/python3.12/site-packages/torch/lib/libtorch_cuda.so",
                   "/env/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"});
  EXPECT_EQ(places.front(), "/env/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.12");
  EXPECT_EQ(places[1], "/env/lib/python3.12/site-packages/nvidia/cuda_cupti/lib/libcupti.so.12");
  EXPECT_EQ(std::ranges::count(places, places[1]), 1) << "once, though two libraries lie there";
}

TEST_F(CuptiPlacesTest, TheVersionOfTheProgramComesFirst) {
  const Paths mapped = {"/usr/local/cuda/targets/x86_64-linux/lib/libcudart.so.12.4.127"};
  const Paths places = CuptiPlaces(mapped);
  const size_t loader = Position(places, "libcupti.so.12");
  EXPECT_LT(Position(places, "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.12"), loader);
  EXPECT_LT(loader, Position(places, "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"));
  EXPECT_LT(Position(places, "libcupti.so.13"), places.size());
  // CUDA 11's runtime is libcudart.so.11.0 in all its versions.
  EXPECT_THAT(CuptiPlaces({"/opt/cuda/lib64/libcudart.so.11.0"}).front(),
              AllOf(HasSubstr("/opt/cuda/lib64/"), HasSubstr("libcupti.so.11.8")));
}

TEST_F(CuptiPlacesTest, WithoutARuntimeTheNewestComesFirst) {
  const Paths places = CuptiPlaces({});
  EXPECT_LT(Position(places, "/usr/local/cuda/lib64/libcupti.so.13"),
            Position(places, "/usr/local/cuda/lib64/libcupti.so.12"));
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"}) {
    EXPECT_EQ(std::ranges::count(places, name), 1) << name;
  }
}

TEST_F(CuptiPlacesTest, TheEnvironmentLeadsToPackagesAndToolkits) {
  const std::string packages = folder_.Path("venv") + "/lib/python3.11/site-packages";
  std::filesystem::create_directories(packages);
  setenv("VIRTUAL_ENV", folder_.Path("venv").c_str(), 1);
  setenv("CUDA_HOME", "/opt/toolkit", 1);
  setenv("WARPSIGHT_CUPTI", "/mine/libcupti.so", 1);
  const Paths places = CuptiPlaces({});
  EXPECT_EQ(places.front(), "/mine/libcupti.so");
  EXPECT_THAT(places, Contains(packages + "/nvidia/cuda_cupti/lib/libcupti.so.12"));
  EXPECT_THAT(places, Contains("/opt/toolkit/extras/CUPTI/lib64/libcupti.so.12"));
  EXPECT_THAT(CuptiNotFound({}, {}), HasSubstr("set WARPSIGHT_CUPTI (now /mine/libcupti.so) to"));
}

TEST_F(CuptiPlacesTest, TheErrorSaysWhatWasLookedForAndHowToGetIt) {
  EXPECT_THAT(CuptiNotFound({"/x/libcudart.so.12"}, {}),
              AllOf(HasSubstr("libcupti.so.13 libcupti.so.12 libcupti.so.11.8"),
                    HasSubstr("/usr/local/cuda"), HasSubstr("pip install nvidia-cuda-cupti-cu12,"),
                    HasSubstr("WARPSIGHT_CUPTI")));
  EXPECT_THAT(CuptiNotFound({"/x/libcudart.so.13"}, {}),
              AllOf(HasSubstr("pip install nvidia-cuda-cupti,"), Not(HasSubstr("-cu1"))));
  EXPECT_THAT(CuptiNotFound({}, {"/x/libcupti.so.12: no such symbol"}),
              AllOf(HasSubstr("/x/libcupti.so.12: no such symbol"),
                    HasSubstr("nvidia-cuda-cupti (CUDA 13) or nvidia-cuda-cupti-cu12 (CUDA 12)")));
}

}  // namespace
}  // namespace warpsight::agent
