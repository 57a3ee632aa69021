#include "agent/counters/explain.h"

namespace warpsight::agent {
namespace {

std::string_view AdviceFor(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "reading hardware counters needs the driver option "
             "NVreg_RestrictProfilingToAdminUsers=0 (in /etc/modprobe.d, options nvidia ...) or "
             "the "
             "capability CAP_SYS_ADMIN; in containers --cap-add=SYS_ADMIN";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "the hypervisor does not allow profiling on this virtual GPU";
    case CUPTI_ERROR_HARDWARE_BUSY:
      return "another profiler or DCGM is using the GPU's counters: stop it, or pause DCGM with "
             "`dcgmi profile --pause`";
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_DEVICE:
      return "this version of CUPTI cannot read the counters of this GPU (Turing or newer is "
             "required)";
    case CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler is attached to this program";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "counters cannot be read in confidential computing mode";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "counters cannot be read under this version of WSL";
    default:
      return {};
  }
}

}  // namespace

std::string ExplainFailure(std::string_view step, CUptiResult result, std::string_view cupti_text) {
  std::string text = "hardware counters were not read: ";
  if (const std::string_view advice = AdviceFor(result); !advice.empty()) {
    text += advice;
    text += "; ";
  }
  text += step;
  text += " answered ";
  text += std::to_string(static_cast<int>(result));
  if (!cupti_text.empty()) {
    text += " (";
    text += cupti_text;
    text += ")";
  }
  return text;
}

}  // namespace warpsight::agent
