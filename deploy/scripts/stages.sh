# SPDX-License-Identifier: BSD-3-Clause
# Sourced by deploy/demo, deploy/test and .ci/run: stages with their minutes, one clear line when
# one fails. The sourcing script sets `program` first.

set -Eeuo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$root"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1  # containers run as root
export PYTHONDONTWRITEBYTECODE=1
# Objects that one clone compiled are used by other clones, wherever they lie.
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR:-1}
cores=$(nproc)
stage_name=start
# Subshells report through the main shell.
trap '[[ $BASH_SUBSHELL -ne 0 ]] || echo "$program: FAILED in stage \"$stage_name\"" >&2' ERR

# stage <name> <command...>
stage() {
    stage_name=$1
    shift
    local stage_began=$SECONDS  # bash shows it to the functions called: no name of theirs
    echo "==> $stage_name"
    "$@"
    local took=$((SECONDS - stage_began))
    printf '<== %s: %d.%d min\n' "$stage_name" $((took / 60)) $((took % 60 / 6))
}

# configure <preset> [cmake arguments...]: quiet unless it fails. CUDA code that no GPU here can run is
# compiled for one generation, unless the arguments say otherwise.
configure() {
    local preset=$1 options=() output
    shift
    if command -v ccache > /dev/null; then
        options=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    fi
    [[ -e /dev/nvidiactl ]] || options+=(-DCMAKE_CUDA_ARCHITECTURES=90)
    local commit
    commit=$(git rev-parse --short=12 HEAD 2> /dev/null || true)
    if ! output=$(cmake --preset "$preset" "${options[@]}" -DKANAME_COMMIT="$commit" "$@" 2>&1); then
        echo "$output" >&2
        return 1
    fi
    grep '^-- kaname' <<< "$output" || true
}
