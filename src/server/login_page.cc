#include "server/login_page.h"

#include <fmt/format.h>

namespace warpsight::server {

// With the policy "no-referrer" of all other responses, browsers would send forms with the origin
// "null".
std::string LoginPage(std::string_view problem) {
  constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="same-origin">
<title>Token needed · Warpsight</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif; }}
body {{ max-width: 34rem; margin: 15vh auto 0; padding: 0 1rem; line-height: 1.5; }}
input {{ font: inherit; width: 100%; box-sizing: border-box; padding: .4rem; margin: .3rem 0 .8rem; }}
button {{ font: inherit; padding: .4rem 1rem; }}
</style>
<main>
<h1>This viewer needs a token</h1>
{}<p>Open the full URL that <code>warpsight view</code> printed in its terminal. It ends with
<code>?token=…</code>. Or paste the token here:</p>
<form method="post" action="login">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="off" required autofocus>
<button type="submit">Open the viewer</button>
</form>
</main>
</html>
)";
  const std::string shown =
      problem.empty() ? "" : fmt::format("<p role=\"alert\"><strong>{}</strong></p>\n", problem);
  return fmt::format(kPage, shown);
}

std::string ReloadPage() {
  constexpr std::string_view kPage = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Warpsight</title>
<script src="{}"></script>
<p><a href="./">Open the viewer</a></p>
</html>
)";
  return fmt::format(kPage, kReloadScript);
}

std::string_view ReloadScript() {
  return "window.location.replace(\"./?reloaded\" + window.location.hash);\n";
}

}  // namespace warpsight::server
