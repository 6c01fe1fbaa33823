#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs kaname-bench on its smallest suite: the file it writes and its errors, never its timings.
# Usage: bench_test.sh BIN_DIR SOURCE_DIR [--long]. Prints one line per fact; exits 1 when one does not hold.
# --long also runs the two lines that take most of a minute: ranges of viscosity and waves on voxels. It finds
# rows of theirs that are missing or whose errors are too large; what they measure has unit tests of its own.
set -u
bench=$1/kaname-bench
if [[ ! -x $bench ]]; then
    echo "kaname-bench is not built in $1"
    exit 77
fi
long=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
call() { # ARGUMENTS...: runs kaname-bench; leaves $code, $work/out, $work/err
    "$bench" "$@" > "$work/out" 2> "$work/err" < /dev/null
    code=$?
}
refuses() { # TEXT ARGUMENTS...: exit code 2, one line on standard error that holds TEXT
    local text=$1
    shift
    call "$@"
    [[ $code == 2 && $(wc -l < "$work/err") == 1 ]] && grep -qF -- "$text" "$work/err"
}

call --help
check "--help succeeds and names the suites" grep -q "^  kernels " "$work/out"

# --- bad input
check "no suite is refused" refuses "a suite is missing"
check "an unknown suite is named" refuses "unknown suite 'kernel'" kernel
check "an unknown size is named" refuses "got 'vast'" kernels --size vast
check "a size that the mesh suite does not have is refused" \
    refuses "--size of the mesh suite must be small, medium or large" mesh --size huge
check "the inversion suite has no lattices" \
    refuses "--unknowns is of the lattices" inversion --unknowns 1e5
check "a size without value is refused" refuses "--size needs a value" kernels --size
check "unknowns out of range are refused" refuses "--unknowns must be a number from 5e4 to 2e8" \
    kernels --unknowns 1e9
check "a GPU's line is refused on the CPU" refuses "--device must be cuda" \
    viscoelastic --method default_coloured
check "threads below one are refused" refuses "got '0'" kernels --threads 0
check "ranks below one are refused" refuses "--ranks must be a whole number" viscoelastic --ranks 0
check "an unknown device is named" refuses "--device must be cpu or cuda, got 'gpu'" \
    kernels --device gpu
check "ranks of the kernels are refused" refuses "--ranks is of the viscoelastic suite" \
    kernels --ranks 2
check "an unknown line is named" refuses "--method must be pcge, mg_ab2" viscoelastic --method magic
for option in "--method seed" "--family cleaved" --phases --first-solve; do
    read -ra words <<< "$option"
    check "$option of the kernels is refused" refuses "are of the viscoelastic suite" \
        kernels "${words[@]}"
done
check "an unknown family is named" refuses "--family must be lattice, cleaved or both, got 'cubes'" \
    viscoelastic --family cubes
check "phases of no step are refused" refuses "which --first-solve leaves out" \
    viscoelastic --phases --first-solve
check "an unknown option is named" refuses "'--jsn'" kernels --jsn x
check "options of the mesh suite are its own" \
    refuses "--count and --most-solved are of the mesh suite" kernels --count 3
check "an unknown model to mesh is named" refuses "nankai-5km, nankai-4km, nankai-2km, hellenic-5km" \
    mesh --case nanki
check "a folder of data that is not there is named" refuses "--data must name a folder" \
    mesh --data "$work/none"
check "a file that cannot be written is named before measuring" \
    refuses "cannot write '$work/none/k.json'" kernels --json "$work/none/k.json"
check "comparing a missing file names it" \
    refuses "cannot read '$work/none.json'" compare "$work/none.json" "$work/none.json"
echo '{"suite": "kernels"' > "$work/broken.json"
check "comparing a broken file names it" \
    refuses "'$work/broken.json' is no file of kaname-bench" \
    compare "$work/broken.json" "$work/broken.json"

# --- one source at a time
if [[ -x $1/kaname-bench-one ]]; then # KANAME_ONE_LANE
    "$1/kaname-bench-one" kernels --size small --threads 1 > "$work/out" 2> "$work/err"
    check "the same operators for one vector give the quadrature's numbers" test $? = 0
    check "the one-vector table says so" grep -q "ebe_p2_fp64  *1 " "$work/out"
fi

# --- figures
call kernels --size small --threads 1 --json "$work/k.json"
check "the kernels suite succeeds" test "$code" = 0
check "the table names the operators" grep -q "ebe_p2_fp32 .*element_vectors_per_s" "$work/out"
cat > "$work/fields.py" << 'END'
import json
import math
import re
import sys

report = json.load(open(sys.argv[1]))
assert list(report) == ["suite", "version", "commit", "started", "machine", "rows"], list(report)
assert report["suite"] == "kernels"
assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", report["started"]), report["started"]
machine = report["machine"]
assert list(machine) == ["cpu", "cores", "device", "stream_gb_s", "fma_gflop_s_fp64",
                         "fma_gflop_s_fp32"], list(machine)
assert machine["device"] is None
assert all(machine[name] > 0 for name in list(machine)[3:]), machine
fields = ["case", "method", "vectors", "ranks", "threads", "dof", "metric", "value", "unit",
          "samples", "spread"]
for row in report["rows"]:
    assert list(row) == fields, row
    assert row["case"] == "lattice-50k" and 40000 < row["dof"] < 60000, row
    assert row["value"] > 0 and math.isfinite(row["value"]), row
    assert row["threads"] == 1 and row["ranks"] == 1 and row["samples"] >= 3, row
    assert row["vectors"] == (1 if "quadrature" in row["method"] else 4), row
methods = ["ebe_p2_fp32", "ebe_p2_fp64", "ebe_nodal_fp32", "ebe_nodal_fp64",
           "ebe_p2_quadrature_fp64", "bcrs3_p1_fp32", "bcrs3_chebyshev_fp32",
           "bcrs6_aggregates_fp32", "projection_step", "gram_schmidt_predict",
           "compression_push", "stress_update", "stress_step",
           "axpby_fp64", "dot_fp64", "chebyshev3_fp32"]
metrics = ["element_vectors_per_s", "gb_per_s", "fraction_of_stream", "fraction_of_fma_peak"]
assert [(row["method"], row["metric"]) for row in report["rows"]] == [
    (method, metric) for method in methods for metric in metrics]
END
fields() { /usr/bin/python3 "$work/fields.py" "$work/k.json" 2>> "$work/err"; }
check "the file has the documented fields and rows" fields

# --- inversions
call inversion --size small --threads 1 --json "$work/inversion.json"
check "the inversion suite succeeds" test "$code" = 0
cat > "$work/inversion.py" << 'END'
import json
import sys

rows = [row for row in json.load(open(sys.argv[1]))["rows"] if row["case"] == "nankai372-small"]
assert [row["metric"] for row in rows] == ["seconds", "peak_bytes", "slice_s", "slice_bytes"], rows
assert all(row["value"] > 0 and row["dof"] == 372 for row in rows), rows
assert rows[3]["value"] == 372 * 4 * 3 * 8, rows[3]
END
inversion() { /usr/bin/python3 "$work/inversion.py" "$work/inversion.json" 2>> "$work/err"; }
check "its file has the documented rows" inversion

if [[ $long == --long ]]; then
# --- ranges of viscosity and what they answer
call viscoelastic --size small --threads 1 --method parametric_spectrum --json "$work/range.json"
check "the parametric line succeeds" test "$code" = 0
cat > "$work/range.py" << 'END'
import json
import sys

rows = json.load(open(sys.argv[1]))["rows"]
value = {(row["method"], row["metric"]): row["value"] for row in rows
         if row["method"] in ("parametric_spectrum", "answer")}
assert set(value) == {
    ("parametric_spectrum", "solves_per_pack"), ("parametric_spectrum", "seconds_per_pack"),
    ("parametric_spectrum", "times_one_viscosity"), ("parametric_spectrum", "certified_error"),
    ("parametric_spectrum", "solves_per_pack_of_one_viscosity"),
    ("parametric_spectrum", "seconds_per_pack_of_one_viscosity"),
    ("answer", "seconds_per_rheology"), ("answer", "seconds_per_certified_rheology"),
    ("answer", "seconds_10000_rheologies_summed"), ("answer", "times_faster_than_steps")}, value
assert value["parametric_spectrum", "certified_error"] < 1e-3, value
END
range_rows() { /usr/bin/python3 "$work/range.py" "$work/range.json" 2>> "$work/err"; }
check "its file has the documented rows" range_rows

# --- waves on voxels
call voxelwave --size small --threads 1 --json "$work/voxels.json"
check "the voxelwave suite succeeds" test "$code" = 0
cat > "$work/voxels.py" << 'END'
import json
import sys

rows = json.load(open(sys.argv[1]))["rows"]
value = {(row["method"], row["vectors"], row["metric"]): row["value"] for row in rows
         if row["case"] == "rebar_4mm"}
methods = ["vfem", "ovfem_dense_fp64", "ovfem_dense_fp32", "ovfem_walsh_fp64", "ovfem_walsh_fp32",
           "tcovfem_int8_m4", "tcovfem_int8_m8"]
for method in methods:
    assert value[method, 1, "voxel_updates_per_s"] > 0, method
    exact = method in ("vfem", "ovfem_dense_fp64", "ovfem_walsh_fp64", "tcovfem_int8_m8")
    assert value[method, 1, "relative_error"] < (1e-14 if exact else 1e-5), method
assert value["ovfem_walsh_fp64", 4, "gb_per_s"] > 0
error = {(row["method"], row["case"]): row["value"] for row in rows
         if row["metric"] == "relative_error"}
integers = [error[f"tcovfem_int8_m{stages}", "rebar_4mm"] for stages in range(1, 9)]
assert sorted(integers, reverse=True) == integers, integers
assert error["ovfem_walsh_fp64", "waveforms-2mm"] < error["vfem", "waveforms-2mm"] / 7, error
assert error["ovfem_walsh_fp64", "waveforms-2mm"] < error["vfem", "waveforms-1.2mm"], error
equal = {row["metric"]: row["value"] for row in rows if row["metric"].startswith("equal_accuracy")}
assert 0.0005 < equal["equal_accuracy_side"] < 0.0012, equal
assert equal["equal_accuracy_ratio"] > 0, equal
END
voxels() { /usr/bin/python3 "$work/voxels.py" "$work/voxels.json" 2>> "$work/err"; }
check "its file has the documented rows" voxels

fi
# --- phases of a step and first solves
call viscoelastic --size small --threads 1 --method default --phases --json "$work/phases.json"
check "the viscoelastic suite with phases succeeds" test "$code" = 0
check "phases have a table" grep -q "^smoother_operator " "$work/out"
call viscoelastic --size small --threads 1 --method default --family both --first-solve \
    --json "$work/first.json"
check "first solves of both families succeed" test "$code" = 0
cat > "$work/steps.py" << 'END'
import json
import sys

values = {row["metric"]: row["value"] for row in json.load(open(sys.argv[1]))["rows"]}
phases = ["predictor", "load_stress", "operator_fp64", "smoother_operator", "smoother_vectors",
          "p1_below", "coarsest", "dots_vectors", "waiting"]
seconds = [values[f"phase_{phase}_s"] for phase in phases]
assert 0.95 < sum(seconds) / values["seconds_per_source_step"] < 1.05, (seconds, values)
assert 0.95 < values["phase_sum_over_step"] <= 1.0001, values["phase_sum_over_step"]
for phase in phases:
    assert (values[f"phase_{phase}_bytes"] > 0) == (phase != "waiting"), phase
assert values["floor_bytes_s"] > 0 and values["floor_flops_s"] > 0, values

cases = {}
for row in json.load(open(sys.argv[2]))["rows"]:
    cases.setdefault(row["case"], {})[row["metric"]] = (row["value"], row["dof"])
assert list(cases) == ["lattice-50k", "cleaved-50k"], list(cases)
for metrics in cases.values():
    assert list(metrics) == ["elements", "min_dihedral_deg", "p001_min_dihedral_deg",
                             "max_dihedral_deg", "setup_s", "first_solve_iterations",
                             "first_solve_s"], list(metrics)
    assert all(45000 < dof < 55000 for _, dof in metrics.values()), metrics
lattice, cleaved = cases["lattice-50k"], cases["cleaved-50k"]
assert cleaved["min_dihedral_deg"][0] > 10 > lattice["min_dihedral_deg"][0], cases
# Each with the smoother that suits its cells (0116): two steps where cells are even, six where they are
# flat, so that one family's iterations say nothing of the other's.
assert all(5 < case["first_solve_iterations"][0] <= 15 for case in (lattice, cleaved)), cases
END
steps() {
    /usr/bin/python3 "$work/steps.py" "$work/phases.json" "$work/first.json" 2>> "$work/err"
}
check "phases sum to the step, and families have their unknowns and angles" steps

# --- comparison
call compare "$work/k.json" "$work/k.json"
check "compare succeeds" test "$code" = 0
check "a file compared with itself has ratios of one" \
    test "$(grep -c ' 1\.000$' "$work/out")" = 64
sed 's/"suite": "kernels"/"suite": "viscoelastic"/' "$work/k.json" > "$work/v.json"
check "files of two suites are refused" \
    refuses "got 'kernels' and 'viscoelastic'" compare "$work/k.json" "$work/v.json"

# --- speedups
rows() { # METHOD:VECTORS:SECONDS...: a file of the viscoelastic suite
    local row separator=
    printf '%s' '{"suite": "viscoelastic", "version": "", "commit": "", "started": "", "machine":' \
        ' {"cpu": "", "cores": 1, "device": null, "stream_gb_s": 1, "fma_gflop_s_fp64": 1,' \
        ' "fma_gflop_s_fp32": 1}, "rows": ['
    for row; do
        IFS=: read -r method vectors seconds <<< "$row"
        printf '%s{"case": "lattice-50k", "method": "%s", "vectors": %s, "ranks": 1, "threads": 1,' \
            "$separator" "$method" "$vectors"
        printf '"dof": 1, "metric": "seconds_per_source_step", "value": %s, "unit": "s",' "$seconds"
        printf '"samples": 3, "spread": 0}'
        separator=,
    done
    printf ']}'
}
rows seed:4:0.5 default:4:0.1 pcge:4:2 > "$work/four.json"
rows seed:1:1.5 mg_ab2:1:4.3 > "$work/one.json"
call speedups "$work/four.json" "$work/one.json"
check "speedups succeeds" test "$code" = 0
check "a line is put over seed and default of most vectors" \
    grep -qE "mg_ab2 +1 +4.3 +8.6x +43x" "$work/out"
check "lines of the first file, too" grep -qE "pcge +4 +2 +4x +20x" "$work/out"
check "speedups of the kernels are refused" refuses "none has a seconds_per_source_step" \
    speedups "$work/k.json"
check "speedups of no file is refused" refuses "speedups takes one file or more" speedups

exit $failed
