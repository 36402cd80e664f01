#!/bin/sh
# Behind a log shipper: JSON Lines in, one object a line, passed on within a
# second even where the stream pauses. Needs sensors.jsonl here; in its place
# stands whatever the shipper writes, as `fluent-bit ... -o stdout -p
# format=json_lines` or `vector ... | prae-filter ...`.
set -e
cat sensors.jsonl |
    prae-filter -f jsonl --max-wait=1s -O odd.jsonl --log=json 2>filter.log |
    cat >passed.jsonl

# What was set aside, as short as it gets: number, score, first reason.
sed 's/.*"seq":\([0-9]*\),"score":\([^,]*\),.*"why":\[\(\[[^]]*\]\).*/\1 \2 \3/' \
    odd.jsonl | head -n 5
