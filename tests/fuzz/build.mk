# build.mk - fuzz targets, each twice: TARGET/hunt with the sanitizers and
# libFuzzer, TARGET/count with replay.c, to count the lines that are reached.
# Run by run.sh, which sets TOP, CLANG, FLAGS and LIBS.
#
# All of src/ but the mains is put into archives, and a target takes out of
# them what it calls: so none needs a list of sources.

sources := $(filter-out %/main.c %/kernel_v3.c %/kernel_v4.c, \
	$(wildcard $(TOP)/src/*/*.c))
objects := $(sources:$(TOP)/src/%.c=%.o)
targets := $(patsubst $(TOP)/tests/fuzz/%.c,%.o, \
	$(wildcard $(TOP)/tests/fuzz/fuzz_*.c))

checks := -fsanitize=address,undefined -fno-sanitize-recover=undefined
hunt = -O1 -fsanitize=fuzzer-no-link $(checks)
count := -O1 -fprofile-instr-generate -fcoverage-mapping

.DELETE_ON_ERROR:
.SECONDARY:

hunt/%.o: $(TOP)/src/%.c
	@mkdir -p $(@D)
	$(CLANG) $(FLAGS) $(hunt) -MMD -c $< -o $@
hunt/%.o: $(TOP)/tests/fuzz/%.c
	@mkdir -p $(@D)
	$(CLANG) $(FLAGS) $(hunt) -MMD -c $< -o $@
count/%.o: $(TOP)/src/%.c
	@mkdir -p $(@D)
	$(CLANG) $(FLAGS) $(count) -MMD -c $< -o $@
count/%.o: $(TOP)/tests/fuzz/%.c
	@mkdir -p $(@D)
	$(CLANG) $(FLAGS) $(count) -MMD -c $< -o $@

# All checks of its vectors at once keep the compiler busy for minutes.
hunt/libprae/kernel_base.o: checks := -fsanitize=address

# Not by r, which takes two files of one name for the same.
hunt/all.a: $(objects:%=hunt/%)
	@rm -f $@
	ar qcs $@ $^
count/all.a: $(objects:%=count/%)
	@rm -f $@
	ar qcs $@ $^

%/hunt: hunt/fuzz_%.o hunt/all.a
	@mkdir -p $(@D)
	$(CLANG) -fsanitize=fuzzer $(checks) $^ $(LIBS) -lm -pthread -o $@
%/count: count/fuzz_%.o count/replay.o count/all.a
	@mkdir -p $(@D)
	$(CLANG) $(count) $^ $(LIBS) -lm -pthread -o $@

-include $(objects:%.o=hunt/%.d) $(targets:%.o=hunt/%.d)
-include $(objects:%.o=count/%.d) $(targets:%.o=count/%.d)
