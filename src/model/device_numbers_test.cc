#include "model/device_numbers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace warpsight {
namespace {

class DeviceNumbers : public ::testing::Test {
 protected:
  DeviceNumbers() : part_(builder_.AddSource("a.json", "chrome", 10)) {}

  void Describe(int64_t number, std::string_view name) {
    part_.tables.devices.name[Index(part_.Device(number))] = part_.Intern(name);
  }

  void AddWork(int64_t number) {
    GpuActivitiesTable& t = part_.tables.gpu;
    t.start.push_back(100);
    t.duration.push_back(10);
    t.name.push_back(part_.Intern("kernel"));
    t.stream.push_back(part_.Stream(number, 1, 7));
    t.kind.push_back(GpuKind::kKernel);
  }

  // "number:name" of each GPU.
  std::vector<std::pair<int64_t, std::string_view>> Devices() {
    builder_.Add(std::move(part_));
    auto trace = builder_.Seal();
    EXPECT_TRUE(trace.ok());
    trace_ = std::move(*trace);
    std::vector<std::pair<int64_t, std::string_view>> devices;
    for (size_t d = 0; d < RowCount(trace_.tables.devices); ++d) {
      devices.emplace_back(trace_.tables.devices.ordinal[d],
                           trace_.Text(trace_.tables.devices.name[d]));
    }
    return devices;
  }

  using List = std::vector<std::pair<int64_t, std::string_view>>;
  TraceBuilder builder_;
  TracePart part_;
  Trace trace_;
};

TEST_F(DeviceNumbers, ADescriptionGetsTheNumberOfTheWork) {
  Describe(0, "MI300X");
  AddWork(9);
  EXPECT_EQ(Devices(), (List{{9, "MI300X"}}));
}

TEST_F(DeviceNumbers, EqualNumbersStay) {
  Describe(0, "H200");
  Describe(1, "H200");
  AddWork(1);
  EXPECT_EQ(Devices(), (List{{0, "H200"}, {1, "H200"}}));
}

TEST_F(DeviceNumbers, ManyOfOneKind) {
  for (int64_t number = 0; number < 8; ++number) Describe(number, "MI300X");
  AddWork(9);
  const List devices = Devices();
  EXPECT_EQ(devices.size(), 8u);
  EXPECT_EQ(devices.back(), (List::value_type{9, "MI300X"}));
}

TEST_F(DeviceNumbers, GpusOfDifferentKindsAreNotMatched) {
  Describe(0, "MI300X");
  Describe(1, "MI210");
  AddWork(9);
  EXPECT_EQ(Devices(), (List{{0, "MI300X"}, {1, "MI210"}, {9, ""}}));
}

TEST_F(DeviceNumbers, WorkOnMoreNumbersThanAreDescribed) {
  Describe(0, "MI300X");
  AddWork(8);
  AddWork(9);
  EXPECT_EQ(Devices(), (List{{0, "MI300X"}, {8, ""}, {9, ""}}));
}

}  // namespace
}  // namespace warpsight
