"""Computes what other implementations say of the random ladders: a line of JSON for each pair.

    node -e 'import("./ladders.ts").then((m) => console.log(JSON.stringify(m.ladderPairs())))' | python3 expected.py > expected.jsonl

Needs bjontegaard 1.3.0 (University of Erlangen), numpy 2.4.6 and scipy 1.17.1 of PyPI. The BD-rate of AOM's test
conditions is computed after CalcBDRate.py of their test framework, with scipy's pchip_interpolate.

A line has [pchip, akima, cubic, aom]; the first three are [BD-rate, BD-quality]. null: refused, or not a number.
"""

import json
import math
import sys
import warnings

import bjontegaard
import numpy
import scipy.interpolate

warnings.simplefilter("ignore")


def finite(value):
    return float(value) if value is not None and math.isfinite(value) else None


def columns(points):
    ordered = sorted(points, key=lambda point: (point["rate"], point["score"]))
    return [point["rate"] for point in ordered], [point["score"] for point in ordered]


def erlangen(anchor, test, method):
    def call(function):
        try:
            return finite(function(*columns(anchor), *columns(test), method=method, require_matching_points=False, min_overlap=0))
        except Exception:
            return None

    return [call(bjontegaard.bd_rate), call(bjontegaard.bd_psnr)]


def aom_ladder(points):
    """Rates and scores that count, sorted by score; None: refused."""
    if len(points) < 4:
        return None
    pairs = sorted((point["rate"], point["score"]) for point in points)
    for index in range(1, len(pairs)):
        if pairs[index][1] < pairs[index - 1][1] and pairs[index - 1][1] >= 99.5:
            pairs = pairs[:index]
            break
    if any(pairs[index][1] < pairs[index - 1][1] for index in range(1, len(pairs))):
        return None
    cheapest = {}
    for rate, score in pairs:
        cheapest.setdefault(score, rate)
    if len(cheapest) < 2:
        return None
    return list(cheapest.keys()), [math.log(rate) for rate in cheapest.values()]


def aom(anchor, test):
    one, other = aom_ladder(anchor), aom_ladder(test)
    if one is None or other is None:
        return None
    low, high = max(one[0][0], other[0][0]), min(one[0][-1], other[0][-1])
    if low >= high:
        return None
    samples, step = numpy.linspace(low, high, num=100, retstep=True)
    areas = [numpy.trapezoid(scipy.interpolate.pchip_interpolate(*ladder, samples), dx=step) for ladder in (one, other)]
    return finite((math.exp((areas[1] - areas[0]) / (high - low)) - 1) * 100)


pairs = json.load(sys.stdin)
rows = [
    [*(erlangen(pair["anchor"], pair["test"], method) for method in ("pchip", "akima", "cubic")), aom(pair["anchor"], pair["test"])]
    for pair in pairs
]
for row in rows:
    print(json.dumps(row, separators=(",", ":")))
