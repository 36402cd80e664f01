"""quality_peers.py - other methods on the same records: what the program has
to beat.

Needs numpy, and scikit-learn for IsolationForest; without them every figure
is None and WHY says so. They are given what the program is given, in the
order it is given them, and like it they never see a label.
"""
try:
    import numpy as np
    WHY = ""
except ImportError as error:
    np = None
    WHY = "||x||2, past, kNN and IForest: %s" % error
try:
    from sklearn.ensemble import IsolationForest
except ImportError as error:
    IsolationForest = None
    WHY = WHY or "IForest: %s" % error

WINDOW = 512  # the program's default
MEMORY = 5120  # so is this
ALPHA = 0.02  # weight of the newest record in a spread
NEAREST = 5  # the neighbour whose distance counts
DRAWN = 256  # records that may be neighbours
ODD = 0.5  # forest scores above are outliers to contamination='auto'


def matrix(data):
    """The records' numbers, or None without numpy."""
    if np is None:
        return None
    flat = np.array(",".join(data.lines).split(","), dtype=float)
    return flat.reshape(len(data), -1)


def scaled(x, past, least=0.0):
    """X in units of PAST: min(range, 8 sd) / 4, clipped at 10."""
    unit = np.minimum(np.ptp(past, axis=0), 8 * past.std(axis=0)) / 4
    unit = np.maximum(unit, least)
    unit[unit == 0] = 1
    return np.clip((x - past.mean(axis=0)) / unit, -10, 10)


def windows(count, size):
    size = size or count
    return [(a, min(a + size, count)) for a in range(0, count, size)]


def norm(x, size=WINDOW):
    """||x||^2 of each record in units of its own window."""
    if np is None:
        return None
    parts = [(scaled(x[a:b], x[a:b]) ** 2).sum(axis=1)
             for a, b in windows(len(x), size)]
    return np.concatenate(parts).tolist()


def forest(x, size=WINDOW, seed=1, memory=0, context=False):
    """IsolationForest, 100 trees, judging each window: fitted to it, or to
    the MEMORY records before it, where there are such. Forests of windows
    that drift apart do not compare, those of a long past do better."""
    if np is None or IsolationForest is None:
        return None
    if context:
        x = with_context(x)
    parts = []
    for a, b in windows(len(x), size):
        known = x[max(0, a - memory):a] if memory and a else x[a:b]
        trees = IsolationForest(random_state=seed).fit(known)
        parts.append(-trees.score_samples(x[a:b]))
    return np.concatenate(parts).tolist()


def with_context(x):
    """X, its changes and its spreads over time, side by side."""
    change = np.diff(x, axis=0, prepend=x[:1])
    spread = np.empty_like(x)
    average, square = x[0].copy(), np.zeros(x.shape[1])
    for t in range(len(x)):
        weight = max(1 / (t + 1), ALPHA)
        away = x[t] - average
        average += weight * away
        square = (1 - weight) * (square + weight * away * away)
        spread[t] = np.sqrt(square)
    return np.hstack([x, change, spread])


def pasts(x):
    """For each window its bounds, the records before it and the least unit
    of each column. The first window has no past but itself."""
    low, high = x[0].copy(), x[0].copy()
    for a, b in windows(len(x), WINDOW):
        known = x[max(0, a - MEMORY):a] if a else x[a:b]
        low = np.minimum(low, known.min(axis=0))
        high = np.maximum(high, known.max(axis=0))
        yield a, b, known, 0.01 * (high - low)


def past(x, context):
    """||x||^2 of each record in units of the records before its window, with
    changes and spreads where CONTEXT says so: all of the program but its
    net, its gates and its choice of whom to trust."""
    if np is None:
        return None
    if context:
        x = with_context(x)
    parts = [(scaled(x[a:b], known, least) ** 2).sum(axis=1)
             for a, b, known, least in pasts(x)]
    return np.concatenate(parts).tolist()


def knn(x, context, seed=1):
    """Squared distance to the 5th nearest of 256 records drawn from those
    before the window, in the units of past()."""
    if np is None:
        return None
    if context:
        x = with_context(x)
    draw = np.random.default_rng(seed)
    parts = []
    for a, b, known, least in pasts(x):
        drawn = draw.choice(len(known), min(DRAWN, len(known)), replace=False)
        mine = scaled(x[a:b], known, least)
        near = scaled(known[drawn], known, least)
        away = ((mine ** 2).sum(axis=1)[:, None] + (near ** 2).sum(axis=1)
                - 2 * mine @ near.T)
        if a == 0:  # no record of the first window is its own neighbour
            away[drawn, range(len(drawn))] = np.inf
        parts.append(np.partition(away, NEAREST - 1, axis=1)[:, NEAREST - 1])
    return np.concatenate(parts).tolist()
