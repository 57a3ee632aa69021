#include "chrome_text.h"

#include <fmt/format.h>

namespace warpsight::testing {

void ChromeText::Add(const std::string& event) {
  if (!events_.empty()) events_ += ",\n";
  events_ += event;
}

ChromeText& ChromeText::Top(const std::string& key, const std::string& json) {
  top_ += fmt::format("\"{}\": {},\n", key, json);
  return *this;
}

ChromeText& ChromeText::Slice(const std::string& category, const std::string& name, double start,
                              double duration, const std::string& args, int thread) {
  Add(fmt::format(R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 100, "tid": {}, "ts": {:.3f}, )"
                  R"("dur": {:.3f}, "args": {{{}}}}})",
                  category, name, thread, start, duration, args));
  return *this;
}

ChromeText& ChromeText::Call(const std::string& name, double start, double duration,
                             int correlation, int thread) {
  return Slice("cuda_runtime", name, start, duration,
               fmt::format("\"correlation\": {}", correlation), thread);
}

ChromeText& ChromeText::Kernel(const std::string& name, double start, double duration,
                               int correlation, int stream, const std::string& args) {
  Add(fmt::format(
      R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": {}, "ts": {:.3f}, )"
      R"("dur": {:.3f}, "args": {{"device": 0, "stream": {}, "correlation": {}{}{}}}}})",
      name, stream, start, duration, stream, correlation, args.empty() ? "" : ", ", args));
  return *this;
}

ChromeText& ChromeText::Copy(const std::string& name, double start, double duration,
                             int correlation) {
  Add(fmt::format(
      R"({{"ph": "X", "cat": "gpu_memcpy", "name": "{}", "pid": 0, "tid": 7, "ts": {:.3f}, )"
      R"("dur": {:.3f}, "args": {{"device": 0, "stream": 7, "correlation": {}, "bytes": 4}}}})",
      name, start, duration, correlation));
  return *this;
}

}  // namespace warpsight::testing
