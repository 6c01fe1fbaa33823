#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Packs the build as a Debian package and looks at what Debian's policy asks of it; lintian's errors, too,
# where it is installed.
# Usage: deb_test.sh BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one does not hold.
set -u
build=$(realpath "$1/..")
if ! command -v dpkg-shlibdeps > /dev/null || ! command -v file > /dev/null; then
    echo "dpkg-dev or file is missing (deploy/scripts/packages.sh package)"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
field() { dpkg-deb -f "$work"/kaname_*.deb "$1"; }
root=$work/root
documents=$root/usr/share/doc/kaname

# Not compressed, which takes two core-seconds, and so lintian is not asked about that.
check "cpack makes a package" cpack -G DEB --config "$build/CPackConfig.cmake" -B "$work" \
    -D CPACK_KANAME_NATIVE=ON -D CPACK_DEBIAN_COMPRESSION_TYPE=none
check "it can be unpacked" dpkg-deb -x "$work"/kaname_*.deb "$root"
for program in kaname kaname-server kaname-agent kaname-compute; do
    check "$program looks for libraries in the linker's folders alone" \
        bash -c '! readelf -d "$1" | grep -E "R(UN)?PATH"' - "$root/usr/bin/$program"
done
check "scripts find the Python that they name" bash -c '[[ ", $1, " == *", python3, "* ]]' - "$(field Depends)"
check "what is recommended stands in one line" test "$(field Recommends | wc -l)" = 1
check "the copyright names Kaname's licence" grep -q "^BSD 3-Clause License" "$documents/copyright"
check "and that of each package of the page" bash -c '
    grep -o "\"name\": *\"[^\"]*\"" "$1" | cut -d\" -f4 | while read -r name; do
        grep -q "^$name " "$2" || exit 1
    done' - "$root/usr/share/kaname/page/licences.json" "$documents/copyright"
check "the changelog begins with this version" bash -c \
    'zcat "$1/changelog.gz" | head -1 | grep -qF "kaname ($2)"' - "$documents" "$(field Version)"
check "the manual page is compressed" test -s "$root/usr/share/man/man1/kaname.1.gz"
check "scripts of the examples can be run" \
    test -x "$root/usr/share/kaname/examples/tohoku-inversion/get_data.sh"
if command -v lintian > /dev/null; then
    check "lintian has no error" lintian --allow-root --fail-on error \
        --suppress-tags uses-no-compression-for-data-tarball "$work"/kaname_*.deb
fi
exit $failed
