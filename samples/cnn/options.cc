#include "options.h"

#include <charconv>
#include <optional>
#include <system_error>

#include "variants.h"

namespace cnn {
namespace {

constexpr int kMostImages = 1'000'000;

int ParseNumber(const std::string& option, const std::string& text, int lowest, int highest) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || parsed != end || number < lowest || number > highest) {
    throw UsageError(option + " takes a whole number from " + std::to_string(lowest) + " to " +
                     std::to_string(highest) + ", not '" + text + "'");
  }
  return number;
}

std::string VariantNames() {
  std::string names;
  for (const Variant& variant : Variants()) names += (names.empty() ? "" : ", ") + variant.name;
  return names;
}

// Sets an option with a number. False if there is no such option.
bool SetNumber(const std::string& option, const std::optional<std::string>& text,
               Options& options) {
  struct NumberOption {
    const char* name;
    int lowest, highest;
    int Options::*target;
  };
  constexpr NumberOption kOptions[] = {
      {"--images", 1, kMostImages, &Options::images},
      {"--batch", 1, kMostImages, &Options::batch},
      {"--repeat", 1, 1'000'000, &Options::repeat},
      {"--check", 0, kMostImages, &Options::check},
  };
  for (const NumberOption& known : kOptions) {
    if (option != known.name) continue;
    if (!text) throw UsageError(option + " takes a number");
    options.*known.target = ParseNumber(option, *text, known.lowest, known.highest);
    return true;
  }
  return false;
}

}  // namespace

Options ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "--list") {
      options.list = true;
    } else if (argument == "--self-test") {
      options.self_test = true;
    } else if (SetNumber(argument,
                         i + 1 < arguments.size() ? std::optional(arguments[i + 1]) : std::nullopt,
                         options)) {
      ++i;
    } else if (argument.rfind('-', 0) == 0) {
      throw UsageError("unknown option '" + argument + "'");
    } else if (!options.variant.empty()) {
      throw UsageError("one variant at a time, not '" + options.variant + "' and '" + argument +
                       "'");
    } else if (FindVariant(argument) == nullptr) {
      throw UsageError("unknown variant '" + argument + "'; there are " + VariantNames());
    } else {
      options.variant = argument;
    }
  }
  if (options.variant.empty() && !options.help && !options.list && !options.self_test) {
    throw UsageError("which variant? There are " + VariantNames());
  }
  return options;
}

std::string HelpText() {
  return R"(cnn VARIANT [OPTION…]: classifies images with a small convolutional network.

The variant is the way to convolve; --list lists them.

  --images N    images to classify (10000)
  --batch N     images at a time on the GPU (all)
  --repeat N    timed passes, after one that is not timed on the GPU (3; cpu: 1)
  --check N     images to compare with the CPU's result (200); 0: none
  --list        the variants, and which are built
  --self-test   compares the GPU variants, or the one named, with the CPU for odd shapes
  --help        this text

Exit codes: 0 ok, 1 results differ or an error, 2 usage, 3 no GPU or a variant that is not built.
)";
}

}  // namespace cnn
