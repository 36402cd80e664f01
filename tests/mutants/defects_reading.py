"""defects_reading.py - bytes to fields, fields to numbers."""
from defect import Defect

MSGPACK = "src/libprae/codec_msgpack.c"
JSONL = "src/libprae/codec_jsonl.c"
CSV = "src/libprae/codec_csv.c"
FEATURE = "src/libprae/feature.c"

LIST = (
    Defect("a second header cut by a read is a record", "src/libprae/codec.c",
           "        if (!at_end)\n            return PRAE_MORE;\n"
           "        *used",
           "        if (at_end > 1)\n            return PRAE_MORE;\n"
           "        *used",
           ["tests/unit/filter_calls"]),
    Defect("features that fit no record are learned", "src/libprae/filter.c",
           "if (status == PRAE_OK && window->rows == 0)",
           "if (status == PRAE_OK && window->rows > window->rows_cap)",
           ["tests/unit/filter_rejects"]),
    Defect("a MessagePack string may end a byte behind what is there", MSGPACK,
           "if ((size_t)(cursor->end - cursor->at) < head->count)",
           "if ((size_t)(cursor->end - cursor->at) + 1 < head->count)",
           ["tests/unit/codec_msgpack"]),
    Defect("a MessagePack head may end a byte behind what is there", MSGPACK,
           "if (have - 1 < extra)",
           "if (have < extra)",
           ["tests/unit/codec_msgpack"]),
    Defect("a record may be a byte longer than the limit", MSGPACK,
           "return used > most || count > most - used;",
           "return used > most || count > most - used + 1;",
           ["tests/unit/codec_msgpack", "tests/unit/limits",
            "tests/cli/faults.sh"]),
    Defect("the limit of depth is ignored", MSGPACK,
           "if (container && cursor->depth == cursor->codec->limits.depth)",
           "if (container && cursor->depth == DEPTH_MAX)",
           ["tests/unit/codec_msgpack", "tests/unit/limits"]),
    Defect("what stands behind a JSON record is ignored", JSONL,
           "    skip_blanks(cursor);\n"
           "    if (cursor->at < cursor->end)\n"
           "        return refuse(cursor, FAULT_MALFORMED);",
           "    skip_blanks(cursor);",
           ["tests/unit/codec_jsonl", "tests/cli/faults.sh"]),
    Defect("a CSV cell may go on behind its closing quote", CSV,
           "if (cursor->at < cursor->end && *cursor->at != ',')",
           "if (0)",
           ["tests/unit/codec_csv"]),
    Defect("NaN is taken for a number", FEATURE,
           "    if (!isfinite(number)) {",
           "    if (isinf(number)) {",
           ["tests/unit/feature", "tests/unit/filter_rejects",
            "tests/cli/faults.sh"]),
    Defect("arrays of another length are judged", FEATURE,
           "if (root_items(record) != features->root_items) {",
           "if (root_items(record) < features->root_items) {",
           ["tests/unit/feature", "tests/cli/faults.sh"]),
    Defect("a record half of which is missing is refused", FEATURE,
           "if (2 * missing > features->D) {",
           "if (2 * missing >= features->D) {",
           ["tests/unit/feature", "tests/unit/gaps", "tests/cli/faults.sh"]),
    Defect("--freeze counts strings all the same", "src/libprae/filter.c",
           "&filter->features, record, !filter->params.freeze,",
           "&filter->features, record, 1,",
           ["tests/unit/setting"]),
    Defect("--freeze counts strings by the short cut", "src/libprae/filter.c",
           "bytes, len, !filter->params.freeze,",
           "bytes, len, 1,",
           ["tests/unit/setting"]),
    Defect("the short cut takes a string that is not all there",
           "src/libprae/plan_msgpack.c",
           "type == FIELD_ARRAY || left - head_len < count)",
           "type == FIELD_ARRAY)",
           ["tests/unit/plan", "tests/unit/cut"]),
    Defect("the short cut looks at eight bytes between values",
           "src/libprae/plan_walk.h",
           "for (size_t i = 8; i < len; i += 8) {",
           "for (size_t i = 8; i < 0 * len; i += 8) {",
           ["tests/unit/plan", "tests/unit/filter"]),
    Defect("bytes in a number's place are a number", FEATURE,
           "    } else if (!is_number(field)) {\n"
           "        return FAULT_TYPE;",
           "    } else if (!is_number(field) && field->type != FIELD_BYTES) {\n"
           "        return FAULT_TYPE;",
           ["tests/zmq/messages.py types"]),
)
