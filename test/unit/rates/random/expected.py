"""Computes what other implementations say of the random ladders: a line of JSON for each pair.

In this folder:

    python3 -m venv /tmp/bd && /tmp/bd/bin/pip install bjontegaard==1.3.0 numpy==2.4.6 scipy==1.17.1
    node -e 'import("./ladders.ts").then((m) => console.log(JSON.stringify(m.ladderPairs())))' | /tmp/bd/bin/python expected.py > expected.jsonl

bjontegaard is that of the University of Erlangen. The BD-rate of AOM's test conditions is computed after CalcBDRate.py of
their test framework, with scipy's PchipInterpolator. No rule of svc is applied here.

A line has [pchip, akima, cubic, VMAF, PSNR]. The first three are [BD-rate, BD-quality] of bjontegaard; the others are the
BD-rates of AOM if the scores are VMAF's or PSNR's. Numbers have 13 digits. In place of a number:

    "NO_OVERLAP"    bjontegaard warns that the curves do not overlap; the script of AOM returns 0
    "NOT_MONOTONE"  the script of AOM returns its error for ladders that are not monotonic
    "NO_CURVE"      the implementation raises an error, or computes NaN of curves that overlap
"""

import json
import math
import sys
import warnings
from importlib.metadata import version

import bjontegaard
import numpy
from scipy.interpolate import PchipInterpolator

for name, wanted in (("bjontegaard", "1.3.0"), ("numpy", "2.4.6"), ("scipy", "1.17.1")):
    if version(name) != wanted:
        sys.exit(f"expected.py: needs {name} {wanted}, not {version(name)}")

SAMPLES = 100
SATURATED = 99.5


def rows_of(points):
    """Sorted by rate. JSON has no infinite numbers: null is one."""
    return sorted((point["rate"], math.inf if point["score"] is None else point["score"]) for point in points)


def rounded(value):
    return float(f"{value:.13g}")


def erlangen(function, anchor, test, method):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            value = function(*zip(*anchor), *zip(*test), method=method, require_matching_points=False, min_overlap=0)
        except (ValueError, AssertionError, numpy.linalg.LinAlgError):
            return "NO_CURVE"
    if any("do not overlap" in str(warning.message) for warning in warned):
        return "NO_OVERLAP"
    return rounded(value) if math.isfinite(value) else "NO_CURVE"


def unsaturated(rows):
    kept = rows[:1]
    for row in rows[1:]:
        if row[1] < kept[-1][1] and kept[-1][1] >= SATURATED:
            break
        kept.append(row)
    return kept


def aom_curve(rows):
    """Scores and logarithms of rates; None if it is not monotonic."""
    by_score = sorted(rows, key=lambda row: (row[1], row[0]))
    rates = [rate for rate, _ in by_score]
    if rates != sorted(rates):
        return None
    kept = []
    for rate, score in by_score:
        score = 100.0 if score == math.inf else score
        if not kept or kept[-1][0] != score:
            kept.append((score, math.log(rate)))
    return kept


def aom(anchor, test, is_vmaf):
    curves = [aom_curve(unsaturated(rows) if is_vmaf else rows) for rows in (anchor, test)]
    if None in curves:
        return "NOT_MONOTONE"
    spans = [[score for score, _ in curve] for curve in curves]
    low, high = max(map(min, spans)), min(map(max, spans))
    if low >= high:
        return "NO_OVERLAP"
    samples = numpy.linspace(low, high, SAMPLES)
    try:
        one, other = (numpy.trapezoid(PchipInterpolator(*zip(*curve))(samples), samples) for curve in curves)
    except ValueError:
        return "NO_CURVE"
    return rounded((math.exp((other - one) / (high - low)) - 1) * 100)


for pair in json.load(sys.stdin):
    sides = rows_of(pair["anchor"]), rows_of(pair["test"])
    deltas = [
        [erlangen(function, *sides, method) for function in (bjontegaard.bd_rate, bjontegaard.bd_psnr)]
        for method in ("pchip", "akima", "cubic")
    ]
    print(json.dumps([*deltas, aom(*sides, True), aom(*sides, False)], separators=(",", ":")))
