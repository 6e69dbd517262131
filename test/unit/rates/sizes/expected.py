"""Computes what other implementations say of ladders with several picture sizes: a line of JSON for each pair.

In this folder:

    python3 -m venv /tmp/bd && /tmp/bd/bin/pip install bjontegaard==1.3.0 numpy==2.4.6 scipy==1.17.1
    node -e 'import("./ladders.ts").then((m) => console.log(JSON.stringify(m.sizedPairs())))' | /tmp/bd/bin/python expected.py > expected.jsonl

The hull is that of qhull, from its cheapest to its best vertex. bjontegaard compares the encodes on it. The numbers of AOM are
those of CalcASBDRate in the framework of its test conditions: the curve of each size is a line over the logarithm of the rate,
divided into eight pieces between two encodes; the hull of all these points is compared with scipy's PchipInterpolator.

A line has the rates of the encodes on both hulls, [pchip, akima, cubic] of BD-rate and BD-quality, the same in decibels of
100 - score, and AOM's BD-rate. Numbers have 13 digits; null: fewer than four encodes are on a hull.
"""

import json
import math
import sys
import warnings

import bjontegaard
import numpy
from scipy.interpolate import PchipInterpolator
from scipy.spatial import ConvexHull

PIECES = 8
SAMPLES = 100
LEAST = 4


def hull(points):
    """Sorted by rate. qhull keeps points within rounding of an edge only by its own tolerance."""
    array = numpy.array(points)
    vertices = {tuple(array[index]) for index in ConvexHull(array / array.max(axis=0)).vertices}
    top = max(vertices, key=lambda point: (point[1], -point[0]))
    first = min(vertices, key=lambda point: (point[0], -point[1]))
    # The upper side: on or above the line from the cheapest to the best.
    slope = (top[1] - first[1]) / (top[0] - first[0]) if top[0] > first[0] else 0.0
    return sorted(
        point
        for point in vertices
        if point[0] <= top[0] and point[1] >= first[1] + slope * (point[0] - first[0]) - 1e-9
    )


def interpolated(rows):
    by_size = {}
    for row in rows:
        by_size.setdefault((row["size"]["width"], row["size"]["height"]), []).append((row["rate"], row["scores"][0]))
    points = []
    for own in by_size.values():
        own.sort()
        for (rate, score), (next_rate, next_score) in zip(own, own[1:]):
            logs = numpy.linspace(math.log10(rate), math.log10(next_rate), PIECES + 1)[:-1]
            scores = numpy.linspace(score, next_score, PIECES + 1)[:-1]
            points += [(10**log, score) for log, score in zip(logs, scores)]
        points.append(own[-1])
    return points


def aom(anchor, test):
    curves = [sorted((score, math.log(rate)) for rate, score in hull(interpolated(rows))) for rows in (anchor, test)]
    low, high = max(curve[0][0] for curve in curves), min(curve[-1][0] for curve in curves)
    samples = numpy.linspace(low, high, SAMPLES)
    one, other = (numpy.trapezoid(PchipInterpolator(*zip(*curve))(samples), samples) for curve in curves)
    return (math.exp((other - one) / (high - low)) - 1) * 100


def deltas(anchor, test):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            [
                rounded(function(*zip(*anchor), *zip(*test), method=method, require_matching_points=False, min_overlap=0))
                for function in (bjontegaard.bd_rate, bjontegaard.bd_psnr)
            ]
            for method in ("pchip", "akima", "cubic")
        ]


def decibels(points):
    return [(rate, -10 * math.log10(1 - score / 100)) for rate, score in points]


def rounded(value):
    return float(f"{value:.13g}")


for pair in json.load(sys.stdin):
    rows = pair["anchor"], pair["test"]
    sides = [hull([(row["rate"], row["scores"][0]) for row in own]) for own in rows]
    is_enough = min(map(len, sides)) >= LEAST
    line = [
        [[rate for rate, _ in side] for side in sides],
        deltas(*sides) if is_enough else None,
        deltas(*map(decibels, sides)) if is_enough else None,
        rounded(aom(*rows)),
    ]
    print(json.dumps(line, separators=(",", ":")))
