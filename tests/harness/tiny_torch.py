#!/usr/bin/env python3
"""A small network in PyTorch that prints its steps as nanoGPT does: self-contained, random data, a second or so."""
import time

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
samples, labels = torch.randn(512, 64), torch.randint(0, 10, (512,))
began = time.time()
for step in range(30):
    loss = nn.functional.cross_entropy(model(samples), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    now = time.time()
    print(f"iter {step}: loss {loss.item():.4f}, time {(now - began) * 1000:.2f}ms, mfu -100.00%")
    began = now
