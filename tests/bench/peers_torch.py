"""peers_torch.py - the same net in PyTorch: training with gates, and scoring
behind msgpack.

One thread, the same shape, batch, gates and optimiser as ours. Gates follow
gate.h: E z and its slope are exact, mu takes one step a visit.
"""
import io
import math
import time

import msgpack
import numpy as np
import torch

torch.set_num_threads(1)

SIGMA = 0.5
LAMBDA = 0.5  # times the columns
RATE = 1e-3
READ = 256 * 1024  # bytes at a time, as the program does
WINDOW = 512


def make_net(columns, width, depth):
    """columns-width...-1-...width-columns, latent and output linear."""
    sizes = [columns] + depth * [width] + [1] + depth * [width] + [columns]
    layers = []
    for i in range(len(sizes) - 1):
        layers.append(torch.nn.Linear(sizes[i], sizes[i + 1]))
        if i not in (depth, len(sizes) - 2):
            layers.append(torch.nn.Tanh())
    return torch.nn.Sequential(*layers)


def gate_visit(mu, error, level):
    """Each record's weight in the loss, and its gate after one step."""
    a, b = mu / SIGMA, (1 - mu) / SIGMA
    below, above = torch.special.ndtr(-a), torch.special.ndtr(b)
    root = math.sqrt(2 * math.pi)
    density = (torch.exp(-a * a / 2) - torch.exp(-b * b / 2)) / root
    weight = SIGMA * density + (mu - 1) * above - mu * below + 1
    step = (error - level) * (above - below) / level
    return weight, mu - step


class Training:
    """Epochs over X in steps of BATCH records."""

    def __init__(self, x, width, depth, batch, fused):
        torch.manual_seed(1)
        self.x = torch.from_numpy(x)
        self.net = make_net(x.shape[1], width, depth)
        self.mu = torch.full((len(x),), 0.5)
        self.level = LAMBDA * x.shape[1]
        self.batch = batch
        self.adam = torch.optim.Adam(self.net.parameters(), lr=RATE,
                                     fused=fused)

    def step(self, chosen):
        x = self.x[chosen]
        error = ((self.net(x) - x) ** 2).sum(dim=1)
        with torch.no_grad():
            weight, moved = gate_visit(self.mu[chosen], error, self.level)
            self.mu[chosen] = moved
        loss = (weight * error).mean()
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        self.adam.step()

    def epoch(self):
        for chosen in torch.randperm(len(self.x)).split(self.batch):
            self.step(chosen)


def train(x, width, depth, batch, seconds=1.0):
    """ns of a record and epoch: the better of Adam's two forms."""
    best = math.inf
    for fused in (False, True):
        training = Training(x, width, depth, batch, fused)
        training.epoch()
        began, epochs = time.process_time(), 0
        while time.process_time() - began < seconds / 2:
            training.epoch()
            epochs += 1
        took = time.process_time() - began
        best = min(best, 1e9 * took / epochs / len(x))
    return best


def records(file):
    """Windows of records, each with where its records end in the file."""
    unpacker = msgpack.Unpacker(file, read_size=READ)
    window, ends = [], []
    for record in unpacker:
        window.append(record)
        ends.append(unpacker.tell())
        if len(window) == WINDOW:
            yield window, ends
            window, ends = [], []


def score(path, x):
    """ns of a record from a file of MessagePack through the net to /dev/null.
    What the net has learned makes no difference to its speed."""
    net = make_net(x.shape[1], 10, 5)
    scale = torch.from_numpy(x.std(axis=0).astype(np.float32))
    limit, start, count = None, 0, 0

    began = time.process_time()
    with open(path, "rb") as file, open("/dev/null", "wb", READ) as out, \
            torch.no_grad():
        data = memoryview(file.read())
        for window, ends in records(io.BytesIO(data)):
            rows = torch.tensor(window) / scale
            error = ((net(rows) - rows) ** 2).sum(dim=1)
            if limit is None:
                limit = float(error.quantile(0.99))
            for fits, end in zip((error <= limit).tolist(), ends):
                if fits:
                    out.write(data[start:end])
                start = end
            count += len(window)
    return 1e9 * (time.process_time() - began) / count
