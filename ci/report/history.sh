#!/bin/bash
# Appends figures to ci/bench/history.tsv: those of the benches that are named, as they were last
# measured, or of all that ran after the last change of core/. Rows with a bar alone, and none twice
# for a revision.
set -eu
cd "$(dirname "$0")/../.."
history=ci/bench/history.tsv
if [ $# -gt 0 ]; then
    logs=$(printf 'build/bench/%s.log ' "$@")
else
    logs=$(find build/bench -name '*.log' -newermt "@$(git log -1 --format=%ct -- core)")
fi
[ -n "$logs" ] || {
    echo "history: no bench ran after the last change of core/" >&2
    exit 2
}
[ -e $history ] || printf '# date\trevision\tbench\trow\tfigure\tbar\tunit\n' >$history
more=$(mktemp)
trap 'rm -f "$more"' EXIT
for log in $logs; do
    [ -s "$log" ] || continue
    # The revision that was there when it was measured.
    measured=$(stat -c %Y "$log")
    revision=$(git rev-list -1 --before="@$measured" HEAD | cut -c 1-10)
    awk -v OFS='\t' -v date="$(date -u -d "@$measured" +%F)" -v revision="$revision" '
        FILENAME == ARGV[1] { split($0, f, "\t"); seen[f[2] FS f[3] FS f[4]]; next }
        $1 == "bench" && NF == 8 && $7 != "-" && !((revision FS $2 FS $3 " " $4) in seen) {
            print date, revision, $2, $3 " " $4, $5, $7, $6
        }' $history "$log" >>"$more"
done
cat "$more" >>$history
echo "history: $(wc -l <"$more") figures more in $history"
