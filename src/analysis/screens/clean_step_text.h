#pragma once

#include <string>

#include "analysis/facts/clean_steps.h"

namespace warpsight {

// "22.3 ms (22.1 ms to 22.6 ms over 120 clean steps); recording adds 3.10 ms (13.9 %)", or what
// could not be measured; "" if the recording says nothing about it.
std::string CleanStepText(const CleanSteps& steps);

}  // namespace warpsight
