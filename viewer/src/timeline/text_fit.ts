// Computes how much of a name fits into a slice. Widths are sums of characters' widths: measuring
// each name would cost more than drawing it, and while zooming, every label changes in every frame.

export class TextFit {
  private readonly ascii = new Float32Array(128);
  private readonly others = new Map<string, number>();
  private readonly ellipsis: number;

  /** `measure` returns the width of a short text in the label font without kerning. */
  constructor(private readonly measure: (text: string) => number) {
    for (let code = 32; code < 127; ++code) {
      this.ascii[code] = measure(String.fromCharCode(code));
    }
    this.ellipsis = measure("…");
  }

  width(text: string): number {
    let sum = 0;
    for (const character of text) sum += this.charWidth(character);
    return sum;
  }

  /** The text, its beginning with "…", or "" if fewer than `leastCharacters` of it fit. */
  fit(text: string, width: number, leastCharacters = 3): string {
    let sum = 0;
    let fitting = 0;
    let at = 0;
    let characters = 0;
    while (at < text.length) {
      const code = text.codePointAt(at) ?? 0;
      const size = code > 0xffff ? 2 : 1;
      sum += code < 128 ? (this.ascii[code] ?? 0) : this.charWidth(text.slice(at, at + size));
      if (sum > width) break;
      at += size;
      if (sum + this.ellipsis <= width) {
        fitting = at;
        characters += 1;
      }
    }
    if (at >= text.length) return text;
    return characters < leastCharacters ? "" : `${text.slice(0, fitting)}…`;
  }

  private charWidth(character: string): number {
    const code = character.codePointAt(0) ?? 0;
    if (code < 128) return this.ascii[code] ?? 0;
    const known = this.others.get(character);
    if (known !== undefined) return known;
    const width = this.measure(character);
    this.others.set(character, width);
    return width;
  }
}

/**
 * Readable names: kernels without return type, template arguments, namespaces and parameters. The
 * details show the full name.
 */
export function labelOf(name: string): string {
  const known = labels.get(name);
  if (known !== undefined) return known;
  if (labels.size >= MAX_LABELS) labels.clear();
  const label = shorten(name);
  labels.set(name, label);
  return label;
}

const MAX_LABELS = 50_000;
const labels = new Map<string, string>();

function shorten(name: string): string {
  if (!name.includes("::")) return name;
  const plain = name
    .replace(/^(?:void|static|inline)\s+/, "")
    .replaceAll("(anonymous namespace)::", "");
  const cut = plain.search(/[<(]/);
  const head = cut < 0 ? plain : plain.slice(0, cut);
  // Ops of PyTorch keep their whole name: aten::mm, autograd::engine::evaluate_function: ….
  if (cut < 0 || head.includes(" ")) return name;
  const last = head.includes("::") ? head.slice(head.lastIndexOf("::") + 2) : head;
  return last === "" ? name : last;
}
