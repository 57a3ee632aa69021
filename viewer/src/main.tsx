// First, so that the styles of widgets and views can refine these.
import "./base/style.css";
import "./base/theme";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { HttpSource } from "./base/http_source";
import { hasEmbeddedData, OfflineSource } from "./base/offline_source";
import { setSource } from "./base/source";
import { App } from "./shell/app";

setSource(hasEmbeddedData() ? OfflineSource.fromPage() : new HttpSource());

const root = document.getElementById("root");
if (root === null) throw new Error("no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
