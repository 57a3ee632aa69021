import {
  type KeyboardEvent as ReactKeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { Icon, type IconName } from "./icon";
import "./menu.css";

export interface MenuItem {
  id: string;
  label: ReactNode;
  /** Second line. */
  detail?: ReactNode;
  icon?: IconName;
  tip?: string;
  checked?: boolean;
  disabled?: boolean;
  /** A link … */
  href?: string;
  download?: boolean;
  /** … or an action. */
  onSelect?: () => void;
  /** A separate button at the right end, such as "delete". */
  extra?: { label: string; icon: IconName; onSelect: () => void };
}

export interface MenuProps {
  label: ReactNode;
  /** For assistive technology, if the label alone is not sufficient. */
  title?: string;
  items: readonly MenuItem[];
  className?: string;
  align?: "left" | "right";
  chevron?: boolean;
  tip?: string;
  heading?: string;
}

/** A button that opens a list of choices: arrows move, Enter selects, Escape closes. */
export function Menu(props: MenuProps) {
  const { label, title, items, className = "button", align = "left", chevron = true } = props;
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();

  const close = useCallback((refocus: boolean) => {
    setOpen(false);
    if (refocus) button.current?.focus();
  }, []);

  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener("pointerdown", outside);
    focusable(root.current)[0]?.focus();
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);

  const onKey = (event: ReactKeyboardEvent) => {
    if (!open) {
      if (event.key === "ArrowDown") {
        event.preventDefault();
        setOpen(true);
      }
      return;
    }
    if (event.key === "Escape") {
      event.stopPropagation();
      close(true);
    } else if (event.key === "Tab") {
      setOpen(false);
    } else {
      moveFocus(event, focusable(root.current));
    }
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only passes keys on to the list
    <div className="menu" ref={root} onKeyDown={onKey}>
      <button
        type="button"
        ref={button}
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={title}
        data-tip={open ? undefined : props.tip}
        onClick={() => setOpen(!open)}
      >
        {label}
        {chevron && <Icon name="chevron" size={12} />}
      </button>
      {open && (
        <div
          className={`menu-list ${align}`}
          role="menu"
          id={id}
          aria-label={title ?? (typeof label === "string" ? label : props.heading)}
        >
          {props.heading && (
            <p className="menu-heading" role="presentation">
              {props.heading}
            </p>
          )}
          {items.map((item) => (
            <MenuEntry key={item.id} item={item} close={close} />
          ))}
        </div>
      )}
    </div>
  );
}

function MenuEntry({ item, close }: { item: MenuItem; close: (refocus: boolean) => void }) {
  const take = () => {
    if (item.disabled) return;
    close(item.href === undefined);
    item.onSelect?.();
  };
  const role = item.checked === undefined ? "menuitem" : "menuitemradio";
  const shared = {
    className: "menu-item",
    role,
    tabIndex: -1,
    "data-tip": item.tip,
    "aria-checked": item.checked,
    "aria-disabled": item.disabled || undefined,
  };
  const content = (
    <>
      {item.checked !== undefined && (
        <span className="menu-check">{item.checked && <Icon name="check" size={14} />}</span>
      )}
      {item.icon && <Icon name={item.icon} />}
      <span className="menu-text">
        <span>{item.label}</span>
        {item.detail !== undefined && <span className="menu-detail">{item.detail}</span>}
      </span>
    </>
  );
  return (
    <div className="menu-row" role="presentation">
      {item.href !== undefined && !item.disabled ? (
        <a {...shared} href={item.href} download={item.download} onClick={take}>
          {content}
        </a>
      ) : (
        <button type="button" {...shared} onClick={take}>
          {content}
        </button>
      )}
      {item.extra && (
        <button
          type="button"
          role="menuitem"
          tabIndex={-1}
          className="menu-extra"
          aria-label={item.extra.label}
          data-tip={item.extra.label}
          onClick={() => {
            close(true);
            item.extra?.onSelect();
          }}
        >
          <Icon name={item.extra.icon} size={14} />
        </button>
      )}
    </div>
  );
}

function focusable(root: HTMLElement | null): HTMLElement[] {
  return [...(root?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}

function moveFocus(event: ReactKeyboardEvent, list: HTMLElement[]): void {
  const at = list.indexOf(document.activeElement as HTMLElement);
  const last = list.length - 1;
  let next = -1;
  if (event.key === "ArrowDown") next = at >= last ? 0 : at + 1;
  else if (event.key === "ArrowUp") next = at <= 0 ? last : at - 1;
  else if (event.key === "Home") next = 0;
  else if (event.key === "End") next = last;
  else if (event.key.length === 1 && /\S/.test(event.key)) {
    const wanted = event.key.toLowerCase();
    const order = [...list.slice(at + 1), ...list.slice(0, at + 1)];
    const hit = order.find((item) => item.textContent?.trim().toLowerCase().startsWith(wanted));
    next = hit ? list.indexOf(hit) : -1;
  }
  if (next < 0) return;
  event.preventDefault();
  list[next]?.focus();
}
