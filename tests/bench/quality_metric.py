"""quality_metric.py - what a ranking and a verdict are worth.

Labels are 0 and 1, 1 is an outlier; scores are higher the worse; flags are 0
and 1. Every figure is from 0 to 1, or None where it is not defined, for
instance the precision of no flags at all.
"""


def ranking(score, label):
    """ROC AUC, ties averaged, and average precision, ties as one step."""
    outliers = sum(label)
    inliers = len(label) - outliers
    if outliers == 0 or inliers == 0:
        return None, None
    order = sorted(range(len(score)), key=score.__getitem__, reverse=True)
    pairs = precision = 0.0
    above_out = above_in = i = 0
    while i < len(order):
        tied_out = tied_in = 0
        value = score[order[i]]
        while i < len(order) and score[order[i]] == value:
            if label[order[i]]:
                tied_out += 1
            else:
                tied_in += 1
            i += 1
        # Pairs that are in the right order; half of those that are level.
        pairs += tied_in * (above_out + 0.5 * tied_out)
        above_out += tied_out
        above_in += tied_in
        precision += tied_out * above_out / (above_out + above_in)
    return pairs / outliers / inliers, precision / outliers


def runs(flags):
    """Stretches of ones, as (first, behind the last)."""
    found = []
    first = None
    for i, flag in enumerate(flags):
        if flag and first is None:
            first = i
        elif not flag and first is not None:
            found.append((first, i))
            first = None
    if first is not None:
        found.append((first, len(flags)))
    return found


def share(part, whole):
    return part / whole if whole else None


def verdict(flagged, label):
    """What the flags are worth, record by record and event by event.

    An event is a stretch of labelled records, found where one of them is
    flagged. A false alarm is a stretch of flagged records none of which is
    labelled; they are counted per 10 000 records without a label.
    """
    hits = sum(1 for f, l in zip(flagged, label) if f and l)
    events = runs(label)
    found = sum(1 for a, b in events if any(flagged[a:b]))
    alarms = sum(1 for a, b in runs(flagged) if not any(label[a:b]))
    clean = len(label) - sum(label)
    return {
        "flagged": share(sum(flagged), len(flagged)),
        "precision": share(hits, sum(flagged)) if sum(label) else None,
        "recall": share(hits, sum(label)),
        "events": len(events),
        "event_recall": share(found, len(events)),
        "alarms": 1e4 * alarms / clean if clean else None,
    }


def burst_verdict(flagged, label, least, after, skip):
    """What the flags are worth inside bursts, LEAST labelled records in a row
    or more; among the good of the AFTER records behind each; and among the
    other good ones but for the first SKIP."""
    bursts = [(a, b) for a, b in runs(label) if b - a >= least]
    inside = [mean(flagged[a:b]) for a, b in bursts]
    behind = bytearray(len(label))
    for _, b in bursts:
        behind[b:b + after] = b"\1" * len(behind[b:b + after])
    good = [i for i in range(skip, len(label)) if not label[i]]
    return {
        "count": len(bursts),
        "recall": mean(inside),
        "caught": share(sum(s > 0.5 for s in inside), len(inside)),
        "outside": mean(flagged[i] for i in good if not behind[i]),
        "after": mean(flagged[i] for i in good if behind[i]),
    }


def median(values):
    """Of those that are defined; None where none is."""
    known = sorted(v for v in values if v is not None)
    if not known:
        return None
    half = len(known) // 2
    if len(known) % 2:
        return known[half]
    return (known[half - 1] + known[half]) / 2


def mean(values):
    """None where one value is missing: it would be another average."""
    values = list(values)
    if not values or any(v is None for v in values):
        return None
    return sum(values) / len(values)


def check():
    """Tables of wrong figures are worse than none: raises where they would
    be."""
    score = [0.8, 0.4, 0.35, 0.1]
    assert ranking(score, [1, 0, 1, 0]) == (0.75, (1 + 2 / 3) / 2)
    assert ranking(score, [1, 1, 0, 0]) == (1.0, 1.0)
    assert ranking([1, 1, 1, 1], [1, 0, 0, 0]) == (0.5, 0.25)
    assert ranking(score, [0, 0, 0, 0]) == (None, None)
    found = verdict([1, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0])
    assert found["flagged"] == 4 / 6 and found["precision"] == 1 / 4
    assert found["recall"] == 1 / 2 and found["event_recall"] == 1.0
    assert found["alarms"] == 1e4 * 2 / 4
    # What begins inside an event and outlasts it is no false alarm.
    assert verdict([0, 1, 1, 0], [0, 1, 0, 0])["alarms"] == 0.0
    # One burst of two, half of it found; one flag of two good ones behind it,
    # none of the other two; the outlier at the end is no burst.
    found = burst_verdict([1, 0, 0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 0, 0, 1],
                          2, 2, 1)
    assert found == {"count": 1, "recall": 0.5, "caught": 0.0,
                     "outside": 0.0, "after": 0.5}
    assert median([3, None, 1, 2]) == 2 and mean([1, None]) is None
