# Sourced by ci/ossfuzz-local.sh: what OSS-Fuzz asks of the files of a project, and of names.

# A sound project.yaml, and an image that is the one it names.
lint() {
    local version lite=
    [[ $1 != */.clusterfuzzlite ]] || lite=1
    version=$(sed -n 's/^base_os_version: *//p' "$1/project.yaml")
    awk -v lite=$lite -f ci/oss-fuzz/yaml.awk "$1/project.yaml" &&
        grep -q "^FROM gcr.io/oss-fuzz-base/base-builder:$version\$" "$1/Dockerfile" &&
        ! grep -q 'apt-get install' <(sed '/apt-get update/d' "$1/Dockerfile") &&
        ! grep -q -- '-lFuzzingEngine' "$1/build.sh"
}

# What the checks of a pull request there look for at the head of each file.
is_licensed() {
    local f
    for f in "$1"/Dockerfile "$1"/*.sh; do
        head -n 15 "$f" | grep -q 'Licensed under the Apache License, Version 2.0' || {
            echo "  $f"
            return 1
        }
    done
}

# A target keeps its name: OSS-Fuzz finds its corpus and its bugs by it. Asks the history, so where
# there is none, or a part of it, nothing is judged.
judge_names() {
    local gone why
    if ! why=$(git -C "$tree" rev-parse --is-shallow-repository 2>&1); then
        echo "NOT RUN renamed: git says: $(head -n 1 <<<"$why")"
    elif [ "$why" = true ]; then
        echo "NOT RUN renamed: the repository is shallow"
    elif ! git -C "$tree" log --no-renames --diff-filter=D --name-only --format= \
        -- 'targets/fuzz_*.c' >"$work/gone"; then
        bad renamed "git log fails"
    else
        gone=$(sort -u "$work/gone" | while read -r f; do [ -e "$tree/$f" ] || echo "  $f"; done)
        [ -z "$gone" ] || echo "$gone"
        judge renamed "a target is gone" [ -z "$gone" ]
    fi
}

lints() {
    local d
    for d in ci/oss-fuzz .clusterfuzzlite ci/oss-fuzz/example; do
        [ -d "$tree/$d" ] || [ "$d" != ci/oss-fuzz/example ] || continue
        judge yaml "$d: project.yaml or Dockerfile" lint "$tree/$d"
    done
    judge licence "a file without it" is_licensed "$tree/.clusterfuzzlite"
    mkdir -p "$work/shipped" && # what is copied into the project's folder there
        cp "$tree"/ci/oss-fuzz/{Dockerfile,build.sh,run_tests.sh} "$work/shipped"
    judge licence "a file without it" is_licensed "$work/shipped"
    judge_names
}
