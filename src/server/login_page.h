#pragma once

#include <string>
#include <string_view>

namespace warpsight::server {

// Asks for the token, for browsers that come without it. `problem` is shown above the form.
std::string LoginPage(std::string_view problem);

// Leads to the address at which it is shown, with kReloaded as a parameter and with its fragment,
// which only a script can keep.
std::string ReloadPage();
std::string_view ReloadScript();
inline constexpr std::string_view kReloadScript = "reload.js";
inline constexpr std::string_view kReloaded = "reloaded";

}  // namespace warpsight::server
