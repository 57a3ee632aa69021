#include "cli/color_option.h"

namespace warpsight {

void AddColorOption(Command& command, std::string& text) {
  command
      .AddChoice("--color", text, {"auto", "always", "never"},
                 "Color: auto (on a terminal, unless NO_COLOR is set), always or never")
      .Type("WHEN");
  command.AddVariable("NO_COLOR", "If it is set and not empty, `--color auto` means never.");
}

ColorChoice ReadColorOption(const std::string& text) {
  if (text == "always") return ColorChoice::kAlways;
  return text == "never" ? ColorChoice::kNever : ColorChoice::kAuto;
}

}  // namespace warpsight
