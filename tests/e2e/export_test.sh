#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# kaname export of a made-up dataset, read back by readers written from the layouts' documentation;
# what it refuses, and that nothing half-made is left.
# Usage: export_test.sh BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one does not hold.
set -u
bin=$1
readers=$2/tests/e2e/export_readers.py
kaname=$bin/kaname
if [[ ! -x $kaname || ! -x $bin/kaname-compute ]]; then
    echo "kaname or kaname-compute is not built in $bin"
    exit 77
fi
if ! /usr/bin/python3 -c 'import h5py, numpy' 2> /dev/null; then
    echo "python3-h5py or python3-numpy is not installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work PYTHONDONTWRITEBYTECODE=1
failed=0

check() { # FACT COMMAND...: the fact holds when the command succeeds
    local fact=$1
    shift
    if "$@" > "$work/said" 2>&1; then
        echo "ok    $fact"
    else
        echo "FAIL  $fact"
        sed 's/^/      | /' "$work/said" "$work/out" "$work/err" 2> /dev/null
        failed=1
    fi
}
export_to() { # FOLDER LAYOUT [ARGUMENTS...]: leaves $code, $work/out, $work/err
    "$kaname" export "$work/greens.h5" --to "$2" -o "$work/$1" "${@:3}" > "$work/out" 2> "$work/err"
    code=$?
}
read_back() { /usr/bin/python3 "$readers" check "$1" "$work/$2" "$work/greens.h5"; }
says() { grep -qE -- "$1" "$work/err"; }
only() { # NAMES...: what lies in the work folder besides the test's own files
    diff <(ls -A "$work" | grep -vxE 'out|err|said') <(printf '%s\n' "$@" | sort)
}

/usr/bin/python3 "$readers" make "$work/greens.h5"
layouts=(csi altar beat pylith viscojapan pyrocko csv geojson gmt)
for layout in "${layouts[@]}"; do
    export_to "$layout" "$layout"
    check "$layout: exports" test "$code" = 0
    check "$layout: reads back as the dataset" read_back "$layout" "$layout"
done
check "nothing else is left" only greens.h5 "${layouts[@]}"
for layout in csi altar beat pylith gmt; do
    export_to "later/$layout" "$layout" --epoch 2
    check "$layout: takes another epoch" read_back "$layout" "later/$layout"
done
rm -rf "$work/later"

# --- places and errors
export_to csi csi
check "a folder with files is refused with exit code 6" test "$code" = 6
check "and named" says "^error: --output: must not write into '$work/csi'"
mkdir "$work/csi/mine" "$work/empty"
echo kept > "$work/csi/notes.txt"
export_to csi csi --epoch 1 --force --json
check "--force writes into it" test "$code" = 0
check "--json names the files" /usr/bin/python3 -c "
import json, os, sys
written = json.load(open('$work/out'))['written']
assert len(written) == 5 and all(os.path.dirname(p) == '$work/csi' for p in written), written
assert all(map(os.path.exists, written))"
check "and leaves other files" grep -q kept "$work/csi/notes.txt"
rm -r "$work/csi/mine" "$work/csi/notes.txt"
check "its files are those of the new epoch" read_back csi csi
export_to empty csi
check "an empty folder is a place" read_back csi empty
rm -r "${layouts[@]/#/$work/}" "$work/empty"

refused() { # FACT CODE PATTERN
    check "$1: exits $2" test "$code" = "$2"
    check "$1: says $3" says "^error: .*$3"
    check "$1: leaves nothing" only greens.h5
}
export_to x csi --epoch 1.5
refused "an epoch that is none" 2 "--epoch: must be one of the dataset's epochs, got 1\.5; the nearest is 1"
export_to x viscojapan --epoch 1
refused "an epoch for all epochs" 2 "--epoch: must not be given with the layout viscojapan"
export_to x tdefnode
refused "an unknown layout" 2 "--to: must be one of csi, altar, beat.*; got 'tdefnode'"
export_to x csi --rake -90
refused "a rake for csi" 2 "--rake: must not be given"
export_to greens.h5 csi --force
refused "a file in place of a folder" 2 "--output: must name a new folder"
"$kaname" export "$work/none.h5" --to csi -o "$work/x" 2> "$work/err"
code=$?
refused "no dataset" 3 "none\.h5"

/usr/bin/python3 "$readers" make "$work/greens.h5" fail
export_to x altar
refused "a source that failed" 2 "every source must be done, 1 of 12 are not: 's01d00/dip_slip' failed \(no convergence\)"
export_to csv csv
check "csv leaves out what failed" read_back csv csv
rm -r "$work/csv"

exit $failed
