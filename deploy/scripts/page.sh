#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the page of server/dashboard with npm and keeps it in server/dashboard/built, with SHA-256 sums in
# built.sha256. Run it after a change of the page and commit what it writes; nothing else needs npm.
# Usage: page.sh                 builds and keeps
#        page.sh --into FOLDER   builds into a new folder and keeps nothing
#        page.sh --sums          prints the sums of the sources and of what is kept
# Exit codes: 0; 1 the page cannot be built; 2 wrong usage; 77 there is no npm, or it gets no packages.
set -euo pipefail
dashboard=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../server/dashboard" && pwd)
# All that goes into the build.
sources=(src tools index.html package.json package-lock.json .npmrc tsconfig.json vite.config.mjs)

# sum_of FOLDER NAME...: one SHA-256 over names and contents. src/gen serves the type check alone.
sum_of() (
    cd "$1"
    shift
    find "$@" -type f ! -path 'src/gen/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum |
        sha256sum | cut -d' ' -f1
)
sums() {
    echo "$(sum_of "$dashboard" "${sources[@]}")  sources"
    echo "$(sum_of "$dashboard/built" .)  built"
}

# build FOLDER: the page into it, made in a folder of its own, so that nothing depends on where it is made.
build() {
    if ! command -v npm > /dev/null; then
        echo "page.sh: there is no npm (deploy/scripts/packages.sh test)" >&2
        exit 77
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for name in "${sources[@]}"; do cp -r "$dashboard/$name" "$work"; done
    rm -rf "$work/src/gen"
    # No script of a package is run.
    if ! (cd "$work" && npm ci --omit=dev --ignore-scripts --prefer-offline --no-audit --no-fund) \
        > "$work/said" 2>&1 < /dev/null; then
        tail -n 5 "$work/said" >&2
        echo "page.sh: npm ci failed (above); is there a network?" >&2
        exit 77
    fi
    if ! (cd "$work" && NODE_ENV=production npm run --silent build -- --outDir "$work/dist" \
        --emptyOutDir --logLevel warn) > "$work/said" 2>&1 < /dev/null; then
        tail -n 20 "$work/said" >&2
        echo "page.sh: vite failed (above)" >&2
        exit 1
    fi
    cp -r "$work/dist" "$1"
}

case "${1:-}" in
--sums) sums ;;
--into)
    if [[ $# -ne 2 || -e $2 ]]; then
        echo "page.sh: --into needs a folder that does not exist" >&2
        exit 2
    fi
    build "$2"
    ;;
'')
    new=$dashboard/.built.new
    rm -rf "$new"
    build "$new"
    # Servers that run from a build folder serve this one: it is replaced at once.
    old=$dashboard/.built.old
    rm -rf "$old"
    [[ ! -e $dashboard/built ]] || mv "$dashboard/built" "$old"
    mv "$new" "$dashboard/built"
    rm -rf "$old"
    sums > "$dashboard/built.sha256"
    echo "page: kept in server/dashboard/built; commit it with built.sha256"
    ;;
*)
    sed -n '3,8s/^# \?//p' "${BASH_SOURCE[0]}"
    [[ $1 == --help || $1 == -h ]] && exit 0
    exit 2
    ;;
esac
