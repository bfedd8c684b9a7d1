# SPDX-License-Identifier: GPL-2.0-or-later
#
# make          build/ofono-mcp, no network
# make demo     a whole gateway with simulated modems; installs what it needs
# make check    every test; installs what they need
# make lint     format, layers, licence lines, static analysis
# make san      the unit tests under ASan and UBSan
# make install  DESTDIR= PREFIX=

VERSION := 0.1.0
PREFIX ?= /usr/local
BUILD ?= build
PORT ?= 9531
CC ?= gcc
PKG_CONFIG ?= pkg-config
PYTHON ?= /usr/bin/python3

LIBRARIES := dbus-1 libmicrohttpd yajl libsystemd sqlite3 gnutls inih
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla \
            -Wformat=2 -Wundef -Wno-missing-field-initializers $(if $(WERROR),-Werror)
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 $(WARNINGS)
override CPPFLAGS += -Iinclude -D_GNU_SOURCE -DOFONO_MCP_VERSION='"$(VERSION)"' \
                     $(shell $(PKG_CONFIG) --cflags $(LIBRARIES))
LDLIBS += $(shell $(PKG_CONFIG) --libs $(LIBRARIES))

SOURCES := $(wildcard src/*/*.c)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

.PHONY: all demo check unit integration valgrind lint format san install clean
.DELETE_ON_ERROR:

all: $(BUILD)/ofono-mcp

$(BUILD)/ofono-mcp: $(BUILD)/main.o $(BUILD)/libgateway.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/libgateway.a: $(OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(BUILD)/libgateway.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -MF $@.d -o $@ $< $(BUILD)/libgateway.a $(LDLIBS) -lcmocka

unit: $(TESTS)
	@set -e; for test in $(TESTS); do $$test; done

clean:
	rm -rf build

-include $(OBJECTS:.o=.d) $(BUILD)/main.d $(TESTS:%=%.d)
