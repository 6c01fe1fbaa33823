#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Drives kaname and kaname-compute as a user would, on jobs that take seconds.
# Usage: cli_test.sh BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one does not hold.
set -u
bin=$1
data=$2/tests/e2e/data
kaname=$bin/kaname
if [[ ! -x $kaname || ! -x $bin/kaname-compute ]]; then
    echo "kaname or kaname-compute is not built in $bin"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work KANAME_CACHE=$work/cache
failed=0

check() { # FACT COMMAND...: the fact holds when the command succeeds
    local fact=$1
    shift
    if "$@"; then
        echo "ok    $fact"
    else
        echo "FAIL  $fact"
        sed 's/^/      | /' "$work/out" "$work/err" 2> /dev/null
        failed=1
    fi
}
call() { # ARGUMENTS...: runs kaname; leaves $code, $work/out, $work/err
    "$kaname" "$@" > "$work/out" 2> "$work/err" < /dev/null
    code=$?
}
says() { grep -qE -- "$1" "$work/err"; }
is_json() { /usr/bin/python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/out"; }
# An interface dipping to the north at 20 degrees, on a regular grid.
slab_csv() {
    echo "lon_deg,lat_deg,depth_km"
    local i j
    for ((j = 0; j <= 8; j++)); do
        for ((i = 0; i <= 8; i++)); do
            echo "$i $j" | awk '{printf "%.2f,%.2f,%.3f\n", 134 + 0.25 * $1, 33 + 0.25 * $2, 8 + 2.5 * $2}'
        done
    done
}

# A hill of 1.2 km.
ground_csv() {
    echo "lon_deg,lat_deg,elevation_m"
    awk 'BEGIN { for (j = 0; j <= 40; j++) for (i = 0; i <= 40; i++) {
        lon = 133 + 0.1 * i; lat = 32 + 0.1 * j
        printf "%.2f,%.2f,%.1f\n", lon, lat, 1200 * exp(-((lon - 135)^2 + (lat - 34)^2) / 0.1) } }'
}

# --- what the programs say about themselves
call --version
check "--version succeeds" test "$code" = 0
call --help
check "--help documents the exit codes" grep -q "Exit codes: 0 done, .*2 bad input" "$work/out"
call doctor --json
check "doctor finds this build healthy" test "$code" = 0
check "doctor --json writes JSON only" is_json
call frobnicate
check "an unknown command exits 2" test "$code" = 2
call estimte tiny.yaml
check "a mistyped command is told the nearest" says "^error: unknown command 'estimte'; did you mean estimate\?"
call list --limit 0
check "--limit 0 exits 2" test "$code" = 2
call run tiny.yaml
check "run of a file that is not there exits 3" test "$code" = 3

# --- good input
cp "$data"/*.yaml "$work"
slab_csv > "$work/slab.csv"
ground_csv > "$work/ground.csv"
call validate "$work/tiny.yaml"
check "a good plane is valid" test "$code" = 0
call validate "$work/tiny_interface.yaml" --json
check "a good interface is valid" test "$code" = 0
check "validate --json writes JSON only" is_json
call validate "$work/tiny_interface.yaml" --schema-only --canonical
check "validate --canonical writes SI units, defaults and hashes" /usr/bin/python3 -c '
import json, re, sys
request = json.load(open(sys.argv[1]))
surface = request["fault"]["interface"]["surface"]
assert re.fullmatch("[0-9a-f]{64}", surface["sha256"]) and surface["path"].startswith("/"), surface
assert request["region"]["depth_m"] > 1000 and request["mesh"]["growth"] > 0, request' "$work/out"
call validate "$work/tiny.yaml" --schema-only --canonical --json
check "with --json it is part of the report, with its type" /usr/bin/python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert report["valid"] and report["specification"]["@type"].endswith("/kaname.v1.GreensBatch")
assert report["specification"]["region"]["depth_m"] == 80000' "$work/out"
call estimate "$work/tiny.yaml" --json
check "estimate succeeds" test "$code" = 0
check "estimate counts two sources" grep -qE '"sources": 2,' "$work/out"
check "the speed of this machine is kept" test -s "$(ls "$work"/cache/speeds/*.json)"
cp "$work/out" "$work/first"
mkdir "$work/reference"
"$2/docs/reference/make.sh" "$kaname" "$work/reference" > "$work/out" 2> "$work/err"
check "the pages of keys are what schema prints" diff -r -x make.sh "$work/reference" "$2/docs/reference"
call estimate "$work/tiny.yaml" --json
check "a second estimate says the same time" \
    test "$(grep total_s "$work/out")" = "$(grep total_s "$work/first")"

# --- bad input: exit code, field, value and rule; nothing left behind
bad() { # FACT CODE PATTERN YAML: run refuses the specification with a line that matches
    rm -rf "$work/bad"
    call run "$work/$4" --output "$work/bad"
    check "$1: exits $2" test "$code" = "$2"
    check "$1: says $3" says "^error: $3"
    check "$1: leaves no output" test ! -e "$work/bad"
}
change() { # NAME SED_EXPRESSION [FROM]: writes a changed specification
    sed -E "$2" "$work/${3:-tiny.yaml}" > "$work/$1"
    if cmp -s "$work/$1" "$work/${3:-tiny.yaml}"; then
        check "the test's own change applies: $2" false
    fi
}
change unknown.yaml 's/dip_deg: 45/dip_deg: 45\n    dipp_deg: 30/'
bad "unknown key" 2 '.*dipp_deg' unknown.yaml
change viscosity.yaml 's/1e19/-1e19/'
bad "negative viscosity" 2 'structure\.materials\[1\]\.viscosity_pa_s: must be > 0, got -1e\+?19' viscosity.yaml
change outside.yaml 's/(id: E20, lon_deg: )135.22/\1142.5/'
bad "station outside the region" 2 'stations\.list\[1\].*(142\.5|E20)' outside.yaml
change missing.yaml 's/slab\.csv/none.csv/' tiny_interface.yaml
bad "missing surface file" 2 'fault\.interface\.surface: .*none\.csv' missing.yaml
change cut.yaml 's/slab\.csv/cut.csv/' tiny_interface.yaml
slab_csv | head -c 700 > "$work/cut.csv"
bad "truncated surface file" 2 '.*(fault\.interface\.surface|cut\.csv).*' cut.yaml
change memory.yaml 's/size_at_fault_km: 10, size_far_km: 40/size_at_fault_km: 0.001, size_far_km: 0.2/'
bad "not enough memory" 2 '.*(memory|[GTP]i?B)' memory.yaml
echo "{ not: [yaml" > "$work/broken.yaml"
bad "no YAML at all" 2 '.*broken\.yaml|.*line' broken.yaml
bad "no such specification" 3 ".*none\.yaml" none.yaml
change both.yaml 's/1e19/-1e19/; s/dip_deg: 45/dip_deg: 145/'
call run "$work/both.yaml" --output "$work/bad" --json
check "every violation is reported at once" test "$(grep -c '^error: ' "$work/err")" = 2
check "an error with --json is JSON on standard output" is_json
call run "$work/tiny.yaml" --output "$work/slab.csv/out"
check "an output folder under a file exits 5" test "$code" = 5
check "an output folder under a file is named" says '^error: --output: .*slab\.csv'
call submit "$work/tiny.yaml" --output x
check "--output without --wait says what to do" says '^error: --output: must be given with --wait only'
call submit "$work/tiny.yaml" --wait --output /dev/null/x
check "an output that cannot be made is refused before anything is submitted" \
    says "^error: --output: must be a place that can be written, got '/dev/null/x'"
call mesh build "$work/tiny.yaml" -o /dev/null --force
check "a device is refused, forced or not" says "^error: --output: .*'/dev/null' is a device"
check "and stays one" test -c /dev/null
mkdir "$work/alone"
cp "$kaname" "$work/alone"
"$work/alone/kaname" run "$work/tiny.yaml" --output "$work/bad" > "$work/out" 2> "$work/err"
check "a missing kaname-compute exits 3" test $? = 3
check "a missing kaname-compute is named" says '^error: program .*kaname-compute: not found'
call show "$work/slab.csv"
check "show refuses what is no dataset" test "$code" = 2
call show "$work/none.h5"
check "show names a missing dataset with exit 3" test "$code" = 3
call show "$work/tiny.yaml"
check "show of a request says what computes its dataset" says "^error: FILE: must be a dataset, got the request .*run .*tiny.yaml"
call slice "$work/none.h5"
check "slice of a missing file asks no server" test "$code" = 3

# --- the whole way, on one rank and on two
call run "$work/tiny.yaml" --output "$work/one" --ranks 1 --threads 1 --keep-work
check "run on one rank succeeds" test "$code" = 0
check "run prints its table" grep -q "^largest displacement" "$work/out"
call run "$work/tiny.yaml" --output "$work/two" --ranks 2 --threads 1 --json
check "run on two ranks succeeds" test "$code" = 0
check "run --json writes JSON only" is_json
check "a finished run leaves no work folder" test ! -e "$work/two/work"
same_values() {
    /usr/bin/python3 - "$work/one/greens.h5" "$work/two/greens.h5" <<'PY'
import sys
import h5py
import numpy as np
def greens(path):
    with h5py.File(path) as file:
        found = []
        file.visititems(lambda name, item: found.append(item[()])
                        if name.split("/")[-1] == "greens" else None)
    (values,) = found
    return values
one, two = (greens(path) for path in sys.argv[1:])
assert one.shape == two.shape == (2, 3, 3, 3), (one.shape, two.shape)
assert np.isfinite(one).all() and abs(one).max() > 1e-3
error = abs(one - two).max() / abs(one).max()
print(f"relative difference of one and two ranks: {error:.1e}")
sys.exit(int(error > 1e-6))
PY
}
check "one and two ranks give the same values" same_values
check "the dataset is what docs/user/dataset.md says" \
    /usr/bin/python3 "$2/tests/support/check_dataset.py" "$work/two/greens.h5"
call xdmf "$work/two/greens.h5"
check "xdmf of a dataset without fields exits 3" test "$code" = 3
check "xdmf says what is missing" says '^error: .*greens\.h5: has no fields to show'
check "such a run writes no Xdmf" test -z "$(find "$work/two" -name '*.xdmf')"
summary_has_rows() {
    /usr/bin/python3 - "$work/one/summary.json" <<'PY'
import json
import sys
summary = json.load(open(sys.argv[1]))
values = {row["metric"]: row["value"] for row in summary["rows"]}
assert summary["suite"] == "demo"
assert (values["sources"], values["epochs"], values["stations"], values["patches"]) == (2, 3, 3, 1)
for metric in ("dof", "solve_s", "total_s", "max_displacement_m", "outer_iterations_per_step"):
    assert values[metric] > 0, metric
PY
}
check "summary.json holds the figures" summary_has_rows
call show "$work/one/greens.h5" --json
check "show --json writes JSON only" is_json
check "show finds both sources done" grep -qE '"done": 2' "$work/out"
call show "$work/one/greens.h5"
check "show prints the dimensions" grep -q "2 source x 3 epoch x 3 station x 3 component" "$work/out"

# --- running again, stopping, colliding
change other.yaml 's/1e19/2e19/'
before=$(sha256sum < "$work/one/greens.h5")
call run "$work/other.yaml" --output "$work/one"
check "the dataset of another specification is not replaced" test "$code" = 6
check "and is as it was" test "$(sha256sum < "$work/one/greens.h5")" = "$before"
call run "$work/tiny.yaml" --output "$work/one" --ranks 1 --threads 1 --keep-work --json
check "a second run reuses the mesh" grep -q '"mesh_reused": true' "$work/out"
check "a second run reuses both sources" grep -qE '"sources_reused": 2' "$work/out"

# --- volumes between surfaces: mesh and run
call validate "$work/tiny_volumes.yaml"
check "good volumes are valid" test "$code" = 0
check "data that do not cover the region are a warning" says '^warning: surface .slab-top.: .* extended'
call mesh build "$work/tiny_volumes.yaml" -o "$work/volumes.h5"
check "mesh build succeeds" test "$code" = 0
check "mesh build reports volumes against the model" grep -q "^volume 'slab': .* of the model's" "$work/out"
check "mesh build finds no hanging nodes" grep -q "^watertight, no hanging nodes" "$work/out"
check "mesh build keeps the fault whole where it crosses the Moho" \
    grep -qE "^fault 'fault': .* in 1 piece, " "$work/out"
check "mesh build leaves Xdmf for ParaView" test -s "$work/volumes.xdmf"
cp "$work/out" "$work/built"
call mesh show "$work/volumes.h5"
check "mesh show repeats the report" grep -qF "$(head -1 "$work/built")" "$work/out"
call mesh show "$work/volumes.h5" --json
check "mesh show --json writes JSON only" is_json
call mesh check "$work/volumes.h5"
check "mesh check takes a sound mesh" test "$code" = 0
unsound() { # one tet turned inside out
    /usr/bin/python3 - "$work/volumes.h5" "$work/unsound.h5" <<'PY'
import shutil
import sys
import h5py
shutil.copy(*sys.argv[1:])
with h5py.File(sys.argv[2], "r+") as file:
    tet = file["tets"][7]
    file["tets"][7] = tet[[1, 0, 2, 3]]
PY
}
check "a mesh can be spoiled" unsound
call mesh check "$work/unsound.h5"
check "mesh check exits 1 for an unsound mesh" test "$code" = 1
check "mesh check names the place" says '^error: .*[tT]et'
call mesh export "$work/volumes.h5" --format gmsh
check "mesh export writes MSH 4.1" grep -aq '^4.1 1 8' "$work/volumes.msh"
call mesh export "$work/volumes.h5" --format vtu -o "$work/seen.vtu"
check "mesh export writes VTU" test -s "$work/seen.vtu" -a -s "$work/seen_faces.vtu"
call mesh check "$work/slab.csv"
check "mesh check of what is no mesh exits 2" test "$code" = 2
call run "$work/tiny_volumes.yaml" --output "$work/volumes" --threads 1 --json
check "a run of volumes succeeds" test "$code" = 0
check "it finds the mesh that mesh build made" grep -q '"mesh_reused": true' "$work/out"
change epochs.yaml 's/end_years: 4/end_years: 2/; s/lon_deg: 135.2/lon_deg: 135.25/' tiny_volumes.yaml
call run "$work/epochs.yaml" --output "$work/epochs" --ranks 2 --threads 1 --json
check "another job of the same model finds it too" grep -q '"mesh_reused": true' "$work/out"
on_the_hill() { # stations stand on the ground; motion is finite and of the size of slip
    /usr/bin/python3 - "$work/volumes/greens.h5" <<'PY'
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1]) as file:
    values = file["greens"][()]
    depths = file["snapped_depth"][()]
assert np.isfinite(values).all() and 1e-3 < abs(values).max() < 1, values
assert ((-900 < depths) & (depths < -700)).all(), depths  # 804 m by the formula
PY
}
check "stations stand on the hill" on_the_hill
change nodata.yaml 's/origin_lat_deg: 34/origin_lat_deg: 34.8/' tiny_volumes.yaml
bad "a patch beside the surface's data" 2 'fault\.interface\.patches: patch s00d00' nodata.yaml
change nosurface.yaml 's/of: slab-top/of: slab/' tiny_volumes.yaml
bad "an unknown surface" 2 'fault\.interface\.of: must name one of structure\.surfaces' nosurface.yaml
change nomemory.yaml 's/size_far_km: 60/size_far_km: 60, size_at_surface_m: 20/' tiny_volumes.yaml
bad "sizes beyond memory" 2 'mesh: the mesh must fit in memory: .* million elements.* GiB' nomemory.yaml
change elements.yaml 's/size_far_km: 60/size_far_km: 60, max_elements: 1000/' tiny_volumes.yaml
bad "more elements than allowed" 2 'mesh\.max_elements: must be at least' elements.yaml
change far.yaml 's/centre_lon_deg: 135,/centre_lon_deg: 15,/' tiny_volumes.yaml
bad "surfaces beside the region" 2 'structure\.surfaces\[0\]\.file: .*do not overlap' far.yaml

long_run() { # three thousand steps, so that it is still solving when it is stopped
    change long.yaml 's/size_at_fault_km: 10/size_at_fault_km: 2.5/; s/step_years: 1, end_years: 3/method: stepping, step_years: 0.1, end_years: 300/'
    : > "$work/err" # the words of an earlier run must not pass for this one's
    "$kaname" run "$work/long.yaml" --output "$work/stop" --threads 1 --ranks "$1" \
        > "$work/out" 2> "$work/err" < /dev/null &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        grep -q '^solve' "$work/err" 2> /dev/null && return 0
        kill -0 "$pid" 2> /dev/null || return 1
        sleep 0.1
    done
    return 1
}
has_children() { # a kaname-compute of this test is running
    local file
    for file in /proc/[0-9]*/cmdline; do
        case $(tr '\0' ' ' 2> /dev/null < "$file") in
            *kaname-compute*"$work"*) return 0 ;;
        esac
    done 2> /dev/null
    return 1
}
stops_children() { # within ten seconds
    for ((i = 0; i < 100; i++)); do
        has_children || return 0
        sleep 0.1
    done
    return 1
}
for ranks in 1 2; do
    rm -rf "$work/stop"
    check "a long run on $ranks rank(s) starts to solve" long_run "$ranks"
    "$kaname" run "$work/long.yaml" --output "$work/stop" > "$work/out2" 2> "$work/err2"
    check "a second run in the same folder exits 6 ($ranks)" test $? = 6
    check "a run that solves has children ($ranks)" has_children
    kill -TERM "$pid"
    wait "$pid"
    check "an interrupted run exits 130 ($ranks)" test $? = 130
    check "an interrupted run names the command that goes on ($ranks)" \
        grep -q "^  .*kaname run --resume $work/stop.* --threads 1$" "$work/err"
    check "an interrupted run leaves no dataset ($ranks)" test ! -e "$work/stop/greens.h5"
    check "an interrupted run stops its children ($ranks)" stops_children

    check "a long run goes on ($ranks)" long_run "$ranks"
    kill -KILL "$pid"
    wait "$pid" 2> /dev/null
    check "a killed run leaves no dataset ($ranks)" test ! -e "$work/stop/greens.h5"
    check "a killed run's children end too ($ranks)" stops_children
done
exit $failed
