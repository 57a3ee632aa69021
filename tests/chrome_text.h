#pragma once

#include <string>

namespace warpsight::testing {

// Writes small Kineto traces for tests; times in microseconds.
class ChromeText {
 public:
  // A slice on a CPU thread: cpu_op, user_annotation, cuda_runtime, ...
  ChromeText& Slice(const std::string& category, const std::string& name, double start,
                    double duration, const std::string& args = "", int thread = 1);
  // An API call that starts GPU work with this correlation id.
  ChromeText& Call(const std::string& name, double start, double duration, int correlation,
                   int thread = 1);
  // `args` are additional arguments, as JSON: "\"grid\": [8, 1, 1]".
  ChromeText& Kernel(const std::string& name, double start, double duration, int correlation,
                     int stream = 7, const std::string& args = "");
  // A copy as Kineto names it: "Memcpy DtoH (Device -> Pageable)".
  ChromeText& Copy(const std::string& name, double start, double duration, int correlation);

  // The metadata of the file: deviceProperties, distributedInfo.
  ChromeText& Top(const std::string& key, const std::string& json);

  std::string Text() const { return "{" + top_ + "\"traceEvents\": [\n" + events_ + "\n]}\n"; }

 private:
  void Add(const std::string& event);
  std::string top_;
  std::string events_;
};

}  // namespace warpsight::testing
