#pragma once

#include <string_view>

namespace warpsight {

inline constexpr std::string_view kQueryWorkerArgument = "--query-worker";

namespace store {
// Descriptors in the process that runs a query.
inline constexpr int kWorkerSocket = 3;
inline constexpr int kWorkerProfile = 4;
}  // namespace store

// The counterpart of RunQuery(): runs one query for the process that started this one, and returns
// true afterwards; returns false if the program was not started for that. Call it first in main():
// it drops all privileges of the process except reading the profile and sending the result.
bool RanQueryWorker(int argc, char** argv);

}  // namespace warpsight
