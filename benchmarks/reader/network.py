"""The network as it is trained (torch); `app/extraction/reader/network.py` computes the same with numpy."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from app.extraction.reader.features import FeatureSet
from benchmarks.reader.languages import Size

FARTHEST = 15
"""Distances of a head beyond this many words share one bias."""

_SYNTAX = ("arc_of", "arc_to", "arc_head", "distance", "root", "label_of", "label_to", "label")


class Maxout(nn.Module):
    """A linear layer of two pieces, of which the larger counts, then a layer norm."""

    def __init__(self, wide: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.linear = nn.Linear(wide, hidden * 2)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: Tensor) -> Tensor:
        pieces = self.linear(x)
        return self.norm(torch.maximum(pieces[..., : self.hidden], pieces[..., self.hidden :]))


class Network(nn.Module):
    """Hashed features of words, windows of three, and a head for each task."""

    def __init__(self, features: FeatureSet, size: Size, classes: Mapping[str, int]) -> None:
        super().__init__()
        self.features = features
        self.size = size
        self.tables = nn.ModuleList(nn.Embedding(table.rows, size.embedding) for table in features.tables)
        for table in self.tables:
            nn.init.uniform_(table.weight, -0.1, 0.1)
        hidden = size.hidden
        self.first = Maxout(size.embedding * len(features.tables), hidden)
        self.windows = nn.ModuleList(Maxout(hidden * 3, hidden) for _ in range(size.depth))
        self.upos = nn.Linear(hidden, classes["upos"])
        self.lemma = nn.Linear(hidden, classes["lemmas"])
        self.names = nn.Linear(hidden, classes["names"])
        self.arc_of = nn.Linear(hidden, size.arcs)
        self.arc_to = nn.Linear(hidden, size.arcs)
        self.arc_head = nn.Linear(hidden, 1)
        self.distance = nn.Parameter(torch.zeros(2 * FARTHEST + 1))
        self.root = nn.Parameter(torch.zeros(1))
        self.label_of = nn.Linear(hidden, size.labels)
        self.label_to = nn.Linear(hidden, size.labels)
        self.label = nn.Linear(size.labels, classes["labels"])
        self.dropout = nn.Dropout(size.dropout)

    def encode(self, rows: Tensor, mask: Tensor) -> Tensor:
        """Rows (batch × length × columns) and which of them are words; states (batch × length × hidden)."""
        parts, column = [], 0
        for table, module in zip(self.features.tables, self.tables, strict=True):
            part = module(rows[..., column])
            for extra in range(1, table.hashes):
                part = part + module(rows[..., column + extra])
            column += table.hashes
            if self.training:
                keep = (torch.rand(part.shape[:2]) > self.size.feature_dropout).unsqueeze(-1)
                part = part * keep
            parts.append(part)
        gate = mask.unsqueeze(-1).to(parts[0].dtype)
        x = self.first(torch.cat(parts, -1)) * gate
        for window in self.windows:
            x = self.dropout(x)
            left = torch.cat([torch.zeros_like(x[:, :1]), x[:, :-1]], 1)
            right = torch.cat([x[:, 1:], torch.zeros_like(x[:, :1])], 1)
            x = (x + window(torch.cat([left, x, right], -1))) * gate
        return x

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


def arrays_of(network: Network, classes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The weights as half-precision arrays, by the names that the pipeline looks for; heads without a class
    were not trained and are left out.
    """
    parts = {"upos": ("upos",), "lemmas": ("lemma",), "names": ("names",), "labels": _SYNTAX}
    left_out = {part for name, own in parts.items() if not classes[name] for part in own}
    return {
        name: value.detach().numpy().astype(np.float16)
        for name, value in network.state_dict().items()
        if name.split(".")[0] not in left_out
    }
