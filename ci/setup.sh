#!/bin/sh
# Installs what the commands need and this machine lacks, then prints versions. Silent and instant
# when all is there. Exit 2 when it cannot: no apt, no root and no sudo, or an installation that
# fails.
#
#   ci/setup.sh [all]      all: what only `make check-all` needs, too
set -eu
cd "$(dirname "$0")/.."

packages="gcc libc6-dev make git
    clang-19 libclang-19-dev libclang-rt-19-dev llvm-19 lld-19 clang-format-14
    afl++ libcmocka-dev libbsd-dev liburing-dev libssl-dev memcached
    libmemcached-dev valgrind zip unzip binutils
    libbpf-dev bpftool libelf-dev zlib1g-dev systemtap-sdt-dev linux-perf strace"
if [ "${1:-}" = all ]; then
    packages="$packages chromium"
    # A Node from elsewhere brings its own npm, and refuses Debian's.
    command -v npm >/dev/null 2>&1 || packages="$packages npm"
fi

die() {
    echo "setup: $*" >&2
    exit 2
}

# The names of the packages that are not installed.
lacking() {
    # shellcheck disable=SC2086
    dpkg-query -W -f '${Package} ${db:Status-Status}\n' $packages 2>/dev/null |
        awk -v want="$packages" '
            $2 == "installed" { have[$1] = 1 }
            END { n = split(want, w); for (i = 1; i <= n; i++) if (!(w[i] in have)) print w[i] }'
}

command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 ||
    die "this is no Debian: install by hand what corresponds to" $packages
missing=$(lacking)
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || die "needs root or sudo to install" $missing
    sudo -n true 2>/dev/null || [ -t 2 ] ||
        die "sudo asks for a password and there is no terminal; install" $missing
    as_root=sudo
fi

mkdir -p build
log=build/setup.log
echo "setup: installing" $missing
apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q "$@" \
        >>"$log" 2>&1 </dev/null
}
: >"$log"
# A source that cannot be reached matters only if a package is then not found.
apt update || echo "setup: apt-get update failed, trying with what is known" >&2
# shellcheck disable=SC2086
apt install -y --no-install-recommends $missing || {
    tail -n 15 "$log" >&2
    . /etc/os-release 2>/dev/null || PRETTY_NAME="this system"
    die "apt-get could not install on $PRETTY_NAME (Debian 12 is the reference); the log is $log"
}
missing=$(lacking)
[ -z "$missing" ] || die "still missing after the installation:" $missing
# shellcheck disable=SC2086
dpkg-query -W -f '  ${Package} ${Version}\n' $packages
