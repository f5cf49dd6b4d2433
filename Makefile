# How skampi is built; `make help` says what can be made. There is no configure step: mk/detect asks
# the compiler what it offers, and is asked again when that may have changed.

VERSION := 0.1.0

define HELP
make             build ./skampi
make quickstart  install what is missing (Debian, Ubuntu, Fedora, RHEL), build, show a first measurement
make check       what a change can break, in minutes; make check TESTS="NAME ..." runs some
make check-all   all tests, as continuous integration does; see tests/README.md
make coverage    lines and branches of the C code that tests reach; TESTS="NAME ..." runs some
make selfcheck   whether times of this machine can be trusted
make figures     run inputs/figures/*.ski and draw them to build/figures; FIGURES="NAME ..." FIGURES_NP=n
make bench       how fast skampi itself is
make predict-demo  measure, describe the machine, trace, predict another network delay, run there: side by side;
                 DEMO="--delay 5000 --app stencil", DEMO=--help
make docs        write the generated parts of the documents
make install     PREFIX=/usr/local, DESTDIR=
make uninstall   the same PREFIX and DESTDIR: removes what was installed there, nothing else
make dist        build/skampi-$(VERSION).tar.gz
make deb         build/deb/skampi_$(VERSION)-1_*.deb, from that archive
make clean       remove all that was built

CC=compiler      a compiler (wrapper) of OpenSHMEM or MPI: oshcc, mpicc, cc, ...
SHMEM=0 MPI=0 PAPI=0 HWLOC=0 OTF2=0 JANSSON=0 UCX=0 DW=0  leave one out (1: insist on it)
LAUNCH=command   how programs are started: oshrun -np %n, srun -n %n, ...
CFLAGS= CPPFLAGS= LDFLAGS= LDLIBS=  added to what is used anyway
SANITIZE=address,undefined  an instrumented program in build/sanitize-...
CPPFLAGS=-DSKAMPI_DEBUG  a program that asserts more of itself, in timed loops, too (instrumented ones do)
WERROR=1         warnings are errors (always so when CI=true)
V=1              show the commands
endef

# `make clean all`: cleaning first, then the rest in a make that sees nothing of what was there.
rest := $(filter-out clean,$(MAKECMDGOALS))
ifneq ($(and $(filter clean,$(MAKECMDGOALS)),$(rest)),)

.PHONY: clean $(rest)
$(rest): clean
	@$(if $(filter $@,$(firstword $(rest))),$(MAKE) --no-print-directory $(rest),:)

else

ifneq ($(filter 3.% 4.0 4.1,$(MAKE_VERSION)),)
$(error GNU Make 4.2 or newer is needed, this is $(MAKE_VERSION))
endif

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDEXPANSION:
.PHONY: all banner tests run-tests run-quickstart quickstart selfcheck check check-all coverage figures bench predict-demo docs
.PHONY: install uninstall dist deb help FORCE

PREFIX ?= /usr/local
SHMEM ?=
MPI ?=
PAPI ?=
HWLOC ?=
OTF2 ?=
JANSSON ?=
UCX ?=
DW ?=
SANITIZE ?=

# make's own default, cc, says nothing about what the user wants.
ifneq ($(filter default undefined,$(origin CC)),)
CC := $(if $(filter 0,$(SHMEM)),mpicc,oshcc)
cc_given :=
else
cc_given := yes
endif

comma := ,
ifeq ($(SANITIZE),)
BUILD := build
PROGRAM := skampi
TRACE_COMMAND := shmemtrace
SIM_COMMAND := shmemsim
TRACE_LIBRARY := libshmemtrace.so
else
BUILD := build/sanitize-$(subst $(comma),-,$(SANITIZE))
PROGRAM := $(BUILD)/skampi
TRACE_COMMAND := $(BUILD)/shmemtrace
SIM_COMMAND := $(BUILD)/shmemsim
TRACE_LIBRARY := $(BUILD)/libshmemtrace.so
sanitize_flags := -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer -DSKAMPI_DEBUG
endif

Q := $(if $(V),,@)
say = $(if $(V),:,printf '  %-4s %s\n')

# $(call stamp,FILE,VARIABLE): FILE holds the variable's value and is touched only when that
# changes, so what depends on FILE is made again exactly then. (Reading strips too: make 4.3 forgets
# to take off the last newline of long files.)
define stamp
ifneq ($$(if $$(wildcard $1),x$$(strip $$(file <$1))),x$$(strip $$($2)))
$$(shell mkdir -p $$(dir $1))
$$(file >$1,$$(strip $$($2)))
endif
endef

all:
banner:

# ---- What was found; not needed by what only starts another make ----

ifneq ($(filter-out quickstart check check-all coverage uninstall dist deb clean help,$(or $(MAKECMDGOALS),all)),)

settings := CC=$(CC) SHMEM=$(SHMEM) MPI=$(MPI) PAPI=$(PAPI) HWLOC=$(HWLOC) OTF2=$(OTF2) JANSSON=$(JANSSON) \
	UCX=$(UCX) DW=$(DW) SANITIZE=$(SANITIZE) CPPFLAGS=$(CPPFLAGS) CFLAGS=$(CFLAGS) LDFLAGS=$(LDFLAGS) LDLIBS=$(LDLIBS) PATH=$(PATH)
$(eval $(call stamp,$(BUILD)/settings,settings))

include $(BUILD)/config.mk
-include $(BUILD)/config.d

$(BUILD)/config.mk: export DETECT_CC = $(CC)
$(BUILD)/config.mk: export DETECT_GIVEN = $(cc_given)
$(BUILD)/config.mk: export DETECT_SHMEM = $(SHMEM)
$(BUILD)/config.mk: export DETECT_MPI = $(MPI)
$(BUILD)/config.mk: export DETECT_PAPI = $(PAPI)
$(BUILD)/config.mk: export DETECT_HWLOC = $(HWLOC)
$(BUILD)/config.mk: export DETECT_OTF2 = $(OTF2)
$(BUILD)/config.mk: export DETECT_JANSSON = $(JANSSON)
$(BUILD)/config.mk: export DETECT_UCX = $(UCX)
$(BUILD)/config.mk: export DETECT_DW = $(DW)
$(BUILD)/config.mk: export DETECT_CFLAGS = $(sanitize_flags) $(CPPFLAGS) $(CFLAGS)
$(BUILD)/config.mk: export DETECT_LDFLAGS = $(LDFLAGS)
$(BUILD)/config.mk: export DETECT_LDLIBS = $(LDLIBS)
# What was not found is looked for again each time: it may have been installed.
$(BUILD)/config.mk: $(BUILD)/settings mk/detect $(if $(MAKE_RESTARTS),,$(if $(CONFIG_ABSENT),FORCE))
	@DETECT_ABSENT='$(if $(filter-out FORCE,$?),,$(CONFIG_ABSENT))' mk/detect $(BUILD)

banner:
	@echo 'skampi: $(CONFIG_SUMMARY)'

endif

# ---- Flags; whoever compiles something else with them reads $(BUILD)/flags ----

includes := -Isrc -I. -Itests
config := -DSKAMPI_SHMEM=$(SKAMPI_SHMEM) -DSKAMPI_MPI=$(SKAMPI_MPI) -DSKAMPI_PAPI=$(SKAMPI_PAPI) -DSKAMPI_HWLOC=$(SKAMPI_HWLOC) \
	-DSKAMPI_OTF2=$(SKAMPI_OTF2) -DSKAMPI_JANSSON=$(SKAMPI_JANSSON) -DSKAMPI_UCX=$(SKAMPI_UCX) -DSKAMPI_DW=$(SKAMPI_DW)
# What the library calls deprecated is measured, too.
warnings := -Wall -Wextra -Wno-deprecated-declarations $(if $(filter 1,$(WERROR))$(filter true,$(CI)),-Werror)
flags := -std=gnu11 -O2 -g $(warnings) $(sanitize_flags) $(includes) $(config) $(CPPFLAGS) $(CFLAGS)
compile := $(CC) $(flags)
# Not among the flags on which files depend: what is built is the same in every folder.
here := $(if $(CONFIG_MAP),$(CONFIG_MAP)$(CURDIR)=.)
libraries := $(CONFIG_LIBS) $(LDLIBS) -ldl -lpthread -lm
link = $(compile) -o $@ $(filter %.o %.a,$^) $(LDFLAGS)

LAUNCH ?= $(if $(filter 1,$(SKAMPI_SHMEM)),oshrun,mpirun) -np %n

# Texts that change with every commit or installation go only to the files that name them.
revision := $(if $(wildcard .git),$(shell GIT_OPTIONAL_LOCKS=0 \
	git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null))
# Without OpenSHMEM there is nothing to trace, but traces can be read.
ifeq ($(SKAMPI_SHMEM),1)
tracer := $(if $(shell command -v python3),$(TRACE_LIBRARY),no-tracer)
endif

.PHONY: no-tracer
no-tracer:
	@echo 'skampi: without python3, which writes its wrappers, libshmemtrace.so is not built'

SKAMPI_VERSION := $(VERSION)
SKAMPI_REVISION := $(revision)
SKAMPI_INPUTS_DIR := $(PREFIX)/share/skampi/inputs
SKAMPI_LIBRARY_DIR := $(PREFIX)/lib
texts := SKAMPI_VERSION SKAMPI_REVISION SKAMPI_INPUTS_DIR SKAMPI_LIBRARY_DIR

# ---- The program ----

# measurements/example.c is what authors copy; a test compiles it.
sources := $(filter-out src/trace/% src/sim/% measurements/example.c,$(wildcard src/*/*.c measurements/*.c measurements/*/*.c))
trace_sources := $(wildcard src/trace/*.c src/trace/*/*.c)
sim_sources := $(wildcard src/sim/*.c)
objects := $(sources:%.c=$(BUILD)/%.o)
archived := $(filter-out $(BUILD)/src/command/main.o,$(objects))

unit_sources := $(wildcard tests/unit/test_*.c)
unit_programs := $(unit_sources:tests/unit/%.c=$(BUILD)/tests/%)
network_sources := $(wildcard tests/truth/network/*.c)
preloaded := $(BUILD)/tests/libnetwork.so
docs_tables := $(BUILD)/generate/tables

ifdef CONFIG_SUMMARY
commands := $(compile) $(LDFLAGS) $(libraries)
$(eval $(call stamp,$(BUILD)/flags,compile))
$(eval $(call stamp,$(BUILD)/headers,CONFIG_HEADERS))
$(eval $(call stamp,$(BUILD)/commands,commands))
$(eval $(call stamp,$(BUILD)/objects,archived))

# $(call text_users,NAME): the objects whose sources name the macro.
text_users = $(foreach at,$(BUILD) $(BUILD)/pic,$(patsubst %.c,$(at)/%.o,$(shell grep -lw $1 /dev/null $(sources) $(trace_sources) $(sim_sources))))
define text
$(call stamp,$(BUILD)/text-$1,$1)
$2: $(BUILD)/text-$1
$2: private texts_here += -D$1='"$$($1)"'
endef
$(foreach name,$(texts),$(eval $(call text,$(name),$(or $(call text_users,$(name)),none))))
endif

all: banner $(PROGRAM) $(TRACE_COMMAND) $(SIM_COMMAND) $(tracer)

# inputs/ and scripts/ must be beside the program, wherever that is.
$(PROGRAM): $(BUILD)/src/command/main.o $(BUILD)/libskampi.a $(BUILD)/commands
	@$(say) LINK $@
	$(Q)$(link) $(libraries)
	$(if $(SANITIZE),@ln -sfn ../../inputs ../../scripts $(BUILD))

# Made anew, since a source that was removed must not stay in it.
$(BUILD)/libskampi.a: $(archived) $(BUILD)/objects
	@$(say) AR $@
	$(Q)rm -f $@ && $(AR) cqs $@ $(archived)

$(BUILD)/%.o: %.c $(BUILD)/flags $(BUILD)/headers
	@mkdir -p $(@D)
	@$(say) CC $<
	$(Q)$(compile) $(here) $(texts_here) -MMD -MP -c -o $@ $<

# ---- Tracing: the command, which also reads, and the library that is loaded into applications ----

# The files of src/trace itself are in the command, too. Memory is the tracer's own affair: it must not end
# the application for want of it.
tracer_sources := $(filter-out src/base/memory.c, \
	$(wildcard src/trace/*.c src/trace/runtime/*.c src/base/*.c src/clock/*.c src/comm/*.c \
	src/crash/*.c))
trace_generated := $(BUILD)/trace/wrappers.c $(BUILD)/trace/routines.c
trace_command_objects := $(patsubst %.c,$(BUILD)/%.o,$(filter-out src/trace/runtime/%,$(trace_sources)) \
	src/sim/routines.c) $(BUILD)/trace/page.o
tracer_objects := $(tracer_sources:%.c=$(BUILD)/pic/%.o) $(trace_generated:$(BUILD)/%.c=$(BUILD)/pic/%.o)
# Never instrumented, since the applications are not. It stands on OpenSHMEM alone, which it leaves to
# the application to bring, and exports only what it wraps.
tracer_flags := -fPIC -fvisibility=hidden -USKAMPI_MPI -DSKAMPI_MPI=0 -USKAMPI_PAPI -DSKAMPI_PAPI=0 \
	-USKAMPI_HWLOC -DSKAMPI_HWLOC=0 -DTRACE_PAPI=$(SKAMPI_PAPI)
compile_tracer = $(filter-out $(sanitize_flags),$(compile)) $(tracer_flags)

$(TRACE_COMMAND): $(trace_command_objects) $(BUILD)/libskampi.a $(BUILD)/commands
	@$(say) LINK $@
	$(Q)$(link) $(CONFIG_OTF2_LIBS) $(CONFIG_DW_LIBS) $(libraries)

# The page of `shmemtrace report` has the frame, the style and the tables of skampi-report's.
report_folder := scripts/skampi_tools/report
page_frame := $(report_folder)/page.html
page_body := src/trace/report/body.html
page_style := $(report_folder)/report.css src/trace/report/timeline.css
page_program := $(addprefix $(report_folder)/,plots.js tables.js) \
	$(addprefix src/trace/report/,unpack.js timeline.js page.js)
page_texts := page_frame page_body page_style page_program
$(BUILD)/trace/page.c: $(foreach text,$(page_texts),$($(text))) Makefile
	@mkdir -p $(@D)
	@$(say) GEN $@
	$(Q){ echo '#include "trace/report/report.h"'; $(foreach text,$(page_texts), \
		echo 'const char $(text)[] ='; cat $($(text)) | sed 's/[\\"?]/\\&/g; s/.*/"&\\n"/'; echo ';';) } >$@

$(BUILD)/trace/page.o: $(BUILD)/trace/page.c $(BUILD)/flags $(BUILD)/headers
	@$(say) CC $<
	$(Q)$(compile) $(here) -MMD -MP -c -o $@ $<

# Predicting: what reads traces, and the replay.
sim_objects := $(patsubst %.c,$(BUILD)/%.o,$(sim_sources) $(wildcard src/trace/*.c src/trace/read/*.c))
$(SIM_COMMAND): $(sim_objects) $(BUILD)/libskampi.a $(BUILD)/commands
	@$(say) LINK $@
	$(Q)$(link) $(CONFIG_DW_LIBS) $(libraries)

$(BUILD)/pic/%.o: %.c $(BUILD)/flags $(BUILD)/headers
	@mkdir -p $(@D)
	@$(say) PIC $<
	$(Q)$(compile_tracer) $(here) $(texts_here) -MMD -MP -c -o $@ $<

$(BUILD)/pic/trace/%.o: $(BUILD)/trace/%.c $(BUILD)/flags $(BUILD)/headers
	@mkdir -p $(@D)
	@$(say) PIC $<
	$(Q)$(compile_tracer) $(here) -MMD -MP -c -o $@ $<

# Its wrappers are many and short. Some end with a call of their other body, which is to see the address
# that the application called from, not one of the wrapper.
$(BUILD)/pic/trace/wrappers.o: private tracer_flags += -O1 -g0 -foptimize-sibling-calls

# One call writes both. It asks the compiler, so it is asked again when the headers have changed.
$(BUILD)/trace/routines.c: $(BUILD)/trace/wrappers.c ;
$(BUILD)/trace/wrappers.c: $(wildcard src/trace/wrappers/*) $(BUILD)/config.mk
	@mkdir -p $(@D)
	@$(say) GEN $@
	$(Q)src/trace/wrappers/generate --output $(@D) --libs "$(LDFLAGS) $(LDLIBS)" --depend $(@D)/wrappers.mk \
		-- $(filter-out $(sanitize_flags),$(compile))

$(TRACE_LIBRARY): $(tracer_objects) $(BUILD)/commands
	@$(say) SO $@
	$(Q)$(filter-out $(sanitize_flags),$(compile)) -shared -Wl,--as-needed -Wl,-z,defs -Wl,--wrap=free -o $@ \
		$(tracer_objects) $(LDFLAGS) $(LDLIBS) -ldl -lpthread -lm

.PRECIOUS: $(BUILD)/pic/%.o $(BUILD)/trace/%.c
-include $(patsubst %.o,%.d,$(trace_command_objects) $(sim_objects) $(tracer_objects)) $(BUILD)/trace/wrappers.mk

.PRECIOUS: $(BUILD)/%.o
-include $(objects:.o=.d) $(BUILD)/measurements/example.d $(wildcard $(BUILD)/tests/*/*.d $(BUILD)/tests/*/*/*.d)

# ---- Small applications to trace; each is one file ----

app_sources := $(if $(filter 1,$(SKAMPI_SHMEM)),$(wildcard inputs/apps/*.c))
apps := $(app_sources:inputs/%.c=$(BUILD)/%)
.PHONY: apps
apps: $(apps)

$(apps): $(BUILD)/%: inputs/%.c inputs/apps/app.h $(BUILD)/commands
	@mkdir -p $(@D)
	@$(say) LINK $@
	$(Q)$(compile) -o $@ $< $(LDFLAGS) $(libraries)

# ---- Tests ----

tests: $(unit_programs) $(preloaded) apps $(docs_tables)

# /* LINK: a.c b.c */ at the top of a test: further files, linked before the archive.
linked = $(patsubst %.c,$(BUILD)/%.o,$(shell sed -n '1,10s:^.*LINK\: *\([^*]*\).*:\1:p' tests/unit/$1.c))

$(unit_programs): $(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $$(call linked,$$*) \
		$(BUILD)/libskampi.a $(BUILD)/commands
	@$(say) LINK $@
	$(Q)$(link) -lcmocka $(libraries)

# Not instrumented: launchers load it, too.
$(preloaded): $(network_sources) $(wildcard tests/truth/*.h tests/truth/*/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(say) SO $@
	$(Q)$(filter-out $(sanitize_flags),$(compile)) -fPIC -shared -o $@ $(network_sources) $(LDFLAGS) -ldl -lpthread -lm

# What tests need to know about this build.
run-tests run-quickstart selfcheck figures bench predict-demo: export SKAMPI = $(CURDIR)/$(PROGRAM)
run-tests run-quickstart selfcheck figures bench predict-demo: export SKAMPI_BUILD = $(BUILD)
run-tests run-quickstart selfcheck figures bench predict-demo: export SKAMPI_LAUNCH = $(LAUNCH)

run-tests: all tests
	@tests/run $(if $(V),-v) $(if $(ALL),--all) $(TESTS)

run-quickstart: all
	@rm -f $(BUILD)/quickstart.json
	@status=0; \
	mk/launch 2 ./$(PROGRAM) -i inputs/quickstart.ski -f table -o - -o $(BUILD)/quickstart.json || status=$$?; \
	echo 'skampi: measure yourself with'; \
	mk/launch --line 2 ./$(PROGRAM) Shmem_Put_Round --sizes 8:1mb | sed 's/^/  /'; \
	exit $$status

selfcheck: all
	@mk/selfcheck ./$(PROGRAM) $(BUILD)/selfcheck.json

figures: export FIGURES_NP := $(FIGURES_NP)
figures: all
	@mk/figures ./$(PROGRAM) $(BUILD)/figures $(FIGURES)
	$(if $(FIGURES),,@mk/native $(BUILD)/figures)

bench: all
	@tests/bench/run

predict-demo: all apps
	@mk/predict-demo $(DEMO)

# These install first what is missing, so only the make that they start may look around. Fedora and
# RHEL keep Open MPI where only its module puts it into PATH.
modular := /usr/lib64/openmpi/bin
again = command -v $(firstword $(CC)) >/dev/null || [ ! -d $(modular) ] || PATH=$$PATH:$(modular); \
	$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

quickstart:
	@scripts/install-deps
	+@$(again) run-quickstart

check check-all:
	@scripts/install-deps --dev
	+@$(again) run-tests ALL=$(filter check-all,$@)

coverage:
	@tests/coverage $(TESTS)

# ---- Documents ----

$(docs_tables): mk/generate/tables.c $(BUILD)/libskampi.a $(BUILD)/commands
	@mkdir -p $(@D)
	@$(say) LINK $@
	$(Q)$(compile) -o $@ $< $(BUILD)/libskampi.a $(LDFLAGS) $(libraries)

docs: export SKAMPI = $(CURDIR)/$(PROGRAM)
docs: export SKAMPI_BUILD = $(BUILD)
docs: all $(docs_tables)
	@mk/docs

# ---- Installation ----

install uninstall: export PREFIX := $(PREFIX)
install uninstall: export DESTDIR := $(DESTDIR)

manuals := $(BUILD)/skampi.1 $(BUILD)/shmemtrace.1 $(BUILD)/shmemsim.1
$(BUILD)/skampi.1: $(PROGRAM)
$(BUILD)/shmemtrace.1: $(TRACE_COMMAND)
$(BUILD)/shmemsim.1: $(SIM_COMMAND)
$(manuals):
	$(Q)./$< --man >$@

install: all $(manuals)
	mk/install ./$(PROGRAM) $(BUILD) ./$(TRACE_COMMAND) ./$(SIM_COMMAND) $(addprefix ./,$(filter %.so,$(tracer)))

uninstall:
	mk/install --remove

dist: name := skampi-$(VERSION)
dist:
	@mkdir -p build
	mk/dist $(name) build/$(name).tar.gz

deb: dist
	mk/deb build/skampi-$(VERSION).tar.gz $(VERSION)

help:
	$(info $(HELP))
	@:

FORCE:

endif

.PHONY: clean
clean:
	rm -rf build skampi shmemtrace shmemsim libshmemtrace.so
