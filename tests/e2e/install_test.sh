#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a folder of its own and uses it from there, as a user would.
# Usage: install_test.sh BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one does not hold.
set -u
bin=$1
source=$2
for program in kaname kaname-server kaname-agent kaname-compute; do
    if [[ ! -x $bin/$program ]]; then
        echo "$program is not built in $bin"
        exit 77
    fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"
failed=0

check() { # FACT COMMAND...: the fact holds when the command succeeds
    local fact=$1
    shift
    if "$@" > "$work/out" 2>&1 < /dev/null; then
        echo "ok    $fact"
    else
        echo "FAIL  $fact"
        sed 's/^/      | /' "$work/out"
        failed=1
    fi
}
# The installed programs, with nothing of the build folder in PATH.
installed() { PATH=/usr/bin:/bin KANAME_STATE=$work/state "$prefix/bin/kaname" "$@"; }

check "cmake --install succeeds" cmake --install "$bin/.." --prefix "$prefix"
for program in kaname kaname-server kaname-agent kaname-compute; do
    check "$program is installed and starts" "$prefix/bin/$program" --version
    check "$program has no path into the build folder" \
        bash -c '! readelf -d "$1" | grep -E "R(UN)?PATH.*$2"' - "$prefix/bin/$program" "${bin%/bin}"
done
example=$prefix/share/kaname/examples/plane/plane.yaml
check "an installed example is valid" installed validate "$example"
check "doctor finds the installation healthy" installed doctor
cp "$work/out" "$work/said"
check "doctor finds the service's programs" grep -q "kaname-server and kaname-agent are here" "$work/said"
mv "$prefix/bin/kaname-compute" "$work/elsewhere"
check "kaname asks the kaname-compute of its own folder" bash -c '! "$@"' - \
    "$prefix/bin/kaname" validate "$example"
cp "$work/out" "$work/said"
check "and names it when it is gone" grep -qF "program $prefix/bin/kaname-compute: not found" "$work/said"
mv "$work/elsewhere" "$prefix/bin/kaname-compute"
ln -s "$prefix/bin/kaname" "$work/link"
check "a link to kaname finds it too" "$work/link" validate "$example"

check "the page is installed as it is kept" diff -r "$source/server/dashboard/built" "$prefix/share/kaname/page"

page=$prefix/share/man/man1/kaname.1
check "the manual page has every command of --help" bash -c '
    for command in $("$1/bin/kaname" --help | awk "/^[A-Z].*:/ { on = !/^(Usage|Options):/; next } /^[^ ]/ { on = 0 }
                                                  on && /^  [a-z]/ { print \$1 }"); do
        grep -qx "\.SS $command" "$1/share/man/man1/kaname.1" || { echo "no $command"; exit 1; }
        found=yes
    done
    [[ -n ${found:-} ]]' - "$prefix"
check "and the text of an option" grep -qF "MPI ranks of a worker" "$page"
check "and the exit codes" grep -q "^Exit codes: 0 done" "$page"
check "the page does not speak of itself" bash -c '! grep -qx "\.SS man" "$1"' - "$page"
if command -v groff > /dev/null; then
    check "groff takes it without a warning" bash -c \
        '[[ -z $(groff -man -Tutf8 -ww "$1" 2>&1 > /dev/null) ]]' - "$page"
fi
completion=$prefix/share/bash-completion/completions/kaname
check "bash completes commands by the installed script" bash -c '
    source "$1"; COMP_WORDS=(kaname val); COMP_CWORD=1; _kaname; [[ ${COMPREPLY[*]} == validate ]]' \
    - "$completion"
check "the plot script is there" test -x "$prefix/share/kaname/scripts/plot_mesh_section.py"
dist=$prefix/lib/python3/dist-packages
if [[ -e $dist/kaname ]]; then
    check "the plot scripts find what draws in the Python package" /usr/bin/python3 -B -c '
import sys; sys.path.insert(0, sys.argv[1])
import plotting.common' "$prefix/share/kaname/scripts"
    check "the Python package is imported from where it is installed, and finds the program" \
        env PYTHONPATH="$dist" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c '
import sys, kaname, kaname.program, kaname.client
assert kaname.__file__.startswith(sys.argv[1]), kaname.__file__
assert kaname.program.find_program() == sys.argv[1] + "/bin/kaname", kaname.program.find_program()' "$prefix"
fi
check "licence and user pages are there" \
    test -s "$prefix/share/doc/kaname/LICENSE" -a -s "$prefix/share/doc/kaname/user/install.md" -a -s "$prefix/share/doc/kaname/images/landing.png"

unit=$prefix/lib/systemd/system/kaname-server.service
check "the unit starts the server that was installed" \
    grep -qF "ExecStart=\"$prefix/bin/kaname-server\" --state /var/lib/kaname" "$unit"
if command -v systemd-analyze > /dev/null; then
    check "systemd takes the unit" systemd-analyze verify --man=no "$unit"
    cp "$work/out" "$work/said"
    check "and has nothing to say about it" bash -c '! grep -F kaname "$1"' - "$work/said"
fi
check "deploy/install refuses a prefix that is no folder at once" bash -c '
    ! "$1/deploy/install" /dev/null/kaname > "$2/said" 2>&1 && grep -q "/dev/null must be a folder" "$2/said"' \
    - "$source" "$work"
check "and does not begin to build" bash -c '! grep -q "==>" "$1/said"' - "$work"
exit $failed
