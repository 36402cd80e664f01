"""quality_halfspace.py - half-space trees: what is at hand for streams.

Needs river, which few have and which is slow: only full runs ask for it, and
only for the first records of a stream. Without it every figure is None and
why() says so.
"""
import functools

from quality_peers import np

MOST = 50000  # records


@functools.lru_cache(maxsize=None)
def library():
    """What is needed of river, and why it is not there. Loading it takes a
    while, so not before it is asked for."""
    try:
        from river import anomaly, preprocessing
        return (anomaly.HalfSpaceTrees, preprocessing.MinMaxScaler), ""
    except ImportError as error:
        return None, "HS-Trees: %s" % error


def why():
    return library()[1]


def halfspace(x, seed=1):
    """Scores of the first MOST records, each by the trees as they are when it
    comes; river's defaults, columns brought to 0..1 as they are seen."""
    found, _ = library()
    if found is None or np is None:
        return None
    trees, scaler = found[0](seed=seed), found[1]()
    score = []
    for row in x[:MOST].tolist():
        record = dict(enumerate(row))
        scaler.learn_one(record)
        record = scaler.transform_one(record)
        score.append(trees.score_one(record))
        trees.learn_one(record)
    return score
