/** @file drive_bytes.c  What messages hold: every word says whose it is and where it lies. */
#include "tests/lib/drive.h"

#include <string.h>

static uint64_t place(uint64_t i)
{
    i = (i + 1) * 0x9E3779B97F4A7C15u;
    return i ^ (i >> 31);
}

uint64_t drive_word(uint64_t input, uint64_t message, uint64_t i)
{
    return ((input + 1) << 48 | message << 16 | 0xABCD) ^ place(i);
}

uint64_t drive_meta(uint64_t input, uint64_t message, uint64_t draw)
{
    return (input + 1) << 48 | message << 16 | (draw & 0xFFFF);
}

void drive_fill(void *data, size_t bytes, uint64_t input, uint64_t message)
{
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word = drive_word(input, message, at / 8);
        memcpy((char *)data + at, &word, bytes - at < 8 ? bytes - at : 8);
    }
}

/* Bytes [offset, offset + bytes) of a message. */
static int holds(const unsigned char *data, size_t offset, size_t bytes, uint64_t input,
                 uint64_t message)
{
    size_t at = 0;
    while (at < bytes) {
        uint64_t word = drive_word(input, message, (offset + at) / 8);
        size_t skip = (offset + at) % 8, count = 8 - skip < bytes - at ? 8 - skip : bytes - at;
        if (memcmp(data + at, (const char *)&word + skip, count) != 0)
            return 0;
        at += count;
    }
    return 1;
}

int drive_check(const struct web *web, const weir_segment *segment, const void *data,
                struct drive_record *record_out)
{
    uint64_t tag = segment->meta, word;
    if (web->worded) {
        if (segment->offset % 8 || segment->bytes < 8)
            return 0;
        memcpy(&word, data, 8);
        tag = word ^ place(segment->offset / 8);
    }
    uint64_t input = (tag >> 48) - 1, message = (tag >> 16) & 0xFFFFFFFFu;
    *record_out = (struct drive_record){.input = (uint16_t)input,
                                        .low = (uint16_t)segment->meta,
                                        .message = (uint32_t)message,
                                        .offset = (uint32_t)segment->offset,
                                        .bytes = (uint32_t)segment->bytes};
    return input < web->input_count && segment->offset + segment->bytes <= DRIVE_BYTES &&
           holds(data, segment->offset, segment->bytes, input, message);
}
