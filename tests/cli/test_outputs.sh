#!/bin/sh
# Where results go: through links, into files only when all of a command succeeded, to readers that go away.
. "$(dirname "$0")/common.sh"

G=grid:9x9
expect_ok bfs $G --devices host:1 -o plain.txt
expect_ok gen $G -o plain.mtx

# ---- links to files that are there, to none, through other links and folders ----
mkdir far
expect_ok gen $G -o there.mtx
ln -s there.mtx present.mtx
ln -s new.mtx dangling.mtx
ln -s dangling2.mtx twice.mtx
ln -s far/new2.mtx dangling2.mtx
ln -s ../up.mtx far/up.mtx
ln -s "$ROOM/whole.mtx" absolute.mtx
for name in present:there dangling:new twice:far/new2 far/up:up absolute:whole; do
    link=${name%:*}.mtx target=${name#*:}.mtx
    expect_ok gen $G -o "$link"
    if [ -L "$link" ] && [ -f "$target" ] && [ ! -L "$target" ]; then pass; else fail "gen -o $link should write $target"; fi
    same plain.mtx "$target" "$link -> $target"
done
ln -s levels2.txt levels.txt
ln -s far/doc.json doc.json
expect_ok bfs $G --devices host:1 -o levels.txt --json doc.json
if [ -L levels.txt ] && [ -L doc.json ] && [ -s far/doc.json ]; then pass; else fail "links should stay"; fi
same plain.txt levels2.txt "through a link"
ln -s levels3.txt other.txt
refuse 2 "both write to" bfs $G --devices host:1 -o other.txt --json levels3.txt

# ---- a file that is read is not written ----
printf '0 1\n1 2\n' >mine.el
cp mine.el kept.el
ln -sf mine.el link.el
for option in output json trace dot output-parents; do
    refuse 2 "--$option mine.el: that is the graph, which would be lost" bfs mine.el --devices host:1 --$option mine.el
done
refuse 2 "that is the graph, which would be lost" cc link.el --devices host:1 -o ./mine.el
refuse 2 "that is the graph, which would be lost" info mine.el --json link.el
refuse 2 "--output ./mine.el: that is the graph, which would be lost" gen link.el -o ./mine.el
expect_ok topo --machine m60 --format json -o m.json
refuse 2 "that is the file of --machine, which would be lost" topo --machine m.json --format json -o m.json
cmp -s mine.el kept.el && pass || fail "the graph should be as it was"

# ---- a weight below 0 is where it stands in the file ----
printf '# c\n0 0 -7\n0 1 2\n1 2 -4\n' >below.el
refuse 2 "below.el:4: a weight below 0; shortest paths need weights of 0 and more" sssp below.el --devices host:1
expect_ok sssp below.el --devices host:1 --weights unit
ln -s loop1.mtx loop2.mtx
ln -s loop2.mtx loop1.mtx
ln -s itself.mtx itself.mtx
ln -s no-such-folder/x.mtx nowhere.mtx
for name in loop1.mtx itself.mtx; do
    refuse 2 "$name: cannot be written: Too many levels of symbolic links" gen $G -o $name
    refuse 2 "$name: cannot be written: Too many levels of symbolic links" bfs $G --devices host:1 -o $name
done
refuse 2 "nowhere.mtx: cannot be written: No such file or directory" gen $G -o nowhere.mtx
refuse 2 "nowhere.mtx: cannot be written: No such file or directory" bfs $G --devices host:1 --json nowhere.mtx

# ---- a command that fails leaves no file: nobody could read what it printed ----
if [ -c /dev/full ]; then
    expect_ok bench pairs --machine m60 --bytes 64KiB --json old.json
    # left ARGUMENTS: with a standard output that is full: status 1, one line, no new file.
    left() {
        LAST="weir $* >/dev/full"
        ls -A . far >"$ROOM/.before"
        timeout 60 "$WEIR" "$@" >/dev/full 2>"$ERR" </dev/null
        RC=$?
        ls -A . far >"$ROOM/.after"
        if [ "$RC" -eq 1 ] && [ "$(wc -l <"$ERR")" -eq 1 ] && grep -q "standard output cannot be written" "$ERR" &&
            cmp -s "$ROOM/.before" "$ROOM/.after"; then
            pass
        else
            fail "should give status 1, one line, and leave nothing"
            show
            diff "$ROOM/.before" "$ROOM/.after"
        fi
    }
    for suffix in mtx gr el dimacs mtx.gz el.xz mtx.zst; do left gen $G -o x.$suffix; done
    left bfs $G --devices host:1 -o x.txt --output-parents x2.txt --json x.json
    left bfs $G --devices host:1 -o - --json x.json
    left bfs $G --devices host:1 -o x.txt --json -
    for verb in sssp pr cc; do left $verb $G --devices host:1 -o x.txt --json x.json --stats; done
    left pbf --elements 1000 --devices host:1 --json x.json
    left info $G --json x.json
    left info --config --json x.json
    left bench pairs --machine m60 --bytes 64KiB --json x.json
    left bench pairs --machine m60 --bytes 64KiB --compare old.json --json x.json
    left bench pairs --machine m60 --bytes 64KiB --compare old.json -o x.txt
    left bench --from old.json --json x.json
    left topo --machine m60
    for what in help "help bfs" version "bench list" "gen --help"; do
        # shellcheck disable=SC2086 # words
        left $what
    done
else
    skip "no /dev/full"
fi

# ---- a reader that goes away: status 1 and a sentence, never a death ----
# gone ARGUMENTS: to a reader that has gone before anything is written.
gone() {
    # shellcheck disable=SC2034 # show, of common.sh, prints it
    LAST="weir $* | :"
    { sleep 0.1 && timeout 60 "$WEIR" "$@" 2>"$ERR" </dev/null; echo $? >"$ROOM/.status"; } | :
    RC=$(cat "$ROOM/.status")
    if [ "$RC" -eq 1 ] && [ "$(cat "$ERR")" = "weir: standard output cannot be written: Broken pipe" ]; then
        pass
    else
        fail "a reader that goes away should give status 1 and a sentence"
        show
    fi
}
for what in help "help bfs" "sssp --help" version --version "bench list" "info --config" "info $G" \
    "bfs $G --devices host:1" "bfs $G --devices host:1 -o -" "pbf --elements 1000 --devices host:1 --json -" \
    "topo --machine m60" "bench pairs --machine m60 --bytes 64KiB" "gen $G -o gone.mtx"; do
    # shellcheck disable=SC2086 # words
    gone $what
done
[ -e gone.mtx ] && fail "gen leaves a file though it failed"
finish
