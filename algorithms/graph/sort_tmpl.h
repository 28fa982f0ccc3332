/** @file sort_tmpl.h  In-place radix sort of one row. Include with SORT_NAME, SORT_TYPE, SORT_KEY.
 *
 * Rows run from none to hundreds of millions of arcs, so the sort needs no second buffer and its
 * worst case is linear: byte by byte from the top (American flag sort), insertion for short runs.
 * Elements of equal keys come out in any order; the collapse that follows does not care. */

#define SORT_SHORT 64

static void SORT_NAME(SORT_TYPE *data, uint64_t count, uint32_t shift)
{
    uint64_t next[256] = {0}, end[256];
    if (count <= SORT_SHORT) {
        for (uint64_t i = 1; i < count; i++) {
            SORT_TYPE moved = data[i];
            uint64_t j = i;
            for (; j > 0 && SORT_KEY(data[j - 1]) > SORT_KEY(moved); j--)
                data[j] = data[j - 1];
            data[j] = moved;
        }
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        next[(SORT_KEY(data[i]) >> shift) & 255]++;
    for (uint64_t digit = 0, sum = 0; digit < 256; digit++) {
        uint64_t here = next[digit];
        next[digit] = sum;
        end[digit] = sum += here;
    }
    for (uint32_t digit = 0; digit < 256; digit++) {
        while (next[digit] < end[digit]) {
            SORT_TYPE moved = data[next[digit]];
            uint32_t home = (SORT_KEY(moved) >> shift) & 255;
            while (home != digit) {
                SORT_TYPE other = data[next[home]];
                data[next[home]++] = moved;
                moved = other;
                home = (SORT_KEY(moved) >> shift) & 255;
            }
            data[next[digit]++] = moved;
        }
    }
    if (shift == 0)
        return;
    for (uint32_t digit = 0; digit < 256; digit++) {
        uint64_t begin = digit ? end[digit - 1] : 0;
        if (end[digit] - begin > 1)
            SORT_NAME(data + begin, end[digit] - begin, shift > 8 ? shift - 8 : 0);
    }
}

#undef SORT_SHORT
#undef SORT_NAME
#undef SORT_TYPE
#undef SORT_KEY
