#!/bin/sh
# Puts programs, tests, examples and the shared libraries they need into one folder that runs on
# another machine with the same libc or a newer one, with or without a GPU.
#
#   BUILD=build scripts/bundle.sh OUTDIR FILE...
#
# Programs carry the run paths $ORIGIN/../lib and $ORIGIN/../../lib (see the Makefile), so bin/,
# examples/ and tests/FOLDER/ all find OUTDIR/lib. Left to the target: libc's family, libgcc_s
# and the driver's libcuda.
set -eu
out=$1
shift
limit_mib=160 # kernels for two architectures, as make has them by itself, take 130; for one 90
system='^(linux-vdso|ld-linux.*|libc|libm|libmvec|libpthread|libdl|librt|libresolv|libutil|libgcc_s|libcuda)\.so(\.|$)'

rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/examples" "$out/tests" "$out/scripts"
out=$(cd "$out" && pwd -P)

# libraries FILE: "NAME PATH" of each shared library, those of libraries too; PATH is "not" when
# it is missing. The environment is left behind: what only LD_LIBRARY_PATH finds is missing.
libraries() {
    env -i PATH="$PATH" ldd "$1" | awk '$2 == "=>" { print $1, $3; next }
                                        $1 ~ /^\// { n = split($1, part, "/"); print part[n], $1 }'
}

for file; do
    case $file in
    */tests/*) to=$out/tests/${file##*/tests/} ;;
    */examples/*) to=$out/examples/$(basename "$file") ;;
    *) to=$out/bin/$(basename "$file") ;;
    esac
    mkdir -p "$(dirname "$to")"
    cp "$file" "$to"
    strip "$to"
    libraries "$file" | while read -r name path; do
        if echo "$name" | grep -qE "$system" || [ -e "$out/lib/$name" ]; then continue; fi
        if [ "$path" = not ]; then
            echo "bundle: $file needs $name, which is not found" >&2
            exit 1
        fi
        cp -L "$path" "$out/lib/$name"
        strip --strip-unneeded "$out/lib/$name"
    done
done

# Shell tests and data, everything under tests/ that is not compiled. The model is the same everywhere.
(cd tests && find . -type f ! -path './model/*' ! -name '*.[ch]' ! -name '*.cu' ! -name '*.cuh' ! -name '*.md') |
    while read -r file; do
        mkdir -p "$out/tests/$(dirname "$file")"
        cp -p "tests/$file" "$out/tests/$file"
    done
for script in run_tests.sh sweep_data.sh sweep_choices.sh soak.sh soak_random.sh soak_draw.awk make_hubs.sh demo.sh bench_suite.sh readme_table.sh goals_table.sh bench_batch.sh bench_color.sh bench_balance.sh bench_spmv.sh bench_examples.sh bench_command.sh bench_memory.sh document.sh sweep.sh sweep_live.sh sweep_width.sh sweep_collectives.sh sweep_sanitizer.sh; do
    cp -p "scripts/$script" "$out/scripts/"
done
# A test holds documents against these pages.
mkdir -p "$out/docs"
cp -p docs/json.md docs/machines.md "$out/docs/"
cp -p LICENSE "$out/"
# What the programs are of, for scripts that name it.
git describe --always --dirty >"$out/commit" 2>/dev/null || echo unknown >"$out/commit"

cat >"$out/check.sh" <<'END'
#!/bin/sh
# Runs the tests and examples beside this file; arguments name folders, say "runtime examples".
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- '*' examples
programs=
for folder; do
    case $folder in
    examples) found=$(find examples -type f | sort) ;;
    *) found=$(find tests -path "tests/$folder/test_*" -type f -perm -100 | sort) ;;
    esac
    programs="$programs $found"
done
# shellcheck disable=SC2086 # names without blanks
BUILD=bin exec scripts/run_tests.sh $programs
END
chmod +x "$out/check.sh"
cat >"$out/README.txt" <<'END'
weir, built to run on another machine: copy this folder there as it is.
./check.sh runs every test and example; ./check.sh runtime cli runs two folders of them.
WEIR_REQUIRE=cuda:2 ./check.sh counts tests that two GPUs could have run and that were skipped as failures.
bin/weir is the command (bin/weir --help); BUILD=bin scripts/demo.sh is a first run.
lib/ holds the shared libraries; they are found by relative run paths, no variable is needed.
END

# A library alone has no run path; it is looked at with the programs that load it.
strays=$out/strays
find "$out/bin" "$out/examples" "$out/tests" -type f | while read -r file; do
    head -c 4 "$file" | grep -q ELF || continue
    libraries "$file" | while read -r name path; do
        if echo "$name" | grep -qE "$system"; then continue; fi
        case $(readlink -f "$path") in "$out"/lib/*) continue ;; esac
        echo "bundle: ${file#"$out"/} finds $name outside the bundle: $path"
    done
done >"$strays"
if [ -s "$strays" ]; then
    cat "$strays" >&2
    exit 1
fi
rm "$strays"

kib=$(du -sk "$out" | awk '{ print $1 }')
echo "bundle: $out, $(((kib + 1023) / 1024)) MiB, $(find "$out/lib" -type f | wc -l) libraries"
if [ "$kib" -gt $((limit_mib * 1024)) ]; then
    echo "bundle: more than $limit_mib MiB; the largest files:" >&2
    find "$out" -type f -size +1M -exec du -k {} + | sort -rn | head -8 >&2
    exit 1
fi
