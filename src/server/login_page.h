#pragma once

#include <string>
#include <string_view>

namespace warpsight::server {

// Asks for the token, for browsers that come without it. `problem` is shown above the form.
std::string LoginPage(std::string_view problem);

// Leads to the address at which it is shown.
std::string ReloadPage();

}  // namespace warpsight::server
