# Sourced by ci/oss-fuzz/test_local.sh: what is broken, and the rule that must refuse it.
b=ci/oss-fuzz/build.sh t=targets/fuzz_toy.c r=ci/oss-fuzz/run_tests.sh y=ci/oss-fuzz/project.yaml
# at MARK CODE: code into the fuzzer.
at() { sed -i "s|/\*$1\*/|$2|" $t; }

builds() {
    local a="libfuzzer address"
    control instrumented "$a" "flags of its own in place of those handed over" \
        "sed -i 's/\$CC \$CFLAGS/\$CC -O1/' $b"
    for s in address memory undefined; do
        control sanitizer "libfuzzer $s" "objects without the sanitizer $s" \
            "sed -i '15i CFLAGS=-fsanitize=fuzzer-no-link' $b"
    done
    control sanitizer "$a" "a second sanitizer in the build of the first" \
        "{ echo 'int many(int *a, int i) {'
          for i in {1..300}; do echo \"a[\$i] += a[i] + i;\"; done
          echo 'return a[i]; }'; } >>core/base/toy.c &&
         sed -i 's/\$CC \$CFLAGS -c core/\$CC \$CFLAGS -fsanitize=signed-integer-overflow -c core/;
                 s/\$CXX \$CXXFLAGS/& -fsanitize=undefined/' $b"
    control moved "$a" "a target that needs the folder of its build" \
        "at init 'if (access(WHERE \"/toy\", R_OK) != 0) exit(1);' &&
         sed -i 's|\$CC \$CFLAGS|& -DWHERE=\\\\\"\$OUT\\\\\"|' $b"
    online build "$a" "a build that downloads" \
        "echo 'exec 3<>/dev/tcp/127.0.0.1/$port' >>$b &&
         timeout 5 bash -c 'until (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do :; done'"
    control seeds "$a" "a fuzzer without seeds" "sed -i /zip/d $b"
    control seeds "$a" "an empty corpus" "echo ': >\$OUT/toy_seed_corpus.zip' >>$b"
    control names "$a" "a name with a dot" "sed -i 's|OUT/toy\b|OUT/toy.fuzzer|' $b"
    control architecture "$a" "a script" \
        "echo 'install -m 755 \$SRC/build.sh \$OUT/script; # LLVMFuzzerTestOneInput' >>$b"
    control libraries "$a" "a library that the runner lacks" \
        "sed -i 's/ENGINE -o/ENGINE -Wl,--no-as-needed -lbsd -o/' $b"
    control options "$a" "an unknown section" "echo 'echo [libFuzzer] >>\$OUT/toy.options' >>$b"
    control dictionary "$a" "a dictionary that cannot be read" \
        "echo 'echo word >>\$OUT/toy.dict' >>$b"
    control repeat "$a" "a build that works once" "echo 'mkdir \$WORK/once' >>$b"
    control repeat "$a" "a build that comes out otherwise" "echo 'date +%N >\$OUT/when' >>$b"
    control sources "$a" "a build that changes its sources" "echo 'echo >>$t' >>$b"
    control sources "$a" "a build that lays a file among its sources" "echo 'echo >core/new.c' >>$b"
    control sources "$a" "a build that removes its sources" "echo 'rm Makefile' >>$b"
    control fuzzers "$a" "a build of nothing" "echo 'rm \$OUT/toy' >>$b"
    control build "$a" "a build that fails" "echo false >>$b"
    control covered "libfuzzer coverage" "coverage left out" "sed -i '15i CFLAGS=-O1 CXXFLAGS=' $b"
    control build "centipede address" "a C compiler that links an engine in C++" \
        "sed -i 's/\$CXX \$CXXFLAGS/\$CC \$CFLAGS/' $b"
}

runs() {
    local a="libfuzzer address"
    control starts "$a" "a target that stops at nothing" "at body '{}; if (len == 0) abort();'"
    control starts "afl address" "a target that stops at nothing" "at body '{}; abort();'"
    control limits "$a" "a seed that fails" "at seed 'abort();'"
    control limits "afl address" "a seed that fails" "at seed 'abort();'"
    control limits "$a" "a seed that leaks" \
        "at seed 'static void *volatile p; p = malloc(9); p = 0;'"
    control limits "$a" "a seed that takes long" \
        "at seed 'for (int left = 9; left > 0;) left = sleep(left);'"
    control limits "$a" "a seed that takes much memory" \
        "at seed 'unsigned char *volatile p = malloc(3ul << 30); memset(p, 1, 3ul << 30);'"
    control limits "libfuzzer memory" "a seed whose path is by what was never written" \
        "at seed 'unsigned char *volatile p = malloc(9); if (p[3] == 4) abort(); free(p);'"
    control limits "libfuzzer undefined" "a seed that overflows" \
        "at seed 'volatile int i = 2147483647; i = i + 1;'"
    control limits "honggfuzz address" "an answer other than 0" "at seed 'return -1;'"
    control limits "centipede address" "an answer other than 0 and -1" "at seed 'return 1;'"
    control limits "honggfuzz address" "a target that asks the engine to mutate" \
        "at seed 'unsigned char c[9] = {0}; LLVMFuzzerMutate(c, 1, 9);'"
    control limits "centipede address" "a mutator that knows no limit" \
        "sed -i 's/\$CC \$CFLAGS/& -DMUTATES=max+1/' $b"
    control limits "honggfuzz address" "an input that is written to" \
        "at seed '*(unsigned char *)data = 0;'"
}

papers() {
    control yaml tests "an unknown key" "echo 'sanitiser: [address]' >>$y"
    control yaml tests "an unknown sanitizer" "sed -i 's/- memory/- memroy/' $y"
    control yaml tests "an unknown engine" "sed -i 's/- afl/- alf/' $y"
    control yaml tests "an unknown language" "sed -i 's/^language: c/&c/' $y"
    control yaml tests "nobody to write to" "sed -i /primary_contact/d $y"
    control yaml tests "no address" "sed -i 's/^\(primary_contact: \).*/\1maintainer/' $y"
    control yaml tests "a key that stands twice" "echo 'language: c++' >>$y"
    control yaml tests "an unknown language for ClusterFuzzLite" \
        "sed -i 's/^language: c/&c/' .clusterfuzzlite/project.yaml"
    control yaml tests "an image of another system" "sed -i s/ubuntu-24-04/ubuntu-20-04/ $y"
    control yaml tests "no repository" "sed -i /main_repo/d $y"
    control yaml tests "an installation from old lists" \
        "sed -i 's/apt-get update && //' ci/oss-fuzz/Dockerfile"
    control yaml tests "another image for ClusterFuzzLite" \
        "sed -i 's/:ubuntu-24-04/:latest/' .clusterfuzzlite/Dockerfile"
    control licence tests "a file without a licence" "sed -i 2,15d $b"
    control renamed tests "a target that has another name now" \
        "export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
         git init -q . && git add -A && git commit -qm one && git mv $t targets/fuzz_new.c &&
         sed -i s/fuzz_toy.c/fuzz_new.c/ $b && git commit -qam two"
    control tests tests "tests that fail" "echo false >>$r"
    online tests tests "tests that need a network" "echo 'exec 3<>/dev/tcp/127.0.0.1/$port' >>$r"
    control tests tests "tests that pass once" "echo 'mkdir \$SRC/once' >>$r"
    control tree tests "tests that change the tree" "echo 'echo >>$t' >>$r"
    control tree tests "tests that lay a file into the tree" "echo 'echo >core/new.c' >>$r"
    control tree tests "tests that change the tree the second time" \
        "echo 'if [ -e build/ran ]; then echo >>$t; fi; echo >build/ran' >>$r"
    control plants tests "tests that run nothing" "sed -i 's|^build/t\$|true|' $r"
}

# What a make of ours would use for the programs of an image, when another make calls all of this.
is_of_the_image() {
    HANDED=-O1 HANDED_CC=cc HANDED_CXX=g++ MAKEFLAGS=-s SUBJECT=/none.c V=gcc bash -c '
        work=/none && . ci/oss-fuzz/image.sh && image libfuzzer address &&
            make -s --eval="probe: ; @echo \$(V) \$(SUBJECT) \$(HANDED_CC) \$(HANDED)" probe' |
        grep -q "^gcc targets/subject/core.c clang-$clang .*-fsanitize=address"
}

# As somebody who is not root; he may be unable to read this folder.
is_offline_for_others() {
    local as= script
    [ "$(id -u)" != 0 ] || as="setpriv --reuid 65534 --regid 65534 --clear-groups"
    script="$(cat ci/oss-fuzz/image.sh); tell_offline so"
    script+="; offline bash -c 'exec 3<>/dev/tcp/127.0.0.1/$port' 2>/dev/null && echo online"
    timeout 5 bash -c "until (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do :; done" &&
        [ -z "$(cd / && $as bash -c "$script")" ]
}

# Where unshare may do nothing, the whole says so and still comes to its end.
is_told_when_online() {
    mkdir -p "$base/refusing" && printf '#!/bin/sh\nexit 1\n' >"$base/refusing/unshare" &&
        chmod +x "$base/refusing/unshare" && mkdir "$base/told" &&
        cp -a "$base/sound" "$base/told/tree" &&
        PATH=$base/refusing:$PATH try "$base/told" tests &&
        grep -q '^NOT RUN offline: ' "$base/told/log"
}

# Sources that git does not speak for: all, but neither .git nor what was built.
are_sources_alone() {
    local work=$base from=$base/sources_from to=$base/sources_to
    mkdir -p "$from"/{.git,build/gcc,core/build} && touch "$from"/{a.c,.git/b,build/gcc/c.o} &&
        touch "$from"/{core/build/d.c,.hidden} && sources "$from" "$to" &&
        [ "$(cd "$to" && find . -type f | LC_ALL=C sort | tr '\n' ' ')" = \
            "./.hidden ./a.c ./core/build/d.c " ]
}

# A history that cannot be asked, or is not whole, is no history without renamings.
is_told_without_history() {
    local d=$base/history
    mkdir -p "$d"/{none,deep} && cp -a "$base/sound" "$d/none/tree" &&
        cp -a "$base/sound" "$d/deep/tree" && (
        export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x
        cd "$d/deep/tree" && git init -q . && git add -A && git commit -qm one &&
            git commit -q --allow-empty -m two &&
            git clone -q --depth 1 "file://$d/deep/tree" "$d/shallow/tree" 2>/dev/null
    ) && try "$d/none" tests && try "$d/shallow" tests &&
        grep -q '^NOT RUN renamed: git says: ' "$d/none/log" &&
        grep -q '^NOT RUN renamed: the repository is shallow' "$d/shallow/log"
}

facts() {
    fact "a make around this hands nothing down" is_of_the_image
    if [ -n "$apart" ]; then
        fact "a user who is not root is offline too" is_offline_for_others
    elif picked "fact a user"; then
        echo "NOT RUN a user who is not root is offline too: none is here"
    fi
    fact "what had a network is told" is_told_when_online
    fact "sources without git are sources alone" are_sources_alone
    fact "names that no history vouches for are told" is_told_without_history
}

one_half() {
    for s in address undefined memory coverage introspector; do sound libfuzzer $s; done
    for e in afl honggfuzz centipede; do sound $e address; done
    sound tests
    runs
}
other_half() {
    facts
    papers
    builds
}

# Into $base/verdicts. The half beside us has a process group, by which it ends when we do.
both() {
    set -m
    one_half >"$base/half" &
    half=$!
    set +m
    other_half >"$base/other"
    wait "$half"
    half=
    cat "$base/half" "$base/other" >"$base/verdicts"
}
