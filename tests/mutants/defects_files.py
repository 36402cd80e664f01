"""defects_files.py - snapshots: old or new, and nobody else's."""
from defect import Defect

NEWFILE = "src/prae-filter/newfile.c"
SNAPFILE = "src/prae-filter/snapfile.c"
SNAPSHOT = "src/libprae/snapshot.c"

LIST = (
    Defect("a snapshot is not synced", NEWFILE,
           "(durable == NEWFILE_DURABLE && fsync(fd) != 0);",
           "(durable == NEWFILE_DURABLE && 0);",
           ["tests/torture/powerloss.py"]),
    Defect("a snapshot is renamed before it is synced", SNAPFILE,
           "    enum exit_status status = newfile_write("
           "path, buffer.data, buffer.len, 0600,\n"
           "                                            "
           "NEWFILE_DURABLE, name);\n"
           "    if (status == EXIT_DONE)\n"
           "        status = place(name, path, keep);",
           "    enum exit_status status = newfile_write("
           "path, buffer.data, buffer.len, 0600,\n"
           "                                            "
           "NEWFILE_QUICK, name);\n"
           "    if (status == EXIT_DONE) {\n"
           "        status = place(name, path, keep);\n"
           "        int fd = open(path, O_RDONLY | O_CLOEXEC);\n"
           "        (void)fsync(fd);\n"
           "        close(fd);\n"
           "    }",
           ["tests/torture/powerloss.py"]),
    Defect("older snapshots go before the new one is there", SNAPFILE,
           "    int held = keep > 0 && hold(path, spare);\n",
           "    int held = keep > 0 && hold(path, spare);\n"
           "    if (held)\n"
           "        shift_older(path, keep, spare);\n"
           "    held = 0;\n",
           ["tests/cli/snapshots.sh"]),
    Defect("the directory is not synced", NEWFILE,
           "if (durable == NEWFILE_DURABLE && sync_directory(path) != 0) {",
           "if (durable == NEWFILE_DURABLE && 0) {",
           ["tests/torture/powerloss.py"]),
    Defect("another directory is synced", NEWFILE,
           "    newfile_directory(path, directory, sizeof directory);\n"
           "    int fd =",
           "    newfile_directory(\"/\", directory, sizeof directory);\n"
           "    (void)path;\n"
           "    int fd =",
           ["tests/torture/powerloss.py"]),
    Defect("the old snapshot is gone before the new one is there", SNAPFILE,
           "    if (link(path, spare) == 0)\n",
           "    if (rename(path, spare) == 0)\n",
           ["tests/torture/powerloss.py"]),
    Defect("a short write of a snapshot is taken for the whole", NEWFILE,
           "        len -= (size_t)put;",
           "        len = 0;",
           ["tests/torture/torture.py save"]),
    Defect("a bad checksum is accepted", SNAPSHOT,
           "XXH64(in->at, (size_t)len, 0) != sum",
           "XXH64(in->at, (size_t)len, 0) == 0",
           ["tests/unit/snapshot_damage", "tests/cli/snapshots.sh"]),
    Defect("a snapshot without its net is accepted", SNAPSHOT,
           "status == PRAE_OK && seen != 4)",
           "status == PRAE_OK && seen < 3)",
           ["tests/unit/snapshot_damage"]),
    Defect("a snapshot may end a byte behind what is there",
           "src/libprae/bytes.c",
           "len > (size_t)(in->end - in->at)) {",
           "len > (size_t)(in->end - in->at) + 1) {",
           ["tests/unit/bytes", "tests/unit/snapshot_damage"]),
    Defect("a snapshot's numbers may be NaN", "src/libprae/bytes.c",
           "if (isinf(values[i]) || (isnan(values[i]) && !gaps))",
           "if (isinf(values[i]))",
           ["tests/unit/bytes", "tests/unit/snapshot_damage"]),
    Defect("a snapshot's counts may be about to end at 0",
           "src/libprae/bytes.c",
           "    if (count > PRI_TALLY_MOST)\n",
           "    if (count > UINT64_MAX - 1)\n",
           ["tests/unit/bytes", "tests/unit/snapshot_damage"]),
    Defect("a snapshot sets what is the caller's", SNAPSHOT,
           "    if (!is_shaping(name) ||\n",
           "    if ((0 && !is_shaping(name)) ||\n",
           ["tests/unit/snapshot_damage"]),
    Defect("a snapshot's categories may be no text",
           "src/libprae/snapshot_features.c",
           "return end != NULL && pri_utf8_valid(start, len) == len;",
           "return end != NULL;",
           ["tests/unit/snapshot_damage"]),
    Defect("a snapshot may be a symbolic link", SNAPFILE,
           "O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC",
           "O_RDONLY | O_NONBLOCK | O_CLOEXEC",
           ["tests/cli/snapshots.sh"]),
    Defect("a snapshot of another seed goes on", SNAPSHOT,
           "    if (strcmp(given, usual) != 0) {",
           "    if (strcmp(given, usual) != 0 &&\n"
           "        strcmp(name, \"seed\") != 0) {",
           ["tests/unit/snapshot", "tests/cli/snapshots.sh"]),
    Defect("what was learned is not saved at the end",
           "src/prae-filter/stage.c",
           "stage->stats.judged > 0 && !stage_is_saved(stage))",
           "stage->stats.judged > 0 && stage->busy)",
           ["tests/cli/snapshots.sh"]),
    Defect("half of a configuration will do",
           "src/prae-filter/whole.h",
           "return got < 0 || len > most ? -1 : (ssize_t)len;",
           "return len > most ? -1 : (ssize_t)len;",
           ["tests/cli/options.sh"]),
    Defect("a configuration ends at a zero",
           "src/prae-filter/config_file.c",
           "if (strlen(text) == line) {",
           "if (strlen(text) <= line) {",
           ["tests/cli/options.sh"]),
    Defect("a switch is on for anything but no",
           "src/prae-filter/options.c",
           "if (*(int *)at == 0 && strcmp(value, \"no\") != 0)",
           "if (*(int *)at == 0 && strcmp(value, \"no\") == 2)",
           ["tests/cli/options.sh"]),
    Defect("an older snapshot is written over records",
           "src/prae-filter/papers.c",
           "number <= keep && *end == '\\0';",
           "number < keep && *end == '\\0';",
           ["tests/cli/options.sh"]),
    Defect("an input is swept up for what a killed save left",
           "src/prae-filter/papers.c",
           "strcmp(end, \".tmp\") == 0;",
           "strcmp(end, \".tmq\") == 0;",
           ["tests/cli/options.sh"]),
    Defect("a spoiled snapshot pushes out the good one",
           "src/prae-filter/stage.c",
           "stage->spoiled = found == SNAPFILE_OLDER;",
           "stage->spoiled = 0;",
           ["tests/cli/snapshots.sh"]),
    Defect("what one of our own number left stays",
           "src/prae-filter/newfile.c",
           "(pid == (long)getpid() ||",
           "(pid < 0 ||",
           ["tests/cli/snapshots.sh"]),
    Defect("a snapshot of an older version is accepted", SNAPSHOT,
           "if (version != PRI_SNAPSHOT_VERSION) {",
           "if (version > PRI_SNAPSHOT_VERSION) {",
           ["tests/cli/snapshots.sh"]),
    Defect("anybody may read a snapshot", SNAPFILE,
           "buffer.len, 0600,",
           "buffer.len, 0644,",
           ["tests/cli/snapshots.sh"]),
    Defect("of the older snapshots only one is tried", SNAPFILE,
           "status == EXIT_CONFIG && i < OLDER_MAX; i++",
           "status == EXIT_CONFIG && i < 2 + 0 * OLDER_MAX; i++",
           ["tests/cli/snapshots.sh"]),
    Defect("a snapshot is written through a link", NEWFILE,
           "O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode",
           "O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode",
           ["tests/cli/snapshots.sh"]),
    Defect("a sync that fails is no failure", NEWFILE,
           "(durable == NEWFILE_DURABLE && fsync(fd) != 0);",
           "(durable == NEWFILE_DURABLE && fsync(fd) > 0);",
           ["tests/torture/torture.py save"]),
    Defect("a snapshot that cannot be renamed is no failure", NEWFILE,
           "        unlink(name);\n"
           "        return EXIT_IO;",
           "        unlink(name);\n"
           "        return EXIT_DONE;",
           ["tests/torture/torture.py save"]),
    Defect("a descriptor is lost with every snapshot", NEWFILE,
           "    int bad = fsync(fd);\n"
           "    close(fd);",
           "    int bad = fsync(fd);",
           ["tests/torture/torture.py save"]),
    Defect("an output that cannot be closed is no failure",
           "src/prae-filter/outfile.c",
           "    if (out->fd >= 0 && close(out->fd) != 0 && "
           "out->failed == EXIT_DONE)\n"
           "        fail(out, \"close\");",
           "    if (out->fd >= 0)\n"
           "        (void)close(out->fd);",
           ["tests/torture/torture.py csv"]),
    Defect("a row's own byte order mark is taken for an editor's",
           "src/praectl/quarantine.c",
           "if (marked && quarantine->format != PRAE_FORMAT_CSV)",
           "if (marked)",
           ["tests/cli/praectl_release.sh"]),
)
