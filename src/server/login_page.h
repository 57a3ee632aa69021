#pragma once

#include <string>
#include <string_view>

namespace warpsight::server {

// The page that asks for the token. `problem` is shown above the form.
std::string LoginPage(std::string_view problem);

// A page that reloads its own URL, with the parameter kReloaded and with its fragment, which only a
// script can keep.
std::string ReloadPage();
std::string_view ReloadScript();
inline constexpr std::string_view kReloadScript = "reload.js";
inline constexpr std::string_view kReloaded = "reloaded";

}  // namespace warpsight::server
