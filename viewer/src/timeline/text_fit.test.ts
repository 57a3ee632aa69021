// @vitest-environment node
import { describe, expect, it } from "vitest";
import { labelOf, TextFit } from "./text_fit";

/** Every character has a width of ten. */
const fit = new TextFit((text) => [...text].length * 10);

describe("TextFit", () => {
  it("keeps texts that fit", () => {
    expect(fit.fit("aten::mm", 80)).toBe("aten::mm");
  });

  it("shortens others, with room for the ellipsis", () => {
    expect(fit.fit("aten::mm", 79)).toBe("aten::…");
    expect(fit.fit("aten::mm", 41)).toBe("ate…");
  });

  it("shows nothing rather than a single letter", () => {
    expect(fit.fit("aten::mm", 39)).toBe("");
    expect(fit.fit("mm", 20)).toBe("mm");
    expect(fit.fit("mm", 19)).toBe("");
    expect(fit.fit("", 100)).toBe("");
  });

  it("never cuts a character in two", () => {
    expect(fit.fit("ab😀😀😀😀", 50)).toBe("ab😀😀…");
    expect(fit.width("😀é")).toBe(20);
  });
});

describe("labelOf", () => {
  it("takes the function's name out of a kernel's", () => {
    expect(
      labelOf(
        "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)",
      ),
    ).toBe("vectorized_elementwise_kernel");
    expect(labelOf("void at::native::(anonymous namespace)::softmax<float>(float*)")).toBe(
      "softmax",
    );
  });

  it("keeps names of ops and plain kernels", () => {
    for (const name of [
      "aten::mm",
      "nvjet_sm90_tst_128x8",
      "autograd::engine::evaluate_function: MmBackward0",
      "Memcpy HtoD (Pageable -> Device)",
      "torch/nn/modules/module.py(1): _call_impl",
      "ProfilerStep#4",
    ]) {
      expect(labelOf(name)).toBe(name);
    }
  });
});
