import { createStore, useStore } from "./store";

export type ThemeChoice = "auto" | "light" | "dark";
export type Theme = "light" | "dark";

const KEY = "warpsight.theme";

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    // Storage may be forbidden, for example in pages opened from disk.
    return "auto";
  }
}

const system = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

function resolve(choice: ThemeChoice): Theme {
  if (choice !== "auto") return choice;
  return system?.matches ? "dark" : "light";
}

const choiceStore = createStore<ThemeChoice>(stored());
const themeStore = createStore<Theme>(resolve(choiceStore.get()));

function apply(): void {
  themeStore.set(resolve(choiceStore.get()));
  document.documentElement.dataset.theme = themeStore.get();
}

apply();
system?.addEventListener("change", apply);

export function setTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
  choiceStore.set(choice);
  apply();
}

/** Light or dark, as currently drawn. */
export function useTheme(): Theme {
  return useStore(themeStore);
}

export function currentTheme(): Theme {
  return themeStore.get();
}

export function useThemeChoice(): ThemeChoice {
  return useStore(choiceStore);
}
