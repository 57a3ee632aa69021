/**
 * Tells tests when nothing is being fetched or drawn: `<html data-idle="true">`. Code that starts
 * such work calls busy() and, when the work is done, the returned function.
 */
let running = 0;
let generation = 0;

export function busy(): () => void {
  running += 1;
  generation += 1;
  document.documentElement.dataset.idle = "false";
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    running -= 1;
    if (running === 0) settle();
  };
}

/** A timeout; until it has run, the page counts as busy. The returned function cancels it. */
export function busyTimeout(run: () => void, ms: number): () => void {
  const done = busy();
  const timer = window.setTimeout(() => {
    run();
    done();
  }, ms);
  return () => {
    clearTimeout(timer);
    done();
  };
}

/** Waits two frames: one in which React commits the new data, and one in which it is painted. */
function settle(): void {
  generation += 1;
  const mine = generation;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (mine === generation && running === 0) document.documentElement.dataset.idle = "true";
    }),
  );
}
