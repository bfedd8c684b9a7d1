# SPDX-License-Identifier: GPL-2.0-or-later
#
# "make help" lists what people use first; CONTRIBUTING.md has the rest.  Each target installs
# the Debian packages it needs, says which, and asks sudo unless root runs it.
#
# V=1 shows the commands.  BUILD=, PREFIX=, DESTDIR=, CC=, CFLAGS= and so on are as usual.
# One make at a time works in a tree; a second one waits for the first.

VERSION := 0.1.0
PREFIX ?= /usr/local
BUILD ?= build

# make splits at spaces, so "rm -rf" would get the pieces.
EMPTY :=
SPACE := $(EMPTY) $(EMPTY)
TAB := $(EMPTY)	$(EMPTY)
has_space = $(or $(findstring $(SPACE),$($(1))),$(findstring $(TAB),$($(1))))
refuse_space = $(if $(has_space),$(error $(1) is "$($(1))", and make cannot work with a \
                 space in a path: choose another without one))
$(if $(call has_space,CURDIR),$(error this folder is "$(CURDIR)", and make cannot work with a \
  space in a path: move or rename the folder))
$(foreach name,BUILD PREFIX DESTDIR PLUGIN_SPOOL,$(call refuse_space,$(name)))
# "make clean" removes it.
ifneq ($(filter $(patsubst %/,%,$(abspath $(BUILD)))/%,$(CURDIR)/),)
$(error BUILD is "$(BUILD)", and needs to be a folder of its own: "make clean" removes it)
endif

# However it is written: the names in the lists of what depends on a header are the same.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
PKG_CONFIG ?= pkg-config
PYTHON ?= /usr/bin/python3
INSTALL ?= install
ifeq ($(origin CC),default)
CC := gcc
endif

# One make at a time in a tree: this one takes the lock of the folder and calls itself.  Not
# for a demo, which runs for long; it locks while it builds.  This comes before any flag is
# changed: those of the environment would come changed to the inner make.
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(or $(OFONO_MCP_LOCKED),$(if $(filter-out help demo demo-fleet,$(GOALS)),,unlocked)),)

LIBRARIES := dbus-1 libmicrohttpd yajl libsystemd sqlite3 gnutls inih libqrencode
# Loaded when it is first needed (doc/libraries.md), so only its headers are for the build.
LOADED_LIBRARIES := libcurl
# Of the programs beside the gateway, which must not need it: tests/deb/test_package.py.
MQTT_LIBS := -lmosquitto
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wformat=2 -Wundef -Wno-missing-field-initializers -Wno-unused-parameter $(if $(WERROR),-Werror)

# Asked when first needed: a fresh machine has no pkg-config.
LIBRARY_CFLAGS = $(eval LIBRARY_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LIBRARIES) $(LOADED_LIBRARIES)))$(LIBRARY_CFLAGS)
LIBRARY_LIBS = $(eval LIBRARY_LIBS := $(shell $(PKG_CONFIG) --libs $(LIBRARIES)))$(LIBRARY_LIBS)

# Debuggers find what they unwind by beside -g; in the program it would be a tenth.
CFLAGS ?= -O2 -g -fno-asynchronous-unwind-tables
# Of the unit tests themselves, which are compiled more often than they run.
TEST_CFLAGS ?= -Og
GIVEN_CPPFLAGS := $(CPPFLAGS)
override CFLAGS += -std=gnu11 $(WARNINGS)
# The name and port with which a program speaks of itself: the hub compiles those files anew.
program_flags = -DPROGRAM_NAME='"$(1)"' -DPROGRAM_PORT='"$(2)"'
override CPPFLAGS += -Iinclude -Isrc -D_GNU_SOURCE -DOFONO_MCP_VERSION='"$(VERSION)"' \
                     $(call program_flags,ofono-mcp,9531) $(LIBRARY_CFLAGS)
LDLIBS += $(LIBRARY_LIBS)
# Where the tables point to, packed: else that is a tenth of the program. glibc can read it since 2.36.
PACKED = $(eval PACKED := $(shell printf '%s\n' '#include <features.h>' '\#if !__GLIBC_PREREQ(2, 36)' '\#error' \
           '\#endif' | $(CC) -E - >/dev/null 2>&1 && echo -Wl,-z,pack-relative-relocs))$(PACKED)
override LDFLAGS += $(PACKED)

SOURCES := $(filter-out src/remote/%,$(wildcard src/*/*.c src/*/*/*.c))
# The hub is the same program with other modems: src/remote in place of src/ofono, of which only the
# predicates stay. What names the program, or knows its port, is compiled anew for it.
HUB_PARTS := $(wildcard src/remote/*.c)
HUB_NAMED := $(shell grep -lE 'PROGRAM_(NAME|PORT)|CONFIG_DEFAULT_(PATH|FOLDER)|DOCTOR_AS_ROOT' $(SOURCES))
HUB_REPLACED := $(HUB_NAMED) $(filter-out src/ofono/modem.c,$(wildcard src/ofono/*.c))
# The page that the program embeds.
CONSOLE := $(BUILD)/console/console.html
CONSOLE_PARTS := src/console/compose $(wildcard src/console/*.html src/console/*.css src/console/*.js)
# The numbering plans of all countries, from libphonenumber's metadata.
PLANS := $(BUILD)/numbers/number_plans.c
# The words of texts for AI agents, sorted.
AGENT_TABLE := $(BUILD)/text/agent_table.c
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o) $(BUILD)/console/console_document.o $(PLANS:.c=.o) $(AGENT_TABLE:.c=.o)
# Library calls that tests/faults/fault_points.c stands in for, in a program of its own.
FAULT_SEAMS := sqlite3_step dbus_connection_send_with_reply dbus_connection_dispatch \
               MHD_queue_response MHD_run http_client_library_load
# Tools and resources of the conformance runner, in a program of its own as well.
FIXTURES := $(wildcard tests/fixtures/*.c)
BENCH_PROGRAMS := $(addprefix $(BUILD)/bench/,bare empty growth hearer ledger load raw relay sender)
TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/target/%,$(wildcard tests/fuzz/fuzz_*.c))
# Those in which every call that may find nothing left is made to: tests/faults/starve.c.
STARVED := $(patsubst %,$(BUILD)/starved/%,mcp control bus)
HUB_OBJECTS := $(patsubst src/%.c,$(BUILD)/as-hub/%.o,$(HUB_PARTS) $(HUB_NAMED)) \
               $(filter-out $(patsubst src/%.c,$(BUILD)/%.o,$(HUB_REPLACED)),$(OBJECTS))
# What calls a target: libFuzzer, or this, which runs it over files.
FUZZ_MAIN ?= tests/fuzz/replay.c
FUZZ_PARTS := tests/fuzz/replay.c tests/faults/starve.c tests/faults/scarcity.c Makefile \
              $(wildcard tests/fuzz/*.h tests/faults/*.h) tests/unit/fake_ofono.h

Q := $(if $(V),,@)
RUN := $(PYTHON) -B tests/check/check.py --make "$(MAKE)" --build $(BUILD)

.PHONY: all help toolchain programs unit-programs packages demo demo-fleet bench bench-fleet bench-growth bench-peers bench-programs torture soak chaos-fleet \
        fuzz fuzz-coverage fuzz-minimise fuzz-programs starved starve numbers check check-all test unit san house lab \
        integration integration-san clients console package other-release ofono-versions builds matrix valgrind lint format \
        faults fixtures flags plugin-flags install uninstall deb rpm mcpb site plugin plugin-packages \
        install-plugin uninstall-plugin clean
.DELETE_ON_ERROR:

all: $(BUILD)/ofono-mcp $(BUILD)/ofono-mcp-hub $(BUILD)/ofono-mcp-link $(BUILD)/ofono-mcp-session $(BUILD)/compile_commands.json

help:
	@echo "make            build/ofono-mcp"
	@echo "make demo       try it: a gateway with emulated modems, no phone needed (PORT=9531)"
	@echo "make demo-fleet the same with a hub and three emulated phones (PORT=9541)"
	@echo "make check      the tests before every commit; 5 to 8 minutes on 2 CPUs"
	@echo "make check-all  every test, also browsers, npm clients and a fresh Debian"
	@echo "make test T=... one test: a file, a function, or FILE::FUNCTION"
	@echo "make lint       format, layers, licence lines, static analysis"
	@echo "make format     write the format that lint wants"
	@echo "make packages   only install the Debian packages of the build"
	@echo "sudo make install    below PREFIX=/usr/local; \"sudo make uninstall\" removes it"
	@echo "make deb        the Debian packages, in build/deb"
	@echo "make mcpb       bundles of the bridge for Claude Desktop, in build/mcpb"
	@echo "make site       the documentation as one set of pages, in build/site"
	@echo "make plugin     the plugin for ofonod; needs ofono-dev: plugin/README.md"
	@echo "make clean      remove build/"
	@echo "More targets: CONTRIBUTING.md"

programs: all faults fixtures $(BUILD)/numbers/filter $(TESTS) $(BENCH_PROGRAMS)

unit-programs: $(TESTS)

faults: $(BUILD)/ofono-mcp-faults $(BUILD)/torture/clock.so

fixtures: $(BUILD)/ofono-mcp-fixtures

fuzz-programs: $(FUZZ_TARGETS)

starved: $(STARVED)

$(BUILD)/ofono-mcp: $(BUILD)/main.o $(BUILD)/libgateway.a
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/ofono-mcp-hub: $(BUILD)/as-hub/main.o $(BUILD)/as-hub/main_hub.o $(BUILD)/libhub.a
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(MQTT_LIBS)

$(BUILD)/libhub.a: $(HUB_OBJECTS)
	@echo "  AR      $@"
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/as-hub/%.o: src/%.c Makefile | toolchain
	@echo "  CC      $< (hub)"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -UPROGRAM_NAME -UPROGRAM_PORT $(call program_flags,ofono-mcp-hub,9541) $(CFLAGS) \
		-MMD -MP -c -o $@ $<

$(BUILD)/ofono-mcp-link: $(BUILD)/main_link.o $(BUILD)/libgateway.a
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(LDLIBS) $(MQTT_LIBS)

$(BUILD)/ofono-mcp-session: $(BUILD)/main_session.o $(BUILD)/libgateway.a
	@echo "  LD      $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(LDLIBS)

$(BUILD)/ofono-mcp-faults: tests/faults/fault_points.c $(BUILD)/main.o $(BUILD)/libgateway.a
	@echo "  LD      $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(FAULT_SEAMS:%=-Wl,--wrap=%) -o $@ $^ $(LDLIBS)

# Their tables stand in for the product's, which the linker then leaves in the archive.
$(BUILD)/ofono-mcp-fixtures: $(FIXTURES) $(BUILD)/main.o $(BUILD)/libgateway.a $(wildcard tests/fixtures/*.h)
	@echo "  LD      $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS)

# Before this time no clock is right: src/webhook/webhook_post.c.
BUILT = $(or $(SOURCE_DATE_EPOCH),$(shell stat -c %Y CHANGELOG.md))
$(BUILD)/webhook/webhook_post.o: override CPPFLAGS += -DOFONO_MCP_BUILT=$(BUILT)

# For clangd and other tools, which look for it in build/.
$(BUILD)/compile_commands.json: $(SOURCES) Makefile | toolchain
	@mkdir -p $(@D)
	$(Q)$(PYTHON) -c 'import json, os, sys; end = sys.argv.index("--"); \
	  json.dump([{"directory": os.getcwd(), "file": file, "arguments": sys.argv[1:end] + ["-c", file]} \
	             for file in sys.argv[end + 1:]], sys.stdout, indent=1)' \
	  $(CC) $(CPPFLAGS) -DOFONO_MCP_BUILT=0 $(CFLAGS) -- $(SOURCES) $(wildcard tests/unit/test_*.c) >$@

$(BUILD)/libgateway.a: $(OBJECTS)
	@echo "  AR      $@"
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/%.o: src/%.c Makefile | toolchain
	@echo "  CC      $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(CONSOLE): $(CONSOLE_PARTS) Makefile | toolchain
	@echo "  PAGE    $@"
	@mkdir -p $(@D)
	$(Q)perl src/console/compose src/console >$@

$(PLANS): $(wildcard src/numbers/*.py) Makefile | toolchain
	@echo "  PLANS   $@"
	@mkdir -p $(@D)
	$(Q)$(PYTHON) -B src/numbers/generate.py >$@

$(AGENT_TABLE): src/text/agent_table.py $(wildcard src/text/agent_*.txt) Makefile | toolchain
	@echo "  WORDS   $@"
	@mkdir -p $(@D)
	$(Q)$(PYTHON) -B src/text/agent_table.py >$@

$(PLANS:.c=.o) $(AGENT_TABLE:.c=.o): %.o: %.c Makefile | toolchain
	@echo "  CC      $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/console/console_document.o: src/console/console_document.S $(CONSOLE) Makefile | toolchain
	@echo "  AS      $<"
	$(Q)$(CC) $(GIVEN_CPPFLAGS) -DCONSOLE_DOCUMENT='"$(CONSOLE)"' $(CFLAGS) -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libgateway.a Makefile | toolchain
	@echo "  TEST    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< $(BUILD)/libgateway.a \
		$(LDLIBS) $(MQTT_LIBS) -lcmocka

# Of what only the hub has.
$(BUILD)/unit/test_hub_%: tests/unit/test_hub_%.c $(BUILD)/libhub.a Makefile | toolchain
	@echo "  TEST    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< $(BUILD)/libhub.a \
		$(LDLIBS) $(MQTT_LIBS) -lcmocka

$(BUILD)/numbers/filter: tests/numbers/filter.c $(BUILD)/libgateway.a Makefile | toolchain
	@echo "  TEST    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(BUILD)/libgateway.a $(LDLIBS)

$(BUILD)/bench/%: tests/bench/%.c tests/bench/histogram.c tests/bench/histogram.h $(BUILD)/libgateway.a \
                  Makefile | toolchain
	@echo "  BENCH   $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< tests/bench/histogram.c \
		$(BUILD)/libgateway.a $(LDLIBS)

$(BUILD)/bench/fleet: LDLIBS += $(MQTT_LIBS)

# With all libraries, used or not: what they cost is what it is there for.
$(BUILD)/bench/empty: LDFLAGS += -Wl,--no-as-needed

bench-programs: $(BENCH_PROGRAMS)

# Also for programs that have no sanitizer.
$(BUILD)/torture/%.so: tests/torture/%.c Makefile | toolchain
	@echo "  TORTURE $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(filter-out -fsanitize=% -fno-sanitize%,$(CFLAGS)) -shared -fPIC $(LDFLAGS) -o $@ $<

$(BUILD)/target/%: tests/fuzz/fuzz_%.c $(FUZZ_PARTS) $(BUILD)/libgateway.a | toolchain
	@echo "  FUZZ    $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(FUZZ_MAIN) $(BUILD)/libgateway.a $(LDLIBS)

$(BUILD)/starved/%: tests/fuzz/fuzz_%.c $(FUZZ_PARTS) $(BUILD)/libgateway.a | toolchain
	@echo "  STARVE  $<"
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fno-builtin $(LDFLAGS) -o $@ $< tests/faults/starve.c \
		tests/faults/scarcity.c $(BUILD)/libgateway.a $(LDLIBS)

# sd_event_source_set_ratelimit() is of 248. Asked in words, because Sailfish OS has 238.
LIBSYSTEMD_MIN := 248

toolchain:
	@if $(PKG_CONFIG) --exists libsystemd && ! $(PKG_CONFIG) --atleast-version=$(LIBSYSTEMD_MIN) libsystemd; then \
	  echo "ofono-mcp: libsystemd $$($(PKG_CONFIG) --modversion libsystemd) is too old: its event loop lacks functions" \
	  "of $(LIBSYSTEMD_MIN). Build a newer libsystemd and name its folder: PKG_CONFIG_PATH=... (doc/phones.md)" >&2; exit 1; fi
	@{ echo '#include <stdlib.h>' | $(CC) -E - && $(PKG_CONFIG) --exists $(LIBRARIES) $(LOADED_LIBRARIES) libmosquitto && \
	  command -v esbuild && $(PYTHON) -c 'import phonenumbers'; } >/dev/null 2>&1 || \
	{ echo "ofono-mcp: to build, these Debian packages are needed:" \
	  $$(tests/packages/install --missing build)"; \"make packages\" installs them, and so do" \
	  "\"make check\" and \"make demo\"." >&2; exit 1; }

packages:
	@tests/packages/install build

# Loaded into ofonod, so it is built for exactly that version, and of nothing else of ours.
PLUGIN_SPOOL ?= /var/lib/ofono-mcp/spool
PLUGIN := $(BUILD)/plugin/ofono-mcp-history.so
PLUGIN_SOURCES := $(wildcard plugin/*.c)
PLUGIN_FOLDER = $(DESTDIR)$(shell $(PKG_CONFIG) --variable=plugindir ofono)
PLUGIN_CPPFLAGS = $(GIVEN_CPPFLAGS) -D_GNU_SOURCE -DSPOOL_FOLDER='"$(PLUGIN_SPOOL)"' $(shell $(PKG_CONFIG) --cflags ofono dbus-1)
PLUGIN_CFLAGS = $(CFLAGS) -fPIC -fvisibility=hidden
PLUGIN_LDFLAGS = $(LDFLAGS) -shared -Wl,-z,nodelete $(shell $(PKG_CONFIG) --libs dbus-1)

plugin: $(PLUGIN)

$(PLUGIN): $(PLUGIN_SOURCES) $(wildcard plugin/*.h) Makefile | plugin-packages
	@echo "  PLUGIN  $@"
	@mkdir -p $(@D)
	$(Q)$(CC) $(PLUGIN_CPPFLAGS) $(PLUGIN_CFLAGS) -o $@ $(PLUGIN_SOURCES) $(PLUGIN_LDFLAGS)

plugin-packages:
	@$(PKG_CONFIG) --exists ofono || { echo "ofono-mcp: to build the plugin," \
	  "the Debian package ofono-dev is needed, of the same version as ofono." >&2; exit 1; }
	@printf '%s\n' '#include <ofono/types.h>' '#include <ofono/modem.h>' \
	  'void *const needed = (void *)ofono_modem_get_sim;' | \
	  $(CC) -DOFONO_API_SUBJECT_TO_CHANGE $(PLUGIN_CPPFLAGS) -fsyntax-only -x c - 2>/dev/null || { echo \
	  "ofono-mcp: this ofono-dev is of version $$($(PKG_CONFIG) --modversion ofono), whose ofonod" \
	  "has no ofono_modem_get_sim and would not load the plugin; 1.29 and later have it." >&2; exit 1; }

install-plugin: plugin
	$(INSTALL) -D -m 644 $(PLUGIN) $(PLUGIN_FOLDER)/$(notdir $(PLUGIN))

uninstall-plugin: plugin-packages
	rm -f $(PLUGIN_FOLDER)/$(notdir $(PLUGIN))

# Built in a copy, so that the tree stays as it is. What a clone does not have is left out.
DEB := $(BUILD)/deb

deb:
	@tests/packages/install build deb
	$(Q)rm -rf $(DEB)
	$(Q)mkdir -p $(DEB)/source
	$(Q)tar -c --exclude-vcs --exclude=./build --exclude=./$(BUILD) --exclude=__pycache__ . | tar -x -C $(DEB)/source
	$(Q)cd $(DEB)/source && env -u MAKEFLAGS -u MAKELEVEL -u OFONO_MCP_LOCKED dpkg-buildpackage -us -uc -b
	$(Q)rm -rf $(DEB)/source
	@ls -l $(DEB)/*.deb

# For Sailfish OS and others. Debian's rpm knows no packages that it could need.
RPM := $(BUILD)/rpm
RPM_FLAGS ?= $(if $(wildcard /etc/debian_version),--nodeps)

rpm:
	@tests/packages/install build rpm
	$(Q)rm -rf $(RPM)
	$(Q)mkdir -p $(RPM)/SOURCES
	$(Q)tar -cz --exclude-vcs --exclude=./build --exclude=./$(BUILD) --exclude=__pycache__ --transform='s,^\.,ofono-mcp-$(VERSION),' \
		-f $(RPM)/SOURCES/ofono-mcp-$(VERSION).tar.gz .
	$(Q)env -u MAKEFLAGS -u MAKELEVEL -u OFONO_MCP_LOCKED -u BUILD rpmbuild -bb $(RPM_FLAGS) \
		--define '_topdir $(abspath $(RPM))' --define 'ofono_mcp_version $(VERSION)' rpm/ofono-mcp.spec
	$(Q)rm -rf $(RPM)/BUILD $(RPM)/BUILDROOT
	@ls -l $(RPM)/RPMS/*/*.rpm

# Bundles of the bridge for hosts that install programs by a click, for x86_64 and arm64 Linux.
mcpb:
	@tests/packages/install build mcpb
	@CC="$(CC)" $(PYTHON) -B mcpb/build.py $(BUILD)/mcpb $(VERSION)

# In the folders that they have here, so that their links hold.
SITE_SOURCE = $(abspath $(BUILD)/site-source)
MAN_PAGES = $(wildcard doc/*.[1-8])
SITE_FILES = $(wildcard *.md LICENSE) doc plugin/README.md plugin/LICENSE $(wildcard tests/unit/*/README.md) tests/deb/test_rpm.py

site:
	@tests/packages/install site
	$(Q)rm -rf $(SITE_SOURCE) $(BUILD)/site && mkdir -p $(SITE_SOURCE)/man
	$(Q)cp -r --parents $(SITE_FILES) $(SITE_SOURCE)
	$(Q)touch $(patsubst doc/%,$(SITE_SOURCE)/man/%.html,$(MAN_PAGES))
	$(Q)cd $(SITE_SOURCE)/man && for page in $(MAN_PAGES:doc/%=%); do \
		mandoc -T html -O 'man=%N.%S.html;https://manpages.debian.org/%N.%S' ../doc/$$page >$$page.html || exit 1; done
	$(Q)SITE_SOURCE=$(SITE_SOURCE) mkdocs build --quiet --strict --config-file doc/site.yml \
		--site-dir $(abspath $(BUILD))/site
	@echo "The first page is $(BUILD)/site/index.html"

demo:
	@tests/as-root true
	@tests/packages/install build demo
	@$(MAKE) --no-print-directory all
	@tests/as-root $(PYTHON) -B tests/demo/demo.py $(PORT:%=--port %)

demo-fleet:
	@tests/as-root true
	@tests/packages/install build demo mosquitto
	@$(MAKE) --no-print-directory all
	@tests/as-root $(PYTHON) -B tests/demo/demo_fleet.py $(PORT:%=--port %)

bench:
	@tests/as-root true
	@tests/packages/install build demo
	@$(MAKE) --no-print-directory all bench-programs
	@tests/as-root $(PYTHON) -B tests/bench/bench.py --build $(BUILD)

PHONES ?= 10,100,1000
bench-fleet:
	@$(MAKE) --no-print-directory $(BUILD)/bench/fleet
	@ulimit -n $$(ulimit -Hn) && $(PYTHON) -B tests/bench/fleet.py --build $(BUILD) --phones $(PHONES)

# What listings cost as messages pile up, in the store alone.
GROWTH_MESSAGES ?= 1000 100000 1000000
bench-growth:
	@$(MAKE) --no-print-directory $(BUILD)/bench/growth
	@folder=$$(mktemp -d) && $(BUILD)/bench/growth $$folder $(GROWTH_MESSAGES); \
		result=$$?; rm -rf "$$folder"; exit $$result

# Row 7 of the table, and from then on "make bench" has it, too.
PEER := $(BUILD)/bench/peer
bench-peers:
	@tests/as-root true
	@tests/packages/install build demo check check-all
	@$(MAKE) --no-print-directory $(PEER)/installed-lock.json
	@BENCH_ROWS=7 $(MAKE) --no-print-directory bench

$(PEER)/installed-lock.json: $(wildcard tests/bench/peer/*)
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)cp $^ $(@D)
	$(Q)cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error </dev/null
	@cp tests/bench/peer/package-lock.json $@

# A hub and 20 phones until so many of hub, broker, links and gateways were killed.
KILLS ?= 1000
chaos-fleet:
	@$(MAKE) --no-print-directory all faults
	@CHAOS_KILLS=$(KILLS) tests/as-root $(PYTHON) -B -m pytest -q -s -p no:cacheprovider \
		tests/integration/test_hub_chaos.py::test_twenty_phones_of_a_hub_lose_and_double_nothing

torture soak:
	@tests/as-root true
	@tests/packages/install build demo check check-all
	@$(MAKE) --no-print-directory all plugin $(BUILD)/torture/clock.so
	@tests/as-root $(PYTHON) -B tests/torture/$@.py --build $(BUILD)

TIME ?= 60
FUZZ := $(PYTHON) -B tests/fuzz/fuzz.py --make "$(MAKE)" --build $(BUILD)/fuzz

fuzz:
	@tests/packages/install build fuzz
	@$(FUZZ) --time $(TIME) $(TARGETS)

fuzz-coverage:
	@tests/packages/install build fuzz
	@$(FUZZ) --coverage $(TARGETS)

fuzz-minimise:
	@tests/packages/install build fuzz
	@$(FUZZ) --minimise $(TARGETS)

check unit san lab:
	@tests/packages/install build demo check
	@$(RUN) $@

house integration integration-san clients console package other-release matrix:
	@tests/packages/install build demo check check-all
	@$(RUN) $@

# What its file needs beside these, check.py installs.
test:
	@[ "$(T)" ] || { echo "make test needs a name: make test T=test_reload (a file, a function, \
	FILE::FUNCTION)" >&2; exit 2; }
	@tests/packages/install build $(if $(wildcard tests/unit/$(basename $(notdir $(T))).c),python3,demo check)
	@$(RUN) --test '$(T)'

valgrind:
	@tests/packages/install build demo check check-all
	@$(RUN) valgrind-unit valgrind

# The integration tests with the ofonod of Debian 13 and of sid.
ofono-versions:
	@tests/packages/install build demo check check-all ofono-versions
	@$(MAKE) --no-print-directory all faults fixtures
	@$(PYTHON) -B tests/lab/ofono_versions.py --build $(BUILD)

# What its build with clang needs, too.
check-all builds:
	@tests/packages/install build demo check check-all fuzz lint
	@$(RUN) $@

starve:
	@tests/packages/install build demo check check-all
	@$(RUN) starve-all

lint:
	@tests/packages/install build demo check check-all lint
	@$(RUN) lint

format:
	@tests/packages/install check
	clang-format-19 -i $(wildcard src/*.c src/*/*.[ch] src/*/*/*.[ch] include/*/*.h plugin/*.[ch] tests/*/*.c tests/*/*.h)

# For clang-tidy, which asks what a compiler would be told.
flags:
	@: $(info $(CPPFLAGS) -DOFONO_MCP_BUILT=0 -std=gnu11)

plugin-flags:
	@: $(info $(PLUGIN_CPPFLAGS) -std=gnu11)

# What "ofono-mcp demo" runs: the demo, the lab and the emulated modems, without their tests.
DEMO_FILES = $(filter-out %/__main__.py %fleet.py,$(filter-out $(wildcard tests/*/test_*.py),\
               $(wildcard tests/demo/*.py tests/lab/*.py tests/modem/*.py)))
DEMO_PLACE = $(DESTDIR)$(PREFIX)/share/ofono-mcp

COMPLETION = $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ofono-mcp

install: all
	$(INSTALL) -D -m 755 $(BUILD)/ofono-mcp $(DESTDIR)$(PREFIX)/bin/ofono-mcp
	$(INSTALL) -D -m 755 $(BUILD)/ofono-mcp-link $(DESTDIR)$(PREFIX)/bin/ofono-mcp-link
	$(INSTALL) -D -m 755 $(BUILD)/ofono-mcp-session $(DESTDIR)$(PREFIX)/bin/ofono-mcp-session
	$(INSTALL) -D -m 755 $(BUILD)/ofono-mcp-hub $(DESTDIR)$(PREFIX)/bin/ofono-mcp-hub
	$(INSTALL) -D -m 644 doc/ofono-mcp-hub.8 $(DESTDIR)$(PREFIX)/share/man/man8/ofono-mcp-hub.8
	$(INSTALL) -D -m 644 etc/ofono-mcp-hub.conf $(DESTDIR)$(PREFIX)/share/doc/ofono-mcp-hub/ofono-mcp-hub.conf
	$(INSTALL) -D -m 644 doc/ofono-mcp-session.1 $(DESTDIR)$(PREFIX)/share/man/man1/ofono-mcp-session.1
	$(INSTALL) -D -m 644 doc/ofono-mcp-link.8 $(DESTDIR)$(PREFIX)/share/man/man8/ofono-mcp-link.8
	$(INSTALL) -D -m 644 doc/ofono-mcp.1 $(DESTDIR)$(PREFIX)/share/man/man1/ofono-mcp.1
	$(INSTALL) -D -m 644 doc/ofono-mcp.8 $(DESTDIR)$(PREFIX)/share/man/man8/ofono-mcp.8
	$(INSTALL) -D -m 644 doc/ofono-mcp.conf.5 $(DESTDIR)$(PREFIX)/share/man/man5/ofono-mcp.conf.5
	$(INSTALL) -D -m 644 etc/ofono-mcp.conf $(DESTDIR)$(PREFIX)/share/doc/ofono-mcp/ofono-mcp.conf
	$(INSTALL) -m 644 README.md LICENSE $(DESTDIR)$(PREFIX)/share/doc/ofono-mcp
	$(INSTALL) -D -m 644 etc/bash-completion/ofono-mcp $(COMPLETION)
	$(INSTALL) -m 644 etc/bash-completion/ofono-mcp $(COMPLETION)-hub
	$(INSTALL) -D -m 755 tests/as-root $(DEMO_PLACE)/as-root
	$(Q)for file in $(DEMO_FILES:tests/%=%); do \
		$(INSTALL) -D -m 644 tests/$$file $(DEMO_PLACE)/$$file || exit 1; done

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/ofono-mcp $(DESTDIR)$(PREFIX)/share/man/man1/ofono-mcp.1 \
		$(DESTDIR)$(PREFIX)/bin/ofono-mcp-link $(DESTDIR)$(PREFIX)/share/man/man8/ofono-mcp-link.8 \
		$(DESTDIR)$(PREFIX)/bin/ofono-mcp-hub $(DESTDIR)$(PREFIX)/share/man/man8/ofono-mcp-hub.8 \
		$(DESTDIR)$(PREFIX)/bin/ofono-mcp-session $(DESTDIR)$(PREFIX)/share/man/man1/ofono-mcp-session.1 \
		$(DESTDIR)$(PREFIX)/share/man/man5/ofono-mcp.conf.5 $(DESTDIR)$(PREFIX)/share/man/man8/ofono-mcp.8
	rm -f $(COMPLETION) $(COMPLETION)-hub
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/ofono-mcp $(DESTDIR)$(PREFIX)/share/doc/ofono-mcp-hub \
		$(DESTDIR)$(PREFIX)/share/ofono-mcp

clean:
	rm -rf $(BUILD)

-include $(OBJECTS:.o=.d) $(HUB_OBJECTS:.o=.d) $(BUILD)/as-hub/main.d $(BUILD)/as-hub/main_hub.d $(BUILD)/main.d $(BUILD)/main_link.d $(BUILD)/main_session.d $(TESTS:%=%.d) $(BENCH_PROGRAMS:%=%.d)

else
.PHONY: locked $(GOALS)
$(GOALS): locked
	@:

locked:
	+@exec 9<.; flock --nonblock 9 || \
	{ echo "ofono-mcp: another make works in this folder; waiting for it" >&2; flock 9; }; \
	OFONO_MCP_LOCKED=yes $(MAKE) --no-print-directory $(MAKECMDGOALS) 9<&-; exit $$?
endif
