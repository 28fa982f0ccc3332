# shellcheck shell=sh
# For scripts that read documents of weir --json, which have a member a line; sourced, not run.

# member KEY FROM FILE: the first value of KEY behind the line that holds FROM.
member() {
    awk -v key="\"$1\":" -v from="\"$2\":" '
        index($0, from) { on = 1 }
        on && (at = index($0, key)) {
            text = substr($0, at + length(key)); gsub(/^ |[",]/, "", text); print text; exit }' "$3"
}
