import { createHash } from "node:crypto";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** The place where `warpsight export --html` puts the profile's data. */
const DATA_MARKER = "@WARPSIGHT_DATA@";

/**
 * The content security policy of the page: it may run this one script and show its output. It
 * cannot send requests, whatever the profile's names contain. Styles are set by scripts, too.
 */
function contentPolicy(script: string): string {
  const hash = createHash("sha256").update(script).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
}

/**
 * Puts scripts and styles into the page. Browsers load neither modules nor files beside a page
 * opened from disk, so the script becomes a classic one at the end of the body, after the data.
 */
function inlineEverything(): Plugin {
  return {
    name: "warpsight-offline",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no index.html to inline into");
      let html = String(page.source);
      const styles: string[] = [];
      const scripts: string[] = [];
      for (const [name, file] of Object.entries(bundle)) {
        if (file === page) continue;
        if (file.type === "chunk") scripts.push(file.code.replaceAll("</script", "<\\/script"));
        else if (name.endsWith(".css")) styles.push(String(file.source));
        else throw new Error(`${name} cannot be inlined`);
        delete bundle[name];
      }
      html = html
        .replace(/<script[^>]*\ssrc="[^"]*"[^>]*><\/script>/g, "")
        .replace(/<link[^>]*rel="(?:stylesheet|modulepreload)"[^>]*>/g, "");
      // The hash is that of the text as browsers read it: with plain newlines.
      const script = scripts.join("\n").replaceAll("\r\n", "\n");
      const policy = `<meta http-equiv="Content-Security-Policy" content="${contentPolicy(script)}" />`;
      const head = `<style>${styles.join("\n")}</style></head>`;
      const body =
        `<script id="warpsight-data" type="text/plain">${DATA_MARKER}</script>` +
        `<script>${script}</script></body>`;
      // Before everything to which it applies.
      page.source = html
        .replace("<head>", () => `<head>\n    ${policy}`)
        .replace("</head>", () => head)
        .replace("</body>", () => body);
    },
  };
}

export default defineConfig(({ mode }) => {
  const offline = mode === "offline";
  return {
    base: "./",
    plugins: [react(), ...(offline ? [inlineEverything()] : [])],
    define: offline ? { "process.env.NODE_ENV": '"production"' } : {},
    build: {
      target: "es2022",
      outDir: offline ? "dist-offline" : "dist",
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      cssCodeSplit: !offline,
      assetsInlineLimit: offline ? Number.MAX_SAFE_INTEGER : 4096,
      chunkSizeWarningLimit: 900,
      rollupOptions: offline ? { output: { format: "iife", inlineDynamicImports: true } } : {},
    },
    test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true },
  };
});
