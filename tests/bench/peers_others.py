"""peers_others.py - detectors at hand in Python, given the same records in
the same windows. Their defaults, unless it says otherwise."""
import time

WINDOW = 512  # the program's default


def clocked(work, x, count):
    """ns a record of WORK on each window in the first COUNT rows of X."""
    began = time.process_time()
    for at in range(0, count, WINDOW):
        work(x[at:at + WINDOW])
    return 1e9 * (time.process_time() - began) / count


def forest(x, windows=4):
    """scikit-learn's isolation forest, fitted to each window and scoring it."""
    from sklearn.ensemble import IsolationForest

    def judge(window):
        IsolationForest(random_state=1).fit(window).score_samples(window)

    return clocked(judge, x, windows * WINDOW)


def halfspace(x, windows=8):
    """river's half-space trees, scoring and learning each record. They want
    columns from 0 to 1, and get them free of charge."""
    from river import anomaly

    low, high = x.min(axis=0), x.max(axis=0)
    rows = ((x - low) / (high - low)).tolist()
    records = [dict(enumerate(row)) for row in rows[:windows * WINDOW]]
    trees = anomaly.HalfSpaceTrees(seed=1)

    def judge(window):
        for record in window:
            trees.score_one(record)
            trees.learn_one(record)

    return clocked(judge, records, len(records))


def pyod(x, windows=2):
    """PyOD's autoencoder with our net's widths, three epochs a window as we
    have, and steps of 64."""
    from pyod.models.auto_encoder import AutoEncoder

    def judge(window):
        AutoEncoder(hidden_neuron_list=[10, 10, 10, 10, 10, 1], epoch_num=3,
                    batch_size=64, random_state=1, verbose=0).fit(window)

    return clocked(judge, x, windows * WINDOW)
