#!/bin/sh
# Runs the harnesses of tests/fuzz, a line each, and counts.
#
#   scripts/fuzz.sh engine       what they are built with: libfuzzer where clang has it, else driver
#   scripts/fuzz.sh HARNESS...   runs these programs
#
# A harness passes that ends in time without a fault. What made one fail is kept in BUILD/fuzz/found, and
# the command that runs it again is told. Environment:
#   BUILD         folder of the build (build)
#   FUZZ_ENGINE   what they were built with (as "engine" says)
#   FUZZ_SECONDS  for each harness (10)
#   FUZZ_SEED     of the generator (1); 0: another one each time
#   FUZZ_JOBS     harnesses at a time (as many as there are cores)
set -eu

has_libfuzzer() {
    command -v clang >/dev/null 2>&1 || return 1
    probe=$(mktemp -d)
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > n; }' |
        clang -fsanitize=fuzzer,address,undefined -x c - -o "$probe/a.out" >/dev/null 2>&1 && found=0 || found=1
    rm -rf "$probe"
    return $found
}

if [ "${1:-}" = engine ]; then
    if has_libfuzzer; then echo libfuzzer; else echo driver; fi
    exit
fi

build=${BUILD:-build}
seconds=${FUZZ_SECONDS:-10}
seed=${FUZZ_SEED:-1}
jobs=${FUZZ_JOBS:-$(nproc 2>/dev/null || echo 1)}
case $seconds$seed$jobs in *[!0-9]*) echo 'fuzz: FUZZ_SECONDS, FUZZ_SEED and FUZZ_JOBS are whole numbers' >&2 && exit 2 ;; esac
[ "$seed" != 0 ] || seed=$(($(date +%s) % 1000000 + 1))
if [ "${1:-}" != one ]; then
    # Large graphs in small files are refused for lack of memory rather than take the time of all others.
    ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=32:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    UBSAN_OPTIONS="halt_on_error=1:abort_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
    FUZZ_ENGINE=${FUZZ_ENGINE:-$("$0" engine)} FUZZ_SECONDS=$seconds FUZZ_SEED=$seed
    export ASAN_OPTIONS UBSAN_OPTIONS FUZZ_ENGINE FUZZ_SECONDS FUZZ_SEED
fi

if [ "${1:-}" = one ]; then # one harness, for the loop below
    harness=$2
    name=$(basename "$harness")
    name=${name#fuzz_}
    found=$build/fuzz/found log=$build/fuzz/$name.log corpus=$build/fuzz/corpus/$name
    words=tests/fuzz/words/$name.dict
    mkdir -p "$found" "$corpus"
    set -- tests/fuzz/seeds/"$name"
    [ "$name" != machine ] || set -- "$@" tests/topology/data
    begin=$(date +%s)
    {
        if [ "$FUZZ_ENGINE" = libfuzzer ]; then
            "$harness" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=16384 -seed="$seed" \
                -dict="$words" -artifact_prefix="$found/$name-" -print_final_stats=1 "$corpus" "$@"
        else
            "$harness" -seconds="$seconds" -seed="$seed" -words="$words" -keep="$found/$name-" "$@"
        fi && echo 0 >"$log.status" || echo $? >"$log.status"
    } 2>&1 </dev/null | grep -v 'WARNING: AddressSanitizer failed to allocate' >"$log" || true
    spent=$(($(date +%s) - begin))
    inputs=$(sed -n 's/^stat::number_of_executed_units: *//p; s/^\([0-9]*\) inputs, .*/\1/p' "$log")
    if [ "$(cat "$log.status")" = 0 ]; then
        printf 'ok   %-10s %4d s  %s inputs\n' "$name" "$spent" "$inputs"
    else
        printf 'FAIL %-10s %4d s\n' "$name" "$spent"
        grep -vE '^#[0-9]+.*(NEW|REDUCE|pulse|RELOAD)|^stat::|^INFO: |in fuzzer::|^0x..,' "$log" | cut -c 1-300 | tail -n 60 | sed 's/^/     | /'
        # Both engines end their line with the name of the file.
        kept=$(grep -E 'Test unit written to|is kept in' "$log" | sed 's/.* //' | tail -n 1)
        [ -z "$kept" ] || echo "     again: ASAN_OPTIONS=$ASAN_OPTIONS $harness $kept"
    fi
    exit 0
fi

[ $# -gt 0 ] || { echo 'usage: scripts/fuzz.sh engine | HARNESS...' >&2 && exit 2; }
echo "$seconds s for each of $# harnesses, $jobs at a time, seed $seed"
printf '%s\n' "$@" | BUILD=$build xargs -n 1 -P "$jobs" "$0" one | {
    passed=0 failed=0
    while IFS= read -r line; do
        printf '%s\n' "$line"
        case $line in
        'ok '*) passed=$((passed + 1)) ;;
        'FAIL '*) failed=$((failed + 1)) ;;
        esac
    done
    # One that was killed counted nothing.
    [ $((passed + failed)) -eq $# ] || failed=$(($# - passed))
    echo "$passed passed, $failed failed, 0 skipped"
    [ "$failed" -eq 0 ]
}
