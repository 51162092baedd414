# Sourced by scripts of bash that start others: INT or TERM ends all that runs below, then the
# script, with 2. A script's jobs in the background ignore Ctrl-C, and `timeout` gives what it runs
# a group of its own, so it goes by parents. Who wants it at once waits with `wait`.

# stop_below PID: each is held before its children are looked up, so that no new one gets away.
stop_below() {
    local child
    for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do
        kill -STOP "$child"
        stop_below "$child"
        kill -TERM "$child"
        kill -CONT "$child"
    done 2>/dev/null
}
trap 'trap "" INT TERM; stop_below $$ || true; exit 2' INT TERM

# stop_second FOLDER: two runs in one folder would mix what they find. What an earlier one left
# running still holds it.
stop_second() {
    mkdir -p "${1%/*}"
    exec 9>"$1.lock"
    flock -n 9 || {
        echo "${0##*/}: another run works in $1" >&2
        exit 2
    }
}
