"""The network as it is trained (torch); `app/extraction/reader/network.py` computes the same with numpy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from app.extraction.reader.embedding_features import FeatureSet
from benchmarks.reader.languages import Size
from benchmarks.reader.vectors import Vectors, as_bytes

FARTHEST = 15
"""Distances of a head beyond this many words share one bias."""

IMPOSSIBLE = -1e4
"""The log of the probability of what cannot be."""

_SYNTAX = ("arc_of", "arc_to", "arc_head", "distance", "root", "label_of", "label_to", "label")


class _Larger(torch.autograd.Function):
    """The larger of two numbers; several times as fast backward as `torch.maximum`, which shares ties out."""

    @staticmethod
    def forward(ctx: Any, pieces: Tensor, hidden: int) -> Tensor:
        one, other = pieces[..., :hidden], pieces[..., hidden:]
        larger = one > other
        ctx.save_for_backward(larger)
        return torch.where(larger, one, other)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (larger,), (gradient,) = ctx.saved_tensors, gradients
        first = gradient * larger
        return torch.cat([first, gradient - first], -1), None


class Maxout(nn.Module):
    """A linear layer of two pieces, of which the larger counts, then a layer norm."""

    def __init__(self, wide: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.linear = nn.Linear(wide, hidden * 2)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(_Larger.apply(self.linear(x), self.hidden))


class Dropout(nn.Module):
    """Leaves out the same numbers of all words of a sentence: as good as others of each word, and ten times
    as fast where random numbers cost more than products.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        keep = (torch.rand(x.shape[0], 1, x.shape[2]) >= self.share).to(x.dtype)
        return x * keep / (1 - self.share)


class Network(nn.Module):
    """Hashed features of words, windows of three, and a head for each task."""

    def __init__(self, features: FeatureSet, size: Size, classes: Mapping[str, int], wide: int = 0) -> None:
        super().__init__()
        self.features = features
        self.size = size
        self.tables = nn.ModuleList(
            nn.Embedding(table.row_count, size.embedding) for table in features.tables
        )
        for table in self.tables:
            nn.init.uniform_(table.weight, -0.1, 0.1)
        hidden = size.hidden
        self.first = Maxout(size.embedding * len(features.tables) + size.vectors, hidden)
        # What serves here of pretrained vectors; without a bias, so that a word is the mean of its pieces.
        self.project = nn.Linear(wide, size.vectors, bias=False) if size.vectors else None
        self.windows = nn.ModuleList(Maxout(hidden * 3, hidden) for _ in size.reach)
        self.upos = nn.Linear(hidden, classes["upos"])
        self.lemma = nn.Linear(hidden, classes["lemmas"])
        self.names = nn.Linear(hidden, classes["names"])
        # Scores of each tag (columns) after another (rows); a sentence begins as after the first tag, "O".
        self.transitions = nn.Parameter(torch.zeros(classes["names"], classes["names"]))
        self.arc_of = nn.Linear(hidden, size.arcs)
        self.arc_to = nn.Linear(hidden, size.arcs)
        self.arc_head = nn.Linear(hidden, 1)
        self.distance = nn.Parameter(torch.zeros(2 * FARTHEST + 1))
        self.root = nn.Parameter(torch.zeros(1))
        self.label_of = nn.Linear(hidden, size.labels)
        self.label_to = nn.Linear(hidden, size.labels)
        self.label = nn.Linear(size.labels, classes["labels"])
        self.dropout = Dropout(size.dropout)

    def encode(self, rows: Tensor, mask: Tensor, vectors: Tensor | None = None) -> Tensor:
        """Rows (batch × length × columns), which of them are words, and their pretrained vectors
        (batch × length × their width) where the network has some; states (batch × length × hidden).
        """
        parts, column = [], 0
        for table, module in zip(self.features.tables, self.tables, strict=True):
            part = module(rows[..., column])
            for extra in range(1, table.hash_count):
                part = part + module(rows[..., column + extra])
            column += table.hash_count
            parts.append(self._without_some(part, self.size.form_dropout if table.name == "form" else None))
        if self.project is not None and vectors is not None:
            parts.append(self._without_some(self.project(vectors)))
        gate = mask.unsqueeze(-1).to(parts[0].dtype)
        x = self.first(torch.cat(parts, -1)) * gate
        length = x.shape[1]
        for reach, window in zip(self.size.reach, self.windows, strict=True):
            x = nn.functional.pad(self.dropout(x), (0, 0, reach, reach))
            left, middle, right = x[:, :length], x[:, reach : reach + length], x[:, 2 * reach :]
            x = (middle + window(torch.cat([left, middle, right], -1))) * gate
        return x

    def _without_some(self, part: Tensor, share: float | None = None) -> Tensor:
        """A feature, in training without a share of the words: the others learn to do without it."""
        if not self.training:
            return part
        share = self.size.feature_dropout if share is None else share
        return part * (torch.rand(part.shape[:2]) > share).unsqueeze(-1)

    def names_loss(self, x: Tensor, mask: Tensor, tags: Tensor) -> Tensor:
        """Negative log-likelihood of the tags of names, by words whose tag is known (`tags` is not negative).

        A tag that is not known may be any: the paths through all of them are summed.
        """
        scores = self.names(x)
        is_known = tags >= 0
        allowed = torch.ones_like(scores, dtype=torch.bool)
        allowed[is_known] = nn.functional.one_hot(tags[is_known], scores.shape[-1]).bool()
        of_tags = self._log_sum_of_paths(scores.masked_fill(~allowed, IMPOSSIBLE), mask)
        return (self._log_sum_of_paths(scores, mask) - of_tags).sum() / is_known.sum()

    def _log_sum_of_paths(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Log of the sum over all sequences of tags, of each sentence: matrices of neighbours are multiplied
        in pairs, so that a sentence needs as many steps as its length has binary digits. Each matrix is kept
        as numbers of at most one and the log of what they are multiplied with.
        """
        count = scores.shape[-1]
        logs = self.transitions + scores[:, :, None, :]
        largest = logs.detach().amax((2, 3), keepdim=True)
        unit = torch.eye(count)
        paths = torch.where(mask[..., None, None], torch.exp(logs - largest), unit)
        scale = (largest[..., 0, 0] * mask).sum(1)
        while paths.shape[1] > 1:
            if paths.shape[1] % 2:
                paths = torch.cat([paths, unit.expand(len(paths), 1, count, count)], 1)
            paths = paths[:, 0::2] @ paths[:, 1::2]
            largest = paths.detach().amax((2, 3), keepdim=True)
            paths = paths / largest
            scale = scale + torch.log(largest[..., 0, 0]).sum(1)
        return torch.log(paths[:, 0, 0].sum(-1)) + scale

    def arcs(self, x: Tensor, mask: Tensor) -> Tensor:
        """Scores of each word (rows) for each head (columns); its own place stands for the root."""
        length = x.shape[1]
        scores = self.arc_of(x) @ self.arc_to(x).transpose(1, 2) / self.size.arcs**0.5
        scores = scores + self.arc_head(x).transpose(1, 2)
        places = torch.arange(length)
        distance = (places[None, :] - places[:, None]).clamp(-FARTHEST, FARTHEST) + FARTHEST
        scores = scores + self.distance[distance] + torch.eye(length) * self.root
        return scores.masked_fill(~mask[:, None, :], -1e4)

    def labels(self, x: Tensor, heads: Tensor) -> Tensor:
        """Scores of the labels of each word's arc to this head."""
        to = torch.gather(self.label_to(x), 1, heads.unsqueeze(-1).expand(-1, -1, self.size.labels))
        return self.label(self.dropout(torch.relu(self.label_of(x) + to)))


def arrays_of(
    network: Network, classes: Mapping[str, Sequence[str]], vectors: Vectors | None
) -> dict[str, Any]:
    """The weights by the names that the pipeline looks for: half-precision numbers, tables as bytes with what
    each of their columns is multiplied with. Heads without a class were not trained and are left out.
    """
    parts = {"upos": ("upos",), "lemmas": ("lemma",), "names": ("names", "transitions"), "labels": _SYNTAX}
    left_out = {"project", *(part for name, own in parts.items() if not classes[name] for part in own)}
    arrays: dict[str, Any] = {}
    for name, value in network.state_dict().items():
        if name.split(".")[0] in left_out:
            continue
        if name.startswith("tables."):
            arrays[name], arrays[f"{name}.scale"] = as_bytes(value.numpy())
        else:
            arrays[name] = value.numpy().astype(np.float16)
    if network.project is not None and vectors is not None:
        table = vectors.table @ network.project.weight.detach().numpy().T
        arrays["pieces.weight"], arrays["pieces.weight.scale"] = as_bytes(table)
        arrays["pieces"] = np.frombuffer("\n".join(vectors.names).encode(), dtype=np.uint8)
    return arrays
