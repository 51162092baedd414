#!/bin/bash
# Is this change safe? Builds the core of a git revision and that of the working tree, both under
# the working tree's bed, and runs `bed vet` on the two: as sides with counters, as sides without,
# for time, and as the programs of ci/bench. Where the old core does not build under the
# new bed, it keeps its own: then only targets that both have are vetted, and where their beds
# differ, only verdicts, outcomes and stories. Works in build/vet/; ci/vet/README.md says how to
# read what it prints.
#
#   ci/vet.sh REVISION [OPTION of `bed vet`]...      exit 0, 1 a difference, 2 could not run
set -u
cd "$(dirname "$0")/.." || exit 2
cannot() {
    echo "vet: $*" >&2
    exit 2
}
base=${1:-}
[ -n "$base" ] || cannot "which revision? make vet BASE=REVISION"
shift
git rev-parse -q --git-dir >/dev/null 2>&1 || cannot "this is no git repository"
rev=$(git rev-parse -q --verify "$base^{commit}") || cannot "there is no revision \`$base'"

# check OPTION...: what `bed vet` would refuse is refused before anything is built.
check() {
    local longs parsed name most only= input=
    longs=$(grep -oE '"[a-z-]+", (required|no)_argument' targets/bed/vet.c |
        sed -E 's/", req.*/:/; s/", no.*//' | tr -d '"' | paste -sd ,)
    parsed=$(getopt -n vet -o '' -l "$longs" -- "$@") || exit 2
    eval "set -- $parsed"
    while [ "$1" != -- ]; do
        case $1 in
        --target | --loose)
            [ "$1" = --loose ] || only=$2
            [[ ,$2, != *,,* ]] || cannot "$1 \`$2' has an empty name"
            for name in ${2//,/ }; do
                [ -f "targets/fuzz_$name.c" ] || cannot "no target \`$name'"
            done
            ;;
        --runs | --seed | --attempts | --rounds)
            most=4294967295
            [ "$1" != --rounds ] || most=64
            [[ $2 =~ ^(0|[1-9][0-9]{0,9})$ ]] && [ "$2" -le $most ] ||
                cannot "$1 \`$2': no number up to $most"
            ;;
        --expected | --input | --corpus | --bench)
            [ "$1" != --input ] || input=$2
            [ -z "$2" ] || [ -r "$2" ] || cannot "$1 \`$2': there is no such file"
            ;;
        esac
        [[ ,$longs, == *,${1#--},* ]] || shift
        shift
    done
    [ $# = 1 ] || cannot "\`$2' is no option"
    [ -z "$input" ] || [[ $only =~ ^[a-z0-9_]+$ ]] ||
        cannot "--input is of one target: --target NAME"
}
check "$@"

tree=build/vet/tree bed="Makefile core sim oracles targets ci/bench"
mkdir -p build/vet || exit 2

# The layout of scenarios; text and wire bytes have no version of their own.
layout() { grep -oE 'SIM_(VERSION|HEADER) +[0-9]+' | tr -s ' \n' ' '; }
was=$(git show "$rev:sim/scenario.h" 2>/dev/null | layout)
now=$(layout <sim/scenario.h)
[ "$was" = "$now" ] || cannot "$base has another corpus format: ${was:-none}; this tree has $now"

# build TREE: its side.so; the first error on stdout when it cannot be.
build() {
    local log status=0
    log=$(make_in "$1" V=side build/side/side.so 2>&1) || status=$?
    [ $status = 0 ] || grep -m 1 -E 'error:|undefined|\*\*\*' <<<"$log" || tail -n 1 <<<"$log"
    return $status
}
make_in() {
    local tree=$1
    shift
    [ -f "$tree/sim/race.h" ] || set -- RACE= "$@" # from before threads were simulated
    make --no-print-directory -s -j2 -C "$tree" "$@"
}

# build_pace TREE: what is timed: the same without counters, as fast as the compiler makes it.
build_pace() {
    make_in "$1" V=side B=build/pace COV_side= \
        CF_side='-O2 -w -fPIC -fvisibility=hidden -DWB_COUNTED' build/pace/side.so >/dev/null 2>&1
}

# build_programs TREE: the bench programs that print figures.
build_programs() {
    make_in "$1" V=counted build/counted/bench_{frames,windows,announce} >/dev/null 2>&1
}

# share VARIANT...: objects of this tree come along, so that make builds what differs: it is newer.
share() {
    local v
    for v in "$@"; do
        [ ! -d build/$v ] || cp -a build/$v $tree/build/ || return 1
    done
    (cd $tree && xargs -r touch -c) <$tree/changed
}

# The old core under this tree's bed.
take_core() {
    rm -rf $tree && mkdir -p $tree/build && cp -a --parents $bed $tree/ || return 1
    {
        git diff --name-only --no-renames "$rev" -- core
        git ls-files -o --exclude-standard -- core
    } | sort -u >$tree/changed
    while read -r f; do
        rm -f "$tree/$f"
        git cat-file -e "$rev:$f" 2>/dev/null || continue
        mkdir -p "$tree/${f%/*}" && git show "$rev:$f" >"$tree/$f" || return 1
    done <$tree/changed
    share side
}

# The old revision as it was, with what makes a side of it. What the Makefile includes and the
# revision lacks is no part of it.
take_all() {
    local f
    rm -rf $tree && mkdir -p $tree && git archive "$rev" | tar -x -C $tree &&
        cp -a --parents Makefile targets/subject/subject.mk $tree/ &&
        rm -rf $tree/targets/vet && cp -a targets/vet $tree/targets/
    for f in $(sed -n 's/^include //p' Makefile); do
        [ -f "$tree/$f" ] || { mkdir -p "$tree/${f%/*}" && : >"$tree/$f"; } || return 1
    done
}

# Targets whose traces can not be compared, by comma. Models and invariants do not reach a trace.
loose() {
    local f t p folders names=
    for f in targets/fuzz_*.c; do
        t=${f#targets/fuzz_} t=${t%.c}
        folders=$(sed -nE 's|^#include "(targets/[a-z]+)/.*|\1|p' "$f" | sort -u)
        for p in sim targets/{fuzz,subject}.h targets/{subject,driver/fuzz.c} "$f" $folders; do
            diff -rq "$p" "$tree/$p" >/dev/null 2>&1 || {
                names=$names,$t
                break
            }
        done
    done
    echo "${names#,}"
}

why=$(build .) || cannot "the working tree does not build: $why"
options=()
take_core || exit 2
if ! why=$(build $tree); then
    echo "vet: $base does not build under this tree's bed, so it keeps its own: $why" >&2
    take_all || exit 2
    build $tree >/dev/null || export VET_APART=1
    why=$(build $tree) || cannot "$base does not build: $why"
    names=$(loose)
    [ -z "$names" ] || options=(--loose "$names")
fi
timed=yes programs=yes
build_pace . || timed=
build_programs . || programs=
[ ! -f $tree/changed ] || share pace counted || exit 2
[ -n "$timed" ] && build_pace $tree || timed=
[ -n "$programs" ] && build_programs $tree || programs=
make --no-print-directory -s build/bed || cannot "build/bed does not build"

# keep FROM TO: a whole file or none.
keep() {
    cp "$1" "$2.part" && mv "$2.part" "$2"
}
keep $tree/build/side/side.so build/vet/old.so && keep build/side/side.so build/vet/new.so || exit 2
if [ -n "$timed" ]; then
    keep $tree/build/pace/side.so build/vet/old-pace.so || exit 2
    keep build/pace/side.so build/vet/new-pace.so || exit 2
    options+=(--pace build/vet/old-pace.so,build/vet/new-pace.so)
else
    echo "vet: not timed: one of the two does not build without counters" >&2
fi
if [ -n "$programs" ]; then
    options+=(--programs $tree/build/counted,build/counted)
else
    echo "vet: the programs of ci/bench do not build on both sides, and are not run" >&2
fi
make --no-print-directory -s fuzz_vet >/dev/null 2>&1 ||
    echo "vet: build/vet/fuzz_vet_* do not build, so ci/vet/differ.sh will not run" >&2
exec build/bed vet --names "${base// /_} $rev $(git rev-parse HEAD)" "${options[@]}" "$@" \
    build/vet/old.so build/vet/new.so
