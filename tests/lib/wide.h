/** @file wide.h  The state of the operators with long items (wide_tmpl.h), and those there are. */
#ifndef WEIR_TESTS_LIB_WIDE_H
#define WEIR_TESTS_LIB_WIDE_H

#include <stdint.h>

struct wide_state {
    uint64_t *counts; /* memory of the device: items processed, words in them that were wrong */
    uint64_t most, fan;
    uint32_t device, devices;
};

#endif
