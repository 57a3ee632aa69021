const ACRONYMS = /\b(cuda|gpu|cpu|tf32|nccl|io)\b/g;

/** A rule's id as words: `cuda-graphs` is "CUDA graphs". */
export function ruleName(rule: string): string {
  const words = rule
    .replaceAll("-", " ")
    .replace(ACRONYMS, (word) => word.toUpperCase())
    .replace(/\bcudnn\b/g, "cuDNN");
  return words.startsWith("cuDNN") ? words : words.charAt(0).toUpperCase() + words.slice(1);
}
