import { connection, retryNow } from "../base/connection";
import type { ApiError } from "../base/source";
import { useStore } from "../base/store";
import { Icon } from "../widgets/icon";
import { prose } from "../widgets/prose";
import { ErrorPage, sentence } from "../widgets/states";

const TROUBLE = {
  lost: "No connection to Warpsight; trying again. If `warpsight view` was stopped, start it again.",
  overloaded: "The server is busy; trying again.",
  locked:
    "The viewer was restarted and has a new token. Open the URL that `warpsight view` printed, or reload this page and paste the token.",
} as const;

/** Shown while the server does not respond; disappears automatically. */
export function ConnectionBanner() {
  const { state } = useStore(connection);
  if (state === "ok") return null;
  return (
    <div className="banner" role="alert">
      <Icon name="warning" />
      <span>{prose(TROUBLE[state])}</span>
      <span className="spacer" />
      {state === "locked" ? (
        <button type="button" className="button" onClick={() => window.location.reload()}>
          Reload
        </button>
      ) : (
        <button type="button" className="button" onClick={retryNow}>
          Try now
        </button>
      )}
    </div>
  );
}

/** Says that the displayed data is still that of the file that was opened. */
export function ChangedBanner({ path }: { path: string }) {
  return (
    <div className="banner" role="status">
      <Icon name="warning" />
      <span>
        {prose(
          `\`${path}\` was replaced, changed or removed. This page shows the old version: restart \`warpsight view\` to see the new one.`,
        )}
      </span>
    </div>
  );
}

export function ServerGone({ error }: { error: ApiError }) {
  if (error.status === 401) {
    return (
      <ErrorPage title="This viewer needs a token">
        <p>
          {prose("Open the full URL that `warpsight view` printed, which ends with `?token=…`.")}
        </p>
      </ErrorPage>
    );
  }
  return (
    <ErrorPage title="The server's response is invalid">
      <p>{sentence(error.message)}</p>
      <p>{prose("Reload the page; if that does not help, start `warpsight view` again.")}</p>
    </ErrorPage>
  );
}
