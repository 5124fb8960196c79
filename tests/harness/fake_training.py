#!/usr/bin/env python3
"""Pretends to train, as its environment says: a step is a sleep.

STEPS, MS (of a step), SLOWDOWN (its factor), STYLE (nanogpt: with the time a step is meant to take; plain: without a
time), NAN_AT (a step), EXIT (code), SAY (printed first), MIB (of memory to hold).
"""
import os
import sys
import time

STEPS = int(os.environ.get("STEPS", "30"))
SECONDS = float(os.environ.get("MS", "1")) / 1000 * float(os.environ.get("SLOWDOWN", "1"))
STYLE = os.environ.get("STYLE", "nanogpt")
NAN_AT = int(os.environ.get("NAN_AT", "-1"))

held = b"x" * (int(os.environ.get("MIB", "0")) << 20)
print(os.environ.get("SAY", "number of parameters: 0.80M"))
for step in range(STEPS):
    time.sleep(SECONDS)
    loss = float("nan") if step == NAN_AT else 4 - step / STEPS
    if STYLE == "nanogpt":
        print(f"iter {step}: loss {loss:.4f}, time {SECONDS * 1000:.2f}ms, mfu -100.00%")
    else:
        print(f"[{step}] L={loss:.4f}")
if "EXIT" in os.environ:
    print("RuntimeError: it was told to fail", file=sys.stderr)
    sys.exit(int(os.environ["EXIT"]))
