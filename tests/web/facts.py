"""facts.py - facts as prae-filter gives them, made up: a usual run, runs at
the edge of what there is, and one whose every string is hostile."""
import json
import math
import random

START = 1763317298.123
WINDOW = 512

# name, usual value, spread
SENSORS = [
    ("pressure_out_bar", 2.6, 0.12), ("pressure_out_bar, change", 0, 0.05),
    ("motor_current_a", 61, 4), ("flow_m3_h", 240, 12),
    ("vibration_mm_s", 1.1, 0.15), ("bearing_temp_c", 46, 3.5),
    ("pressure_in_bar", 1.16, 0.03), ("pressure_in_bar, change", 0, 0.02),
    ("speed_rpm", 1485, 6), ("oil_temp_c", 38, 2), ("humidity", 70, 9),
    ("ambient_c", 12, 5), ("valve_open", 97, 1), ("power_kw", 15.1, 1),
    ("status, rarest words", 2.1, 0.6), ("note, rarest words", 3, 0.4),
]

HOSTILE = [
    "</script><script>window.ran = 1</script>",
    "<img src=x onerror=\"window.ran = 1\">",
    "--><svg onload='window.ran=1'>",
    "\u202etxet desrever\u202c and \u200bhidden",
    "\U0001f4a5\U0001f469\u200d\U0001f52c emoji",
    "__proto__", "constructor", "javascript:window.ran=1",
    "' onmouseover='window.ran=1", "{{7*7}}${window.ran=1}", "\x00\x07\x1b[31m",
    "tag\U000e0041\ufff9ged", "n" * 300, "\u05e2\u05d1\u05e8\u05d9\u05ea", "\u2028line\u2029", "",
    "&lt;b&gt;",
]


def escaped(facts):
    """As the program writes it: what markup is made of never shows up."""
    text = json.dumps(facts, ensure_ascii=False)
    for char in "<>&'\u2028\u2029":
        text = text.replace(char, "\\u%04x" % ord(char))
    return text


def log_edges(low, high, bins):
    return [low * (high / low) ** (i / bins) for i in range(bins + 1)]


def counted(values, edges):
    """Counts, and how many of the outer bins' lie beyond: below, above."""
    bins = len(edges) - 1
    counts = [0] * bins
    beyond = [0, 0]
    for value in values:
        at = sum(value >= edge for edge in edges) - 1
        beyond[0] += at < 0
        beyond[1] += value > edges[-1]
        counts[min(bins - 1, max(0, at))] += 1
    return counts, beyond


def quantiles(values):
    if not values:
        return [None] * 9
    values = sorted(values)
    return [values[round(q * (len(values) - 1))] for q in
            (0, .01, .05, .25, .5, .75, .95, .99, 1)]


def feature(rng, name, usual, spread, blame, named):
    inliers = [rng.gauss(usual, spread) for _ in range(2000)]
    outliers = [rng.gauss(usual, spread) if rng.random() > blame * 1.5
                else usual + spread * rng.choice([-1, 1]) * rng.uniform(3, 40)
                for _ in range(max(0, min(305, named * 3 + 5)))]
    low, high = usual - 4.5 * spread, usual + 4.5 * spread
    edges = [low + (high - low) * i / 32 for i in range(33)]
    inlier_counts, inliers_beyond = counted(inliers, edges)
    outlier_counts, outliers_beyond = counted(outliers, edges)
    return {
        "name": name, "blame": blame, "named": named,
        "inliers": {"sample": 2000, "missing": 3,
                    "quantiles": quantiles(inliers)},
        "outliers": {"sample": len(outliers), "missing": 0,
                     "quantiles": quantiles(outliers)},
        "edges": edges, "inlier_counts": inlier_counts,
        "outlier_counts": outlier_counts, "inliers_beyond": inliers_beyond,
        "outliers_beyond": outliers_beyond}


def flagged(rng, number, score):
    sensors = rng.sample(SENSORS[:14], 3)
    why = []
    left = 1.0
    for name, usual, spread in sensors:
        share = left * rng.uniform(0.5, 0.9)
        left -= share
        why.append({"field": name, "share": share,
                    "observed": usual + spread * rng.uniform(5, 60),
                    "expected": rng.gauss(usual, spread),
                    "observed_text": None, "expected_text": None})
    if number % 7 == 3:
        why[1].update(field="status", observed=None, expected=None,
                      observed_text="VALVE STUCK", expected_text="ok")
    if number % 11 == 5:
        why[2].update(observed=None)
    values = {name: round(rng.gauss(usual, spread), 3)
              for name, usual, spread in SENSORS[:14] if "," not in name}
    return {"seq": 101558 + number * 37, "score": score,
            "p": None if number % 9 == 4 else 0.002 / (number + 1),
            "gate": -0.3, "window": 3 + number % 30, "state": "live",
            "time": START + number, "record": json.dumps(
                {"id": 101558 + number * 37, **values}), "cut": number == 2,
            "why": why}


def timeline(rng, entries, windows=1, burst=None, drift=None):
    rows = []
    for i in range(entries):
        state = "warming" if i == 0 else "live"
        share = rng.uniform(0.002, 0.025)
        if burst is not None and burst <= i < burst + 3:
            state, share = "burst", 0.6
        if drift is not None and drift <= i < drift + 4:
            state, share = "drift", rng.uniform(0.05, 0.12)
        size = WINDOW * windows
        outliers = round(size * share)
        rows.append({"window": i * windows, "windows": windows,
                     "seq": i * size, "time": START + i * 0.3,
                     "inliers": size - outliers - 1, "outliers": outliers,
                     "rejected": 1, "state": state,
                     "bursts": int(i == burst), "drifts": int(i == drift),
                     "limit": 0.012 + 0.002 * math.sin(i / 5)})
    return rows


def totals(rows):
    names = ("windows", "bursts", "drifts", "rollbacks", "imputed",
             "ignored_fields", "wide_integers", "messages_in",
             "messages_out", "undelivered", "unheard", "dropped",
             "unlearned", "turned_away")
    found = dict.fromkeys(names, 0)
    for name in ("inliers", "outliers", "rejected"):
        found[name] = sum(row[name] for row in rows)
    for name in ("windows", "bursts", "drifts"):
        found[name] = sum(row[name] for row in rows)
    found["held"] = 0
    found["received"] = (found["inliers"] + found["outliers"]
                         + found["rejected"])
    return found


def usual(entries=39, burst=22, drift=None, live=False, windows=1, seed=1):
    """A run of a pump's sensors."""
    rng = random.Random(seed)
    rows = timeline(rng, entries, windows, burst, drift)
    counts = totals(rows)
    weights = [0.6 ** i for i in range(len(SENSORS))]
    features = [feature(rng, *sensor, weight / sum(weights),
                        round(120 * weight))
                for sensor, weight in zip(SENSORS, weights)]
    edges = log_edges(1e-4, 1e3, 56)
    some = min(5000, counts["inliers"])
    inliers = [min(0.0118, rng.lognormvariate(-6, 0.6)) for _ in range(some)]
    outliers = [0.0125 + rng.lognormvariate(-3, 2.2)
                for _ in range(min(5000, counts["outliers"]))]
    worst = sorted(outliers, reverse=True)
    return {
        "version": 1, "program": "prae-filter 0.1.0",
        "kernels": "v3, blis 0.9.0 (zen3)", "live": live, "started": START,
        "written": START + entries * 0.3, "exit": None if live else 0,
        "state": rows[-1]["state"], "paused": False, "ready": True,
        "not_ready": None, "format": "csv",
        "command": "prae-filter --window=512 --format=csv "
                   "--outliers=odd.csv --report=report.html pump.csv",
        "totals": counts,
        "rejects": [
            {"reason": "malformed", "count": 5, "seq": 1015,
             "text": "line 1017: a quote that is not closed"},
            {"reason": "nonfinite", "count": counts["rejected"] - 5,
             "seq": 679, "text": "a feature is NaN or infinite"}],
        "rate": 41234.5, "blocked_seconds": 0.25,
        "inputs": [{"name": "pull:@ipc:///run/pump/in", "waiting": 3,
                    "messages": 4021}],
        "outputs": [
            {"name": "inliers", "to": "push:@ipc:///run/pump/clean",
             "waiting": 12, "clogged": False, "peers": 1},
            {"name": "outliers", "to": "odd.msgpack", "waiting": 0,
             "clogged": False, "peers": None}],
        "training": {"count": entries - 1, "seconds": 0.5, "longest": 0.1,
                     "last": 0.04, "edges": [0.001, 0.01, 0.1],
                     "counts": [0, 3, entries - 4, 0]},
        "limit": 0.0123, "fpr": None,
        "scores": {"edges": edges, "inliers": counted(inliers, edges)[0],
                   "outliers": counted(outliers, edges)[0], "sum": 12.3},
        "p": {"edges": [i / 20 for i in range(21)],
              "inliers": [round(rng.gauss(some / 20, (some / 20) ** 0.5))
                          for _ in range(20)],
              "outliers": [counts["outliers"]] + [0] * 19},
        "timeline": rows, "features": features[:12] if live else features,
        "features_total": len(features),
        "left_out": [{"name": "id", "reason": "identifier"},
                     {"name": "time", "reason": "timestamp"},
                     {"name": "hours_run", "reason": "only grows"}],
        "model": {"file": "pump.prae", "judged": entries,
                  "learned": entries - 1, "inputs": 48, "latent": 6,
                  "weights": 12345, "context": True, "likeness": 0.9,
                  "smooth": False, "score_likeness": 0.1, "trusted": 5120},
        "worst": [flagged(rng, i, s) for i, s in enumerate(worst[:50])],
        "last": [flagged(rng, i, 0.3) for i in range(20)]}


def empty():
    """Nothing came in at all."""
    facts = usual(1, None)
    facts.update(
        state="warming", ready=False, limit=None, rate=0, rejects=[],
        not_ready="no window has been learned yet", timeline=[], features=[],
        features_total=0, left_out=[], worst=[], last=[],
        totals=dict.fromkeys(facts["totals"], 0),
        scores={"edges": [], "inliers": [], "outliers": [], "sum": 0},
        p={"edges": [], "inliers": [], "outliers": []},
        training={"count": 0, "seconds": 0, "longest": None, "last": None,
                  "edges": [], "counts": []})
    facts["model"]["file"] = None
    return facts


def clean():
    """One window, and nothing in it was flagged."""
    facts = usual(1, None)
    row = facts["timeline"][0]
    row.update(inliers=WINDOW, outliers=0, rejected=0)
    facts.update(rejects=[], worst=[], last=[], totals={
        **facts["totals"], "received": WINDOW, "inliers": WINDOW,
        "outliers": 0, "rejected": 0})
    facts["scores"]["outliers"] = [0] * 56
    for each in facts["features"]:
        each.update(blame=0, named=0, outlier_counts=[0] * 32,
                    outliers_beyond=[0, 0])
        each["outliers"].update(sample=0, quantiles=[None] * 9)
    return facts


def single():
    """One record, and all scores that there are lie close together."""
    facts = clean()
    facts["timeline"][0].update(inliers=1)
    facts["totals"].update(received=1, inliers=1)
    facts["model"]["judged"] = 1
    facts["state"] = "live"
    facts["scores"] = {"edges": [2.4, 3.2, 4.2, 5.6, 7.5],
                       "inliers": [0, 1, 0, 0], "outliers": [0] * 4, "sum": 4}
    facts["limit"] = facts["timeline"][0]["limit"] = 4.08
    return facts


def refused():
    """Nothing that came in was what it should have been."""
    facts = empty()
    facts.update(exit=65, rejects=[{"reason": "malformed", "count": 1000,
                                    "seq": 0, "text": "line 1: no value"}])
    facts["totals"].update(received=1000, rejected=1000)
    return facts


def large():
    """As much as there can be of everything."""
    facts = usual(512, 100, 300, windows=977, seed=2)
    rng = random.Random(3)
    facts["features"] = [
        feature(rng, "sensors.rack%d.%s" % (i, "unit" * (i % 9)),
                10.0 ** (i % 30 - 15), 10.0 ** (i % 30 - 16), 1 / 256,
                256 - i) for i in range(256)]
    facts["features_total"] = 900
    facts["left_out"] = [{"name": "tag%d" % i, "reason": "identifier"}
                         for i in range(200)]
    facts["fpr"] = 0.001
    facts["p"]["inliers"] = [400 - 15 * i for i in range(20)]
    facts["exit"] = 75
    facts["totals"].update(undelivered=12, dropped=3, turned_away=1)
    return facts


def hostile():
    """Every string tries something, and numbers are what they can be."""
    facts = usual(6, 3)
    for i, each in enumerate(facts["features"]):
        each["name"] = HOSTILE[i % len(HOSTILE)]
    for i, each in enumerate(facts["worst"] + facts["last"]):
        each["record"] = HOSTILE[i % len(HOSTILE)] * (1 + i % 3)
        for j, why in enumerate(each["why"]):
            why["field"] = HOSTILE[(i + j) % len(HOSTILE)]
            why["observed_text"] = HOSTILE[(i + j + 1) % len(HOSTILE)]
            why["expected_text"] = HOSTILE[(i + j + 2) % len(HOSTILE)]
    facts["rejects"] = [{"reason": text[:40], "count": 1, "text": text}
                        for text in HOSTILE]
    facts["left_out"] = [{"name": text, "reason": text} for text in HOSTILE]
    for i, each in enumerate(facts["inputs"] + facts["outputs"]):
        each["name"] = HOSTILE[i]
    facts["command"] = " ".join(HOSTILE)
    facts["program"] = facts["kernels"] = HOSTILE[0]
    facts["state"] = facts["format"] = HOSTILE[1]
    facts["model"]["file"] = HOSTILE[2]
    facts["timeline"][2]["state"] = "constructor"
    facts["__proto__"] = {"state": "owned"}
    facts["worst"][0].update(score=1e300, p=None, seq=2 ** 63, time=1e300,
                             window=None)
    facts["worst"][1].update(score=None, why=[])
    facts["features"][0].update(edges=[-1e308] + [None] * 31 + [1e308])
    facts["features"][1].update(edges=[5] * 33)
    facts["features"][2].update(edges=[], inlier_counts=[], inliers=None)
    facts["features"][3]["edges"] = [-1e-300 + i * 1e-301 for i in range(33)]
    facts["features"][4]["edges"] = [-1e300 + i * 1e299 for i in range(33)]
    facts["scores"]["edges"][-1] = None
    facts["started"] = None
    return facts
