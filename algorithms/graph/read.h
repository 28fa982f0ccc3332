/** @file read.h  Bytes and lines of a file, plain, gzip, xz or zstd, and numbers in lines. Not installed.
 */
#ifndef WEIR_ALGORITHMS_GRAPH_READ_H
#define WEIR_ALGORITHMS_GRAPH_READ_H

#include "algorithms/graph/plain.h"
#include "runtime/runtime.h"

/** Longest line of text, in bytes. Comments, which begin with % or # behind blanks, may be longer. */
#define WEIR__LINE_MAX (1u << 20)

/** An open file. One thread. */
typedef struct weir__reader weir__reader;

/** Open a file, or for "-" standard input, and find out by its first bytes how it is packed. */
weir_status weir__reader_open(const char *path, weir__reader **reader_out);
/** What is said of memory that is lacking names no file: name the one that was read. @return @p status. */
weir_status weir__reader_names(weir_status status, const char *path);
void weir__reader_close(weir__reader *reader);
const char *weir__reader_path(const weir__reader *reader);
/** Lines whose first word is @p word, one character, are comments too, of any length. */
void weir__reader_remarks(weir__reader *reader, char word);
/** What sentences of weir__take_real() call a number: "weight", unless another word was given. Static storage. */
void weir__reader_call(weir__reader *reader, const char *noun);
const char *weir__reader_noun(const weir__reader *reader);
/** The number of the line last taken. */
uint64_t weir__reader_number(const weir__reader *reader);
/** Bytes that are in the file, or UINT64_MAX when packing or a pipe hides it. */
uint64_t weir__reader_size(const weir__reader *reader);
/** Whether the file may be read again from its first byte: it is no pipe. */
int weir__reader_may_rewind(const weir__reader *reader);
/** Begin again, of a file of which that is so and which is not held. */
weir_status weir__reader_rewind(weir__reader *reader);
/** Where the size is hidden, take the rest of the file into memory, and one byte more than @p most at most; then the
 *  size is known. Before anything was taken. @retval WEIR_ERR_NOMEM, WEIR_ERR_IO */
weir_status weir__reader_hold(weir__reader *reader, uint64_t most);

/** Look at the next bytes without taking them: up to @p want (at most WEIR__LINE_MAX), fewer at the
 *  end of the file. */
weir_status weir__reader_peek(weir__reader *reader, size_t want, const char **data_out,
                              size_t *have_out);
/** Take a byte order mark of UTF-8, if the file begins with one. */
weir_status weir__reader_skip_mark(weir__reader *reader);
/** Take the next line, without its end and ended by a zero byte; valid until the next call. Of a
 *  comment that is longer than a line may be its beginning.
 *  @retval WEIR_CLOSED  there is none.  @retval WEIR_ERR_FORMAT  too long, or holds a zero byte. */
weir_status weir__reader_line(weir__reader *reader, const char **line_out);
/** The same for lines of any length: those that are longer come in parts, cut at blanks, and comments anywhere.
 *  @param[out] more_out  whether the next call gives more of the same line. */
weir_status weir__reader_part(weir__reader *reader, const char **part_out, int *more_out);
/** Take up to @p bytes bytes; fewer only at the end of the file. */
weir_status weir__reader_bytes(weir__reader *reader, void *data, size_t bytes, size_t *got_out);

/** From here on read ahead, by threads, for weir__reader_plain(); lines are taken as before, bytes and peeks no more.
 *  Does nothing when it was begun already. @param[in] threads  0: one per core. @retval WEIR_ERR_NOMEM */
weir_status weir__reader_ahead(weir__reader *reader, const weir__plain_form *form,
                               uint32_t threads);
/** Once it was begun: those who read help with arcs that are dealt out (ahead.h). */
void weir__reader_deal(weir__reader *reader, weir__early *early);
/** Take the next lines if they are plain and no more than @p most: many at a time, but not all that there are. The line
 *  last taken is then the last of them. @param[out] plain_out  what they hold, until the next call; NULL: take a line. */
weir_status weir__reader_plain(weir__reader *reader, uint64_t most, weir__plain **plain_out);

/** WEIR_ERR_FORMAT with the file, the number of the line last taken, and a sentence. */
weir_status weir__line_fail(const weir__reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- numbers ------------------------------------------------------------------------------ */

/** Step over blanks and tabs. */
static inline const char *weir__skip(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

/** Whether a number may end at this character. */
static inline int weir__ends_number(char c)
{
    return c == '\0' || c == ' ' || c == '\t' || c == ',';
}

/** Take a whole number of low .. high at @p at; @p what names it in the sentence. */
weir_status weir__take_whole(const weir__reader *reader, const char **at, const char *what,
                             uint64_t low, uint64_t high, uint64_t *value_out);
/** Take a weight: a finite number, to the nearest double. One that is not 0 and would become 0 is
 *  refused; one below 2.2e-308 that keeps some of its bits is taken. */
weir_status weir__take_real(const weir__reader *reader, const char **at, double *value_out);
/** Take a weight that is written as an integer, with or without a sign. */
weir_status weir__take_integer(const weir__reader *reader, const char **at, double *value_out);
/** Refuse anything but blanks up to the end of the line. */
weir_status weir__take_end(const weir__reader *reader, const char *at);

/** Parse a decimal number without a reader, whatever the locale. @return the character behind it,
 *  or NULL where there is none. Overflow gives an infinity, underflow to 0 a NaN. */
const char *weir__parse_real(const char *at, double *value_out);

/** Copy the word at @p at for a message: cut short, unprintable bytes replaced. @return @p word. */
#define WEIR__WORD_MAX 28
const char *weir__word(const char *at, char word[WEIR__WORD_MAX]);

#endif
