#!/bin/sh
# Runs cmocka programs, shell tests (*.sh) and examples, one line each, and counts.
#
#   BUILD=build scripts/run_tests.sh PROGRAM...
#
# A crash, a sanitizer's report and a passed time limit are failures whatever the program counted. Of a program that hangs the
# stacks of all threads are shown, where there is gdb.
# Exit 77 of a shell test or an example means skipped. Environment:
#   WEIR_TEST_TIMEOUT  seconds a program may take (300)
#   WEIR_TEST_JOBS     programs at a time (1); more than one fit host devices, not shared GPUs
#   WEIR_REQUIRE       what this machine has, KIND:NUMBER, say cuda:2: a test that says "skipped: needs cuda:1" or 2, not
#                      4, is then a failure. Skips for other reasons (data, a sanitizer, who runs it) are none
set -eu
BUILD=$(cd "${BUILD:-build}" && pwd)
PATH=$BUILD:$PATH
export BUILD PATH
limit=${WEIR_TEST_TIMEOUT:-300}
jobs=${WEIR_TEST_JOBS:-1}
case $jobs in *[!0-9]* | 0*) echo "run_tests: WEIR_TEST_JOBS=$jobs is not a number of programs" >&2 && exit 2 ;; esac
required=${WEIR_REQUIRE:-}
printf '%s\n' "$required" | grep -qE '^([a-z]+:[0-9]+)?$' || {
    echo "run_tests: WEIR_REQUIRE=$required does not say a kind and a number of devices, such as cuda:1" >&2
    exit 2
}
logs=$BUILD/test-logs
unset CMOCKA_MESSAGE_OUTPUT CMOCKA_TEST_FILTER CMOCKA_XML_FILE
# Options of the user come last, so they win.
export ASAN_OPTIONS="detect_leaks=1:halt_on_error=1:protect_shadow_gap=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1${TSAN_OPTIONS:+:$TSAN_OPTIONS}"
report='ERROR: (Address|Leak|Undefined|Thread)[A-Za-z]*Sanitizer|WARNING: ThreadSanitizer|: runtime error: '

child=
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 130' INT TERM

name_of() {
    case $1 in
    */tests/* | tests/*) echo "${1##*tests/}" ;;
    */examples/* | examples/*) echo "examples/${1##*examples/}" ;;
    *) basename "$1" ;;
    esac
}

# Counts of a cmocka program as "passed failed skipped". The two streams are kept apart because
# cmocka writes to both and their lines would be torn in one file. A program that ends before
# all tests of a group were counted has failed, whatever its exit status.
count_cmocka() { # OUT ERR STATUS
    awk -v status="$3" '
        /^\[==========\] (.*: )?Running [0-9]+ test/ { sub(/.*Running /, ""); expected += $1; groups++ }
        /^\[  PASSED  \] [0-9]+ test/ { passed += $4 }
        /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
        /^\[  FAILED  \] [0-9]+ test/ { failed += $4 }
        END {
            if (groups == 0) passed = status == 0
            else if (passed + skipped + failed != expected && failed == 0) failed = 1
            if (status != 0 && failed == 0) failed = 1
            print passed + 0, failed + 0, skipped + 0
        }' "$1" "$2"
}

# Counts of a shell test or an example; a shell test may count its own cases in its last line.
count_plain() { # OUT STATUS
    if [ "$2" = 77 ]; then
        echo 0 0 1
        return
    fi
    tail -n 1 "$1" | awk -v status="$2" '
        /^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { passed = $1; failed = $3; skipped = $5; found = 1 }
        END {
            if (!found) passed = status == 0
            if (status != 0 && failed == 0) failed = 1
            print passed + 0, failed + 0, skipped + 0
        }'
}

# Tests that were skipped for want of devices that WEIR_REQUIRE says are there. They print so, a line each, which
# cmocka's own output may stand before on the same line.
count_missing() { # LOG
    awk -v kind="${required%%:*}" -v most="${required##*:}" '
        match($0, /skipped: needs [a-z0-9]+:[0-9]+$/) {
            split(substr($0, RSTART + 15), need, ":")
            if (need[1] == kind && need[2] + 0 <= most + 0) missing++
        }
        END { print missing + 0 }' "$1"
}

explain() { # STATUS LOG
    if grep -qE "$report" "$2"; then
        echo 'sanitizer report'
    elif [ "$1" = 124 ]; then
        echo "stopped after $limit s"
    elif [ "$1" = 137 ]; then
        echo 'killed (time limit or memory)'
    elif [ "$1" -gt 128 ]; then
        echo "killed by signal $(($1 - 128))"
    elif [ "$1" = 126 ] || [ "$1" = 127 ]; then
        echo 'could not be started'
    fi
}

# What of a log tells why: a sanitizer's report with the lines before it, the stacks behind the last lines, or the end.
excerpt() { # LOG
    if grep -q '^where process ' "$1"; then
        grep -B 3 -A 100 -m 1 '^where process ' "$1"
        return
    fi
    at=$(grep -nE "$report" "$1" | head -n 1 | cut -d: -f1)
    if [ -n "$at" ]; then
        sed -n "$((at > 20 ? at - 20 : 1)),$((at + 120))p" "$1"
    else
        tail -n 200 "$1"
    fi
}

# One line for each thread of a process, innermost call first; of weir's calls the line too.
stacks() { # PID
    echo "where process $1 ($(cat "/proc/$1/comm" 2>/dev/null)) stood shortly before its time was over:"
    gdb -nx -batch -ex 'set debuginfod enabled off' -ex 'thread apply all backtrace 40' -p "$1" 2>/dev/null </dev/null | awk '
        function show() { if (calls) print "  thread " thread ":" calls; calls = "" }
        /^Thread / { show(); thread = $2 }
        /^#[0-9]+ / {
            name = $0
            sub(/^#[0-9]+ +(0x[0-9a-f]+ in )?/, "", name); sub(/ .*/, "", name)
            at = match($0, / at [^ ]+:[0-9]+$/) ? substr($0, RSTART + 4) : ""
            sub(/.*\//, "", at)
            calls = calls " " name (at ? "(" at ")" : "")
        }
        END { show() }'
}

# Beside a program, until it ends or its time is nearly over. A test may have started processes, all of its group.
watch_for_hang() { # PID OUT
    command -v gdb >/dev/null && command -v pgrep >/dev/null || return 0
    margin=$((limit > 40 ? 10 : limit / 4 + 1))
    timeout $((limit > margin ? limit - margin : limit)) tail --pid="$1" -f /dev/null && return 0
    pgrep -g "$1" | grep -vx "$1" | head -n 8 | while read -r pid; do stacks "$pid"; done >"$2"
}

run_one() { # PROGRAM; sets p f s why log
    name=$(name_of "$1")
    log=$logs/$name.log
    mkdir -p "$(dirname "$log")"
    # timeout makes a process group of its own, hence the wait that a signal can interrupt.
    timeout -k 10 "$limit" "$1" >"$log.out" 2>"$log.err" </dev/null &
    child=$!
    (exec >/dev/null 2>&1 && watch_for_hang "$child" "$log.stacks") & # without what a reader of our output waits for
    watch=$!
    status=0
    wait "$child" || status=$?
    child=
    [ "$status" != 124 ] || wait "$watch" || :
    case $1 in
    *.sh | examples/* | */examples/*) counts=$(count_plain "$log.out" "$status") ;;
    *) counts=$(count_cmocka "$log.out" "$log.err" "$status") ;;
    esac
    cat "$log.out" "$log.err" >"$log"
    [ "$status" != 124 ] || [ ! -s "$log.stacks" ] || cat "$log.stacks" >>"$log"
    rm -f "$log.out" "$log.err" "$log.stacks"
    p=${counts%% *} s=${counts##* } f=${counts#* } f=${f%% *}
    why=$(explain "$status" "$log")
    [ -z "$why" ] || [ "$f" -gt 0 ] || f=1
    if [ -n "$required" ] && [ "$s" -gt 0 ]; then
        missing=$(count_missing "$log")
        [ "$missing" -le "$s" ] || missing=$s
        if [ "$missing" -gt 0 ]; then
            f=$((f + missing)) s=$((s - missing))
            why="${why:+$why; }$missing skipped for want of devices, but WEIR_REQUIRE=$required is set"
        fi
    fi
}

# One of these scripts for each program, and the sum of what they count.
if [ "$jobs" -gt 1 ] && [ $# -gt 1 ]; then
    programs=$#
    printf '%s\n' "$@" | WEIR_TEST_JOBS=1 xargs -n 1 -P "$jobs" "$0" | {
        passed=0 failed=0 skipped=0 ended=0
        while IFS= read -r line; do
            case $line in
            [0-9]*' passed, '*' failed, '*' skipped')
                # shellcheck disable=SC2086 # its words
                set -- $line
                passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5)) ended=$((ended + 1))
                ;;
            'nothing ran') ;;
            *) printf '%s\n' "$line" ;;
            esac
        done
        # One that was killed counted nothing.
        [ "$ended" -eq "$programs" ] || failed=$((failed + programs - ended))
        echo "$passed passed, $failed failed, $skipped skipped"
        [ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
    }
    exit
fi

passed=0 failed=0 skipped=0
for program; do
    case $program in */*) ;; *) program=./$program ;; esac
    begin=$(date +%s)
    run_one "$program"
    spent=$(($(date +%s) - begin))
    word=ok
    [ "$p" -gt 0 ] || word=skip
    [ "$f" -eq 0 ] || word=FAIL
    text="$p passed"
    [ "$f" -eq 0 ] || text="$text, $f failed"
    [ "$s" -eq 0 ] || text="$text, $s skipped"
    printf '%-4s %-36s %4d s  %s\n' "$word" "$name" "$spent" "$text${why:+ ($why)}"
    if [ "$f" -gt 0 ]; then
        excerpt "$log" | sed 's/^/     | /'
        echo "     log: $log"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
[ $((passed + failed + skipped)) -gt 0 ] || echo 'nothing ran'
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ $((passed + skipped)) -gt 0 ]
