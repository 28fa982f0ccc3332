#!/bin/sh
# The random soak: it draws every option that a verb has, or names it among those that it leaves alone; the same seed draws the same runs; what
# goes wrong is a failure.
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/common.sh"

# check WHAT COMMAND...: it succeeds; WHAT says what is wrong otherwise.
check() {
    what=$1
    shift
    if "$@"; then pass; else fail "$what"; fi
}
SOAK=$HERE/../../scripts/soak_random.sh
if [ ! -f "$SOAK" ]; then
    skip "no soak_random.sh"
    finish
fi
for verb in bfs sssp pr cc color pbf spmv spmm; do
    "$WEIR" help "$verb" | sed -n 's/^  \(-., \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort >options
    "$SOAK" -o "$verb" | tr ' ' '\n' | sort >drawn
    check "options of $verb that the soak does not know" test -z "$(comm -23 options drawn)"
    # What a verb lacks of those that are left alone in all of them does not count.
    unknown=$(comm -13 options drawn | grep -vxE 'iterations|output|output-parents|stats|trace|dot|x|y' || :)
    check "options that $verb does not have: $unknown" test -z "$unknown"
done

mkdir bin && ln -s "$WEIR" bin/weir
draw() { awk -v seed="$1" -v runs=1500 -v size=1 -v made=M -v devices="host:1 host:2" -v first=0 -f "$HERE/../../scripts/soak_draw.awk"; }
draw 1 >once && draw 1 >again && draw 2 >other
check "the same seed draws the same" cmp -s once again
check "another seed draws others" sh -c '! cmp -s once other'
for verb in bfs sssp pr cc color pbf spmv spmm; do
    for name in $("$SOAK" -o "$verb" | head -n 1 | tr ' ' '\n'); do
        case $name in source | time-limit | iterations | stats | x | y | output | output-parents | json | trace | dot | help) continue ;; esac
        check "$verb --$name is never drawn" sh -c "cat once other | grep '| $verb ' | grep -q -e '--$name'"
    done
done

soak() { # BUILD ARGUMENT...
    from=$1
    shift
    RC=0
    BUILD=$from TMPDIR=$PWD "$SOAK" "$@" >said 2>&1 || RC=$?
}
soak bin -n 12 -s 5 host:2
check "a soak fails: $(head -n 3 said)" test "$RC" -eq 0
check "a soak counts" grep -qE '^[0-9]+ passed, 0 failed, 0 skipped$' said
# A command that says nothing of what it verified.
mkdir lie && printf '#!/bin/sh\nexit 0\n' >lie/weir && chmod +x lie/weir
soak lie -n 3 host:1
check "a run that was not verified passes" test "$RC" -eq 1
check "what failed is shown" grep -q '^failed with status 0: env .*lie/weir' said
soak bin -n x
check "bad usage is taken" test "$RC" -eq 2
finish
