#!/bin/bash
# The report's page in Debian's Chromium (ci/report/check.mjs): at 400 and 1,400 pixels, light and
# dark, nothing cut off, empty or dead, nothing serious by axe; and each check seen to fail on a
# page that is broken on purpose. Screenshots stay in build/report/shots/. What fuzzers found out
# about coverage is taken as it is: `make report` gathers it.
set -u
cd "$(dirname "$0")/../.." || exit 2
out=build/report npm=build/report/npm
passed=0 failed=0

end() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}

make --no-print-directory -s -j2 build/bed && ci/report/report.sh page || {
    failed=1
    end
}
passed=1
chromium=$(command -v chromium) || {
    echo "NOT RUN the page in a browser: no chromium here (Debian's package)"
    end
}
command -v npm >/dev/null && command -v node >/dev/null || {
    echo "NOT RUN the page in a browser: no npm here (Debian's package)"
    end
}
mkdir -p $npm $out/shots
cp ci/report/package.json ci/report/package-lock.json $npm/
[ -e $npm/node_modules/.package-lock.json ] &&
    [ $npm/node_modules/.package-lock.json -nt ci/report/package-lock.json ] ||
    (cd $npm && npm ci --no-audit --no-fund --ignore-scripts) || {
    echo "NOT RUN the page in a browser: npm could not install what ci/report/package.json names"
    end
}
rm -f $out/shots/*.png
export CHROMIUM=$chromium REPORT_NPM=$PWD/$npm
for mode in "" --controls; do
    log=$out/check$mode.log
    timeout 1500 node ci/report/check.mjs $out/index.html $out/shots $mode >"$log" 2>&1
    cat "$log"
    read -r p f < <(awk '/^[0-9]+ passed, [0-9]+ failed$/ { print $1, $3; n++ }
        END { if (!n) print 0, 1 }' "$log")
    passed=$((passed + p)) failed=$((failed + f))
done
end
