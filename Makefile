# weir: the only Makefile. "make help" lists targets and switches.
#
#   make [CUDA=0|1] [ARCH="80 90"] [SAN=address|undefined|both|thread] [DEBUG=1] [WERROR=1] [V=1]
#
#   CUDA    1 builds the CUDA backend; the default where nvcc is found, else 0
#   ARCH    compute capabilities to compile kernels for; the last one also as PTX. The default is what the GPUs of this machine
#           have, and 80 90 where there is none, or none that nvcc and weir know, and for a bundle, which is to run elsewhere
#   SAN     a sanitizer for host code; builds without CUDA into build/SAN; both: address and undefined;
#           fuzz: those, and what libFuzzer of clang is told by (make fuzz sets it)
#   STANDIN 1: the CUDA backend over a stand-in for CUDA's runtime (tests/standin), which needs neither nvcc nor a GPU;
#           builds what runtime, topology and router need into build/standin (make check-standin sets it)
#   CUDA_FAST  1: kernels are compiled in a quarter of the time and are not fast, for checks on a machine without a GPU
#   CHECK_ONLY 1: compiled sooner, for checks alone: debugging information of lines only, tests' own code with -Og
#   DEBUG   1: -O0 -g3     WERROR  1: warnings are errors     V  1: show the commands

CC     ?= cc
NVCC   ?= nvcc
ARCH   ?=
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
V      ?= 0
SAN    ?=
DEBUG  ?= 0
WERROR ?= 0
STANDIN ?= 0
CUDA_FAST ?= 0
CHECK_ONLY ?= 0
HAVE_NVCC := $(shell command -v $(NVCC) 2>/dev/null)
ifeq ($(STANDIN),1)
override CUDA := 1
endif
CUDA   ?= $(if $(SAN),0,$(if $(HAVE_NVCC),1,0))

VERSION := $(shell awk '/define WEIR_VERSION_(MAJOR|MINOR|PATCH)/{printf "%s%s", s, $$3; s="."}' runtime/runtime.h)
FOLDERS := runtime topology router worklist algorithms
B       := build$(if $(filter 1,$(STANDIN)),/standin)$(if $(SAN),/$(SAN))
Q       := $(if $(filter 1,$(V)),,@)
say      = $(if $(filter 1,$(V)),,@echo "  $(1)  $(2)")

ifneq ($(filter-out address undefined both thread fuzz,$(SAN)),)
$(error SAN=$(SAN): choose address, undefined, both or thread)
endif
ifeq ($(CUDA)$(if $(HAVE_NVCC)$(filter 1,$(STANDIN)),,none),1none)
$(error CUDA=1 but $(NVCC) is not found; install the CUDA toolkit or build with CUDA=0)
endif

WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
# Sanitizers and CHECK_ONLY: lines are all that reports and stacks name, and half of the time to compile goes into the rest.
OPT    := $(if $(filter 1,$(DEBUG)),-O0 -g3,$(if $(SAN),-O1 -g1,-O2 -g$(if $(filter 1,$(CHECK_ONLY)),1)))
# Of test programs, which call the library and look at what comes back, they double the time to compile, which -Og takes back; it takes memory
# for uninitialised that is not.
TEST_OPT := $(if $(filter 1,$(DEBUG)),,$(if $(SAN)$(filter 1,$(CHECK_ONLY)),-Og -Wno-uninitialized))
comma  := ,
BOTH   := address$(comma)undefined
SANF   := $(if $(SAN),-fsanitize=$(subst fuzz,fuzzer-no-link$(comma)$(BOTH),$(subst both,$(BOTH),$(SAN))) -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Programs, and so the examples, write <weir/router/router.h>: $(B)/include/weir is the tree.
override CPPFLAGS += -I. -I$(B)/include -D_GNU_SOURCE -DWEIR_CUDA=$(CUDA)
override CFLAGS   += -std=c11 $(OPT) $(WARN) $(if $(filter 1,$(WERROR)),-Werror) -fPIC -pthread $(SANF)
# DT_RPATH rather than RUNPATH: it also finds the libraries of libraries in a bundle.
override LDFLAGS  += -pthread $(SANF) -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../../lib'
LIBS    := -ljansson -lhwloc -lz -llzma -lzstd -lm -ldl

# ---- files -------------------------------------------------------------------------------------
LIB_C    := $(wildcard runtime/*.c runtime/host/*.c runtime/sim/*.c runtime/plan/*.c topology/*.c topology/measure/*.c \
              router/*.c router/transport/*.c router/process/*.c router/collective/*.c router/measure/*.c worklist/host/*.c worklist/steps/*.c \
              algorithms/graph/*.c algorithms/common/*.c algorithms/bfs/*.c algorithms/sssp/*.c algorithms/pr/*.c algorithms/cc/*.c algorithms/color/*.c algorithms/pbf/*.c algorithms/matrix/*.c algorithms/spmv/*.c)
CLI_C    := $(wildcard algorithms/cli/*.c)
METIS_C  := algorithms/metis/weir_metis.c
EXAMPLE_C := $(wildcard examples/*.c)
TEST_C   := $(filter-out tests/lib/% tests/standin/%,$(wildcard tests/*/test_*.c))
TESTLIB_C := $(wildcard tests/lib/*.c)
TEST_SH  := $(wildcard tests/*/test_*.sh)
FUZZ_C   := $(wildcard tests/fuzz/fuzz_*.c)
MODEL_SH := $(wildcard tests/model/test_*.sh) # first, since it takes the longest; examples, which are short, come last, so that all cores have work to the end
ifeq ($(STANDIN),1)
# The layers that call CUDA, and in place of CUDA the stand-in with its forms of their kernels.
LIB_C    := $(filter runtime/% topology/% router/%,$(LIB_C)) $(wildcard runtime/cuda/*.c)
TESTLIB_C := $(filter-out %_host.c tests/lib/choices% tests/lib/schedule% tests/lib/tree%,$(TESTLIB_C)) tests/lib/choices_devices.c \
              $(filter-out tests/standin/test_%,$(wildcard tests/standin/*.c))
TEST_C   := $(filter tests/runtime/% tests/topology/% tests/router/%,$(TEST_C)) $(wildcard tests/standin/test_*.c)
override CPPFLAGS += -isystem tests/standin/include
else ifeq ($(CUDA),1)
LIB_C    += $(wildcard runtime/cuda/*.c)
LIB_CU   := $(wildcard runtime/cuda/*.cu topology/measure/*.cu router/collective/*.cu router/measure/*.cu algorithms/*/*.cu)
TESTLIB_CU := $(wildcard tests/lib/*.cu)
CUDA_HOME ?= $(patsubst %/bin/,%,$(dir $(realpath $(HAVE_NVCC))))
override CPPFLAGS += -isystem $(CUDA_HOME)/include
LIBS     += -L$(CUDA_HOME)/lib64 -lcudart_static -lrt
ifeq ($(strip $(ARCH)),)
GPU_ARCH   := $(if $(filter bundle,$(MAKECMDGOALS)),,$(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d . | sort -nu))
KNOWN_ARCH := $(filter-out 5% 6% 7%,$(patsubst compute_%,%,$(if $(GPU_ARCH),$(shell $(NVCC) --list-gpu-arch 2>/dev/null))))
override ARCH := $(or $(filter $(KNOWN_ARCH),$(GPU_ARCH)),80 90)
endif
LAST_ARCH := $(lastword $(ARCH))
NVFLAGS  := -std=c++17 $(if $(filter 1,$(DEBUG)),-O0 -g -G,-O3 -lineinfo$(if $(filter 1,$(CUDA_FAST)), --Ofast-compile=max)) -I. -I$(B)/include -DWEIR_CUDA=1 \
            -Xfatbin -compress-all -Xcompiler -fPIC,-Wall,-Wextra,-fno-exceptions,-fno-threadsafe-statics \
            $(foreach a,$(ARCH),-gencode arch=compute_$(a),code=sm_$(a)) \
            -gencode arch=compute_$(LAST_ARCH),code=compute_$(LAST_ARCH) \
            $(if $(filter 1,$(WERROR)),-Werror all-warnings)
endif
obj      = $(patsubst %.c,$(B)/obj/%.o,$(filter %.c,$(1))) $(patsubst %.cu,$(B)/obj/%.cu.o,$(filter %.cu,$(1)))
LIB_O     := $(call obj,$(LIB_C) $(LIB_CU))
TESTLIB_O := $(call obj,$(TESTLIB_C) $(TESTLIB_CU))
EXAMPLES  := $(patsubst examples/%.c,$(B)/examples/%,$(EXAMPLE_C))
EXAMPLE_CU := $(if $(filter 1,$(CUDA)),$(wildcard $(EXAMPLE_C:.c=.cu)))
TESTS     := $(patsubst tests/%.c,$(B)/tests/%,$(TEST_C))
TEST_O    := $(call obj,$(TEST_C))
PROGRAMS  := $(B)/weir $(if $(wildcard $(METIS_C)),$(B)/weir-metis)
PUBLIC_H  := $(foreach f,$(FOLDERS),$(f)/$(f).h) runtime/dialect.h runtime/sync.h topology/bench.h router/bench.h router/channel.h router/collective.h \
             router/process.h worklist/operator.h worklist/schedule.h worklist/tiles.h worklist/range.h worklist/pick.h worklist/steps.h algorithms/part.h algorithms/rows.h algorithms/matrix.h algorithms/bench.h
# What the templates that operators are compiled with include; for nobody else.
TEMPLATE_H := $(wildcard worklist/*_tmpl.h worklist/*_tmpl.cuh algorithms/*_tmpl.h)
ENGINE_H  := worklist/notes.h $(wildcard worklist/engine/*.h worklist/engine/*.cuh worklist/steps/*.h)

.PHONY: all check check-full check-headers check-layers check-symbols $(FOLDERS:%=check-%) check-cli check-examples \
        check-build check-faults check-standin standin-build run-standin fuzz fuzz-build demo bundle examples docs format check-format install uninstall check-install help clean deps FORCE
all: $(PROGRAMS) $(B)/libweir.a $(B)/libweir.so examples

# ---- set-up ------------------------------------------------------------------------------------
# "make demo", "make check" and "make bundle" install what is missing; other goals only look.
INSTALLING := $(filter demo check bundle,$(MAKECMDGOALS))
deps:
	$(Q)scripts/deps.sh $(if $(INSTALLING),install,look) $(if $(filter check,$(INSTALLING)),check)

# Objects depend on the switches they were compiled with.
$(B)/flags: FORCE | deps
	$(Q)mkdir -p $(@D)/include; ln -sfn '$(CURDIR)' $(@D)/include/weir; echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_OPT) $(NVFLAGS) $(VERSION)' | sed "s/'//g" | cmp -s - $@ || \
	  echo '$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_OPT) $(NVFLAGS) $(VERSION)' | sed "s/'//g" > $@

# ---- compile and link --------------------------------------------------------------------------
$(B)/obj/%.o: %.c $(B)/flags
	$(call say,CC  ,$<)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) $(if $(filter $@,$(TEST_O)),$(TEST_OPT)) -MMD -MP -c $< -o $@
$(B)/obj/%.cu.o: %.cu $(B)/flags
	$(call say,NVCC,$<)
	$(Q)mkdir -p $(@D) && $(NVCC) $(NVFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c $< -o $@
$(B)/libweir.a: $(LIB_O)
	$(call say,AR  ,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(B)/libweir.so: $(LIB_O) scripts/libweir.map
	$(call say,LD  ,$@)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,libweir.so.$(firstword $(subst ., ,$(VERSION))) -Wl,--version-script=scripts/libweir.map -o $@ $(LIB_O) $(LIBS)
	$(Q)ln -sf $(@F) $@.$(firstword $(subst ., ,$(VERSION)))
$(B)/weir: $(call obj,$(CLI_C)) $(B)/libweir.a
	$(call say,LD  ,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)
$(B)/weir-metis: $(call obj,$(METIS_C))
	$(call say,LD  ,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lmetis
# An example whose kernels have a CUDA form has that in a .cu file beside it.
$(patsubst examples/%.cu,$(B)/examples/%,$(EXAMPLE_CU)): $(B)/examples/%: $(B)/obj/examples/%.cu.o
$(B)/examples/%: $(B)/obj/examples/%.o $(B)/libweir.a
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS)
# What tests link with: the library with its inner names and what tests share, once for all of them.
$(B)/lib/libweir-check.so: $(LIB_O) $(TESTLIB_O)
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $^ -lcmocka $(LIBS)
$(B)/tests/%: $(B)/obj/tests/%.o $(B)/lib/libweir-check.so
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $^ -lcmocka -ljansson -lhwloc -lz -llzma -lzstd -lm -ldl
# The command with one wrong level, parent, distance, rank, label or element (of a product, too), for the test of --verify; without memory for files, or
# with devices that begin late, for others.
WRONG    := $(B)/tests/cli/weir-wrong
WRAPPED  := weir_bfs_levels weir_bfs_batch_levels weir_bfs_batch_found weir_bfs_parents weir_sssp_distances weir_sssp_parents weir_pr_ranks weir_cc_labels weir_color_colors weir_product_get_y weir_pbf_run \
            weir__replace_open weir_context_create
$(WRONG): $(call obj,$(wildcard tests/cli/wrong_*.c) $(CLI_C)) $(B)/lib/libweir-check.so
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ -ljansson -lz -llzma -lzstd -lm -ldl
# What a test loads in place of NCCL: by its inner name it is found under that one.
NCCL_STAND_IN := $(B)/tests/router/libnccl-stand-in.so
$(NCCL_STAND_IN): tests/router/nccl_stand_in.c $(B)/flags
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -shared $(SANF) -Wl,-soname,libnccl.so.2 -o $@ $< -lm
$(B)/tests/router/test_collectives_nccl: | $(NCCL_STAND_IN)
# Preloaded, it makes allocations fail: below the sanitizer that it may be preloaded with.
FAULTS   := $(B)/lib/libfaults.so
$(FAULTS): tests/faults/faults.c $(B)/flags
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(filter-out $(SANF),$(CFLAGS)) -fno-omit-frame-pointer -shared -o $@ $< -ldl
examples: $(EXAMPLES)
-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
.PRECIOUS: $(B)/obj/%.o $(B)/obj/%.cu.o # not thrown away as mere steps on the way

# ---- check -------------------------------------------------------------------------------------
check-build: all $(TESTS) $(WRONG) $(NCCL_STAND_IN)
RUN_TESTS = BUILD=$(B) scripts/run_tests.sh
tests_of  = $(filter $(B)/tests/$(1)/%,$(TESTS)) $(filter tests/$(1)/%,$(TEST_SH))
check: check-build check-headers check-layers check-symbols
	$(Q)$(RUN_TESTS) $(MODEL_SH) $(filter-out $(MODEL_SH),$(TEST_SH)) $(TESTS) $(EXAMPLES)
$(FOLDERS:%=check-%) check-cli: check-%: check-build
	$(Q)$(RUN_TESTS) $(call tests_of,$*)
# For as long as it takes, and seen while it runs. WEIR_CHECK=triples takes minutes instead of hours.
check-full: check-build
	$(Q)WEIR_CHECK=$${WEIR_CHECK:-full} $(if $(DEVICES),WEIR_CHECK_DEVICES='$(DEVICES)') $(B)/tests/algorithms/test_choices
	$(Q)BUILD=$(B) scripts/sweep_data.sh full $(DEVICES)
# Programs with cases for GPUs, of which those cases alone are run (STANDIN_ONLY): the rest needs no stand-in. Sanitizers
# make what moves or measures much data too long.
STANDIN_LONG  := $(if $(SAN),%/test_push %/test_bench_links %/test_bench_channels)
STANDIN_TESTS := $(if $(filter 1,$(STANDIN)),$(filter-out $(STANDIN_LONG),$(patsubst tests/%.c,$(B)/tests/%,$(shell \
                   grep -lE 'ON_EACH_|"cuda|_fixture.h' $(filter tests/runtime/% tests/router/% tests/standin/%,$(TEST_C))))))
check-standin:
	$(Q)$(MAKE) --no-print-directory STANDIN=1 B=build/standin$(if $(SAN),/$(SAN)) SAN=$(SAN) run-standin
standin-build: $(STANDIN_TESTS)
run-standin: standin-build
	$(Q)STANDIN_ONLY='*[cuda*' WEIR_TEST_SEGMENTS=$${WEIR_TEST_SEGMENTS:-10000} $(RUN_TESTS) $(STANDIN_TESTS)
check-faults: $(PROGRAMS) $(FAULTS)
	$(Q)BUILD=$(B) scripts/sweep_faults.sh
check-examples: examples
	$(Q)$(RUN_TESTS) $(EXAMPLES) $(call tests_of,examples)
check-headers:
	$(Q)CC="$(CC)" scripts/check_headers.sh $(PUBLIC_H)
check-layers:
	$(Q)scripts/check_layers.sh
	$(Q)scripts/check_sized.sh
	$(Q)scripts/check_lists.sh
check-symbols: $(B)/libweir.a $(B)/libweir.so
	$(Q)CC='$(CC)' scripts/check_symbols.sh $^ $(PUBLIC_H)
check-format:
	$(Q)scripts/format.sh check

# ---- fuzz: libFuzzer where clang has it, else a driver of our own ------------------------------
FUZZ_ENGINE  ?= $(if $(filter fuzz,$(MAKECMDGOALS)),$(shell scripts/fuzz.sh engine))
FUZZ_SECONDS ?= 10
FUZZ_SAN     := $(if $(filter libfuzzer,$(FUZZ_ENGINE)),SAN=fuzz CC=clang,SAN=both)
FUZZ_B       := build/$(if $(filter libfuzzer,$(FUZZ_ENGINE)),fuzz,both)
fuzz:
	$(Q)echo 'fuzz: $(if $(filter libfuzzer,$(FUZZ_ENGINE)),libFuzzer of clang,tests/fuzz/driver.c; clang with libFuzzer is not here or not wanted)'
	$(Q)$(MAKE) --no-print-directory $(FUZZ_SAN) fuzz-build
	$(Q)BUILD=$(FUZZ_B) FUZZ_ENGINE=$(FUZZ_ENGINE) FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh $(patsubst tests/fuzz/%.c,$(FUZZ_B)/fuzz/%,$(FUZZ_C))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_C))
fuzz-build: $(FUZZERS)
$(FUZZERS): $(B)/fuzz/%: $(B)/obj/tests/fuzz/%.o $(call obj,tests/fuzz/fuzz.c $(if $(filter fuzz,$(SAN)),,tests/fuzz/driver.c) \
             $(filter-out %/main.c,$(CLI_C))) $(B)/libweir.a
	$(call say,LD  ,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) $(if $(filter fuzz,$(SAN)),-fsanitize=fuzzer) -o $@ $^ $(LIBS)

# ---- the rest ----------------------------------------------------------------------------------
demo: all
	$(Q)BUILD=$(B) scripts/demo.sh
bundle: all $(TESTS) $(WRONG) $(NCCL_STAND_IN)
	$(Q)BUILD=$(B) scripts/bundle.sh $(B)/bundle $(PROGRAMS) $(TESTS) $(WRONG) $(NCCL_STAND_IN) $(EXAMPLES)
docs:
	$(Q)scripts/docs.sh $(B)/docs $(VERSION)
format:
	$(Q)scripts/format.sh write
PLACES = PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DESTDIR='$(DESTDIR)'
install: all
	$(Q)$(PLACES) BUILD=$(B) VERSION=$(VERSION) LIBS='$(LIBS)' CUDA=$(CUDA) scripts/install.sh install $(PUBLIC_H) $(TEMPLATE_H) $(ENGINE_H)
uninstall:
	$(Q)$(PLACES) scripts/install.sh uninstall
check-install: all
	$(Q)BUILD=$(B) CC='$(CC)' NVCC='$(if $(filter 1,$(CUDA)),$(NVCC))' scripts/check_install.sh $(MAKE) --no-print-directory B=$(B) CUDA=$(CUDA) CUDA_FAST=$(CUDA_FAST) CHECK_ONLY=$(CHECK_ONLY) ARCH='$(ARCH)' WERROR=$(WERROR)
clean:
	$(Q)rm -rf build
help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile
	@echo 'targets:'
	@echo '  all             weir, weir-metis, libweir.a, libweir.so and the examples, in $(B)'
	@echo '  check           every test; check-FOLDER: one of $(FOLDERS) cli examples'
	@echo '  check-full      every choice with every other, real graphs in full; hours (DEVICES="cuda:0 cuda:0-1")'
	@echo '  check-faults    allocations, mappings and threads of the command fail, one at a time (WEIR_FAULTS=full: all)'
	@echo '  check-standin   the GPU cases of runtime and router without a GPU, over a stand-in for CUDA (tests/standin)'
	@echo '  check-headers   public headers compile alone, as C11 and as C++17'
	@echo '  check-layers    folders include only what lies below them; structures with a size have an initialiser;'
	@echo '                  lists of pages and tests are those of the sources'
	@echo '  check-symbols   the library exports what the public headers declare, each call in a version'
	@echo '  check-format    formatting, as clang-format would have it'
	@echo '  fuzz            files, words and numbers that a generator makes, FUZZ_SECONDS=10 for each harness'
	@echo '  demo            every algorithm on two generated graphs, verified'
	@echo '  bundle          programs, tests and their libraries in $(B)/bundle, to run elsewhere'
	@echo '  install         headers, libraries, weir.pc, a CMake package and programs; uninstall removes exactly those'
	@echo '                  PREFIX=$(PREFIX) LIBDIR=PREFIX/lib INCLUDEDIR=PREFIX/include DESTDIR= (a stage to pack from)'
	@echo '  check-install   install into folders of all kinds, use it from C, C++ and CMake, uninstall'
	@echo '  examples docs format clean'
