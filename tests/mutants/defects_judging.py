"""defects_judging.py - windows learned, held and judged."""
from defect import Defect

HISTORY = "src/libprae/history.c"
OPINION = "src/libprae/opinion.c"
VERDICT = "src/libprae/verdict.c"
WARM = "src/libprae/warm.c"
LEARNED = "src/libprae/snapshot_learner.c"

LIST = (
    Defect("gates climb their gradient", "src/libprae/kernel_step.h",
           "mu[i] -= (e[i] - v.lambda) / v.unit * slope;",
           "mu[i] += (e[i] - v.lambda) / v.unit * slope;",
           ["tests/unit/gate"]),
    Defect("a constant's unit has no floor", "src/libprae/scale.c",
           "fmax(unit, fmax(UNIT_CONSTANT, scale->least[d]))",
           "unit",
           ["tests/unit/scale", "tests/unit/extremes"]),
    Defect("a p-value leaves the record itself out", HISTORY,
           "return (float)(1 + worse) / (float)(1 + change->count + k - left);",
           "return (float)worse / (float)(1 + change->count + k - left);",
           ["tests/unit/history", "tests/unit/verdicts"]),
    Defect("the p-value of a held record is one rank too good", HISTORY,
           "(float)(1 + held - all_below[i]) / (float)(1 + held),",
           "(float)(2 + held - all_below[i]) / (float)(1 + held),",
           ["tests/unit/history"]),
    Defect("a burst is learned", WARM,
           "    restore_weights(learner);\n"
           "    float level = score(learner, N, found);",
           "    float level = score(learner, N, found);",
           ["tests/unit/bursts"]),
    Defect("a burst's records are trusted", WARM,
           "    restore_ranges(learner);\n"
           "    pass_time(learner, N);",
           "    restore_ranges(learner);\n"
           "    for (size_t i = 0; i < N; i++)\n"
           "        if (learner->fits[i])\n"
           "            pri_reservoir_offer(&learner->reservoir,\n"
           "                                learner->wide + i * learner->D);\n"
           "    pass_time(learner, N);",
           ["tests/unit/traces"]),
    Defect("outliers are trusted", WARM,
           "        if (learner->fits[i])\n",
           "        if (learner->fits[i] || 1)\n",
           ["tests/unit/learner", "tests/unit/learning", "tests/unit/trusted",
            "tests/unit/bursts", "tests/cli/incidents.sh"]),
    Defect("after a burst time goes on from within it", WARM,
           "    if (learner->held == N || "
           "learner->astray >= full_window(learner, N))\n"
           "        restore_moment(learner);",
           "    (void)restore_moment;",
           ["tests/unit/traces", "tests/unit/bursts",
            "tests/cli/incidents.sh"]),
    Defect("weights that broke are kept", WARM,
           "if (is_sound(learner, N, found->error))",
           "if (is_sound(learner, N, found->error) || 1)",
           ["tests/unit/learner", "tests/unit/extremes",
            "tests/unit/learning"]),
    Defect("a drift is never one", WARM,
           "learner->held < patience(learner, N) &&",
           "learner->held > 0 &&",
           ["tests/unit/bursts", "tests/cli/incidents.sh"]),
    Defect("the strings of a burst are kept", "src/libprae/filter.c",
           "    if (filter->learner.state == PRAE_STATE_BURST)\n"
           "        return forget_strings(filter);",
           "    if (filter->learner.state == PRAE_STATE_BURST)\n"
           "        return PRAE_OK * (forget_strings != NULL);",
           ["tests/unit/traces", "tests/unit/bursts",
            "tests/cli/incidents.sh"]),
    Defect("--threshold is ignored", OPINION,
           "(double)found->gate[i] < params->threshold;",
           "(double)found->gate[i] < 0.25;",
           ["tests/unit/opinion", "tests/unit/verdicts", "tests/unit/setting",
            "tests/cli/options.sh"]),
    Defect("--fpr flags the rate itself, too", OPINION,
           "                                ? "
           "(double)found->p[i] < params->fpr\n"
           "                                : (double)found->gate",
           "                                ? "
           "(double)found->p[i] <= params->fpr\n"
           "                                : (double)found->gate",
           ["tests/unit/opinion", "tests/unit/verdicts",
            "tests/unit/setting"]),
    Defect("weights do not hang on --seed", "src/libprae/shape.c",
           "pri_rng_init(&rng, params->seed, PRI_STREAM_WEIGHTS);",
           "pri_rng_init(&rng, 1, PRI_STREAM_WEIGHTS);",
           ["tests/unit/shape", "tests/unit/model", "tests/unit/filter",
            "tests/cli/options.sh"]),
    Defect("no randomness hangs on --seed", "src/libprae/rng.c",
           "(struct rng){.seed = seed, .stream = stream};",
           "(struct rng){.seed = 1 | (seed & 0), .stream = stream};",
           ["tests/unit/rng", "tests/unit/reservoir"]),
    Defect("reasons are given the least one first", VERDICT,
           "&window->reason[slot->why + k];",
           "&window->reason[slot->why + slot->why_count - 1 - k];",
           ["tests/unit/verdicts", "tests/unit/filter",
            "tests/unit/envelope", "tests/cli/faults.sh"]),
    Defect("a snapshot brings no limit back", LEARNED,
           "    learner->limit = (float)limit;\n",
           "    learner->limit = 0.0f * (float)limit;\n",
           ["tests/unit/snapshot"]),
    Defect("a snapshot forgets how long a burst has been held", LEARNED,
           "    learner->held = pri_get_tally(in);",
           "    learner->held = 0 * pri_get_tally(in);",
           ["tests/unit/snapshot", "tests/unit/bursts"]),
    Defect("a snapshot forgets how much of a drift is known", LEARNED,
           "    learner->drifted = pri_get_tally(in);",
           "    learner->drifted = 0 * pri_get_tally(in);",
           ["tests/unit/snapshot", "tests/unit/bursts"]),
    Defect("a snapshot forgets the smoothed score", LEARNED,
           "    smooth->level = pri_get_within(in, most, 1);",
           "    smooth->mean = pri_get_within(in, most, 1);",
           ["tests/unit/snapshot", "tests/cli/snapshots.sh"]),
    Defect("an error that is not finite is given out", "src/libprae/stat.h",
           "return error < FLT_MAX ? error : FLT_MAX;",
           "return error;",
           ["tests/unit/snapshot_damage", "tests/unit/extremes"]),
    Defect("a value is compared with an upset before it",
           "src/libprae/context.c",
           "context->last[d] = upset ? context->mean[d] : value;",
           "context->last[d] = value;",
           ["tests/unit/context", "tests/cli/incidents.sh"]),
    Defect("what was paused is learned", "src/prae-filter/stage.c",
           "    if (stage->front == NULL || stage->paused)\n",
           "    if (stage->front == NULL)\n",
           ["tests/zmq/steer.py pause_now"]),
)
