#!/bin/sh
# Products of sparse matrices over a set: a CSV with a line for each matrix and number of columns, and geometric means at the end.
#
#   scripts/bench_spmv.sh [DEVICES]     a device spec; host:2 when none is given
#
# Of each product: kernel_ms (median), what cuSPARSE takes on the first device, by its default and by its second algorithm for CSR, and how many times
# as fast as the faster of the two the product is; empty where cuSPARSE is not there. Every result is verified in the same call.
# Environment: BUILD (build), TRIALS (20), COLUMNS ("1 32": of x), VALUES (f32), MATRICES (a set of generated ones that a GPU, or a host, has
# room for), DATA (a folder: its files come too, but for .json, .tsv and README), ARGS (more options of weir).
set -eu
# shellcheck source=scripts/document.sh
. "$(dirname "$0")/document.sh"
weir=${BUILD:-build}/weir
devices=${1:-host:2}
trials=${TRIALS:-20} values=${VALUES:-f32}
case $devices in
host*) set_of='rmat:12 grid:200x200 uniform:12 mesh:100x100 banded:20000,8 powerlaw:20000,16 blocks:10000,32 denserow:50000 emptyrows:100000' ;;
*) set_of='rmat:22 uniform:22 grid:4900x4900,0.65 mesh:2000x2000 mesh:2000x2000,shuffle smallworld:4000000 banded:4000000,16
    powerlaw:4000000,32 blocks:2000000,32 denserow:8000000 emptyrows:32000000' ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
json=$folder/json

# rival NAME: its median, or nothing.
rival() {
    tr -d ' \n' <"$json" | grep -o "{\"name\":\"$1\",[^}]*}" | sed -n 's/.*"median_ms":\([0-9.e+-]*\),.*/\1/p'
}

# A line of the table, of what lies in $json; what is left of a product is for the means.
row() {
    echo "$matrix|$(member rows matrix "$json")|$(member columns matrix "$json")|$(member nonzeros matrix "$json")|$k|$values|$devices|$(
        member schedule choices "$json")|$(member kernel_ms summary "$json")|$(member gbs_median summary "$json")|$(
        member gflops_median summary "$json")|$(rival cusparse)|$(rival cusparse-alg2)" |
        awk -F'|' -v kept="$folder/kept" '{
            least = $12
            if ($13 != "" && (least == "" || $13 + 0 < least + 0)) least = $13
            times = least != "" && $9 > 0 ? least / $9 : ""
            printf "\"%s\",%s,%s,%s,%s,%s,\"%s\",%s,%.6g,%.4g,%.4g,%s,%s,%s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, times
            print $5, $11, times >>kept
        }'
}

{
    for matrix in ${MATRICES:-$set_of}; do echo "$matrix"; done
    [ -z "${DATA:-}" ] || find "$DATA" -maxdepth 1 -type f ! -name '*.json' ! -name '*.tsv' ! -name 'README*' | sort
} >"$folder/list"
: >"$folder/kept"
failed=0
echo "matrix,rows,columns,nonzeros,k,values,devices,schedule,kernel_ms,gbs,gflops,cusparse_ms,cusparse_alg2_ms,times_as_fast"
while read -r matrix; do
    for k in ${COLUMNS:-1 32}; do
        verb=spmm
        [ "$k" -ne 1 ] || verb=spmv
        set -- "$verb" "$matrix" --devices "$devices" --values "$values" --trials "$trials"
        [ "$k" -eq 1 ] || set -- "$@" --columns "$k"
        # shellcheck disable=SC2086 # words
        if "$weir" "$@" ${ARGS:-} --verify --compare --json "$json" >/dev/null; then row; else failed=1; fi
    done
done <"$folder/list"
awk '
    { n[$1]++; rate[$1] += log($2 > 0 ? $2 : 1e-9) }
    NF > 2 { m[$1]++; faster[$1] += log($3); if (!($1 in worst) || $3 < worst[$1]) worst[$1] = $3 }
    END { for (k in n) printf "# geometric means of %d products of %d columns: %.4g GFLOP/s%s\n", n[k], k, exp(rate[k] / n[k]), \
            m[k] ? sprintf("; %.3f times as fast as cuSPARSE over %d, at the least %.3f", exp(faster[k] / m[k]), m[k], worst[k]) : "" }' "$folder/kept"
[ "$failed" -eq 0 ]
