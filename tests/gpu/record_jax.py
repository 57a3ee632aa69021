#!/usr/bin/env python3
"""Records five training steps of a small transformer with JAX's profiler, on a GPU.

    XLA_FLAGS=--xla_gpu_enable_command_buffer= tests/gpu/record_jax.py FOLDER

leaves FOLDER/transformer.xplane.pb and FOLDER/transformer.trace.json.gz, as in tests/data/jax. Without
the flag XLA puts the kernels into command buffers (CUDA graphs).
"""

import shutil
import sys
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp

WIDTH, LAYERS, BATCH, LENGTH, HEADS, WORDS = 512, 4, 8, 256, 8, 1000


def init(key):
    keys = iter(jax.random.split(key, 4 * LAYERS + 1))
    shapes = {"qkv": (WIDTH, 3 * WIDTH), "o": (WIDTH, WIDTH), "up": (WIDTH, 4 * WIDTH),
              "down": (4 * WIDTH, WIDTH)}

    def weights(shape):
        return jax.random.normal(next(keys), shape, jnp.bfloat16) * 0.02

    return {"embedding": weights((WORDS, WIDTH)),
            "layers": [{name: weights(shape) for name, shape in shapes.items()}
                       for _ in range(LAYERS)]}


def layer(x, p):
    with jax.named_scope("attention"):
        q, k, v = (part.reshape(BATCH, LENGTH, HEADS, -1).transpose(0, 2, 1, 3)
                   for part in jnp.split(x @ p["qkv"], 3, -1))
        scores = (q @ k.swapaxes(-1, -2)).astype(jnp.float32) / (WIDTH / HEADS) ** 0.5
        mixed = jax.nn.softmax(scores, -1).astype(jnp.bfloat16) @ v
        x = x + mixed.transpose(0, 2, 1, 3).reshape(BATCH, LENGTH, WIDTH) @ p["o"]
    with jax.named_scope("mlp"):
        return x + jax.nn.gelu(x @ p["up"]) @ p["down"]


def loss(params, tokens):
    x = params["embedding"][tokens]
    for p in params["layers"]:
        x = layer(x, p)
    logits = (x @ params["embedding"].T).astype(jnp.float32)
    targets = jnp.roll(tokens, -1, 1)[..., None]
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), targets, -1).mean()


@jax.jit
def train(params, tokens):
    gradients = jax.grad(loss)(params, tokens)
    return jax.tree.map(lambda w, g: w - 1e-3 * g, params, gradients)


def main():
    target = Path(sys.argv[1])
    key = jax.random.PRNGKey(0)
    params = init(key)
    tokens = jax.random.randint(key, (BATCH, LENGTH), 0, WORDS)
    for _ in range(3):
        params = jax.block_until_ready(train(params, tokens))
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            for i in range(5):
                with jax.profiler.StepTraceAnnotation("train", step_num=i):
                    params = jax.block_until_ready(train(params, tokens))
        for ending in ("xplane.pb", "trace.json.gz"):
            found = next(Path(folder).rglob(f"*.{ending}"))
            shutil.copy(found, target / f"transformer.{ending}")


if __name__ == "__main__":
    main()
